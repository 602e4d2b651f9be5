"""Dashboards: Panel lives here and nowhere else."""
