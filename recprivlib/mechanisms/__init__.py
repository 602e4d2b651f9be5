"""Randomised releases and their exact privacy."""
