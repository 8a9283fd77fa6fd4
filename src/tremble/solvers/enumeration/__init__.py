"""Enumerate all equilibria of a small game with any payoffs."""
