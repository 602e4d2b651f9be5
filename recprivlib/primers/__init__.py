"""The chapters before the papers, one folder each, and the first page: what they compute, say and draw."""
