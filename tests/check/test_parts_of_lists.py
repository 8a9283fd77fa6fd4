"""The functions of the folder `lists`, one by one, with members and graphs made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction as F
from types import SimpleNamespace
from typing import Any

import pytest

import tremble
from tremble import TreeBuilder
from tremble.check import Claim, FieldProof, Limits, Strategy, Verification, lists
from tremble.check.claim import Problems, Wrong
from tremble.check.lists import ListClaim, Plans, common_concept, common_player, subsets
from tremble.check.lists.subsets import Graph
from tremble.check.tree import sequence_form
from tremble.status import Status

SEXES = tremble.matrix_game([[3, 0], [0, 2]], [[2, 0], [0, 3]])


def member(concept: str = "nash", **fields: Any) -> Claim:
    values: dict[str, Any] = {"strategies": (None, None), "values": None, "certificate": {}, **fields}
    return Claim(concept, values.pop("status", "certified"), **values)


def verdict(*problems: str, **fields: Any) -> Verification:
    values: dict[str, Any] = {"nash_conv": F(0), **fields}
    return Verification(not problems, "nash", Status.CERTIFIED, "nash", problems=problems, **values)


def limits() -> Limits:
    return Limits.for_game(1)


def plans(*numbers: Sequence[int], apart: tuple[Sequence[int], Sequence[int]] | None = None) -> Plans:
    same = numbers[0], numbers[1]
    return Plans(same, same if apart is None else apart)


# -- the whole list ------------------------------------------------------------------------------------------


def problem_of(game: Any, claim: ListClaim) -> str:
    (problem,) = lists.check_list(game, claim).problems
    return problem


def test_a_list_of_another_game_names_both() -> None:
    digest = "sha256:" + "0" * 64
    rules, built = member(kind="rules"), member()
    for members in ((rules,), (built, rules)):
        problem = problem_of(SEXES, ListClaim(members, digest, "poker"))
        assert "it names 'poker' (sha256:0000000000000000...), but this is" in problem
        assert problem.endswith("its strategies belong to a game that is not built as a tree, but this game is a tree")
    assert problem_of(SEXES, ListClaim((built,), digest, "poker")).endswith(
        "give the game that the solution names, or solve this one"
    )
    assert problem_of(SEXES, ListClaim((built,), digest, SEXES.title)).endswith(
        "the game has changed since it was solved: solve it again"
    )


def test_the_verdict_names_a_player_only_if_the_concept_is_about_one(monkeypatch: pytest.MonkeyPatch) -> None:
    refutation = {"concept": "one-sided-quasi-perfect", "kind": "mistakes", "player": 1}
    strategy = Strategy((0,), (("0", "1"),), [1, 0], [1], [False])
    for concept, certificate, player in (
        ("nash", {}, None),
        ("one-sided-quasi-perfect", {}, 1),
        ("one-sided-quasi-perfect", {"trembles": ["none", None]}, 0),
    ):
        one = member(concept, refutation=refutation, certificate=certificate, strategies=(strategy, strategy))
        monkeypatch.setattr(lists, "check", lambda *_: verdict())
        found = lists.check_list(SEXES, ListClaim((one,), SEXES.digest))
        assert (found.ok, found.proven, found.proven_player) == (True, concept, player)
        monkeypatch.setattr(lists, "check", lambda *_: verdict("refutation.player: must be 1 or 2"))
        wrong = replace(one, refutation={**refutation, "player": 3})
        found = lists.check_list(SEXES, ListClaim((wrong,), SEXES.digest))
        assert found.problems == ("equilibria[0]: refutation.player: must be 1 or 2",)
        assert (found.ok, found.proven, found.proven_player) == (False, None, None)


BELIEVED, PROVEN = FieldProof("unique", believed="there are no others"), FieldProof("pairs", proven="equal numbers")
OTHERS = "the list neither states nor proves whether there are other equilibria"
STATED = "unique: that there are no others is stated, not proven"


@pytest.mark.parametrize(
    ("members", "problems", "fields", "notes"),
    [
        ([], (), (), (OTHERS,)),
        ([], (), (PROVEN,), (OTHERS,)),
        ([], (), (BELIEVED, PROVEN), (STATED,)),
        ([], ("a fault",), (BELIEVED, PROVEN), (OTHERS,)),
        ([], ("a fault",), (), (OTHERS,)),
        ([("one",), ("two", "one")], (), (BELIEVED,), ("one", "two", STATED)),
        ([("one",)], (), (), ("one", OTHERS)),
        (None, ("a fault",), (), ()),
    ],
)
def test_notes_of_a_verdict(members: Any, problems: Any, fields: Any, notes: tuple[str, ...]) -> None:
    verdicts = None if members is None else [verdict(notes=each) for each in members]
    found = lists._conclude("nash", verdicts, Problems(problems), fields, 1)
    assert found.notes == notes
    assert (found.ok, found.problems) == (not problems, problems)
    expected = (None, None, ()) if problems else ("nash", 1, fields)
    assert (found.proven, found.proven_player, found.fields) == expected


def test_the_greatest_gain_is_known_if_all_are() -> None:
    for gains, greatest in (((), None), ((F(1), F(2)), F(2)), ((F(1), None), None), ((None,), None), ((F(0),), F(0))):
        verdicts = [verdict(nash_conv=gain) for gain in gains]
        assert lists._conclude("nash", verdicts, Problems(), (), None).nash_conv == greatest


def test_the_concept_and_the_player_of_members() -> None:
    assert common_concept([member("maxmin")]) == "maxmin"
    assert common_concept([member("bounds")]) == "nash"
    refuted = member(refutation={"concept": "one-sided-quasi-perfect", "player": 1})
    sided = replace(refuted, concept="one-sided-quasi-perfect", certificate={"trembles": ["none", None]})
    assert [lists._player(each) for each in (member(), refuted, sided)] == [None, 1, 0]
    assert common_player([member(), sided, refuted]) == 0


def test_the_status_counts_only_for_members_that_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = ListClaim((member(status="bounded"),), None)
    for problems in ((), ("values: missing",)):
        found, verdicts = Problems(), iter([verdict(*problems)])
        monkeypatch.setattr(lists, "check", lambda *_, results=verdicts: next(results))
        list(lists._check_members(None, claim, limits(), None, None, found))
        assert list(found) == (
            ["equilibria[0]: values: missing"]
            if problems
            else ["equilibria[0].status: 'bounded', but every equilibrium in a list must be certified"]
        )


def test_pairs_that_cannot_be_checked_are_not_proven() -> None:
    found = Problems()
    claim = ListClaim((member(kind="rules"), member(kind="rules")), pairs=((0, 0), (1, 0)))
    proofs = list(lists._check_fields(claim, plans([0, 1], [0, 0], apart=([0, 0], [0, 0])), None, limits(), found))
    assert [proof.name for proof in proofs] == ["equilibria"]
    assert list(found) == ["pairs: cannot be checked in a game that is not built"]


# -- equal plans -----------------------------------------------------------------------------------------------


def test_who_compares_plans() -> None:
    supplied = plans([0], [0])
    rules: Any = SimpleNamespace()
    assert lists._plans(rules, ListClaim(()), limits(), None, None) == plans([], [])
    assert lists._plans(rules, ListClaim((member(),)), limits(), None, lambda *_: supplied) is supplied
    for game, supplier in ((SEXES, lambda *_: supplied), (rules, None)):
        with pytest.raises(Wrong, match="the realization plans cannot be compared in this kind of game"):
            lists._plans(game, ListClaim((member(),)), limits(), None, supplier)


def chain() -> tremble.GameTree:
    """Player 1 moves up to three times, and stops by its second action."""
    builder = TreeBuilder(title="chain")
    for k in range(3):
        builder.decision(0, f"{k}", ("on", "stop", "end") if k == 1 else ("on", "stop"))
    builder.leaf(0, 0)
    for _ in range(4):
        builder.leaf(0, 0)
    return builder.finish()


CHAIN = chain()
FORM = sequence_form(CHAIN, limits())


def strategy(*rows: Sequence[int]) -> Strategy:
    """Return a strategy of player 1 in the chain, from rows of integer weights."""
    numbers = [number for row in rows for number in row]
    return Strategy((0, 1, 2), CHAIN.actions[0], numbers, list(map(sum, rows)), [False] * 3)


NOTHING = Strategy((), (), [], [], [])


def test_rows_in_lowest_terms() -> None:
    sequences = FORM.sequences[0]
    through = strategy((2, 2), (1, 0, 2), (4, 0))
    assert lists._rows(through, limits()) == (0, 2, 1, 1, 1, 3, 1, 0, 2, 2, 1, 1, 0)
    assert lists._rows(through, limits(), sequences) == lists._rows(through, limits())
    stops = strategy((0, 1), (2, 0, 0), (3, 3))
    assert lists._reached(stops, sequences) == [True, False, False]
    assert lists._rows(stops, limits(), sequences) == (0, 1, 0, 1)
    assert lists._rows(stops, limits()) == (0, 1, 0, 1, 1, 1, 1, 0, 0, 2, 2, 1, 1)


ONE, TWO = strategy((0, 1), (1, 0, 0), (1, 0)), strategy((0, 1), (1, 0, 0), (0, 1))
HERE: Any = [[(0, [(("on",), F(1))])], []]
THERE: Any = [[(0, [(("on",), F(1, 2))])], []]


@pytest.mark.parametrize(
    ("members", "repeated"),
    [
        ([("nash", ONE, None), ("nash", TWO, None)], {1: 0}),
        ([("nash", ONE, None), ("sequential", TWO, None)], {1: 0}),
        ([("sequential", ONE, None), ("nash", TWO, None)], {1: 0}),
        ([("sequential", ONE, None), ("sequential", TWO, None)], {}),
        ([("sequential", ONE, None), ("sequential", TWO, None), ("sequential", ONE, None)], {2: 0}),
        ([("sequential", ONE, HERE), ("sequential", ONE, THERE)], {}),
        ([("sequential", ONE, HERE), ("sequential", ONE, HERE)], {1: 0}),
        ([("sequential", ONE, HERE), ("sequential", ONE, THERE), ("sequential", ONE, THERE)], {2: 1}),
        ([("sequential", ONE, HERE), ("sequential", ONE, None)], {1: 0}),
        ([("sequential", ONE, None), ("sequential", ONE, HERE)], {1: 0}),
    ],
)
def test_repetitions(members: list[Any], repeated: dict[int, int]) -> None:
    """Their plans are equal. Strategies differ at sets that are not reached, or beliefs differ."""
    claims = [member(concept, strategies=(one, NOTHING), beliefs=beliefs) for concept, one, beliefs in members]
    found = Problems()
    lists._refuse_repetitions(claims, plans(*[[0] * len(claims)] * 2), limits(), found)
    assert list(found) == [
        f"equilibria[{k}]: the same equilibrium as equilibria[{again}], as realization plans"
        for k, again in repeated.items()
    ]


def test_strategies_and_beliefs_count_only_in_trees() -> None:
    one, two, rules = member("sequential", beliefs=HERE), member("sequential", beliefs=THERE), member(kind="rules")
    found = Problems()
    lists._refuse_repetitions([one, two, rules], plans([0, 0, 1], [0, 0, 0]), limits(), found)
    assert list(found) == ["equilibria[1]: the same equilibrium as equilibria[0], as realization plans"]
    assert [lists._beliefs(each) for each in (one, two, rules, member())] == [(1, 1), (1, 2), (), ()]
    assert lists._beliefs(replace(rules, beliefs=5)) == ()


def test_what_is_proven_about_the_members() -> None:
    exact, inexact = plans([0, 0], [0, 1]), plans([0, 1], [0, 1], apart=([0, 0], [0, 1]))
    one, nash, perfect = plans([0], [0], apart=([0], [0])), "each is a proven Nash equilibrium", member("perfect")
    for members, compared, words in (
        ([], plans([], []), "the list is empty"),
        ([member()], one, nash),
        ([perfect], plans([0], [0]), "each is a proven extensive-form perfect equilibrium"),
        ([member()] * 2, exact, f"{nash}; 2 of 2 are different realization plans"),
        ([member()] * 2, plans([0, 0], [1, 1]), f"{nash}; 1 of 2 are different realization plans"),
        ([perfect, member()], inexact, f"{nash}; at least 2 of 2 are different realization plans"),
    ):
        assert lists._members(members, compared) == FieldProof("equilibria", proven=words)


def checked(claim: ListClaim, compared: Plans) -> tuple[list[FieldProof], list[str]]:
    found = Problems()
    return list(lists._check_number(claim, compared, found)), list(found)


TRUE = FieldProof("unique", believed="there are no others")
FALSE = FieldProof("unique", proven="false: two of these have different plans")


@pytest.mark.parametrize(
    ("unique", "count", "apart", "proofs", "problems"),
    [
        (None, 2, [0, 1], [], []),
        (True, 1, [0], [TRUE], []),
        (True, 0, [], [TRUE], ["unique: true, but the number of equilibria is 0"]),
        (True, 2, [0, 0], [TRUE], ["unique: true, but the number of equilibria is 2"]),
        (False, 2, [0, 1], [FALSE], []),
        (False, 1, [0], [FALSE], ["unique: false, but the number of equilibria is 1"]),
        (
            False,
            2,
            [0, 0],
            [FALSE],
            ["unique: false, but no two of the equilibria are proven to have different plans"],
        ),
    ],
)
def test_the_number_of_equilibria(
    unique: bool | None, count: int, apart: list[int], proofs: list[FieldProof], problems: list[str]
) -> None:
    compared = plans([0] * count, list(range(count)), apart=([0] * count, apart))
    assert checked(ListClaim((member(),) * count, unique=unique), compared) == (proofs, problems)


def test_the_number_of_plans_of_each_player() -> None:
    believed, proven = (
        [FieldProof(f"unique_plans[{i}]", **{kind: f"{words} player {i + 1}"}) for i in (0, 1)]
        for kind, words in (
            ("believed", "no other equilibrium has another plan of"),
            ("proven", "two of these have different plans of"),
        )
    )
    claim = ListClaim((member(),) * 3)

    def about(unique: tuple[bool, bool], compared: Plans, members: int = 3) -> tuple[list[FieldProof], list[str]]:
        return checked(replace(claim, members=claim.members[:members], unique_plans=unique), compared)

    exact = plans([0, 0, 0], [0, 0, 1])
    assert about((True, False), exact) == ([believed[0], proven[1]], [])
    assert about((False, True), exact) == (
        [proven[0], believed[1]],
        [
            "unique_plans[0]: false, but the plans are not different",
            "unique_plans[1]: true, but the plans are different",
        ],
    )
    inexact = plans([0, 1, 1], [0, 0, 1], apart=([0, 0, 0], [0, 0, 1]))
    assert about((True, False), inexact) == (
        [believed[0], proven[1]],
        [
            "unique_plans[0]: true, but equilibria[0] and equilibria[1] state other rows of player 1, which are not "
            "proven to be the same plan"
        ],
    )
    assert about((True, False), plans([], []), 0) == (
        [believed[0], proven[1]],
        [
            "unique_plans[0]: true, but there is no equilibrium",
            "unique_plans[1]: false, but the plans are not different",
        ],
    )


@pytest.mark.parametrize(
    ("pairs", "problems"),
    [
        (((0, 0), (1, 1)), []),
        (((0, 0), (1, 1), (1, 1)), ["pairs: there are 3 for 2 equilibria"]),
        (((0, 0),), ["pairs: there are 1 for 2 equilibria"]),
        (((0, 0), (0, 0)), ["pairs: there are 1 different ones for 2 equilibria"]),
    ],
)
def test_there_is_one_pair_for_each_member(pairs: Any, problems: list[str]) -> None:
    found = Problems()
    proofs = list(lists._check_pairs(pairs, plans([0, 1], [0, 1]), found))
    assert list(found) == problems
    words = "equal numbers mean equal plans, and different numbers mean different plans"
    assert proofs == ([] if problems else [FieldProof("pairs", proven=words)])


# -- pure equilibria, indices ----------------------------------------------------------------------------------


def test_the_requested_concept_in_words() -> None:
    for concept, words in (
        ("perfect", "an extensive-form perfect equilibrium"),
        ("proper", "a proper equilibrium"),
    ):
        found = Problems()
        claim = ListClaim((member(concept), member("nash", requested=concept)), requested=concept, pure=True)
        proofs = list(lists._check_requested(claim, concept, found))
        assert not found
        assert proofs == [FieldProof("requested", proven=f"1 of 2 are proven to be {words}")]


PURE, PURE_WHERE_REACHED = strategy((0, 1), (1, 0, 0), (0, 1)), strategy((0, 1), (1, 0, 0), (1, 1))
MIXED, MIXED_LATER = strategy((1, 1), (1, 0, 0), (1, 0)), strategy((1, 0), (0, 1, 1), (1, 0))


def test_pure_rows() -> None:
    sequences = FORM.sequences[0]
    assert lists._pure_at(PURE, sequences) == (True, True)
    assert lists._pure_at(PURE_WHERE_REACHED, sequences) == (True, False)
    assert lists._pure_at(MIXED, sequences) == lists._pure_at(MIXED_LATER, sequences) == (False, False)


EVERYWHERE = "they are all pure, at every information set"
REACHED = "they are all pure, at the information sets that their own play reaches"
SOME_MIXED = "one of them is mixed"


@pytest.mark.parametrize(
    ("pure", "strategies", "words", "problems"),
    [
        (True, [PURE, PURE], EVERYWHERE, []),
        (True, [PURE, PURE_WHERE_REACHED], REACHED, []),
        (True, [PURE, MIXED], REACHED, ["pure: true, but equilibria[1] is mixed"]),
        (False, [PURE, MIXED], SOME_MIXED, []),
        (False, [PURE], SOME_MIXED, ["pure: false, but every equilibrium is pure"]),
    ],
)
def test_pure_lists(pure: bool, strategies: list[Strategy], words: str, problems: list[str]) -> None:
    found = Problems()
    claim = ListClaim(tuple(member(strategies=(one, NOTHING)) for one in strategies), pure=pure)
    assert list(lists._check_pure(FORM, claim, found)) == [FieldProof("pure", proven=words)]
    assert list(found) == problems


@pytest.mark.parametrize(
    ("complete", "requested", "members", "words", "problems"),
    [
        (True, None, [member()], "Nash equilibria", []),
        (True, None, [member(requested="proper")], "Nash equilibria", []),
        (True, "proper", [member("proper")], "proper equilibria", []),
        (
            True,
            "proper",
            [member("proper"), member(requested="proper")],
            "proper equilibria",
            ["complete: true, but equilibria[1] is undecided"],
        ),
        (False, "proper", [member("proper"), member(requested="proper")], "", []),
        (True, "none", [member()], "Nash equilibria", []),
    ],
)
def test_complete_lists(
    complete: bool, requested: str | None, members: list[Claim], words: str, problems: list[str]
) -> None:
    found = Problems()
    claim = ListClaim(
        tuple(replace(each, strategies=(PURE, NOTHING)) for each in members),
        requested=requested,
        pure=True,
        complete=complete,
    )
    (_, proof) = lists._check_pure(FORM, claim, found)
    believed = FieldProof("complete", believed=f"there are no other pure {words}")
    assert proof == (believed if complete else FieldProof("complete", proven="the list does not claim to contain all"))
    assert list(found) == problems


@pytest.mark.parametrize(
    ("fields", "proofs", "problems"),
    [
        ({}, [], []),
        ({"degenerate": False}, [FieldProof("degenerate", believed="the game is not degenerate")], []),
        ({"degenerate": True}, [FieldProof("degenerate", believed="the game is degenerate")], []),
        ({"indices": (1,), "components": ((0,),)}, ["indices"], []),
        ({"indices": (1,)}, ["indices"], ["indices: there are 1, not one for each component"]),
        (
            {"indices": (1, 0), "components": ((0,),)},
            ["indices"],
            ["indices: there are 2, not one for each component"],
        ),
    ],
)
def test_indices_and_degeneracy(fields: Any, proofs: list[Any], problems: list[str]) -> None:
    found = Problems()
    indices = FieldProof("indices", believed="these are the indices of the components")
    expected = [indices if proof == "indices" else proof for proof in proofs]
    assert list(lists._check_game(ListClaim((), **fields), found)) == expected
    assert list(found) == problems


# -- subsets ---------------------------------------------------------------------------------------------------

SUBSETS = FieldProof(
    "maximal_subsets",
    proven="all mixtures of the plans of a subset are equilibria; no subset can be enlarged by these plans",
    believed="there are no others",
)
COMPONENTS = FieldProof(
    "components", proven="the pairs and their mixtures form these components", believed="there are no others"
)


def test_a_graph_without_edges() -> None:
    graph = Graph((), limits())
    assert (graph.sides, graph.neighbors) == ((0, 0), ([], []))
    found = Problems()
    assert list(subsets.check_subsets((), graph, found)) == [SUBSETS]
    assert list(subsets.check_components((), graph, found)) == [COMPONENTS]
    assert not found


GRAPH = ((0, 0), (0, 2), (1, 2), (2, 1))  # 0 - 0, 0 - 2 - 1, 2 - 1


def test_neighbors() -> None:
    graph = Graph(GRAPH, limits())
    assert graph.sides == (3, 3)
    assert graph.neighbors == ([0b101, 0b100, 0b010], [0b001, 0b100, 0b011])
    assert subsets._set_of([True, True, False, True, False]) == 0b1011


MAXIMAL = (((0,), (0, 2)), ((0, 1), (2,)), ((2,), (1,)))
LISTS = "must be two lists of numbers of different strategies"


@pytest.mark.parametrize(
    ("stated", "problems"),
    [
        (MAXIMAL, []),
        (MAXIMAL[:2], ["maximal_subsets: they do not contain every equilibrium"]),
        (
            (MAXIMAL[0], MAXIMAL[2], ((1,), (2,))),
            ["maximal_subsets[2]: this subset is part of a larger one"],
        ),
        (
            (((0, 0), (0, 2)), ((3,), (0,)), ((0,), (3,)), ((0, -1), (0,)), *MAXIMAL, ((0,), (2, 2)), ((1,), (2,))),
            [
                *(f"maximal_subsets[{k}]: {LISTS}" for k in (0, 1, 2, 3, 7)),
                "maximal_subsets[8]: this subset is part of a larger one",
            ],
        ),
        ([((1, 0), (2, 0))], ["maximal_subsets[0]: the pair [2, 1] is not among the equilibria"]),
        ([((0, 2), (0,))], ["maximal_subsets[0]: the pair [3, 1] is not among the equilibria"]),
        ([((2, 1), (2,))], ["maximal_subsets[0]: the pair [3, 3] is not among the equilibria"]),
    ],
)
def test_maximal_subsets(stated: Any, problems: list[str]) -> None:
    found = Problems()
    proofs = list(subsets.check_subsets(stated, Graph(GRAPH, limits()), found))
    assert list(found) == problems
    assert proofs == ([] if problems else [SUBSETS])


def test_components() -> None:
    found = Problems()
    assert list(subsets.check_components(((3,), (2, 0, 1)), Graph(GRAPH, limits()), found)) == [COMPONENTS]
    assert not found
    list(subsets.check_components(((0, 1), (2,), (3,)), Graph(GRAPH, limits()), found))
    assert list(found) == ["components: these are not the connected components of the graph of the pairs"]
