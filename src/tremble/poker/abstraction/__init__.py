"""Abstraction: find exact or approximate equilibria of an ordered game by solving a smaller game."""
