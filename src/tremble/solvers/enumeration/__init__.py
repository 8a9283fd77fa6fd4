"""All equilibria of a small game, whatever its payoffs sum to."""
