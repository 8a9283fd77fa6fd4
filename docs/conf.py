"""Sphinx configuration: MyST pages and notebooks, furo, a bibliography."""

import base64
import importlib.metadata
import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.pycode import ModuleAnalyzer
from sphinx.transforms import SphinxTransform

import tremble

project = "tremble"
author = "The tremble developers"
project_copyright = author
release = importlib.metadata.version("tremble")

extensions = [
    "myst_nb",  # reads the other pages too, as myst_parser does
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinxcontrib.bibtex",
]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "force"  # outputs are not stored: each build makes them of what the package does now
nb_execution_raise_on_error = True
nb_execution_in_temp = True  # what cells write does not lie among the pages
nb_execution_timeout = 300
nb_merge_streams = True
bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "plain"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_type_aliases = {"ProfileLike": "ProfileLike"}  # a long union
maximum_signature_line_length = 100
python_use_unqualified_type_names = True
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_ivar = True
KINDS = ("class", "exception", "function", "data")
exclude_patterns = ["_build", "jupyter_execute"]
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["notebooks.css"]
html_title = f"tremble {release}"


def to_public_name(app, env, node, text):
    """Resolve by its last name what stands in a type or docstring: the modules that offer a class do not define it."""
    if node.get("refdomain") != "py":
        return None
    domain, name = env.get_domain("py"), node["reftarget"].rpartition(".")[2]
    every = ((path, thing.objtype) for path, thing in domain.objects.items())
    found = [path for path, kind in every if path.rpartition(".")[2] == name and kind in KINDS]
    if len(found) != 1:
        return None
    return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", found[0], node, text)


def one_signature(analyze):
    """Overloads differ in the kinds of games and strategies alone, which the text says."""

    def analyzed(self):
        analyze(self)
        self.overloads = {}

    return analyzed


def plain_aliases(app, what, name, thing, options, signature, result):
    """Write the names of aliases as they are, within unions too."""
    return tuple(text and re.sub(r"TypeAliasForwardRef\('([\w.]+)'\)", r"\1", text) for text in (signature, result))


class IndexOfTheGlossary(SphinxTransform):
    """Terms of the glossary stand in the index, and links lead to them; the page stays plain Markdown."""

    default_priority = 500  # before Sphinx collects what the index has

    def apply(self):
        """Called by Sphinx for each page."""
        if self.env.docname != "glossary":
            return
        for term in self.document.findall(nodes.term):
            for name in term.astext().split(", "):
                anchor = nodes.make_id(f"term-{name}")
                term["ids"].append(anchor)
                term.append(addnodes.index(entries=[("single", name, anchor, "main", None)]))


class ThumbnailsOfTheGallery(SphinxTransform):
    """Put a small copy of each picture at the head of the gallery, linked to the section with its code."""

    default_priority = 500  # before MyST-NB chooses between the forms of an output

    def apply(self):
        """Called by Sphinx for each page."""
        if self.env.docname != "gallery":
            return
        [page] = self.document.findall(lambda node: isinstance(node, nodes.section) and node.parent is self.document)
        parts = [node for node in page.children if isinstance(node, nodes.section)]
        tiles = [
            f'<a href="#{part["ids"][0]}"><div class="thumbnail">{thumbnail(part, self.env)}</div>'
            f'<div class="name">{part.next_node(nodes.title).astext()}</div></a>'
            for part in parts
        ]
        grid = f'<div class="thumbnails">{"".join(tiles)}</div>'
        page.insert(page.index(parts[0]), nodes.raw("", grid, format="html"))


def thumbnail(part, env):
    """Return the last picture of a section as HTML, else its first table, else a sign for a page."""
    image = '<img alt="" src="data:image/{};base64,{}">'
    found = '<div class="sheet">HTML</div>'
    for output in part.findall(lambda node: isinstance(node, nodes.container) and "mime_type" in node):
        for picture in output.findall(nodes.image):
            data = base64.b64encode(Path(env.relfn2path(picture["uri"])[1]).read_bytes()).decode()
            return image.format(picture["uri"].rpartition(".")[2], data)
        for raw in output.findall(nodes.raw):
            html = raw.astext()
            if drawn := re.search(r"<svg.*?</svg>", html, re.DOTALL):
                alone = drawn[0].replace(".tremble-cell ", "")  # the rules of a cell, for a picture outside of it
                found = image.format("svg+xml", base64.b64encode(alone.encode()).decode())
            elif listed := re.search(r"<table.*?</table>", html, re.DOTALL):
                found = listed[0]
    return found


def write_explorer(app, error):
    """Write the page that the gallery opens, by the lines that stand there."""
    if error is None and app.builder.format == "html":
        leduc = tremble.load("leduc")
        refined = tremble.solve(leduc, "quasi-perfect")
        tremble.draw(leduc, refined).save(app.outdir / "leduc.html")


def setup(app):
    """Called by Sphinx."""
    app.connect("build-finished", write_explorer)
    app.add_transform(IndexOfTheGlossary)
    app.add_transform(ThumbnailsOfTheGallery)
    app.connect("missing-reference", to_public_name)
    app.connect("autodoc-process-signature", plain_aliases)
    ModuleAnalyzer.analyze = one_signature(ModuleAnalyzer.analyze)
