"""Exact equilibria by linear programs in sequence form."""
