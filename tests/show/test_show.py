"""Pictures and tables: everything is drawn, labels are escaped, large and deep trees stay usable."""

from __future__ import annotations

import io
import random
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser

import pytest
from rich.console import Console

import tremble
from tremble.errors import CertificateError
from tremble.formats.given_profile import given_profile
from tremble.game.kinds import kind_of
from tremble.game.strategy import BehaviorStrategy
from tremble.game.tree import GameTree
from tremble.game.tree_builder import TreeBuilder
from tremble.numbers import short_text
from tremble.show.annotations import annotate
from tremble.show.html import draw_html
from tremble.show.layout import excerpt, lanes, tidy
from tremble.show.placement import RADIUS, Placement
from tremble.show.svg import draw_svg
from tremble.solution.claim import MethodReference
from tremble.solution.claims import GameReference
from tremble.solution.stated import StatedSolution
from tremble.status import Status
from tremble.text.games import info_view
from tremble.text.responses import responses_view
from tremble.text.solutions import solution_view
from tremble.text.view import decimal_text, probability_text

SVG = "{http://www.w3.org/2000/svg}"
NASTY = "<b>&\"'\x07</b>\uffff 懦夫"


def chain(length: int) -> GameTree:
    builder = TreeBuilder(title="chain", max_nodes=10**6)
    for i in range(length):
        builder.decision(i % 2, i, ("stop", "go"))
        builder.leaf(i, -i)
    builder.leaf(0, 0)
    return builder.finish()


def star(width: int) -> GameTree:
    builder = TreeBuilder(title="star", max_nodes=10**6)
    builder.decision(0, "root", [f"action {i}" for i in range(width)])
    for i in range(width):
        builder.leaf(i, Fraction(-i, 3))
    return builder.finish()


def nasty() -> GameTree:
    builder = TreeBuilder(title=NASTY, players=(NASTY, ""))
    builder.chance((NASTY, "b"), (Fraction(1, 3), Fraction(2, 3)))
    for _ in range(2):
        builder.decision(1, NASTY, (NASTY, "x\ny"))
        builder.leaf(1, 2)
        builder.leaf(0, 0)
    return builder.finish()


def uniform_solution(tree: GameTree) -> StatedSolution:
    strategies = (BehaviorStrategy.uniform(tree, 0), BehaviorStrategy.uniform(tree, 1))
    one, two = tremble.expected_values(tree, strategies)
    return StatedSolution(
        game=GameReference.of(tree),
        concept="nash",
        requested="nash",
        method=MethodReference("by hand", {}),
        status=Status.LIMIT_REACHED,
        values=(Fraction(one), Fraction(two)),
        bounds=None,
        strategies=strategies,
        certificate={},
        stats={},
    )


def classes(picture: str) -> Counter[str]:
    """Of what is drawn of the tree, without the legend."""
    (canvas,) = ElementTree.fromstring(picture).findall(f"{SVG}g[@class='canvas']")
    return Counter(name for element in canvas.iter() for name in element.get("class", "").split())


def placed(tree: GameTree, solution: StatedSolution | None = None) -> Placement:
    part = excerpt(tree)
    given = None if solution is None else given_profile(tree, solution)
    return Placement(tree, part, annotate(tree, part, given), given)


GAMES = ["kuhn", "kuhn_raise", "guess_the_ace:gift=true", "safe_or_risky", "matching_pennies", "goofspiel", "leduc"]


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("with_solution", [False, True])
def test_every_node_is_drawn(spec: str, with_solution: bool) -> None:
    tree = tremble.load(spec)
    picture = draw_svg(tree, uniform_solution(tree) if with_solution else None)
    count = classes(picture)
    kinds = tree.nodes_by_kind
    assert count["end"] == kinds["terminal"]
    assert count["node"] == tree.num_nodes - kinds["terminal"]
    assert count["node1"] == kinds["player 1"]
    assert count["node2"] == kinds["player 2"]
    assert count["stub"] == 0


@pytest.mark.sample(3)
@pytest.mark.parametrize("spec", GAMES)
def test_nodes_of_a_level_keep_their_distance_and_stay_on_the_page(spec: str) -> None:
    tree = tremble.load(spec)
    for solution in (None, uniform_solution(tree)):
        plan = placed(tree, solution)
        across = plan.x if plan.down else plan.y
        last: dict[int, float] = {}
        for mark, depth in enumerate(plan.part.depth):
            if depth in last:
                assert across[mark] - last[depth] >= 2 * RADIUS - 2
            last[depth] = across[mark]
        assert min(plan.x) > 0
        assert max(plan.x) < plan.width
        assert max(plan.y) < plan.height


def test_small_trees_hang_and_wide_or_deep_ones_lie() -> None:
    assert placed(tremble.load("beer_quiche")).down
    assert not placed(tremble.load("kuhn")).down
    assert not placed(chain(20)).down
    assert not placed(star(1000)).down


@pytest.mark.parametrize("spec", ["kuhn", "leduc", "auction:values=3"])
def test_a_hanging_tree_fits_a_slide(spec: str) -> None:
    plan = placed(tremble.load(spec))
    assert not plan.down or plan.width < 1350


@pytest.mark.parametrize("spec", ["guess_the_ace", "job_market", "battle_outside"])
def test_small_trees_say_their_labels_in_full(spec: str) -> None:
    tree = tremble.load(spec)
    shown = {word for text in placed(tree, tremble.solve(tree)).text for line in text.beside for word, _ in line}
    assert {label for labels in tree.infoset_labels for label in labels} <= shown


@pytest.mark.parametrize("spec", ["kuhn", "kuhn_raise", "goofspiel"])
def test_information_sets_are_joined(spec: str) -> None:
    tree = tremble.load(spec)
    plan = placed(tree)
    members = tree.num_nodes - tree.nodes_by_kind["terminal"] - tree.nodes_by_kind["chance"]
    assert len(plan.links) == members - sum(tree.num_infosets)
    assert not plan.unlinked


def test_more_links_than_can_be_followed_are_left_out() -> None:
    tree = tremble.load("leduc:ranks=5")
    plan = placed(tree)
    assert plan.unlinked
    assert max(lane for _, _, lane in plan.links) <= 24
    assert "the same number and color" in draw_svg(tree)


def test_labels_are_escaped() -> None:
    tree = nasty()
    for solution in (None, uniform_solution(tree)):
        picture = draw_svg(tree, solution)
        root = ElementTree.fromstring(picture)
        assert "<b>" not in picture
        title = root.find(f"{SVG}title")
        assert title is not None
        assert title.text is not None
        assert title.text.startswith("<b>&\"'")
        page = draw_html(tree, solution)
        assert "<b>" not in page
        HTMLParser().feed(page)


def test_numbers_on_the_picture_are_those_of_the_solution() -> None:
    tree = tremble.load("kuhn")
    solution = tremble.solve(tree)
    picture = draw_svg(tree, solution)
    assert "value \N{MINUS SIGN}1/18" in picture
    assert "Expected payoffs -1/18 and 1/18" in picture
    part = excerpt(tree)
    notes = annotate(tree, part, solution)
    assert notes.value is not None
    assert notes.reach is not None
    assert notes.value[0] == solution.values
    leaves = [m for m, node in enumerate(part.node) if tree.first_child[node] < 0]
    assert sum(notes.reach[m] for m in leaves) == 1
    hollow = sum(not notes.reached(m) for m in range(len(part)))
    assert classes(picture)["off"] == hollow + 2 * sum(not notes.played(m) for m in range(len(part))) > hollow > 0


def test_expected_payoffs_of_large_trees_are_close() -> None:
    tree = tremble.load("leduc")
    solution = uniform_solution(tree)
    exact = annotate(tree, excerpt(tree), solution)
    cut = excerpt(tree, max_nodes=500)
    close = annotate(tree, cut, solution)
    assert exact.value is not None
    assert close.value is not None
    for mark, node in enumerate(cut.node):
        if node >= 0:
            assert close.value[mark] == pytest.approx([float(v) for v in exact.value[node]], abs=1e-12)


def test_a_large_tree_is_cut_and_stubs_account_for_the_rest() -> None:
    tree = tremble.load("leduc:ranks=5")
    part = excerpt(tree)
    assert part.num_nodes + sum(part.hidden) == tree.num_nodes
    assert 100 < part.num_nodes <= 3000
    picture = draw_svg(tree, uniform_solution(tree))
    assert classes(picture)["stub"] == 2 * part.num_stubs > 0  # a line and how many
    assert f"of {tree.num_nodes:,} nodes" in picture


@pytest.mark.parametrize("width", [1000, 10_000])
def test_a_wide_tree(width: int) -> None:
    tree = star(width)
    picture = draw_svg(tree, uniform_solution(tree))
    shown = classes(picture)["end"]
    assert shown == width if width == 1000 else 1000 < shown <= 3000
    assert bool(classes(picture)["stub"]) == (width > 1000)


@pytest.mark.parametrize("length", [200, 1400, 10_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_a_deep_tree(length: int) -> None:
    tree = chain(length)
    picture = draw_svg(tree)
    count = classes(picture)
    assert count["node"] == (length if length < 1500 else 61)
    assert len(draw_html(tree)) < 5_000_000 or length > 1400


def test_a_leaf_alone() -> None:
    builder = TreeBuilder(title="")
    builder.leaf(Fraction(1, 3), 0)
    tree = builder.finish()
    assert classes(draw_svg(tree))["end"] == 1
    assert "Game tree" in draw_html(tree)


def test_another_game_is_refused() -> None:
    with pytest.raises(CertificateError, match="another game"):
        draw_svg(tremble.load("kuhn"), uniform_solution(tremble.load("leduc")))


def test_the_page_needs_nothing_from_outside() -> None:
    tree = tremble.load("kuhn")
    page = draw_html(tree, tremble.solve(tree))
    assert set(re.findall(r"https?://[^\s\"'<]+", page)) == {"http://www.w3.org/2000/svg"}
    assert page.count("<tr class") == sum(tree.num_slots)
    assert "prefers-color-scheme:dark" in page


def test_tidy_never_lets_neighbours_overlap() -> None:
    draw = random.Random(7)
    for _ in range(100):
        children: list[range] = []
        frontier = 1
        size = 1
        while frontier:
            below: list[range] = []
            for _ in range(frontier):
                width = draw.choice((0, 0, 1, 2, 3, 7)) if size < 300 else 0
                below.append(range(size, size + width))
                size += width
            children += below
            frontier = sum(map(len, below))
        half = [draw.uniform(1, 30) for _ in children]
        centre = tidy(children, half)
        depth = [0] * len(children)
        last: dict[int, float] = {}
        for mark, kids in enumerate(children):
            for kid in kids:
                depth[kid] = depth[mark] + 1
            if kids:
                assert centre[mark] == pytest.approx((centre[kids[0]] + centre[kids[-1]]) / 2)
            assert centre[mark] - half[mark] >= last.get(depth[mark], 0.0) - 1e-6
            last[depth[mark]] = centre[mark] + half[mark]


def test_lanes_of_overlapping_spans_differ() -> None:
    draw = random.Random(1)
    spans = [(float(a), float(a + draw.randint(1, 30))) for a in draw.choices(range(100), k=60)]
    lane = lanes(spans)
    for i, (a, b) in enumerate(spans):
        for j, (c, d) in enumerate(spans[:i]):
            assert lane[i] != lane[j] or b <= c or d <= a


@pytest.mark.parametrize(
    ("value", "decimal"),
    [
        (Fraction(1, 3), "0.3333333"),
        (Fraction(-2, 3), "-0.6666667"),
        (Fraction(10**12), "1e+12"),
        (Fraction(1, 10**12), "1e-12"),
        (Fraction(123456), "123456"),
        (Fraction(10**5000, 7), "1.428571e+4999"),
    ],
)
def test_decimals(value: Fraction, decimal: str) -> None:
    assert decimal_text(value) == decimal


def test_short_numbers() -> None:
    assert short_text(Fraction(12345, 678)) == "4115/226"
    assert len(short_text(Fraction(3**300, 7**400))) <= 23
    assert len(short_text(Fraction(10**5000))) < 40
    assert probability_text(Fraction(1, 10**7)) == "1e-7"
    assert [probability_text(p) for p in (0, 1, Fraction(1, 2))] == ["0", "1", "0.500000"]


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_tables_fit_any_terminal(columns: int) -> None:
    console = Console(width=columns, file=io.StringIO())
    tree = tremble.load("leduc")
    with console.capture() as capture:
        console.print(solution_view(tree, tremble.solve(tree)))
        console.print(info_view({"title": NASTY, **dict.fromkeys(INFO_KEYS)}))
    assert all(len(line) <= columns for line in capture.get().splitlines())


INFO_KEYS = (
    "players",
    "zero_sum",
    "constant_sum",
    "nodes",
    "information_sets",
    "sequences",
    "recall",
    "recall_witness",
    "max_depth",
    "digest",
)


def printed(solution: StatedSolution, tree: GameTree) -> str:
    console = Console(file=io.StringIO(), width=120)
    console.print(solution_view(tree, solution))
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text


@pytest.mark.parametrize("status", [Status.BOUNDED, Status.LIMIT_REACHED])
def test_what_is_no_value_of_the_game_is_not_called_so(status: Status) -> None:
    """A stopped run: "value 1" above "proven bounds -1 to 1" says two things at once."""
    tree = tremble.load("matching_pennies")
    bounds = (Fraction(-1), Fraction(1)) if status == Status.BOUNDED else None
    solution = replace(tremble.solve(tree), status=status, values=(Fraction(1), Fraction(-1)), bounds=bounds)
    text = printed(solution, tree)
    assert re.search(r"^these strategies earn +1 to player 1", text, re.MULTILINE)
    assert not re.search(r"^value", text, re.MULTILINE)
    shares = printed(replace(solution, values=(Fraction(1), Fraction(2))), tree)
    assert re.search(r"^these strategies earn +1 to player 1 *\n +2 to player 2", shares, re.MULTILINE)


def test_equal_bounds_are_the_value_whatever_the_status() -> None:
    tree = tremble.load("matching_pennies")
    solution = tremble.solve(tree)
    assert re.search(r"^value +0 to player 1", printed(solution, tree), re.MULTILINE)
    assert re.search(r"^value +0 to player 1", printed(replace(solution, status=Status.BOUNDED), tree), re.MULTILINE)


def test_a_general_sum_equilibrium_has_payoffs_and_no_value() -> None:
    tree = tremble.load("beer_quiche")
    beer = (BehaviorStrategy.pure(tree, 0, [0, 0]), BehaviorStrategy.pure(tree, 1, [1, 0]))
    values = (Fraction(29, 10), Fraction(9, 10))
    found = replace(uniform_solution(tree), strategies=beer, values=values)
    text = printed(replace(found, status=Status.CERTIFIED), tree)
    pays = r"^equilibrium pays +29/10 ≈ 2.9 to player 1 *\n +9/10 ≈ 0.9 to player 2"
    assert re.search(pays, text, re.MULTILINE)
    assert not re.search(r"^value", text, re.MULTILINE)
    assert re.search(r"^these strategies earn +29/10", printed(found, tree), re.MULTILINE)
    assert "nash, certified, payoffs 29/10 and 9/10" in draw_svg(tree, replace(found, status=Status.CERTIFIED))
    assert "strategies, payoffs 29/10 and 9/10" in draw_svg(tree, beer)


def test_a_constant_sum_has_a_value_even_where_it_is_not_zero() -> None:
    builder = TreeBuilder()
    builder.decision(0, "", ("a", "b"))
    builder.leaf(1, 4)
    builder.leaf(2, 3)
    tree = builder.finish()
    text = printed(tremble.solve(tree), tree)
    assert re.search(r"^value to player 1 +2 *\nvalue to player 2 +3", text, re.MULTILINE)


def test_what_a_picture_says_of_a_profile() -> None:
    """A value is of an equilibrium; and a minus sign belongs to numbers, not to "quasi-perfect"."""
    kuhn = tremble.load("kuhn")
    solution = tremble.solve(kuhn, "quasi-perfect")
    assert "quasi-perfect, certified, value \N{MINUS SIGN}1/18 ≈ \N{MINUS SIGN}0.0555" in draw_svg(kuhn, solution)
    assert "strategies, earning 1/8" in draw_svg(kuhn, [BehaviorStrategy.uniform(kuhn, i) for i in (0, 1)])
    assert "limit-reached, earning 1/8" in draw_svg(kuhn, uniform_solution(kuhn))


def test_halves_of_nash_conv_measure_no_distance_to_a_value_that_is_not() -> None:
    def text(spec: str) -> str:
        tree = tremble.load(spec)
        console = Console(file=io.StringIO(), width=140)
        console.print(
            responses_view(tree, kind_of(tree).respond(tuple(BehaviorStrategy.uniform(tree, i) for i in (0, 1))))
        )
        said: str = console.file.getvalue()  # type: ignore[attr-defined]
        return said

    assert "exploitability  11/24" in text("kuhn")
    assert "no value" not in text("kuhn")
    assert "(half of NashConv: without a constant sum the game has no value)" in text("entry_deterrence")


def test_what_was_merged_is_said() -> None:
    """As the solver told it; a file in which somebody has written something else says nothing."""
    tree = tremble.matrix_game([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    solution = tremble.solve(tree, method="lp")
    rows = solution.stats["merged"]["rows"]
    assert f"from {rows[0]} to {rows[1]} rows of the linear program" in str(solution)
    for told in (None, 7, {"rows": 7}, {"rows": ["7", 7]}, {"rows": [7]}):
        assert "rows of the linear program" not in str(replace(solution, stats={"merged": told}))
