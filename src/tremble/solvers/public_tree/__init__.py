"""Solvers that work along the public tree of an ordered game, and never form its payoff matrix."""
