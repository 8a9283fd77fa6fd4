"""The explorer in a real browser: open, search, expand, compare, play a hand, with and without a mouse; timings.

``TREMBLE_CHROMIUM=/path/to/chromium pytest -m browser -s`` prints the timings. Without the variable, it is the Chromium
that playwright has installed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import tremble
from hands_as_trees import random_profile
from tremble.game.hands import Place
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.poker.panels import spot_of
from tremble.poker.strategy import OrderedStrategy
from tremble.show.explorer import explorer_html

pytestmark = pytest.mark.browser

RIVER = (
    "holdem_river:board=Kh9d7s4c2h,pot=60,stack=200,bets=33,50,75,100,raises=1,range1=88+,ATs+,range2=22+,A9s+,AQo:0.5"
)
FLAGS = ["--no-sandbox", "--headless=shell", "--disable-gpu", "--no-zygote"]

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="the extra browser is not installed")
    program = os.environ.get("TREMBLE_CHROMIUM")
    with playwright.sync_playwright() as running:
        if not Path(program or running.chromium.executable_path).exists():
            pytest.skip("no Chromium: name one by TREMBLE_CHROMIUM, or run playwright install chromium")
        browser = running.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium: Any, tmp_path: Path) -> Iterator[Open]:
    """Opens a page, which may not fail, ask the network for anything, or open a dialog."""
    wrong: list[str] = []
    pages = []

    def open_page(html: str, fragment: str = "", *, width: int = 1400, dark: bool = False) -> Any:
        file = tmp_path / "page.html"
        file.write_text(html, encoding="utf-8")
        scheme = "dark" if dark else "light"
        page = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: wrong.append(dialog.message))
        page.on("request", lambda request: request.url.startswith("file:") or wrong.append(request.url))
        began = time.perf_counter()
        page.goto(file.as_uri() + fragment)
        page.wait_for_selector("[data-ready]")
        page.seconds = time.perf_counter() - began
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.close()
    assert wrong == []


@cache
def ordered(spec: str) -> tuple[UnbuiltGame, tuple[OrderedStrategy, OrderedStrategy]]:
    game = tremble.load_rules(spec)
    rules: Any = game.rules
    return game, (OrderedStrategy.uniform(rules, 0), OrderedStrategy.uniform(rules, 1))


def page_of(spec: str) -> str:
    if spec == "rhode":
        game, uniform = ordered("rhode_island:ranks=3")
        return explorer_html(game, random_profile(game.rules, 3), uniform)
    if spec.startswith(("rhode", "holdem")):
        game, uniform = ordered(spec)
        return explorer_html(game, uniform)
    tree = tremble.load(spec)
    return explorer_html(tree, tremble.solve(tree), [tremble.BehaviorStrategy.uniform(tree, i) for i in (0, 1)])


def text(page: Any, where: str) -> str:
    found: str = page.inner_text(where)
    return found


def play_by_keys(page: Any) -> str:
    """A hand, always with the last action that the keys reach, in full."""
    page.keyboard.press("p")
    for _ in range(40):
        choices = page.locator("#set .choices button")
        if "next hand" in choices.first.inner_text():
            return text(page, "#set")
        page.keyboard.press(str(min(9, choices.count())))
    raise AssertionError("the hand does not end")


def test_what_is_open_is_not_told(opened: Open) -> None:
    """What is lost where the belief is open, and who made a move that chance may have made."""
    builder = tremble.TreeBuilder(title="open")
    builder.decision(0, "start", ("in", "over", "out"))
    builder.decision(0, "again", ("up", "down"))
    for _ in range(2):
        builder.decision(1, "meets", ("x", "y"))
        builder.leaf(1, 0)
        builder.leaf(0, 1)
    builder.chance(("up", "down"), (1, 0))
    for _ in range(2):
        builder.decision(1, "meets", ("x", "y"))
        builder.leaf(0, 1)
        builder.leaf(1, 0)
    builder.leaf(2, 2)
    tree = builder.finish()
    one = tremble.BehaviorStrategy.from_rows(tree, 0, [[0, 0, 1], [1, 0]])
    page = opened(explorer_html(tree, [one, tremble.BehaviorStrategy.uniform(tree, 1)]), "#2.1")
    assert "Player 1 or chance: up or down" in text(page, "#set .crumbs").replace("\n", " ")
    lost = page.locator("table.facts tr", has_text="mistakes here lose")
    assert lost.inner_text().split()[-1] == "open"


@pytest.mark.parametrize("spec", ["kuhn", "leduc", "beer_quiche", "rhode", RIVER])
def test_open_search_expand_compare_and_play_by_keys_alone(spec: str, opened: Open) -> None:
    page = opened(page_of(spec))
    press = page.keyboard.press
    first = text(page, "#set h2")
    assert page.locator("[role=option]").count() <= 40  # only the rows that are seen
    press("j")
    assert text(page, "#set h2") != first
    press("k")
    assert text(page, "#set h2") == first
    press("/")
    label = text(page, "[role=option]:nth-child(3) .label")
    page.keyboard.type(label)
    assert 1 <= page.locator("[role=option]").count() <= 40
    assert label in text(page, "#rows")
    press("Escape")  # into the list
    press("ArrowDown")
    press("Home")
    assert page.evaluate("document.activeElement.id") == "list"
    assert page.locator("[role=option][aria-selected=true]").count() == 1
    press("/")
    press("Control+a")
    press("Delete")
    press("Escape")
    press("1")  # follow the first action, if it leads on
    press("u")
    press("e")
    assert page.get_attribute("#exact", "aria-pressed") == "true"
    press("l")
    assert "loss" in text(page, "#said")
    if spec != RIVER:
        press("d")
        assert "difference 1 of" in text(page, "#said")
    for hand in range(1, 6):
        told = play_by_keys(page)
        assert "The hand is over" in told
        assert f"{hand} hand" in told
    press("Escape")
    assert "A hand" not in text(page, "#set h2")
    print(f"\n{spec[:20]}: opened in {page.seconds:.2f} s")


def test_numbers_are_those_of_the_explanation(opened: Open) -> None:
    tree = tremble.load("kuhn")
    solution = tremble.solve(tree, "quasi-perfect")
    page = opened(explorer_html(tree, solution), "#Q:cb")
    why = tremble.explain(tree, solution, "Q:cb")
    rows = [row.inner_text().split("\t") for row in page.locator("table.actions tbody tr").all()]
    for row, action in zip(rows, why.actions, strict=True):
        assert row[0] == action.action
        stated = [action.probability, action.value, action.best, action.loss]
        assert [cell.split()[0] for cell in row[1:5]] == list(map(str, stated))
    assert "3/4" in text(page, "table.nodes")
    page.goto(page.url.split("#")[0] + "#2.3")
    assert "information set 3" in text(page, "#set h2")


def test_the_largest_loss_is_where_most_is_given_away(opened: Open) -> None:
    tree = tremble.load("leduc")
    uniform = [tremble.BehaviorStrategy.uniform(tree, i) for i in (0, 1)]
    page = opened(explorer_html(tree, uniform))
    page.keyboard.press("l")
    cost = {}
    for player in (0, 1):
        for why in tremble.explain(tree, uniform, most=1000, player=player):
            lost = sum(a.probability * a.loss for a in why.actions if a.loss is not None)
            cost[f"#{player + 1}.{why.infoset + 1}"] = why.reach * lost
    assert cost["#" + page.url.split("#")[1]] == max(cost.values())


def test_costs_of_a_hand_add_up(opened: Open) -> None:
    page = opened(page_of("kuhn"))
    for _ in range(10):
        play_by_keys(page)
    costs = page.evaluate("(async () => (await explorer).hands)()")
    assert costs["played"] == 10
    assert costs["lost"] >= 0
    assert costs["unknown"] == 0


@pytest.mark.parametrize("spec", ["rhode", RIVER])
def test_ranges_are_those_of_the_pictures(spec: str, opened: Open) -> None:
    game, profile = ordered("rhode_island:ranks=3" if spec == "rhode" else spec)
    rules: Any = game.rules
    if spec == "rhode":
        profile = random_profile(rules, 3)
    page = opened(explorer_html(game, profile))
    number, line, state = (1, 2, 5) if spec == "rhode" else (0, 0, 0)
    spot = spot_of(rules, profile, Place(number, state, line))
    stage = rules.rounds[number].stage
    nodes = [node for node, mover in enumerate(stage.mover) if mover >= 0]
    likely = {}
    for node, panel in zip(nodes, spot.panels, strict=True):
        key = f"{number + 1}.{line}.{node}@{state}"
        script = f'(async () => {{ const {{book}} = await explorer; return book.summary(book.find("{key}"), 0); }})()'
        told = page.evaluate(script)
        assert told["shares"] == pytest.approx(panel.overall, abs=2e-3)
        likely[node] = told["likely"], panel.likely
    start = likely[0][0]
    for here, expected in likely.values():
        assert here == pytest.approx(expected * start, abs=2e-3)


def test_a_board_is_chosen_by_its_name(opened: Open) -> None:
    page = opened(page_of("rhode"), "#2.0.0")
    page.fill("#board", "Qd")
    page.press("#board", "Enter")
    assert text(page, ".crumbs").count("Q♦") == 1
    assert "Q♦" not in text(page, "table.hands tbody")
    page.click("button[aria-label='the next board']")
    assert "@" in page.url


def hostile(label: str) -> GameTree:
    kuhn = tremble.load("kuhn")
    labels = tuple(tuple(label if old == "Q:cb" else old for old in sets) for sets in kuhn.infoset_labels)
    actions = tuple(tuple(tuple(f"{old}{label}" for old in menu) for menu in sets) for sets in kuhn.actions)
    return replace(kuhn, infoset_labels=labels, actions=actions, title=label, players=(label, label))


@pytest.mark.parametrize(
    "label", ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\u202eabc", "x" * 10_000, ""]
)
def test_labels_do_no_harm(label: str, opened: Open) -> None:
    tree = hostile(label)
    page = opened(explorer_html(tree, tremble.solve(tree), tremble.solve(tree, "quasi-perfect"), names=(label, label)))
    for key in "jjldup1":
        page.keyboard.press(key)
    assert page.locator("#set img").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


CONTRAST = """() => {
  const light = c => { const x = c / 255; return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; };
  const numbers = text => text.match(/[\\d.]+/g).map(Number);
  const bright = ([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
  const behind = e => {
    for (; e; e = e.parentElement) {
      const style = getComputedStyle(e), stops = style.backgroundImage.match(/rgba?\\([^)]*\\)/g);
      if (stops) return stops;
      if (numbers(style.backgroundColor)[3] !== 0) return [style.backgroundColor];
    }
    return ["rgb(255, 255, 255)"];
  };
  const found = [];
  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) && e.checkVisibility();
    if (!own || e.closest("script")) continue;
    for (const back of behind(e)) {
      const [a, b] = [bright(numbers(getComputedStyle(e).color)), bright(numbers(back))].sort((x, y) => y - x);
      found.push([(a + 0.05) / (b + 0.05), e.tagName + "." + e.className + ": " + e.textContent.slice(0, 30)]);
    }
  }
  return found.sort((x, y) => x[0] - y[0]).slice(0, 5);
}"""


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("spec", ["leduc", "rhode", RIVER])
def test_every_text_stands_out_and_nothing_overflows(spec: str, dark: bool, opened: Open) -> None:
    for width in (1400, 700):
        page = opened(page_of(spec), width=width, dark=dark)
        for keys in ("l", "d", "p"):
            page.keyboard.press(keys)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            for contrast, what in page.evaluate(CONTRAST):
                assert contrast >= 4.5, what


WIDE_RIVER = (
    "holdem_river:board=Kh9d7s4c2h,pot=60,stack=400,bets=33,75,raises=2,range1=QQ+,99,AKs,KQs,A5s,range2=TT+,77,KQs,A9s"
)


@pytest.mark.parametrize("compared", [False, True])
def test_a_river_fits_into_700_pixels(compared: bool, opened: Open) -> None:
    """No table is wider than the page at any decision, and no cell of a hand has one number in two forms."""
    game, profile = ordered(WIDE_RIVER)
    other = tremble.solve(game, method="dcfr", gap=5).strategies
    page = opened(explorer_html(game, profile, other if compared else None), width=700)
    count = page.evaluate("(async () => (await explorer).book.size)()")
    assert count > 10
    for entry in range(count):
        page.evaluate(f"(async () => (await explorer).open({entry}))()")
        assert page.evaluate(
            "[...document.querySelectorAll('.wide')].every(part => part.scrollWidth <= part.clientWidth)"
        )
        cells = page.evaluate("[...document.querySelectorAll('table.hands .n')].map(cell => cell.innerText)")
        assert cells
        assert not [cell for cell in cells if len(cell.split()) != 1 or "/" in cell]
    assert (
        page.evaluate("""(async () => {
        const page = await explorer, place = page.book.number(-0.0001234567);
        return page.number(place).innerText;
    })()""")
        == "-0.0001235"
    )


def test_losses_below_a_millionth_of_the_pot_are_hidden(opened: Open) -> None:
    """Rounded losses that a page holds are those of floats: what is less than a rounding error is no loss."""
    game, profile = ordered("holdem_river:range1=AA,KK,range2=QQ+,bets=100,raises=0,pot=60")
    page = opened(explorer_html(game, profile))
    least = page.evaluate("(async () => (await explorer).book.data.least)()")
    assert least == pytest.approx(60e-6)
    found = page.evaluate(f"""(async () => {{
        const {{book}} = await explorer, half = new Float32Array([{0.9 * least}, {1.2 * least}]);
        const upper = new Uint32Array(half.buffer), told = book.profiles[0].losses[0][0];
        const loss = k => {{
            told.losses.fill(upper[k] >> 16);
            return book.loss(0, book.entries[0], 0, 1, book.profiles[0]);
        }};
        return [loss(0), loss(1), book.large(-{0.9 * least})];
    }})()""")
    assert found[0] == found[2] == 0
    assert found[1] > least


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["leduc:ranks=18", "rhode_island"])
def test_large_games_open(spec: str, opened: Open) -> None:
    if spec == "rhode_island":
        html = page_of(spec)
    else:
        tree = tremble.load(spec)
        html = explorer_html(tree, [tremble.BehaviorStrategy.uniform(tree, i) for i in (0, 1)])
    page = opened(html)
    page.keyboard.press("l")
    assert "loss 1 of" in text(page, "#said")
    assert "The hand is over" in play_by_keys(page)
    print(f"\n{spec}: {len(html) / 1e6:.1f} MB, opened in {page.seconds:.2f} s")
