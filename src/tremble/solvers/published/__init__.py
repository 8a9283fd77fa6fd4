"""Algorithms of others for refinements, as published: for comparison, never chosen by default."""
