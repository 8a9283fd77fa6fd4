"""The interior-point method for ordered games. It works along the public tree and never forms the payoff matrix."""
