"""Ordered games that are built in."""
