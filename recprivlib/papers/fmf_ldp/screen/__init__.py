"""What readers see of fmf_ldp: what is computed, in words, drawn, and the dashboard of it."""
