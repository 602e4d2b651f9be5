"""What readers see of dp_pnbm: what is computed, in words, drawn, and the dashboard of it."""
