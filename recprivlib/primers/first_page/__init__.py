"""The figure of the first page."""
