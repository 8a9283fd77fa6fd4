"""Abstraction of ordered games: smaller games whose equilibria are exact or approximate equilibria."""
