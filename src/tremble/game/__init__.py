"""Games, strategies, and the values of strategies."""
