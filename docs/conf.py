"""Sphinx configuration: MyST pages, furo, a bibliography."""

import importlib.metadata

project = "tremble"
author = "The tremble developers"
project_copyright = author
release = importlib.metadata.version("tremble")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinxcontrib.bibtex",
]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "plain"
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_ivar = True
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"tremble {release}"
