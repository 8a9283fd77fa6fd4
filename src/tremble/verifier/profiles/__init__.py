"""Passes over profiles: what a pair of strategies earns in a tree, or under rules that are never built."""
