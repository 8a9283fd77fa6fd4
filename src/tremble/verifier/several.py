r"""Several equilibria in a list: what is stated of them together, and what of it is proven.

Each member has been proven by itself, and this is about Nash equilibria, which all of them are. Strategies are compared
as realization plans (:mod:`.profiles.plans`). Players have perfect recall, as each member's proof has found, so that
payoffs are linear in the plan of either player. From that follows, for plans :math:`x_i` of player 1 and :math:`y_j` of
player 2 that the members have:

* *Mixtures.* If all pairs :math:`(x_i, y_j)`, i in U, j in V, are equilibria, then so are all mixtures of these plans:
  each :math:`x_i` is a best reply to each :math:`y_j`, hence to every mixture of them, and a mixture of best replies is
  one. So are the maximal subsets proven, U times V, whose pairs all stand in the list.
* *None is part of a larger one, and none is missing.* The checker finds out of every pair of stated plans whether it is
  an equilibrium; those that are must stand in the list. So the graph whose edges are the members is exactly that of
  the equilibria among these plans, and the maximal subsets must be all its maximal bicliques. They are if each V is an
  intersection of sets :math:`N(i) = \{j : (x_i, y_j) \text{ is an equilibrium}\}` with its greatest U, each N(i) is
  among them, and so is each :math:`V \cap N(i)` that is not empty: by induction every intersection is.
* *Components.* Let M be the union of all :math:`\operatorname{conv}(U) \times \operatorname{conv}(V)`. Its connected
  components are those of the graph. For if (x, y) is in two of these products, :math:`x = \sum \lambda_i x_i` with i in
  U as well as :math:`y = \sum \rho_j y_j` with j in V', then a plan :math:`x_i` with :math:`\lambda_i > 0` is a best
  reply to all that x is one to, V' included, and a :math:`y_j` with :math:`\rho_j > 0` to all of U; so
  :math:`(x_i, y_j)` is an equilibrium, stands in the list, and connects both.
* *Constant sum.* Equilibria are interchangeable then: (x, y') is one if (x, y) and (x', y') are. That is no further
  check, since every pair is looked at: there is one maximal subset, and one component.

That there are *no other* equilibria does not follow, and is believed: it takes an enumeration. Two members with
different plans prove that there are several.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

import numpy as np

from tremble.errors import CertificateError
from tremble.game.rules import UnbuiltGame, UnbuiltStrategy
from tremble.game.table import StrategyTable
from tremble.game.tree import GameTree
from tremble.numbers import key_of
from tremble.poker.game import OrderedGame
from tremble.solution.equilibria import Equilibria
from tremble.solution.stated import StatedSolution
from tremble.solution.strategies import of_rules
from tremble.solution.verification import FieldProof
from tremble.verifier.budget import TooCostly, budget, listening
from tremble.verifier.concepts.table import CONCEPTS
from tremble.verifier.context import Problems
from tremble.verifier.profiles.ordered_deals import deal_all
from tremble.verifier.profiles.plans import (
    plan_numbers,
    played_differently,
    rows_as_stated,
    rows_where_it_comes,
    weights_by_hand,
)
from tremble.verifier.profiles.tree import Cells, Sequences, against, cells, respond, sequence_weights, sequences_of
from tremble.words import one

__all__ = ["check_list", "common_concept", "common_player"]

_OF_TREES = (
    "requested",
    "maximal_subsets",
    "components",
    "pure",
    "complete",
    "indices",
    "indices_unknown",
    "degenerate",
)
"""Fields that are checked in trees only."""

Numbers = tuple[list[int], list[int]]
"""Of players 1 and 2: for each member the number of its plan, equal for equal plans."""


def common_concept(equilibria: Sequence[StatedSolution]) -> str:
    """Return the concept of all members, or else ``"nash"``, which all of them are."""
    concepts = {solution.concept for solution in equilibria}
    return concepts.pop() if len(concepts) == 1 and concepts <= set(CONCEPTS) else "nash"


def check_list(game: GameTree | UnbuiltGame, equilibria: Equilibria, problems: Problems) -> tuple[FieldProof, ...]:
    """What is proven and what is believed of each field that a list states, or problems.

    Parameters
    ----------
    equilibria : Equilibria
        Each of its members is proven to be an equilibrium of the game.
    problems : Problems
        None so far. Takes what contradicts what is proven, and what nothing proves that a member could have proven.
    """
    budget().about = "equilibria"
    try:
        if isinstance(game, GameTree):
            return tuple(_check_in_tree(game, equilibria, problems))
        if isinstance(game.rules, OrderedGame) and all(solution.ordered is not None for solution in equilibria):
            return tuple(_check_by_classes(game.rules, equilibria, problems))
        return tuple(_check_by_rules(game, equilibria, problems))
    except (CertificateError, TooCostly) as error:
        problems.add(f"equilibria: {error}")
        return ()


# -- which plans are equal -------------------------------------------------------------------------


def _check_in_tree(tree: GameTree, equilibria: Equilibria, problems: Problems) -> Iterator[FieldProof]:
    own = sequences_of(tree, 0), sequences_of(tree, 1)
    player1, player2 = (
        plan_numbers([rows_where_it_comes(own[player], solution.tables[player]) for solution in equilibria])
        for player in (0, 1)
    )
    yield from _check_plans(equilibria, (player1, player2), problems)
    _refuse_other_players(equilibria, problems)
    yield from _check_requested(equilibria, problems)
    yield from _check_pure(own, equilibria, problems)
    if equilibria.pairs is None:
        for name in ("maximal_subsets", "components"):
            if getattr(equilibria, name) is not None:
                problems.add(f"{name}: there are no pairs that say which strategies the equilibria have")
    elif not problems and (equilibria.maximal_subsets is not None or equilibria.components is not None):
        graph = _Graph(equilibria.pairs)
        _refuse_missing(tree, own, equilibria, graph, problems)
        yield from _check_subsets(equilibria, graph, problems)
        yield from _check_components(equilibria, problems)
    yield from _check_whole(equilibria, problems)


def _check_by_classes(rules: OrderedGame, equilibria: Equilibria, problems: Problems) -> Iterator[FieldProof]:
    deal = deal_all(rules)
    pairs = [solution.ordered for solution in equilibria if solution.ordered is not None]
    player1, player2 = (plan_numbers([weights_by_hand(deal, pair[player]) for pair in pairs]) for player in (0, 1))
    yield from _check_plans(equilibria, (player1, player2), problems)
    _refuse_what_needs_a_tree(equilibria, _OF_TREES, problems)


def _check_by_rules(game: UnbuiltGame, equilibria: Equilibria, problems: Problems) -> Iterator[FieldProof]:
    pairs = [solution.unbuilt for solution in equilibria if solution.unbuilt is not None]
    stated_one, stated_two = (plan_numbers([_as_stated(pair[player]) for pair in pairs]) for player in (0, 1))
    _refuse_repetitions(equilibria, (stated_one, stated_two), problems)
    # Strategies that are compared with the first one: alike where its play and theirs come, they may still differ.
    number1, number2 = [0] * len(pairs), [0] * len(pairs)
    for k in range(1, len(pairs)):
        budget().listen()
        ways = played_differently(game, pairs[0], pairs[k]), played_differently(game, pairs[k], pairs[0])
        number1[k], number2[k] = (int(any(way[player] for way in ways)) for player in (0, 1))
    yield _members(equilibria, len(set(zip(number1, number2, strict=True))), at_least=len(pairs) > 1)
    yield from _check_number(equilibria, (number1, number2), problems)
    for player, (stated, played) in enumerate(((stated_one, number1), (stated_two, number2))):
        if equilibria.unique_plans is not None and equilibria.unique_plans[player] and any(stated) and not any(played):
            k = next(k for k, number in enumerate(stated) if number)
            problems.add(
                f"unique_plans[{player}]: true, but equilibria[0] and equilibria[{k}] state other rows of player "
                f"{player + 1}, and nothing shows that these are one plan"
            )
    _refuse_what_needs_a_tree(equilibria, ("pairs", *_OF_TREES), problems)


def _as_stated(strategy: UnbuiltStrategy) -> Hashable:
    return strategy.default.rule, frozenset(
        (key, *((a, key_of(p)) for a, p in row)) for key, row in strategy.rows.items()
    )


def _refuse_what_needs_a_tree(equilibria: Equilibria, names: Sequence[str], problems: Problems) -> None:
    for name in names:
        if getattr(equilibria, name) is not None:
            problems.add(f"{name}: cannot be checked in a game that is not built")


def _members(equilibria: Equilibria, different: int, *, at_least: bool = False) -> FieldProof:
    words, many = CONCEPTS[common_concept(equilibria)].words, len(equilibria)
    if not many:
        return FieldProof("equilibria", proven="there is none in the list")
    count = f"{'at least ' if at_least else ''}{different:,} of {many:,} are different realization plans"
    return FieldProof("equilibria", proven=f"each is a proven {words}{f'; {count}' if many > 1 else ''}")


def common_player(equilibria: Sequence[StatedSolution]) -> int | None:
    """Return the player, 0 or 1, whom the proofs of all members are about; None if none is about one player."""
    return next((player for player in map(_player, equilibria) if player is not None), None)


def _player(solution: StatedSolution) -> int | None:
    """Return the player, 0 or 1, whom the proof of a member is about, or else its refutation; None if neither is."""
    player = CONCEPTS[solution.concept].proven_player(solution.certificate)
    if player is None and solution.refutation is not None:
        player = CONCEPTS[solution.refutation["concept"]].disproven_player(solution.refutation)
    return player


def _refuse_other_players(equilibria: Equilibria, problems: Problems) -> None:
    """Refuse members whose proofs are about different players who make no mistakes."""
    whom = common_player(equilibria)
    for k, solution in enumerate(equilibria):
        if _player(solution) not in (None, whom):
            problems.add(f"equilibria[{k}]: its proof is about another player than those before")


def _check_requested(equilibria: Equilibria, problems: Problems) -> Iterator[FieldProof]:
    """Check that each member was asked to be of the concept that the list is about, and count those that are."""
    requested = equilibria.requested
    if requested is None:
        return
    row = CONCEPTS.get(requested)
    if row is None or not row.equilibrium:
        problems.add(f"requested: {requested[:80]!r} is no concept of equilibria")
        return
    if not equilibria.pure:
        problems.add("requested: only of a list of pure equilibria")
    for k, solution in enumerate(equilibria):
        if solution.requested != requested:
            problems.add(f"requested: {requested!r}, but equilibria[{k}] was to be {solution.requested[:80]!r}")
        elif solution.refutation is not None:
            problems.add(f"requested: {requested!r}, but equilibria[{k}] is proven to be none")
        elif solution.concept != requested and not CONCEPTS[solution.concept].bounded:
            problems.add(
                f"requested: {requested!r}, but the concept of equilibria[{k}] is {solution.concept!r}; "
                "an undecided member has the concept 'nash'"
            )
    proven = sum(solution.concept == requested for solution in equilibria)
    yield FieldProof("requested", proven=f"{proven:,} of {len(equilibria):,} are proven to be {one(row.words)}")


def _check_pure(own: tuple[Sequences, Sequences], equilibria: Equilibria, problems: Problems) -> Iterator[FieldProof]:
    """Check that all are pure where their own strategies come, and report where they are.

    No check proves that a list is complete: that takes an enumeration.
    """
    if equilibria.pure is not None:
        mixed = [
            k
            for k, solution in enumerate(listening(equilibria))
            if not all(_is_pure(own[player], solution.tables[player]) for player in (0, 1))
        ]
        if equilibria.pure and mixed:
            problems.add(f"pure: true, but equilibria[{mixed[0]}] is mixed")
        elif not equilibria.pure and not mixed:
            problems.add("pure: false, but every equilibrium is pure")
        everywhere = all(
            np.count_nonzero(table.numerator) == len(table.infosets)
            for solution in listening(equilibria)
            for table in solution.tables
        )
        where = "at every information set" if everywhere else "where their own strategies come"
        yield FieldProof("pure", proven=f"they are all pure, {where}" if equilibria.pure else "one of them is mixed")
    if equilibria.complete is not None:
        if not equilibria.pure:
            problems.add("complete: only of a list of pure equilibria")
        row = CONCEPTS.get(equilibria.requested or "nash", CONCEPTS["nash"])
        undecided = [k for k, solution in enumerate(equilibria) if solution.concept != solution.requested]
        if equilibria.complete and equilibria.requested is not None and undecided:
            problems.add(f"complete: true, but equilibria[{undecided[0]}] is undecided")
        yield (
            FieldProof("complete", believed=f"there are no other pure {row.words.removesuffix('um')}a")
            if equilibria.complete
            else FieldProof("complete", proven="the list does not claim to have all")
        )


def _is_pure(own: Sequences, table: StrategyTable) -> bool:
    """Whether a strategy plays each of its sequences never or for certain."""
    weight, whole = sequence_weights(own, table)
    return set(weight) <= {0, whole}


# -- the number of equilibria ------------------------------------------------------------------------


def _check_plans(equilibria: Equilibria, numbers: Numbers, problems: Problems) -> Iterator[FieldProof]:
    """What is stated of members whose plans are known to be equal or different."""
    _refuse_repetitions(equilibria, numbers, problems)
    yield _members(equilibria, len(set(zip(*numbers, strict=True))))
    yield from _check_number(equilibria, numbers, problems)
    yield from _check_pairs(equilibria, numbers, problems)


def _refuse_repetitions(equilibria: Equilibria, numbers: Numbers, problems: Problems) -> None:
    """Refuse a member twice: as realization plans, or, where the concept defines play off the path, as strategies."""
    first: dict[Hashable, int] = {}
    whole: dict[Hashable, dict[Hashable, int]] = {}  # by strategies: the member for each beliefs
    for k, (solution, plans) in enumerate(zip(equilibria, zip(*numbers, strict=True), strict=True)):
        again = first.setdefault(plans, k)
        if _is_more(solution) and _is_more(equilibria[again]):
            same, beliefs = whole.setdefault(_strategies(solution, plans), {}), _beliefs(solution)
            # Beliefs tell two members apart only if both state them: without, a concept says nothing about beliefs.
            again = next((n for stated, n in same.items() if None in (stated, beliefs) or stated == beliefs), k)
            same.setdefault(beliefs, k)
        if again != k:
            problems.add(f"equilibria[{k}]: the same equilibrium as equilibria[{again}], as realization plans")


def _is_more(solution: StatedSolution) -> bool:
    """Return whether play off the own path is part of what a solution is, or was to be."""
    return any(CONCEPTS[name].defined_off_path for name in (solution.concept, solution.requested))


def _strategies(solution: StatedSolution, plans: tuple[int, ...]) -> Hashable:
    """Return what is equal for equal strategies: of rules, where refinements are not proven, the plans."""
    return plans if of_rules(solution) else tuple(map(rows_as_stated, solution.tables))


def _beliefs(solution: StatedSolution) -> Hashable:
    """Return what is equal for equal beliefs; None if none are stated."""
    if solution.beliefs is None or of_rules(solution):
        return None
    return tuple(
        (row.infoset, *((tuple(path), key_of(p)) for path, p in row.nodes)) for rows in solution.beliefs for row in rows
    )


def _check_number(equilibria: Equilibria, numbers: Numbers, problems: Problems) -> Iterator[FieldProof]:
    """Whether there is only one equilibrium, and only one plan of each player."""
    different = [len(set(side)) > 1 for side in numbers]
    unique, count = equilibria.unique, len(equilibria)
    if unique is not None:
        if unique and count != 1:
            problems.add(f"unique: true, but the number of equilibria is {count:,}")
        elif not unique and not any(different):
            problems.add(
                f"unique: false, but the number of equilibria is {count:,}"
                if count == 1
                else "unique: false, but no two of the equilibria are proven to have different plans"
            )
        yield (
            FieldProof("unique", believed="there are no others")
            if unique
            else FieldProof("unique", proven="there are several: two of these have different plans")
        )
    for player, alone in enumerate(equilibria.unique_plans or ()):
        name, who = f"unique_plans[{player}]", f"player {player + 1}"
        if alone and not count:
            problems.add(f"{name}: true, but there is no equilibrium")
        elif alone and different[player]:
            problems.add(f"{name}: true, but the plans are different")
        elif not alone and not different[player]:
            problems.add(f"{name}: false, but the plans are not different")
        yield (
            FieldProof(name, believed=f"no other equilibrium has another plan of {who}")
            if alone
            else FieldProof(name, proven=f"two of these have different plans of {who}")
        )


def _check_pairs(equilibria: Equilibria, numbers: Numbers, problems: Problems) -> Iterator[FieldProof]:
    """Equal numbers, equal plans, from 1 on without gaps; no pair twice."""
    pairs, count = equilibria.pairs, len(equilibria)
    if pairs is None:
        return
    if len(pairs) != count:
        problems.add(f"pairs: there are {len(pairs):,} for {count:,} equilibria")
        return
    if len(set(pairs)) != count:
        problems.add(f"pairs: there are {len(set(pairs)):,} different ones for {count:,} equilibria")
        return
    for player in (0, 1):
        plan_of: dict[int, int] = {}
        number_of: dict[int, int] = {}
        for k, (pair, plan) in enumerate(zip(pairs, numbers[player], strict=True)):
            number = pair[player]
            if plan_of.setdefault(number, plan) != plan:
                problems.add(f"pairs[{k}]: player {player + 1} plays another strategy of the number {number + 1}")
            elif number_of.setdefault(plan, number) != number:
                problems.add(f"pairs[{k}]: the strategy {number + 1} of player {player + 1} has another number, too")
        if sorted(plan_of) != list(range(len(plan_of))):
            problems.add(f"pairs: the strategies of player {player + 1} are not numbered from 1 to {len(plan_of)}")
    yield FieldProof("pairs", proven="equal numbers are equal plans, and different ones different plans")


def _check_whole(equilibria: Equilibria, problems: Problems) -> Iterator[FieldProof]:
    """What is stated of the game as a whole takes an enumeration; the indices fit each other all the same."""
    index = equilibria.indices
    if index is not None:
        if equilibria.components is None or len(index) != len(equilibria.components):
            problems.add(f"indices: there are {len(index):,}, not one for each component")
        total = sum(each for each in index if each is not None)
        if None not in index and total != 1:
            problems.add(f"indices: the indices of all components add up to {total:,}, not to 1")
        yield FieldProof("indices", believed="these are the indices of the components")
    if None in (index or ()):
        if equilibria.indices_unknown is None:
            problems.add("indices: some are null, but indices_unknown, which says why, is missing")
    elif equilibria.indices_unknown is not None:
        problems.add("indices_unknown: there are no indices that are null")
    if equilibria.degenerate is not None:
        yield FieldProof("degenerate", believed=f"the game is {'' if equilibria.degenerate else 'not '}degenerate")


# -- how they hang together --------------------------------------------------------------------------


class _Graph:
    """The members as edges between plans of player 1 and of player 2, which are numbered from 0; sets are bits."""

    def __init__(self, pairs: Sequence[tuple[int, int]]) -> None:
        self.sides = tuple(1 + max((pair[player] for pair in pairs), default=-1) for player in (0, 1))
        budget().keep(2 * self.sides[0] * self.sides[1])
        # Of each plan of a player the plans of the other that are with it in a member.
        self.neighbours = tuple([0] * side for side in self.sides)
        for i, j in pairs:
            self.neighbours[0][i] |= 1 << j
            self.neighbours[1][j] |= 1 << i

    def common(self, player: int, plans: Sequence[int]) -> int:
        """The plans of the other player that are with all of these."""
        budget().work_through(1 + len(plans) * (1 + self.sides[1 - player] // 64))
        neighbours = self.neighbours[player]
        shared = -1
        for i in plans:
            shared &= neighbours[i] if i < len(neighbours) else 0
        return shared


def _refuse_missing(
    tree: GameTree, own: tuple[Sequences, Sequences], equilibria: Equilibria, graph: _Graph, problems: Problems
) -> None:
    """Look at all pairs of the stated plans: those that are equilibria must stand in the list."""
    tables: tuple[dict[int, StrategyTable], dict[int, StrategyTable]] = ({}, {})
    for pair, solution in zip(equilibria.pairs or (), equilibria, strict=True):
        for player in (0, 1):
            tables[player].setdefault(pair[player], solution.tables[player])
    table = cells(tree, *own)
    plays: list[list[int]] = []
    wrong: list[list[int]] = []  # of each plan, the sequences of the other player that are not best against it
    for player in (0, 1):
        weights = [
            sequence_weights(own[player], tables[player][number])[0] for number in listening(sorted(tables[player]))
        ]
        plays.append([_bits(map(bool, weight)) for weight in weights])
        wrong.append([_losing(own[1 - player], table, 1 - player, weight) for weight in listening(weights)])
    size = 1 + max(side.num_sequences for side in own) // 64
    for i, (played, losing) in enumerate(listening(zip(plays[0], wrong[0], strict=True))):
        budget().work_through(2 * size * len(plays[1]))
        for j, other in enumerate(plays[1]):
            if not played & wrong[1][j] and not other & losing and not graph.neighbours[0][i] >> j & 1:
                problems.add(f"pairs: [{i + 1}, {j + 1}] is an equilibrium, too, and is missing")
                if problems.full:
                    return


def _bits(truths: Iterator[bool]) -> int:
    """Truths as the bits of an integer, the first one the lowest."""
    return int("".join("01"[truth] for truth in truths)[::-1], 2)


def _losing(own: Sequences, table: Cells, player: int, weight: list[int]) -> int:
    """The sequences of a player that are worse than another one at their set, against the other's plan.

    A plan is a best reply if and only if it plays none of these: what it loses is the sum of its weights times what
    each sequence falls short of the best at its set, best replies following.
    """
    worth = against(*table.seen_by(player), weight, own.num_sequences)
    respond(own, worth)
    worse = [False] * own.num_sequences
    for _, _, first, end in own.sets:
        best = max(worth[first:end])
        worse[first:end] = [amount < best for amount in worth[first:end]]
    return _bits(iter(worse))


def _check_subsets(equilibria: Equilibria, graph: _Graph, problems: Problems) -> Iterator[FieldProof]:
    """The maximal subsets are all maximal bicliques of the graph, each once."""
    subsets, before = equilibria.maximal_subsets, len(problems)
    if subsets is None:
        return
    sides_of_player2: set[int] = set()  # the sides of player 2
    for k, (of_player1, of_player2) in enumerate(listening(subsets)):
        where = f"maximal_subsets[{k}]"
        sides = zip((of_player1, of_player2), graph.sides, strict=True)
        if not all(0 < len(plans) <= most and len(set(plans)) == len(plans) for plans, most in sides):
            problems.add(f"{where}: not two lists of different strategies")
            continue
        right = graph.common(0, of_player1)
        apart = next((j for j in sorted(of_player2) if not right >> j & 1), None)
        if apart is not None:
            i = next(i for i in sorted(of_player1) if not graph.common(0, [i]) >> apart & 1)
            problems.add(f"{where}: the pair [{i + 1}, {apart + 1}] is not among the equilibria")
        elif right.bit_count() > len(of_player2) or graph.common(1, of_player2).bit_count() > len(of_player1):
            problems.add(f"{where}: it is part of a larger one")
        elif right in sides_of_player2:
            problems.add(f"{where}: it is stated twice")
        sides_of_player2.add(right)
    if len(problems) > before:
        return
    if not set(graph.neighbours[0]) <= sides_of_player2:
        problems.add("maximal_subsets: they do not contain every equilibrium")
        return
    for right in listening(sides_of_player2):
        budget().work_through(graph.sides[0] * (1 + graph.sides[1] // 64))
        for neighbours in graph.neighbours[0]:
            if right & neighbours and right & neighbours not in sides_of_player2:
                problems.add("maximal_subsets: one is missing, whose mixtures are equilibria, too")
                return
    yield FieldProof(
        "maximal_subsets",
        proven="all mixtures of the plans of one are equilibria; none is part of a larger one of these plans",
        believed="there are no others",
    )


def _check_components(equilibria: Equilibria, problems: Problems) -> Iterator[FieldProof]:
    """The components are those of the graph: two members with a plan in common are connected."""
    if equilibria.components is None:
        return
    pairs = equilibria.pairs or ()
    budget().work_through(10 * len(pairs))
    members: dict[tuple[int, int], list[int]] = {}
    for k, pair in enumerate(pairs):
        for player in (0, 1):
            members.setdefault((player, pair[player]), []).append(k)
    left, true = set(range(len(pairs))), []
    while left:
        group, todo = [], [left.pop()]
        while todo:
            k = todo.pop()
            group.append(k)
            for player in (0, 1):
                near = [n for n in members.pop((player, pairs[k][player]), ()) if n in left]
                left.difference_update(near)
                todo += near
        true.append(sorted(group))
    if sorted(map(sorted, equilibria.components)) != sorted(true):
        problems.add("components: these are not the connected components that the pairs have")
    yield FieldProof(
        "components", proven="these are the components of all mixtures that are known", believed="there are no others"
    )
