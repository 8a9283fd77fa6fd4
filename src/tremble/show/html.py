"""The drawing as a web page: the SVG with pan and zoom, exact numbers on hover, information sets beside it.

One self-contained file: no network, no library. Light or dark follows the reader's system.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tremble.model.printable import escape
from tremble.model.strategy import BehaviorStrategy, GivenProfile, profile_of
from tremble.model.tree import GameTree, require_tree
from tremble.show.numbers import decimal_text, exact_text, probability_text, short_text
from tremble.show.svg import draw_svg
from tremble.show.theme import TREE_PAGE
from tremble.show.view import InfosetRow, headline, player_name, tree_rows
from tremble.solution.stated import StatedSolution

__all__ = ["draw_html"]

_MAX_ROWS = 5000  # rows of the table beside the picture

_SCRIPT = """\
"use strict";
const main = document.querySelector("main"), svg = main.querySelector("svg"), tip = document.getElementById("tip");
const whole = svg.viewBox.baseVal, page = {w: whole.width, h: whole.height};
svg.removeAttribute("width"); svg.removeAttribute("height");
svg.setAttribute("preserveAspectRatio", "xMinYMin meet");
let view;
function show(v) { view = v; svg.setAttribute("viewBox", [v.x, v.y, v.w, v.h].join(" ")); }
function fit() {
  // a very long or tall picture starts at its root, at a size that can be read
  const box = main.getBoundingClientRect(), all = Math.max(page.w / box.width, page.h / box.height, 1e-9);
  if (all < 2.2) {
    const s = Math.max(all, 0.55), w = box.width * s, h = box.height * s;
    return show({x: (page.w - w) / 2, y: Math.min(0, (page.h - h) / 2), w, h});
  }
  const root = svg.querySelector(".node"), at = root ? root.getBBox() : {x: 0, y: 0};
  const w = box.width * 1.2, h = box.height * 1.2, wide = page.w > page.h && at.x > page.w / 4;
  show({x: wide ? at.x - w / 2 : 0, y: wide ? 0 : Math.max(0, at.y - h / 2), w, h});
}
function scale() { const b = main.getBoundingClientRect(); return Math.max(view.w / b.width, view.h / b.height); }
function zoom(f, cx, cy) {
  const b = main.getBoundingClientRect(), s = scale();
  const px = view.x + (cx - b.left) * s, py = view.y + (cy - b.top) * s;
  const w = Math.min(Math.max(view.w * f, 40), 40 * Math.max(page.w, page.h)), g = w / view.w;
  show({x: px - (px - view.x) * g, y: py - (py - view.y) * g, w, h: view.h * g});
}
function middle(f) {
  const b = main.getBoundingClientRect(); zoom(f, b.left + b.width / 2, b.top + b.height / 2);
}
main.addEventListener("wheel", e => { e.preventDefault(); zoom(Math.exp(e.deltaY * 0.0015), e.clientX, e.clientY); },
  {passive: false});
const fingers = new Map();
main.addEventListener("pointerdown", e => {
  if (e.target.closest("#zoom")) return;
  fingers.set(e.pointerId, e); main.setPointerCapture(e.pointerId); main.classList.add("held");
});
main.addEventListener("pointermove", e => {
  const last = fingers.get(e.pointerId);
  if (last) {
    const s = scale(), other = [...fingers.values()].find(o => o.pointerId !== e.pointerId);
    if (other) {
      const was = Math.hypot(last.clientX - other.clientX, last.clientY - other.clientY);
      const now = Math.hypot(e.clientX - other.clientX, e.clientY - other.clientY);
      if (now > 1) zoom(was / now, (e.clientX + other.clientX) / 2, (e.clientY + other.clientY) / 2);
    } else {
      show({...view, x: view.x - (e.clientX - last.clientX) * s, y: view.y - (e.clientY - last.clientY) * s});
    }
    fingers.set(e.pointerId, e);
  }
  if (fingers.size) { tip.style.display = "none"; return; }
  point(e);
});
for (const end of ["pointerup", "pointercancel"]) main.addEventListener(end, e => {
  fingers.delete(e.pointerId); if (!fingers.size) main.classList.remove("held");
});
for (const t of svg.querySelectorAll("g title, text title")) { t.parentNode.dataset.tip = t.textContent; t.remove(); }
const rows = document.querySelectorAll("tr[data-set]");
let lit = null;
function light(key) {
  if (key === lit) return;
  lit = key;
  for (const e of document.querySelectorAll(".hit")) e.classList.remove("hit");
  if (key) for (const e of document.querySelectorAll(`[data-set="${key}"]`)) e.classList.add("hit");
}
function point(e) {
  const told = e.target.closest("[data-tip]"), set = e.target.closest("[data-set]");
  light(set ? set.dataset.set : null);
  tip.style.display = told ? "block" : "none";
  if (!told) return;
  tip.textContent = told.dataset.tip;
  const b = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(e.clientX + 14, innerWidth - b.width - 8)) + "px";
  tip.style.top = Math.max(4, Math.min(e.clientY + 14, innerHeight - b.height - 8)) + "px";
}
main.addEventListener("pointerleave", () => { tip.style.display = "none"; light(null); });
main.addEventListener("click", e => {
  const set = e.target.closest("[data-set]");
  const row = set && document.querySelector(`tr[data-set="${set.dataset.set}"]`);
  if (row) row.scrollIntoView({block: "center"});
});
for (const r of rows) r.addEventListener("mouseenter", () => light(r.dataset.set));
document.querySelector("aside").addEventListener("mouseleave", () => light(null));
document.getElementById("in").onclick = () => middle(0.8);
document.getElementById("out").onclick = () => middle(1.25);
document.getElementById("fit").onclick = fit;
addEventListener("keydown", e => {
  const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[e.key];
  if (e.ctrlKey || e.metaKey || e.altKey || (step && document.activeElement.closest("aside"))) return;
  if (e.key === "+" || e.key === "=") middle(0.8);
  else if (e.key === "-") middle(1.25);
  else if (e.key === "0") fit();
  else if (step) show({...view, x: view.x + step[0] * view.w / 8, y: view.y + step[1] * view.h / 8});
  else return;
  e.preventDefault();
});
fit();
"""


# The page's style follows the picture's own, so that the dark colours win.
_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
</head>
<body>
<main>
{picture}<style>
{style}</style>
<div id="zoom"><button id="in" title="zoom in (+)">+</button><button id="out" title="zoom out (-)">&minus;</button>
<button id="fit" title="whole picture (0)">fit</button></div>
</main>
<aside>
<h1>{title}</h1>
{about}{tables}</aside>
<div id="tip"></div>
<script>
{script}</script>
</body>
</html>
"""


def draw_html(tree: GameTree, solution: GivenProfile | None = None, *, max_nodes: int = 3000) -> str:
    """Draw a game tree, or a solution on it, as a self-contained web page: HTML, to be written with UTF-8.

    Takes what :func:`tremble.show.svg.draw_svg` takes, and raises what it raises.

    Examples
    --------
    >>> import tremble
    >>> from tremble.show.html import draw_html
    >>> draw_html(tremble.load("kuhn")).splitlines()[0]
    '<!doctype html>'
    """
    require_tree(tree)
    profile = None if solution is None else profile_of(tree, solution)
    return _PAGE.format(
        title=escape(tree.title or "Game tree"),
        style=TREE_PAGE,
        picture=draw_svg(tree, solution, max_nodes=max_nodes),
        about=f"<p>{escape(_about(solution))}</p>\n" if isinstance(solution, StatedSolution) else "",
        tables="".join(_tables(tree, profile)),
        script=_SCRIPT,
    )


def _about(solution: StatedSolution) -> str:
    """Say in a line what is shown."""
    one, two = (decimal_text(v) if len(exact_text(v)) > 20 else exact_text(v) for v in solution.values)
    return f"{headline(solution)}: expected payoffs {one} and {two}"


def _tables(tree: GameTree, profile: Sequence[BehaviorStrategy] | None) -> Iterator[str]:
    """One table of information sets per player."""
    for player in (0, 1):
        count = tree.num_infosets[player]
        sets = "1 information set" if count == 1 else f"{count:,} information sets"
        yield f'<h2 class="{("one", "two")[player]}">{escape(player_name(tree, player))}: {sets}</h2>\n'
        if not count:
            continue
        head = '<th class="n">probability</th><th class="n">decimal</th>' if profile is not None else ""
        yield f"<table><thead><tr><th>set</th><th>label</th><th>action</th>{head}</tr></thead><tbody>\n"
        shown = 0
        for before, row in enumerate(tree_rows(tree, player, None if profile is None else profile[player])):
            if shown >= _MAX_ROWS:
                yield f"</tbody></table><p>… {count - before:,} more information sets\n<table><tbody>"
                break
            yield from _lines(row)
            shown += len(row.moves)
        yield "</tbody></table>\n"


def _lines(row: InfosetRow) -> Iterator[str]:
    for j, (action, p) in enumerate(row.moves):
        style = " ".join(["first"] * (j == 0) + ["off"] * row.off_path)
        who = f"<td>{row.number}</td><td>{escape(row.label)}</td>" if j == 0 else "<td></td><td></td>"
        numbers = ""
        if p is not None:
            exact = f'<td class="n" title="{short_text(p, 200)}">{short_text(p, 17)}</td>'
            numbers = exact + f'<td class="n">{probability_text(p)}</td>'
        hint = ' title="the player\'s own strategy never comes here"' if row.off_path else ""
        key = f"{row.player}-{row.number}"
        yield f'<tr class="{style}" data-set="{key}"{hint}>{who}<td>{escape(action)}</td>{numbers}</tr>\n'
