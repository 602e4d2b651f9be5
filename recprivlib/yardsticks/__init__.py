"""What every private system is set beside: with no privacy and no learning, and under a trusted server."""
