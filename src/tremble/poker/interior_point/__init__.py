"""The interior-point method along the public tree of an ordered game; it never forms the payoff matrix."""
