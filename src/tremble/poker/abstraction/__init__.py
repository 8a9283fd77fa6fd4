"""Smaller games that have the equilibria of larger ones, or come near."""
