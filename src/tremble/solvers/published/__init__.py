"""Published algorithms for refinements; use them for comparison, they are never the default."""
