"""Show results as terminal tables, notebook cells, JSON and CSV, and define the colors and fonts of all output."""
