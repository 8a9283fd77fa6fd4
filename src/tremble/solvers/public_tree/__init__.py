"""Solvers along the public tree of filtered ordered games: no nonzero of the payoff matrix is ever formed."""
