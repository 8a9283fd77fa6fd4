"""Ordered games: signals dealt in rounds, betting in stage trees, payoffs by the order of the hands."""
