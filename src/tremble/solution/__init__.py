"""Results as data, and their files: solutions, lists of equilibria, trembles, beliefs, explanations, comparisons."""
