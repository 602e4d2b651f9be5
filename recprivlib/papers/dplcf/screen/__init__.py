"""What readers see of dplcf: what is computed, in words, drawn, and the dashboard of it."""
