"""Show results as terminal tables, notebook cells, JSON and CSV, in the style that pictures and pages share."""
