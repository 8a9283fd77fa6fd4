"""Solution files: games, concepts, methods and options, and what is written for each.

A record holds the hash of the whole file without times and version, a short hash of each field, and in plain words
the status, what is proven, the values and the bounds. Reasons, which are words for people, are a field of their own.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import warnings
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import tremble
from tests.golden.access import Trembles, certification, document_text, stable_text, verdict
from tests.golden.games import game_named
from tremble import BehaviorStrategy

__all__ = ["Case", "cases", "compare", "outcome", "record"]


class Case(NamedTuple):
    """One file: what is called, on which game, for which concept, by which method, with which options."""

    what: str
    game: str
    concept: str
    method: str
    options: dict[str, Any]

    @property
    def name(self) -> str:
        options = ", ".join(f"{key}={value}" for key, value in self.options.items())
        return " | ".join((self.what, self.game, self.concept, self.method, options)).rstrip(" |")


# -- which ---------------------------------------------------------------------------------------------

CONCEPTS = (
    *("nash", "quasi-perfect", "sequential", "perfect", "normal-form-perfect", "proper", "maxmin"),
    *("one-sided-quasi-perfect", "subgame-perfect", "perfect Bayesian"),
)
CONSTANT_SUM = (
    *("matching_pennies", "kuhn", "kuhn:cards=4", "kuhn_raise", "jk_four_cards", "guess_the_ace"),
    *("guess_the_ace:gift=true", "safe_or_risky", "dare_or_decline", "goofspiel:order=increasing"),
    *("leduc:raises=1,ranks=2", "double_oracle_example", "auction:copies=1,top=2,values=2"),
    *("random_tree:depth=4,seed=1", "random_tree:chance=true,depth=5,seed=2", "random 0 4 zero", "random 3 5 zero"),
    *("random 11 5 zero", "liars_dice:faces=2", "alike 3"),
)
GENERAL_SUM = (
    *("entry_deterrence", "beer_quiche", "job_market", "battle_outside", "selten_horse_two", "mertens"),
    *("ordered_trembles", "centipede", "centipede:length=3", "auction:copies=1,sum=general,top=2,values=2"),
    *("random_tree:depth=3,seed=4,sum=general", "random 5 4 general", "random 6 3 general"),
    "matrix [[[3, 0, 1], [0, 2, 1]], [[2, 0, 1], [0, 3, 1]]]",
)
FORGETFUL = (
    *("a_loss_counterexample", "wichardt", "absentminded_driver"),
    *("random_imperfect_recall:depth=4,seed=1", "random_imperfect_recall:branching=2,depth=5,merge=0.5,seed=3"),
    "random_imperfect_recall:branching=2,depth=4,merge=0.5,merge2=0.5,recall2=any,seed=2",
)
LARGER = ("leduc", "goofspiel", "leduc:ranks=5", "poker:bets=2,raises=1", "kuhn:cards=13")
RULES = (
    *("kuhn", "leduc:raises=1,ranks=2", "goofspiel:order=increasing", "border_patrol:depth=3,slow=false"),
    *("border_patrol:depth=4,graph=2", "liars_dice:faces=2"),
)
HEAVY = "phantom_ttt:forced_wins=true,win_first=true"
"""About half a minute: solved only where ``--heavy`` is given."""
ORDERED = (
    *("rhode_island:raises=1,ranks=2,suits=2", "rhode_island:raises=1,ranks=3,suits=2", "leduc"),
    *("jk_four_cards", "kuhn", "poker:raises=1,types=3"),
    "holdem_river:bets=75,raises=1,range1=AA,KK,QJs,range2=TT,99,AKs",
)


def cases(*, heavy: bool = False) -> Iterator[Case]:
    """Yield all cases, in order."""
    for game in (*CONSTANT_SUM, *GENERAL_SUM):
        for concept in CONCEPTS:
            if concept in ("subgame-perfect", "perfect Bayesian") and game not in ("kuhn", "entry_deterrence"):
                continue
            options = {"trembles": "only 2"} if concept == "one-sided-quasi-perfect" else {}
            yield Case("solve", game, concept, "auto", options)
    yield from _larger()
    yield from _methods()
    yield from _trembles()
    yield from _maxmin()
    yield from _rules()
    yield from _lists()
    yield from _certified()
    if heavy:
        yield Case("solve", f"rules {HEAVY}", "nash", "double-oracle", {})


def _larger() -> Iterator[Case]:
    for game in LARGER:
        yield Case("solve", game, "nash", "auto", {})
    for game, concept in (("leduc", "quasi-perfect"), ("leduc", "perfect"), ("leduc", "sequential"),
                          ("goofspiel", "quasi-perfect"), ("kuhn:cards=13", "quasi-perfect"),
                          ("kuhn:cards=13", "perfect"), ("kuhn:cards=5", "proper")):  # fmt: skip
        yield Case("solve", game, concept, "auto", {})


def _methods() -> Iterator[Case]:
    for game in ("kuhn", "jk_four_cards", "leduc:raises=1,ranks=2", "random 3 5 zero"):
        for options in ({"merge": False}, {"lp_solver": "simplex"}, {"lp_solver": "interior-point"}, {"seed": 7}):
            for concept in ("nash", "quasi-perfect", "perfect"):
                yield Case("solve", game, concept, "lp", options)
        for concept in ("quasi-perfect", "perfect"):
            for method in ("halving", "symbolic-simplex", "npp"):
                if game in ("kuhn", "random 3 5 zero"):
                    yield Case("solve", game, concept, method, {})
        for policy in ("both", "alternating", "worse"):
            yield Case("solve", game, "nash", "double-oracle", {"policy": policy})
        yield Case("solve", game, "nash", "double-oracle", {"smoothing": 0.0})
        yield Case("solve", game, "nash", "published-double-oracle", {})
        for method in ("cfr", "cfr+", "pcfr+", "dcfr"):
            yield Case("solve", game, "nash", method, {"iterations": 40})
        yield Case("solve", game, "nash", "lp", {"gap": "1/10"})
    for game in ("kuhn", "battle_outside", "beer_quiche", "random 5 4 general", "alike 3"):
        for concept in ("nash", "quasi-perfect", "sequential", "perfect"):
            yield Case("solve", game, concept, "lemke", {})
            yield Case("solve", game, concept, "lemke", {"prior": "random", "seed": 3})
        yield Case("solve", game, "nash", "lemke", {"symmetric": True})
    for wrong in ("lp", "double-oracle", "cfr", "interior-point", "branch-and-bound", "npp"):
        yield Case("solve", "battle_outside", "nash", wrong, {})
        yield Case("solve", "a_loss_counterexample", "quasi-perfect", wrong, {})


def _trembles() -> Iterator[Case]:
    for game in ("kuhn", "safe_or_risky", "ordered_trembles", "battle_outside", "dare_or_decline", "mertens"):
        for concept in ("quasi-perfect", "perfect", "sequential", "normal-form-perfect"):
            for trembles in ("uneven", "orders"):
                yield Case("solve", game, concept, "auto", {"trembles": trembles})
        yield Case("solve", game, "one-sided-quasi-perfect", "auto", {"trembles": "only 1"})


def _maxmin() -> Iterator[Case]:
    for game in FORGETFUL:
        for player in (0, 1):
            yield Case("solve", game, "maxmin", "auto", {"player": player})
    for game in ("kuhn", "battle_outside", "a_loss_counterexample", "random_imperfect_recall:depth=4,seed=1"):
        for player in (0, 1):
            yield Case("solve", game, "maxmin", "branch-and-bound", {"player": player, "jobs": 1})
            yield Case("solve", game, "maxmin", "branch-and-bound", {"player": player, "jobs": 1, "epsilon": "1/20"})
            yield Case("solve", game, "maxmin", "milp", {"player": player, "epsilon": "1/20"})
            yield Case("solve", game, "maxmin", "bnb-digits", {"player": player, "epsilon": "1/20"})
    yield Case("solve", "a_loss_counterexample", "nash", "cfr", {"iterations": 40})
    yield Case("solve", "wichardt", "nash", "auto", {})


def _rules() -> Iterator[Case]:
    for game in RULES:
        yield Case("solve", f"rules {game}", "nash", "double-oracle", {})
        yield Case("solve", f"rules {game}", "nash", "auto", {})
    yield Case("solve", "rules kuhn", "nash", "double-oracle", {"policy": "worse", "smoothing": 0.0})
    yield Case("solve", "rules leduc:raises=1,ranks=2", "nash", "published-double-oracle", {})
    yield Case("solve", "rules kuhn", "quasi-perfect", "auto", {})
    for game in ORDERED:
        yield Case("solve", f"rules {game}", "nash", "lp", {})
        yield Case("solve", f"rules {game}", "nash", "lp", {"abstraction": "full"})
        yield Case("solve", f"rules {game}", "nash", "dcfr", {"iterations": 30})
    for method in ("cfr", "cfr+", "pcfr+", "interior-point"):
        yield Case("solve", f"rules {ORDERED[0]}", "nash", method, {} if method[0] == "i" else {"iterations": 20})
    for mode in ("published", "threshold:1/4", "full"):
        yield Case("solve", f"rules {ORDERED[1]}", "nash", "dcfr", {"iterations": 20, "abstraction": mode})


def _lists() -> Iterator[Case]:
    for game in ("matching_pennies", "entry_deterrence", "battle_outside", "selten_horse_two", "beer_quiche", "kuhn",
                 "centipede:length=3", GENERAL_SUM[-1], "guess_the_ace", "mertens", "random 6 3 general"):  # fmt: skip
        for concept in ("nash", "subgame-perfect", "sequential", "quasi-perfect", "perfect"):
            yield Case("all", game, concept, "", {})
        for concept in ("nash", "sequential", "subgame-perfect"):
            yield Case("all", game, concept, "", {"pure": True, "most": 8})
    for game in ("battle_outside", GENERAL_SUM[-1], "selten_horse_two"):
        yield Case("several", game, "nash", "", {"priors": 8})
        yield Case("several", game, "sequential", "", {"priors": 4, "seed": 2})
    for game in ("kuhn", "matching_pennies", "guess_the_ace", "battle_outside"):
        yield Case("unique", game, "nash", "", {})


def _certified() -> Iterator[Case]:
    for game in ("kuhn", "battle_outside", "entry_deterrence", "selten_horse_two", "safe_or_risky", "random 3 5 zero"):
        for profile in ("uniform", "first", "nash", "quasi-perfect"):
            for concept in ("nash", "subgame-perfect", "sequential", "quasi-perfect", "perfect",
                            "normal-form-perfect", "proper"):  # fmt: skip
                yield Case("certify", game, concept, "", {"profile": profile})
        yield Case("certify", game, "one-sided-quasi-perfect", "", {"profile": "nash", "trembles": "only 1"})
        yield Case("certify", game, "perfect", "", {"profile": "quasi-perfect", "trembles": "uneven"})


# -- what is written -----------------------------------------------------------------------------------


def outcome(case: Case) -> dict[str, Any]:
    """Return what is recorded of a case."""
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        said: list[str] = []
        try:
            result = _result(case, said)
        except (tremble.LimitReached, tremble.NotProvenError) as error:
            said.append(f"error {type(error).__name__}")
            result = getattr(error, "best", None)
            if result is None:
                return {"said": said}
        except tremble.TrembleError as error:
            return {"said": [*said, f"error {type(error).__name__}"]}
        except Exception as error:  # a defect, which is recorded too
            return {"said": [*said, f"defect {type(error).__name__}"]}
        if isinstance(result, str):
            return {"said": [*said, result]}
        said.append(verdict(tremble.verify(game_named(case.game), result)))
        text = stable_text(document_text(result, Path(folder)))
    return {"said": said, **_described(text)}


def _result(case: Case, said: list[str]) -> Any:
    """Call the function of a case; what it says beside its result is appended to ``said``."""
    game, options = game_named(case.game), dict(case.options)
    if "trembles" in options:
        options["trembles"] = _trembles_named(game, options["trembles"])
    for name in ("gap", "epsilon"):
        if name in options:
            options[name] = Fraction(options[name])
    if case.what == "solve":
        return tremble.solve(game, case.concept, case.method, **options)
    if case.what == "all":
        return tremble.all_equilibria(game, case.concept, **options)
    if case.what == "several":
        return tremble.solve_several(game, options.pop("priors"), case.concept, **options)
    if case.what == "unique":
        return f"unique {tremble.uniqueness(game).unique}"
    found = certification(game, _profile(game, options.pop("profile")), case.concept, **options)
    said.append(f"{found.verdict}")
    return found.solution


def _profile(tree: tremble.GameTree, name: str) -> Any:
    if name == "uniform":
        return tuple(BehaviorStrategy.uniform(tree, player) for player in (0, 1))
    if name == "first":
        return tuple(
            BehaviorStrategy.from_rows(tree, p, [[int(a == 0) for a in range(len(row))] for row in tree.actions[p]])
            for p in (0, 1)
        )
    return tremble.solve(tree, name).strategies


def _trembles_named(tree: tremble.GameTree, name: str) -> Trembles:
    kind, _, which = name.partition(" ")
    if kind == "only":
        ones = [[[1] * len(row) for row in sets] for sets in tree.actions]
        return Trembles.from_rows(tree, [ones[p] if str(p + 1) == which else "none" for p in (0, 1)])
    rows = [[[1 + (a + k) % 3 for a in range(len(row))] for k, row in enumerate(sets)] for sets in tree.actions]
    orders = [[[1 + (a + k) % 2 for a in range(len(row))] for k, row in enumerate(sets)] for sets in tree.actions]
    return Trembles.from_rows(tree, rows, **({"orders": orders} if kind == "orders" else {}))


def _described(text: str) -> dict[str, Any]:
    document = json.loads(text)
    members = document.get("equilibria")
    fields = _fields(document)
    for member in members or ():
        for name, value in _fields(member).items():
            fields.setdefault(f"each {name}", []).append(value)
    fields.pop("equilibria", None)
    plain: dict[str, Any] = {}
    for name in ("concept", "status", "values", "bounds"):
        found = document.get(name) if members is None else [member.get(name) for member in members]
        shown = json.dumps(found)
        plain[name] = found if len(shown) < 200 else f"{shown[:180]}... ({len(shown)} characters)"
    return {
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "fields": {name: _short(value) for name, value in sorted(fields.items())},
        **{name: value for name, value in plain.items() if value is not None},
    }


def _fields(document: dict[str, Any]) -> dict[str, Any]:
    fields = {name: value for name, value in document.items() if name not in ("stats", "tremble")}
    method = fields.get("method")
    if isinstance(method, dict) and "reason" in method.get("options", {}):
        options = dict(method["options"])
        fields["reason"] = options.pop("reason")
        fields["method"] = {**method, "options": options}
    return fields


def _short(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:8]


# -- the record ----------------------------------------------------------------------------------------


def record(only: set[str] | None = None) -> dict[str, Any]:
    """Return what is written in all cases."""
    return {case.name: outcome(case) for case in cases(heavy=only is not None) if only is None or case.name in only}


_WORDS = ("reason", "degeneracy", "each reason")
"""Fields that are words for people."""


def compare(recorded: dict[str, Any], only: set[str] | None = None) -> Iterator[tuple[str, str]]:
    """Yield each difference: its class, and words that say where it is."""
    found = set()
    for case in cases(heavy=only is not None):
        name = case.name
        if only is not None and name not in only:
            continue
        found.add(name)
        if name not in recorded:
            yield "not recorded", name
            continue
        before, now = recorded[name], json.loads(json.dumps(outcome(case)))
        if before == now:
            continue
        fields = [before.get("fields", {}), now.get("fields", {})]
        changed = sorted(f for f in {*fields[0], *fields[1]} if fields[0].get(f) != fields[1].get(f))
        plain = [key for key in ("said", "concept", "status", "values", "bounds") if before.get(key) != now.get(key)]
        told = "".join(f"\n    {key}: {before.get(key)} -> {now.get(key)}" for key in plain)
        if plain and plain[0] == "said":
            yield "another outcome", f"{name}{told}\n    fields: {', '.join(changed)}"
        elif not changed:
            yield "the same fields, laid out in another way", name
        elif set(changed) <= set(_WORDS):
            yield "other words only", f"{name}: {', '.join(changed)}"
        else:
            yield f"other {', '.join(changed)}", f"{name}{told}"
    for name in set(recorded if only is None else only & set(recorded)) - found:
        yield "missing", name
