"""Exact equilibria of games of any sum, by complementary pivots."""
