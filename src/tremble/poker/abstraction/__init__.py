"""Abstraction of ordered games: smaller games with exact or approximate equilibria of the original game."""
