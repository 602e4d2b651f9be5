"""The chapter on recommenders and how they are measured."""
