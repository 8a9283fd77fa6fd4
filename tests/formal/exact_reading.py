"""Read a text of the verified checker without Coq, restate its claim as a solution file, and ask the kernel.

The reader follows docs/explanation/formal.md. The restated file says exactly what the text says. All other fields of
the file are correct: the digest, the labels, the bounds, the marks of avoided sets. So the kernel refuses a restated
file only because of the game, the strategies, the beliefs, the mistakes or the plans of the text.

The kernel knows backward induction only with single nodes as sets and with pure strategies. For other texts with
mistakes, this module computes the payoffs itself, and the kernel only judges the Nash equilibrium.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction as F
from functools import cache
from math import lcm
from typing import Any

import tremble
from tremble import GameTree
from tremble.results import StatedSolution

NUMBER = re.compile(r"(-?[0-9]+)(?:/([0-9]+))?")
CLAIMS = ("nash", "subgame-perfect", "quasi-perfect", "sequential", "normal-form-perfect", "perfect")

Polynomial = list[F]  # the constant first, without zeros at the end


@dataclass
class Node:
    """A node: its kind (leaf, chance or move), its numbers, and its children."""

    kind: str
    numbers: list[F]
    path: list[str]
    reached: bool
    before: dict[int, tuple[int, int] | None]  # for each player: the last move on the path, as a set and an action
    children: list[Node] = field(default_factory=list)

    @property
    def number_of_children(self) -> int:
        if self.kind == "leaf":
            return 0
        return len(self.numbers) if self.kind == "chance" else int(self.numbers[2])


@dataclass
class Text:
    """The parts of a text. A row belongs to a player and a set; if there are two rows, the first counts."""

    claim: str
    faultless: int | None  # the player without mistakes, for one-sided-quasi-perfect
    values: list[F]
    nodes: list[Node]
    plays: dict[tuple[int, int], list[F]]
    beliefs: dict[tuple[int, int], list[F]]
    mistakes: dict[tuple[int, int], list[F]]
    roots: dict[int, Polynomial]
    weights: dict[tuple[int, int], list[Polynomial]]


class UnreadableError(ValueError):
    """The text does not follow the grammar."""


def need(condition: object) -> None:
    if not condition:
        raise UnreadableError


@cache
def token(text: str) -> F | str:
    match = NUMBER.fullmatch(text)
    if match is None or (match[2] is not None and int(match[2]) == 0):
        return text
    return F(int(match[1]), int(match[2] or 1))


def whole(value: F | str, allowed: Sequence[int] | range) -> int:
    need(isinstance(value, F) and value.denominator == 1 and int(value) in allowed)
    return int(value)


def read(text: str) -> Text:
    """Read a text."""
    lines = [[token(w) for w in line.strip(" \f\n\r\t").split(" ") if w] for line in text.split("\n")]
    lines = [line for line in lines if line]
    need(len(lines) > 2 and lines[0][0] == "claim" and lines[1][0] == "values")
    claim, faultless = _claim(lines[0][1:])
    sections = (["leaf", "chance", "move"], ["play"], ["belief"], ["mistake"], ["root"], ["weight"])
    parts: list[list[tuple[str, list[F]]]] = [[] for _ in sections]
    at = 0
    for word, *numbers in lines[2:]:
        need(all(isinstance(n, F) for n in numbers))
        while at < len(sections) and word not in sections[at]:
            at += 1
        need(at < len(sections))
        parts[at].append((str(word), numbers))
    values = lines[1][1:]
    need(len(values) == 2 and all(isinstance(v, F) for v in values))
    result = Text(claim, faultless, values, _tree(parts[0]), {}, {}, {}, {}, {})
    for rows, found in zip(parts[1:4], (result.plays, result.beliefs, result.mistakes), strict=True):
        for _, numbers in rows:
            found.setdefault(_set(numbers), numbers[2:])
    for _, numbers in parts[4]:
        need(numbers)
        result.roots.setdefault(whole(numbers[0], (1, 2)), trimmed(numbers[1:]))
    for _, numbers in parts[5]:
        result.weights.setdefault(_set(numbers), []).append(trimmed(numbers[2:]))
    return result


def _claim(words: list[F | str]) -> tuple[str, int | None]:
    if words and words[0] == "one-sided-quasi-perfect":
        need(len(words) == 2)
        return str(words[0]), whole(words[1], (1, 2))
    need(len(words) == 1 and words[0] in CLAIMS)
    return str(words[0]), None


def _set(numbers: list[F]) -> tuple[int, int]:
    need(len(numbers) >= 2)
    return whole(numbers[0], (1, 2)), whole(numbers[1], range(1, 10**1000))


def _tree(lines: list[tuple[str, list[F]]]) -> list[Node]:
    """Read the nodes, and find the path and the last moves before each node."""
    nodes: list[Node] = []
    open_nodes: list[Node] = []
    for kind, numbers in lines:
        need(open_nodes or not nodes)
        if kind == "leaf":
            need(len(numbers) == 2)
        elif kind == "move":
            need(len(numbers) == 3)
            _set(numbers)
            whole(numbers[2], range(10**1000))
        node = Node(kind, numbers, [], True, {1: None, 2: None})
        if open_nodes:
            up = open_nodes[-1]
            action = len(up.children)
            node.path = [*up.path, str(action + 1)]
            node.before = dict(up.before)
            node.reached = up.reached and not (up.kind == "chance" and up.numbers[action] == 0)
            if up.kind == "move":
                node.before[int(up.numbers[0])] = (int(up.numbers[1]), action)
            up.children.append(node)
        nodes.append(node)
        if node.number_of_children:
            open_nodes.append(node)
        while open_nodes and len(open_nodes[-1].children) == open_nodes[-1].number_of_children:
            open_nodes.pop()
    need(nodes and not open_nodes)
    return nodes


# -- the verdict -------------------------------------------------------------------------------------------------------


def verdict(text: str) -> str | None:
    """Return the verdict that the kernel implies for a text.

    The answer is None if the kernel cannot judge the claim: for every concept, the kernel needs perfect recall.
    """
    try:
        read_text = read(text)
    except UnreadableError:
        return "unreadable"
    name = read_text.claim + (f" {read_text.faultless}" if read_text.faultless else "")
    try:
        answer = holds(read_text)
    except NotComparableError:
        return None
    return f"proven {name}" if answer else "not proven"


class NotComparableError(Exception):
    """The kernel cannot judge the claim, because a player forgets."""


def holds(text: Text) -> bool:
    """Restate the claim as a solution file, and return the verdict of the kernel."""
    lines = tuple((node.kind, tuple(node.numbers)) for node in text.nodes)
    game = game_of(lines)
    if game is None:
        return False
    if not all(tremble.classify_recall(game, player) == "perfect" for player in (0, 1)):
        if text.claim in ("nash", "subgame-perfect"):
            raise NotComparableError
        return False
    if not by_induction(text):
        return accepted(text, game)
    answer = induced(text) and accepted(replace(text, claim="nash"), game)
    if is_single(text) and all(F(1) in text.plays.get(place, []) for place in places(text)):
        assert answer == accepted(text, game)
    return answer


def accepted(text: Text, game: GameTree) -> bool:
    """Return the verdict of the kernel on the restated claim."""
    document = restated(text, game)
    return document is not None and tremble.verify(game, StatedSolution.from_text(json.dumps(document))).ok


def by_induction(text: Text) -> bool:
    return text.claim == "perfect" or (text.claim == "quasi-perfect" and not text.roots)


def places(text: Text) -> list[tuple[int, int]]:
    """Return the player and the set of each decision node."""
    return [(mover(n), int(n.numbers[1])) for n in text.nodes if n.kind == "move"]


def is_single(text: Text) -> bool:
    """Return True if every information set is a single node."""
    return len(set(places(text))) == len(places(text))


@cache
def game_of(lines: tuple[tuple[str, tuple[F, ...]], ...]) -> GameTree | None:
    """Return the game with these nodes; None if they do not form a game."""
    efg = ['EFG 2 R "" { "" "" }']
    outcome = chance = 0
    for kind, numbers in lines:
        if kind == "leaf":
            outcome += 1
            efg.append(f't "" {outcome} "" {{ {numbers[0]}, {numbers[1]} }}')
        elif kind == "chance":
            chance += 1
            moves = " ".join(f'"{a}" {p}' for a, p in enumerate(numbers, 1))
            efg.append(f'c "" {chance} "" {{ {moves} }} 0')
        else:
            moves = " ".join(f'"{a + 1}"' for a in range(int(numbers[2])))
            efg.append(f'p "" {numbers[0]} {numbers[1]} "" {{ {moves} }} 0')
    try:
        return tremble.read_efg("\n".join(efg) + "\n")
    except tremble.TrembleError:
        return None


def restated(text: Text, game: GameTree) -> dict[str, Any] | None:
    """Return the solution file that says what the text says; None if rows are missing or plans are not plans."""
    sets = [list(dict.fromkeys(int(n.numbers[1]) for n in text.nodes if mover(n) == i)) for i in (1, 2)]
    before = {(mover(n), int(n.numbers[1])): n.before[mover(n)] for n in text.nodes if n.kind == "move"}
    strategies: list[list[Any]] = [[], []]
    plan: dict[tuple[int, int], list[F]] = {}
    for i, k in before:
        row, labels = text.plays.get((i, k), []), game.actions[i - 1][sets[i - 1].index(k)]
        if len(row) != len(labels):
            return None
        up = before[i, k]
        weight = F(1) if up is None else plan[i, up[0]][up[1]]
        plan[i, k] = [weight * p for p in row]
        entry = {
            "infoset": sets[i - 1].index(k) + 1,
            "label": "",
            "actions": [[label, str(p)] for label, p in zip(labels, row, strict=True)],
        }
        strategies[i - 1].append(entry | ({"off_path": True} if text.claim == "nash" and weight == 0 else {}))
    values = [str(v) for v in text.values]
    sums = {sum(n.numbers) for n in text.nodes if n.kind == "leaf"}
    document = {
        "schema": "tremble/solution@1",
        "tremble": "0",
        "game": {"spec": None, "title": "", "digest": game.digest},
        "concept": text.claim,
        "requested": text.claim,
        "method": {"name": "by hand", "options": {}},
        "status": "certified",
        "values": values,
        "strategies": strategies,
        "stats": {},
    }
    if len(sums) == 1:
        document["bounds"] = [values[0]] * 2
    if text.claim in ("nash", "subgame-perfect"):
        certificate: Any = {"kind": "best-response", "nash_conv": "0", "best_response_values": values}
    elif text.claim == "sequential":
        certificate = _trembles(text, sets, before) if text.roots else _no_trembles(text)
        document["beliefs"] = _beliefs(text, sets)
    elif by_induction(text):
        certificate = _induction(text, sets)
    else:
        certificate = _polynomials(text, sets, before, plan)
    if certificate is None or ("beliefs" in document and document["beliefs"] is None):
        return None
    return document | {"certificate": certificate}


def mover(node: Node) -> int:
    return int(node.numbers[0]) if node.kind == "move" else 0


def _beliefs(text: Text, sets: list[list[int]]) -> list[list[Any]] | None:
    """Return the beliefs. A set that chance never reaches has no belief, whatever the text says."""
    result: list[list[Any]] = [[], []]
    for i in (1, 2):
        for position, k in enumerate(sets[i - 1], 1):
            nodes = [n for n in text.nodes if mover(n) == i and n.numbers[1] == k]
            row = text.beliefs.get((i, k), [])
            if not any(n.reached for n in nodes):
                nodes, row = [], []
            if len(row) != len(nodes):
                return None
            pairs = [[n.path, str(p)] for n, p in zip(nodes, row, strict=True)]
            result[i - 1].append({"infoset": position, "nodes": pairs})
    return result


def _no_trembles(text: Text) -> dict[str, Any] | None:
    """Return the certificate for certain beliefs; None if they are not certain."""
    unreached = [text.beliefs.get((mover(n), int(n.numbers[1])), []) for n in text.nodes if not n.reached]
    if not is_single(text) or not all(row in ([], [1]) for row in unreached):
        return None
    return {"kind": "consistent-trembles", "trembles": None, "orders": None}


# -- backward induction ------------------------------------------------------------------------------------------------


def _induction(text: Text, sets: list[list[int]]) -> dict[str, Any] | None:
    """Return the mistakes as weights. The weight of the action that is played does not matter."""
    weights: list[list[Any]] = [[], []]
    for i in (1, 2):
        for k in sets[i - 1]:
            play, mistakes = text.plays[i, k], text.mistakes.get((i, k), [])
            if len(mistakes) != len(play) or sum(mistakes):
                return None
            weights[i - 1].append(["1" if p == 1 else str(m) for p, m in zip(play, mistakes, strict=True)])
    return {"kind": "backward-induction", "trembles": weights}


def induced(text: Text) -> bool:
    """Return True if at every node, no action earns the mover more than the strategies, for small e > 0."""
    earned: dict[int, dict[int, Polynomial]] = {}
    for node in reversed(text.nodes):
        below = [earned[id(child)] for child in node.children]
        if node.kind == "leaf":
            earned[id(node)] = {i: trimmed([u]) for i, u in enumerate(node.numbers, 1)}
            continue
        i, play, mistakes = mover(node), node.numbers, [F(0)] * len(below)
        if i:
            play, mistakes = (rows.get((i, int(node.numbers[1])), []) for rows in (text.plays, text.mistakes))
            if not len(play) == len(mistakes) == len(below) or sum(mistakes):
                return False
            if not all(p > 0 or m > 0 for p, m in zip(play, mistakes, strict=True)):
                return False
        earned[id(node)] = {}
        for j in (1, 2):
            options = [u[j] for u in below]
            mean = _sum([_times([p], u) for p, u in zip(play, options, strict=True)])
            if i == j and any(positive(_sum([u, _times([F(-1)], mean)])) for u in options):
                return False
            slips = [_times([F(0), m], u) for m, u in zip(mistakes, options, strict=True)]
            earned[id(node)][j] = mean if i == j and text.claim != "perfect" else _sum([mean, *slips])
    return True


# -- plans -------------------------------------------------------------------------------------------------------------


def trimmed(numbers: list[F]) -> Polynomial:
    numbers = list(numbers)
    while numbers and not numbers[-1]:
        numbers.pop()
    return numbers


def leading(polynomial: Polynomial) -> tuple[int, F]:
    return next((d, c) for d, c in enumerate(polynomial) if c)


def _trembles(text: Text, sets: list[list[int]], before: dict[tuple[int, int], Any]) -> dict[str, Any] | None:
    """Return the leading terms of the plans as a certificate; None if the plans do not tend to the strategies."""
    weights: list[list[Any]] = [[], []]
    orders: list[list[Any]] = [[], []]
    for i in (1, 2):
        for k in sets[i - 1]:
            up = before[i, k]
            prior = text.roots.get(i, []) if up is None else _weight(text, i, *up)
            rows = text.weights.get((i, k), [])
            play = text.plays[i, k]
            if len(rows) != len(play) or _sum(rows) != prior or not all(map(positive, (prior, *rows))):
                return None
            order, amount = leading(prior)
            weights[i - 1].append([])
            orders[i - 1].append([])
            for p, row in zip(play, rows, strict=True):
                own, coefficient = leading(row)
                if (own == order and coefficient != p * amount) or (own > order and p) or own < order:
                    return None
                weights[i - 1][-1].append(str(coefficient / amount))
                orders[i - 1][-1].append(max(own - order, 1))
    return {"kind": "consistent-trembles", "trembles": weights, "orders": orders}


def _polynomials(
    text: Text, sets: list[list[int]], before: dict[tuple[int, int], Any], plan: dict[tuple[int, int], list[F]]
) -> dict[str, Any] | None:
    """Return the plans as a certificate. The plan of a player without mistakes is that of the strategy."""
    result: dict[str, Any] = {"kind": "polynomials", "denominator": [], "trembles": ["any", "any"]}
    for i in (1, 2):
        if i == text.faultless:
            result["trembles"][i - 1] = "none"
            columns = [[F(1)], *(trimmed([p]) for k in sets[i - 1] for p in plan[i, k])]
        else:
            rows = [text.weights.get((i, k), []) for k in sets[i - 1]]
            if any(len(row) != len(text.plays[i, k]) for k, row in zip(sets[i - 1], rows, strict=True)):
                return None
            columns = [text.roots.get(i, []), *(x for row in rows for x in row)]
        normal = normalized(columns)
        if normal is None:
            return None
        columns = normal
        scale = lcm(*(c.denominator for column in columns for c in column))
        degrees = range(max(map(len, columns)))
        result["XY"[i - 1]] = [[str((c[d] if d < len(c) else 0) * scale) for c in columns] for d in degrees]
        result["denominator"].append(str(columns[0][0] * scale))
    return result


def normalized(columns: list[Polynomial]) -> list[Polynomial] | None:
    """Divide the weights of a plan so that the weight r of the empty sequence is 1; None if r is not positive.

    The result is equivalent for the kernel. Let s be the power series 1 / r, cut off after n terms, so that
    r s = 1 + e^n t with a polynomial t. Let n be greater than all degrees. A weight x becomes x s - e^n t x(0) / r(0).
    The new weights sum as the old ones do. A difference of payoffs has an order below n, or it is 0 for x and then also
    for x(0). So no sign changes.
    """
    if not positive(columns[0]):
        return None
    order = leading(columns[0])[0]
    if any(x and leading(x)[0] < order for x in columns):
        return None
    columns = [x[order:] for x in columns]
    root, n = columns[0], max(map(len, columns))
    series = [1 / root[0]]
    for d in range(1, n):
        series.append(-sum((root[k] * series[d - k] for k in range(1, min(d + 1, len(root)))), F(0)) / root[0])
    rest = _times(root, series)[n:]
    return [
        trimmed(_sum([_times(x, series), [F(0)] * n + [-c * x[0] / root[0] for c in rest]])) if x else []
        for x in columns
    ]


def _times(p: Polynomial, q: Polynomial) -> Polynomial:
    result = [F(0)] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            result[i + j] += a * b
    return result


def _weight(text: Text, i: int, k: int, action: int) -> Polynomial:
    rows = text.weights.get((i, k), [])
    return rows[action] if action < len(rows) else []


def positive(polynomial: Polynomial) -> bool:
    return bool(polynomial) and leading(polynomial)[1] > 0


def _sum(polynomials: list[Polynomial]) -> Polynomial:
    length = max(map(len, polynomials), default=0)
    return trimmed([sum((p[d] for p in polynomials if d < len(p)), F(0)) for d in range(length)])
