"""The interior-point method along the public tree of an ordered game, which never forms the payoff matrix."""
