"""What is to be said of strategies, wherever they come from."""
