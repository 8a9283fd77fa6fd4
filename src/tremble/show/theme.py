"""The theme: every colour, font and style of the terminal, of pictures and of pages.

Players and lines have the colours of Okabe and Ito, told apart by the colour-blind; shapes, dashes and hatches tell the
same apart in grey. Pictures and pages follow the reader's system, light or dark.
"""

from __future__ import annotations

from string import Template
from typing import Any

__all__ = [
    "COLOURS",
    "COMPARISON",
    "COMPARISON_PAGE",
    "DASHES",
    "FAINT",
    "FILLS",
    "GREY",
    "HEADING",
    "INK",
    "LESS",
    "MORE",
    "NOTE",
    "OFF_PATH",
    "OK",
    "PARAMETER",
    "PASSIVE",
    "PLOT",
    "PLOT_LINE",
    "SHAPES",
    "STRATEGY",
    "STRATEGY_PAGE",
    "TREE",
    "TREE_PAGE",
    "WARNING",
    "WRONG",
    "ramp",
]

_PALETTE = {
    "paper": ("#ffffff", "#16191d"),  # behind everything
    "ink": ("#1f2933", "#e4e7eb"),  # text
    "faint": ("#5b6770", "#9aa5b1"),  # text that matters less
    "one_text": ("#0060a0", "#5cb3ec"),  # player 1 in text
    "two_text": ("#b84a00", "#ff9a52"),  # player 2 in text
    "one": ("#0072b2", "#3d9fe0"),  # player 1 in shapes
    "two": ("#d55e00", "#ff8433"),  # player 2 in shapes
    "chance": ("#7b8794", "#7b8794"),  # chance, and what is measured against
    "branch": ("#3e4c59", "#b8c2cc"),  # branches and leaves of a tree
    "line": ("#d9dee3", "#323a43"),  # rules of a page
    "hit": ("#fff3c4", "#3d3520"),  # behind a row that is pointed at
    "grid": ("#e1e5ea", "#2a3139"),  # lines behind a chart
    "axis": ("#9aa5b1", "#6b7783"),  # the line at zero, and between two marks
    "first": ("#00805e", "#35c99b"),  # the first of two profiles
    "second": ("#a3407f", "#e58fc6"),  # the second of two profiles
}
"""Name -> colour in the light and in the dark."""

_WORDS = {
    **{name: light for name, (light, _) in _PALETTE.items()},
    **{f"dark_{name}": dark for name, (_, dark) in _PALETTE.items()},
    "picture_font": 'Helvetica,Arial,"Liberation Sans","DejaVu Sans",sans-serif',
    "page_font": 'Helvetica,Arial,"Liberation Sans",sans-serif',
}


def _css(text: str) -> str:
    """Fill colours and fonts into a style sheet."""
    return Template(text).substitute(_WORDS)


# -- pictures and pages ----------------------------------------------------------------------------

TREE = _css("""\
.tree{font-family:$picture_font;font-size:12px}
.paper{fill:$paper}
.ink,.tree text{fill:$ink}
.tree .title{font-size:17px;font-weight:bold}
.tree .faint,.tree .prob{fill:$faint}
.tree .prob,.tree .pay,.tree .value{font-size:11px}
.tree .p1{fill:$one_text}
.tree .p2{fill:$two_text}
.tree .name{font-size:11px;font-style:italic}
.tree .number{fill:$paper;font-weight:bold;text-anchor:middle}
.edge{fill:none;stroke:$branch;stroke-linecap:round;stroke-linejoin:round}
.set{fill:none;stroke-width:1.5;stroke-dasharray:1 4.5;stroke-linecap:round}
.set1{stroke:$one}
.set2{stroke:$two}
.node1{fill:$one}
.node2{fill:$two}
.node0{fill:$chance}
.leaf{fill:$branch}
.pale{fill-opacity:.4;stroke-opacity:.4}
.pale .number{fill-opacity:1}
.pale .paper,.paper{fill-opacity:1}
""")
"""Of the picture of a tree."""

COMPARISON = _css("""\
.compare{font-family:$picture_font;font-size:12px}
.paper{fill:$paper}
.compare text{fill:$ink}
.compare .title{font-size:17px;font-weight:bold}
.compare .who{font-size:14px;font-weight:bold}
.compare .who1{fill:$one_text}
.compare .who2{fill:$two_text}
.compare .faint{fill:$faint}
.compare .small,.compare .tick{font-size:11px}
.compare .tick{fill:$faint}
.compare .off{font-style:italic;fill:$faint}
.grid{stroke:$grid;stroke-width:1}
.zero{stroke:$axis;stroke-width:1}
.line{fill:none;stroke-width:2.2;stroke-linejoin:round;stroke-linecap:round}
.first{stroke:$first}
.second{stroke:$second;stroke-dasharray:7 5}
.best{stroke:$chance;stroke-width:1.4;stroke-dasharray:1 4}
.dot1{fill:$first}
.dot2{fill:$paper;stroke:$second;stroke-width:2}
.gap{stroke:$axis;stroke-width:2}
.area1{fill:$first;fill-opacity:.35}
.area2{fill:$second;fill-opacity:.35}
@media (prefers-color-scheme:dark){
.paper{fill:$dark_paper}.compare text{fill:$dark_ink}.compare .faint,.compare .tick,.compare .off{fill:$dark_faint}
.compare .who1{fill:$dark_one_text}.compare .who2{fill:$dark_two_text}
.grid{stroke:$dark_grid}.zero,.gap{stroke:$dark_axis}.best{stroke:$dark_faint}
.first{stroke:$dark_first}.dot1,.area1{fill:$dark_first}
.second,.dot2{stroke:$dark_second}.dot2{fill:$dark_paper}.area2{fill:$dark_second}}
""")
"""Of the picture of a comparison."""

STRATEGY = _css("""\
.plan{font-family:$picture_font;font-size:12px}
.paper{fill:$paper}
.plan text{fill:$ink}
.plan .title{font-size:17px;font-weight:bold}
.plan .who{font-size:13px;font-weight:bold}
.plan .who1{fill:$one_text}
.plan .who2{fill:$two_text}
.plan .faint{fill:$faint}
.plan .small{font-size:11px;fill:$faint}
.plan .hand{font-size:10.5px;text-anchor:middle}
.plan .cell{font-size:9px;text-anchor:middle;fill:$ink}
.plan .inside{font-size:10px;text-anchor:middle;fill:$ink}
.plan .card{font-size:15px;font-weight:bold;text-anchor:middle;fill:#1f2933}
.plan .red{fill:#c81e3a}
.sheet{fill:#fff;stroke:$axis}
.pale{fill-opacity:.3}
.share{fill:$axis}
.never{fill:$paper;stroke:$grid}
.plan .never+.cell{fill:$axis}
.base{stroke:$axis;stroke-width:1}
@media (prefers-color-scheme:dark){
.paper{fill:$dark_paper}.plan text{fill:$dark_ink}.plan .faint,.plan .small{fill:$dark_faint}
.plan .who1{fill:$dark_one_text}.plan .who2{fill:$dark_two_text}
.plan .cell,.plan .inside{fill:$ink}.plan .card{fill:#1f2933}.plan .red{fill:#c81e3a}
.share{fill:$dark_axis}.never{fill:$dark_paper;stroke:$dark_grid}
.plan .never+.cell{fill:$dark_axis}.base{stroke:$dark_axis}}
""")
"""Of the picture of what hands do."""

PASSIVE = {"fold": "#cbd2d9", "pass": "#cbd2d9", "check": "#b5dcf3", "call": "#5aa9dc"}
"""What takes no risk, or as little as can be -> its colour, light or dark; dark text can be read on it."""

_RAMP = ("#f7d070", "#f0a04b", "#df6a45", "#b8527f", "#8a63ab")


def ramp(position: float) -> str:
    """A colour from yellow (0) to violet (1), for actions from small to large."""
    at = position * (len(_RAMP) - 1)
    low = min(int(at), len(_RAMP) - 2)
    ends = [[int(colour[k : k + 2], 16) for k in (1, 3, 5)] for colour in _RAMP[low : low + 2]]
    return "#" + "".join(f"{round(a + (b - a) * (at - low)):02x}" for a, b in zip(*ends, strict=True))


TREE_PAGE = _css("""\
:root{color-scheme:light dark;--back:#fff;--ink:$ink;--faint:$faint;--line:$line;--hit:$hit;
--one:$one_text;--two:$two_text}
*{box-sizing:border-box}
html,body{margin:0;height:100%}
body{display:flex;font:14px/1.45 $page_font;background:var(--back);color:var(--ink)}
main{flex:1 1 auto;min-width:0;position:relative;overflow:hidden;touch-action:none;cursor:grab}
main.held{cursor:grabbing}
main svg{display:block;width:100%;height:100%}
aside{flex:0 0 29rem;max-width:45vw;overflow:auto;border-left:1px solid var(--line);padding:0 1rem 1rem}
h1{font-size:1.15rem;margin:1rem 0 .2rem}
p{margin:.2rem 0;color:var(--faint)}
h2{font-size:1rem;margin:1.1rem 0 .3rem}
h2.one{color:var(--one)}h2.two{color:var(--two)}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th{text-align:left;font-weight:normal;color:var(--faint);border-bottom:1px solid var(--line)}
th,td{padding:.12rem .6rem .12rem 0;vertical-align:top;overflow-wrap:break-word}
td.n,th.n{text-align:right;white-space:nowrap}
tbody tr:hover,tr.hit{background:var(--hit)}
tr.off{color:var(--faint);font-style:italic}
tr.first td{border-top:1px solid var(--line)}
#tip{position:fixed;z-index:2;display:none;max-width:26rem;padding:.4rem .6rem;white-space:pre-line;
overflow-wrap:anywhere;background:var(--back);border:1px solid var(--line);border-radius:6px;
box-shadow:0 2px 10px #0003;font-size:13px;pointer-events:none}
#zoom{position:absolute;right:.8rem;bottom:.8rem;display:flex;gap:.3rem}
#zoom button{font:inherit;min-width:2.1rem;padding:.2rem .5rem;border:1px solid var(--line);border-radius:6px;
background:var(--back);color:var(--ink);cursor:pointer}
.node.hit circle,.node.hit rect{stroke:#f0b429;stroke-width:4}
.set.hit{stroke-width:3}
@media (prefers-color-scheme:dark){
:root{--back:$dark_paper;--ink:$dark_ink;--faint:$dark_faint;--line:$dark_line;--hit:$dark_hit;\
--one:$dark_one_text;--two:$dark_two_text}
.paper{fill:$dark_paper}.tree text{fill:$dark_ink}.tree .faint,.tree .prob{fill:$dark_faint}
.tree .p1{fill:$dark_one_text}.tree .p2{fill:$dark_two_text}.edge{stroke:$dark_branch}.leaf{fill:$dark_branch}
.set1{stroke:$dark_one}.set2{stroke:$dark_two}}
@media (max-width:800px){body{flex-direction:column}aside{flex:0 0 40%;max-width:none;border-left:0;
border-top:1px solid var(--line)}}
@media print{aside{display:none}#zoom{display:none}}
""")
"""Of the page around the picture of a tree, and of the picture in the dark."""

COMPARISON_PAGE = _css("""\
:root{color-scheme:light dark;--back:#fff;--ink:$ink;--faint:$faint;--line:$line}
body{margin:0 auto;max-width:78rem;padding:0 1rem 2rem;background:var(--back);color:var(--ink);
font:14px/1.45 $page_font}
svg{display:block;margin-left:-24px;max-width:calc(100% + 24px);height:auto}
h2{font-size:1.05rem;margin:1.6rem 0 .3rem}
p{margin:.2rem 0 .6rem;color:var(--faint)}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th{text-align:left;font-weight:normal;color:var(--faint);border-bottom:1px solid var(--line)}
th,td{padding:.15rem 1.2rem .15rem 0;vertical-align:top;white-space:nowrap}
tr.off td{color:var(--faint);font-style:italic}
@media (prefers-color-scheme:dark){:root{--back:$dark_paper;--ink:$dark_ink;--faint:$dark_faint;--line:$dark_line}}
""")
"""Of the page around the picture of a comparison."""

STRATEGY_PAGE = _css("""\
:root{color-scheme:light dark;--back:$paper;--ink:$ink;--faint:$faint;--line:$line}
body{margin:0 auto;max-width:68rem;padding:1rem;background:var(--back);color:var(--ink);font:14px/1.45 $page_font}
nav{position:sticky;top:0;z-index:1;padding:.6rem 0;background:var(--back);border-bottom:1px solid var(--line)}
select,button{font:inherit;padding:.25rem .5rem;border:1px solid var(--line);border-radius:6px;
background:var(--back);color:var(--ink);max-width:70vw}
p{margin:.4rem 0;color:var(--faint)}
svg{display:block;max-width:100%;height:auto}
@media (prefers-color-scheme:dark){:root{--back:$dark_paper;--ink:$dark_ink;--faint:$dark_faint;--line:$dark_line}}
@media print{nav{display:none}}
""")
"""Of the page around pictures of what hands do."""

# -- the terminal ----------------------------------------------------------------------------------

HEADING = "bold"
FAINT = "dim"
OFF_PATH = "dim italic"
PARAMETER = "cyan"
OK, WARNING, WRONG = "bold green", "bold yellow", "bold red"
MORE, LESS = "green", "red"
NOTE = "yellow"


# -- plots, by matplotlib --------------------------------------------------------------------------

INK, GREY, PLOT_LINE = _WORDS["ink"], _WORDS["faint"], "#d3d9df"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9", "#7b8794")
DASHES = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (7, 2, 1.5, 2)), "-", (0, (4, 2)), (0, (1, 1)), (0, (8, 2, 1, 2, 1, 2)))
SHAPES = ("o", "s", "^", "D", "v", "P", "X", "*")
FILLS = (
    ("#0072b2", ""),
    ("#e69f00", ""),
    ("#ffffff", "////"),
    ("#7b8794", ""),
    ("#000000", ""),
    ("#cfd8dc", "\\\\\\\\"),
)

PLOT: Any = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so it is there, and everywhere the same
    "font.size": 9,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": PLOT_LINE,
    "grid.linewidth": 0.6,
    "text.color": INK,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "hatch.linewidth": 0.6,
    "svg.hashsalt": "tremble",
    "svg.fonttype": "path",
}
