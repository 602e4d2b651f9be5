"""What readers see of privrec: what is computed, in words, drawn, and the dashboard of it."""
