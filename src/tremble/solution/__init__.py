"""Documents: solutions, lists of equilibria, trembles, beliefs and explanations, with their files."""
