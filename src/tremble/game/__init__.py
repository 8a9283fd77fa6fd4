"""What a game is, what a strategy of it is, and what strategies are worth."""
