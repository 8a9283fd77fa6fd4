"""Regret minimization along the public tree of an ordered game."""
