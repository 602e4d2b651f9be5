"""What readers see of ldp_svd: what is computed, in words, drawn, and the dashboard of it."""
