r"""Lists of equilibria: each member is proven, then the statements about the members together.

Members are Nash equilibria of a game with perfect recall, so payoffs are linear in the realization plan of each player.
Let :math:`x_i` and :math:`y_j` be the different plans of players 1 and 2 that occur in the list. The *graph* of the
list has an edge (i, j) for each member with the plans :math:`x_i, y_j`.

Theorem (mixtures).  If all pairs of plans in U x V are equilibria, then all mixtures of plans in U and in V are, too.

Proof.  Each x_i, i in U, is a best response to each y_j, j in V, so it is one to every mixture of them. A mixture of
best responses is a best response. The same holds for player 2.

Theorem (maximal subsets).  Let a pair of stated plans be an equilibrium only if it is an edge. Let N(i) be the set of
all j with an edge (i, j). Let S be a collection of nonempty sets V, each of them the common neighbours of some U, and
let U(V) be all common neighbours of V. If S contains each N(i), and with V also :math:`V \cap N(i)` unless it is empty,
then the pairs U(V) x V with V in S are all maximal complete subgraphs.

Proof.  If V is the set of common neighbours of U, then U(V) x V is complete, and no larger set is. Conversely, the side
of player 2 in a maximal complete subgraph is an intersection of sets N(i), and by induction S contains all of these.

Theorem (components).  Let M be the union of all :math:`\operatorname{conv}(U) \times \operatorname{conv}(V)` over the
maximal complete subgraphs U x V. Its connected components are those of the graph.

Proof.  Edges with a common plan are connected by mixtures of their other plans. Conversely, let a point (x, y) be in
two of these products, with :math:`x = \sum \lambda_i x_i`, i in U, and :math:`y = \sum \rho_j y_j`, j in V'. Each x_i
with a positive weight is a best response to all that x is a best response to, so to all of V'. Each y_j with a positive
weight is one to all of U. So (x_i, y_j) is an equilibrium, hence an edge, and it connects both subgraphs.

No check proves that there are *no other* equilibria, because that takes an enumeration. Such statements are believed,
and so are indices and degeneracy. Members with different plans prove that there are several equilibria.

Source: H. Jansen, Maximal Nash subsets for bimatrix games, Naval Research Logistics Quarterly 28 (1981); D. Avis,
G. Rosenberg, R. Savani, B. von Stengel, Enumeration of Nash equilibria for two-player games, Economic Theory 42 (2010).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from math import gcd
from operator import and_
from typing import Any

from tremble.check.best_response import best_response, earnings, probabilities, realization_plan
from tremble.check.case import Problems
from tremble.check.claim import TREE, Claim, Status, Strategy, Wrong
from tremble.check.limits import Limits, TooLarge
from tremble.check.questions import Extra, check, is_tree, limits_for, other_game
from tremble.check.refute import disproven_player
from tremble.check.tree import SequenceForm, Sequences, sequence_form
from tremble.check.verdict import FieldProof, Verification, conclude_list, proven_player

WORDS = {
    "nash": "Nash equilibrium",
    "subgame-perfect": "subgame perfect equilibrium",
    "quasi-perfect": "quasi-perfect equilibrium",
    "one-sided-quasi-perfect": "one-sided quasi-perfect equilibrium",
    "sequential": "sequential equilibrium",
    "perfect": "extensive-form perfect equilibrium",
    "normal-form-perfect": "normal-form perfect equilibrium",
    "proper": "proper equilibrium",
}
"""The concepts whose equilibria may stand in a list."""

_OF_PLANS = ("nash", "normal-form-perfect", "proper")  # they define no play where the own strategy never comes
_STEPS_PER_NODE = 2_000  # that each further member pays
_STEPS = 100  # for a short number, or for 64 plans in a set of plans

PlanSet = int  # bit j says that plan j is in the set
Members = Sequence[Claim]


@dataclass(frozen=True)
class ListClaim:
    """A statement about several equilibria of a game. Plans and members count from 0; None states nothing."""

    members: tuple[Claim, ...]
    digest: str | None = None  # of the game
    game: str = ""  # the name of the game, for messages
    requested: str | None = None  # the concept that a list of pure equilibria is about
    pairs: Sequence[tuple[int, int]] | None = None  # of each member the numbers of its two plans
    maximal_subsets: Sequence[tuple[Sequence[int], Sequence[int]]] | None = None  # sets of plans of players 1 and 2
    components: Sequence[Sequence[int]] | None = None  # of members
    unique: bool | None = None  # there is one Nash equilibrium
    unique_plans: tuple[bool, bool] | None = None  # each player has one plan in all Nash equilibria
    pure: bool | None = None  # all members are pure where their own strategies come
    complete: bool | None = None  # no pure equilibrium is missing
    indices: Sequence[int | None] | None = None  # of each component
    indices_unknown: str | None = None  # why some indices are None
    degenerate: bool | None = None


@dataclass(frozen=True)
class Plans:
    """What is known about equality of plans: for each player and member a number."""

    same: tuple[Sequence[int], Sequence[int]]  # equal numbers: the plans are equal
    apart: tuple[Sequence[int], Sequence[int]]  # different numbers: the plans are different

    @property
    def exact(self) -> bool:
        """Return whether every two plans are known to be equal or to be different."""
        return self.same is self.apart


Suppliers = Callable[[Any, ListClaim, Limits], Plans]


def check_list(
    game: Any,
    claim: ListClaim,
    limits: Limits | None = None,
    extra: Extra | None = None,
    plans_of: Suppliers | None = None,
) -> Verification:
    """Prove each equilibrium of a list, then what the list states about them.

    Parameters
    ----------
    game, limits, extra
        As in `check`. All members together spend the limits of one claim.
    claim : ListClaim
    plans_of : function, optional
        Compares the plans of the members in a game that is not a tree. The kernel trusts it.
    """
    problems, concept = Problems(), common_concept(claim.members)
    if claim.digest != game.digest:
        kind = next((member.kind for member in claim.members if member.kind != TREE), TREE)
        head = Claim(concept, Status.CERTIFIED, (None, None), None, {}, digest=claim.digest, kind=kind, game=claim.game)
        problems.add(other_game(game, head))
        return conclude_list(concept, None, problems, (), None)
    limits = limits or limits_for(game)
    form = _shared_form(game, limits)
    found = _check_members(game, claim, limits, extra, form, problems)
    fields: tuple[FieldProof, ...] = ()
    if not problems:
        try:
            fields = tuple(_check_fields(game, claim, limits, form, plans_of, problems))
        except (Wrong, TooLarge) as error:
            problems.add(f"equilibria: {error}")
    player = common_player(claim.members) if not problems and concept == "one-sided-quasi-perfect" else None
    return conclude_list(concept, found, problems, fields, player)


def common_concept(members: Members) -> str:
    """Return the concept of all members, or else "nash", which all of them are."""
    concepts = {member.concept for member in members}
    return concepts.pop() if len(concepts) == 1 and concepts <= {*WORDS, "maxmin"} else "nash"


def common_player(members: Members) -> int | None:
    """Return the player, 0 or 1, whom the proofs of all members are about; None if none is about one player."""
    return next((player for player in map(_player, members) if player is not None), None)


def _player(member: Claim) -> int | None:
    """Return the player whom the proof of a member is about, or else its refutation."""
    player = proven_player(member.concept, member.certificate)
    return disproven_player(member.refutation) if player is None and member.refutation is not None else player


def _shared_form(game: Any, limits: Limits) -> SequenceForm | None:
    """Compute the sequence form that all members share; None if there is none, as the check of each member says."""
    try:
        return sequence_form(game, limits) if is_tree(game) else None
    except (Wrong, TooLarge):
        return None


def _check_members(
    game: Any, claim: ListClaim, limits: Limits, extra: Extra | None, form: SequenceForm | None, problems: Problems
) -> list[Verification]:
    """Check each member by itself: a certified equilibrium, with strategies of the same kind as the others."""
    if not claim.members and not claim.pure:
        problems.add("equilibria: there is none")
    found = []
    for k, member in enumerate(claim.members):
        where, verdict = f"equilibria[{k}]", check(game, member, limits, extra, form)
        found.append(verdict)
        if member.concept == "maxmin":
            problems.add(f"{where}.concept: 'maxmin' is no equilibrium, and only such are listed")
        for problem in verdict.problems:
            problems.add(f"{where}: {problem}")
        if verdict.ok and not member.certified:
            problems.add(f"{where}.status: {str(member.status)!r}, but every equilibrium is certified")
        if member.kind != claim.members[0].kind:
            problems.add(f"{where}.strategies: of another kind than those of equilibria[0]")
        if k and is_tree(game) and len(problems) < Problems.MOST:
            try:
                limits.spend("equilibria", _STEPS_PER_NODE, len(game.parent))
            except TooLarge as error:
                problems.add(f"{where}: {error}")
                break
    return found


def _check_fields(
    game: Any,
    claim: ListClaim,
    limits: Limits,
    form: SequenceForm | None,
    plans_of: Suppliers | None,
    problems: Problems,
) -> Iterator[FieldProof]:
    """Check each stated field, and yield what is proven and what is believed about it."""
    if form is not None:
        limits.grant(len(game.parent) * len(claim.members))  # for the pairs of plans
        plans = _plans_in_tree(form, claim.members, limits)
    elif is_tree(game) or plans_of is None:
        raise Wrong("the plans of the members cannot be compared in this game")
    else:
        plans = plans_of(game, claim, limits)
    _refuse_repetitions(claim.members, plans, limits, problems)
    yield _members(claim.members, plans)
    yield from _check_number(claim, plans, problems)
    if form is None:
        for name in (*(() if plans.exact else ("pairs",)), *_OF_TREES):
            if getattr(claim, name) is not None:
                problems.add(f"{name}: cannot be checked in a game that is not built")
        if plans.exact:
            yield from _check_pairs(claim, plans, problems)
        return
    yield from _check_pairs(claim, plans, problems)
    whom = common_player(claim.members)
    for k, member in enumerate(claim.members):
        if _player(member) not in (None, whom):
            problems.add(f"equilibria[{k}]: its proof is about another player than those before")
    yield from _check_requested(claim, problems)
    yield from _check_pure(form, claim, problems)
    if claim.pairs is None:
        for name in ("maximal_subsets", "components"):
            if getattr(claim, name) is not None:
                problems.add(f"{name}: there are no pairs that say which strategies the equilibria have")
    elif not problems and (claim.maximal_subsets is not None or claim.components is not None):
        graph = _Graph(claim.pairs, limits)
        _refuse_missing(form, claim, graph, limits, problems)
        yield from _check_subsets(claim, graph, limits, problems)
        yield from _check_components(claim, limits, problems)
    yield from _check_game(claim, problems)


_OF_TREES = (
    "requested", "maximal_subsets", "components", "pure", "complete", "indices", "indices_unknown", "degenerate",
)  # fmt: skip


# -- equal plans ---------------------------------------------------------------------------------------


def _plans_in_tree(form: SequenceForm, members: Members, limits: Limits) -> Plans:
    """Number the plans of the members: equal exactly if they have the same rows at the sets that they reach."""
    numbers = _numbered(members, limits, form)
    return Plans(numbers, numbers)


def _numbered(members: Members, limits: Limits, form: SequenceForm | None = None) -> tuple[list[int], list[int]]:
    """Number the strategies of both players by their rows; with `form`, by those that they reach."""
    numbers1, numbers2 = (
        number_equal([_rows(m.strategies[i], limits, form.sequences[i] if form else None) for m in members])
        for i in (0, 1)
    )
    return numbers1, numbers2


def number_equal(keys: Sequence[tuple[int, ...]]) -> list[int]:
    """Number keys from 0, so that equal ones get equal numbers.

    They are sorted, not hashed: a file can state thousands of integers that have the same hash.
    """
    order, numbers = sorted(range(len(keys)), key=keys.__getitem__), [0] * len(keys)
    for before, k in pairwise(order):
        numbers[k] = numbers[before] + (keys[k] != keys[before])
    return numbers


def _rows(strategy: Strategy, limits: Limits, reached_in: Sequences | None = None) -> tuple[int, ...]:
    """Return the rows of a strategy in lowest terms; with `reached_in`, only those that the strategy itself reaches."""
    comes = None if reached_in is None else _reached(strategy, reached_in)
    key: list[int] = []
    first = 0
    for k, (labels, whole) in enumerate(zip(strategy.actions, strategy.denominator, strict=True)):
        row = strategy.numerator[first : first + len(labels)]
        first += len(labels)
        if comes is None or comes[k]:
            limits.charge("equilibria", whole.bit_length(), whole.bit_length(), 2 + 2 * len(row))
            common = gcd(whole, *row)
            key += (k, whole // common, *(p // common for p in row))
    return tuple(key)


def _reached(strategy: Strategy, sequences: Sequences) -> list[bool]:
    """Return for each information set whether the player's own strategy reaches it."""
    plays = [True, *map(bool, strategy.numerator)]
    comes = []
    for _, prior, first, end in sequences.sets:
        comes.append(plays[prior])
        plays[first:end] = [plays[prior] and plays[q] for q in range(first, end)]
    return comes


def _refuse_repetitions(members: Members, plans: Plans, limits: Limits, problems: Problems) -> None:
    """Refuse a member that stands twice: with the same plans, or, if play off the path counts, everywhere the same.

    Beliefs tell two members apart only if both state them, because a concept without beliefs says nothing about them.
    """
    everywhere, trees = plans.same, all(member.kind == TREE for member in members)
    if trees and any(map(_off_path_counts, members)):
        everywhere = _numbered(members, limits)
    beliefs = number_equal([_beliefs(member) for member in members])
    first: dict[Any, int] = {}
    whole: dict[Any, dict[int | None, int]] = {}
    for k, member in enumerate(members):
        again = first.setdefault((plans.same[0][k], plans.same[1][k]), k)
        if _off_path_counts(member) and _off_path_counts(members[again]):
            stated = beliefs[k] if trees and member.beliefs is not None else None
            alike = whole.setdefault((everywhere[0][k], everywhere[1][k]), {})
            known = alike.values() if stated is None else [alike[b] for b in (None, stated) if b in alike]
            again = min(known, default=k)
            alike.setdefault(stated, k)
        if again != k:
            problems.add(f"equilibria[{k}]: the same equilibrium as equilibria[{again}], as realization plans")


def _off_path_counts(member: Claim) -> bool:
    """Return whether play off the own path is part of what a member is, or was to be."""
    return any(name in WORDS and name not in _OF_PLANS for name in (member.concept, member.requested))


def _beliefs(member: Claim) -> tuple[int, ...]:
    """Return the probabilities of proven beliefs; their order is that of the game."""
    if member.beliefs is None or member.kind != TREE:
        return ()
    stated = (share for side in member.beliefs for _, nodes in side for _, share in nodes)
    return tuple(number for share in stated for number in share.as_integer_ratio())


def _members(members: Members, plans: Plans) -> FieldProof:
    """Report the number of different pairs of plans."""
    many, different = len(members), len(set(zip(*plans.apart, strict=True)))
    if not many:
        return FieldProof("equilibria", proven="there is none in the list")
    few = "" if plans.exact or many == 1 else "at least "
    count = f"; {few}{different:,} of {many:,} are different realization plans" if many > 1 else ""
    return FieldProof("equilibria", proven=f"each is a proven {WORDS[common_concept(members)]}{count}")


def _check_number(claim: ListClaim, plans: Plans, problems: Problems) -> Iterator[FieldProof]:
    """Check `unique` and `unique_plans`: members with different plans prove that something is not unique."""
    different, count = [len(set(side)) > 1 for side in plans.apart], len(claim.members)
    if claim.unique and count != 1:
        problems.add(f"unique: true, but the number of equilibria is {count:,}")
    if claim.unique is False and not any(different):
        why = (
            f"the number of equilibria is {count:,}"
            if count == 1
            else "no two of the equilibria are proven to have different plans"
        )
        problems.add(f"unique: false, but {why}")
    if claim.unique:
        yield FieldProof("unique", believed="there are no others")
    elif claim.unique is not None:
        yield FieldProof("unique", proven="there are several: two of these have different plans")
    for player, alone in enumerate(claim.unique_plans or ()):
        name, who, same = f"unique_plans[{player}]", f"player {player + 1}", plans.same[player]
        if alone and not count:
            problems.add(f"{name}: true, but there is no equilibrium")
        elif alone and different[player]:
            problems.add(f"{name}: true, but the plans are different")
        elif not alone and not different[player]:
            problems.add(f"{name}: false, but the plans are not different")
        elif alone and len(set(same)) > 1:
            k = next(k for k, number in enumerate(same) if number != same[0])
            problems.add(
                f"{name}: true, but equilibria[0] and equilibria[{k}] state other rows of {who}, and nothing shows "
                "that these are one plan"
            )
        if alone:
            yield FieldProof(name, believed=f"no other equilibrium has another plan of {who}")
        else:
            yield FieldProof(name, proven=f"two of these have different plans of {who}")


def _check_pairs(claim: ListClaim, plans: Plans, problems: Problems) -> Iterator[FieldProof]:
    """Check that equal numbers are equal plans, that none is left out from 0 on, and that no pair stands twice."""
    pairs, count = claim.pairs, len(claim.members)
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
        for k, (pair, plan) in enumerate(zip(pairs, plans.same[player], strict=True)):
            number = pair[player]
            if plan_of.setdefault(number, plan) != plan:
                problems.add(f"pairs[{k}]: player {player + 1} plays another strategy of the number {number + 1}")
            elif number_of.setdefault(plan, number) != number:
                problems.add(f"pairs[{k}]: the strategy {number + 1} of player {player + 1} has another number, too")
        if sorted(plan_of) != list(range(len(plan_of))):
            problems.add(f"pairs: the strategies of player {player + 1} are not numbered from 1 to {len(plan_of)}")
    yield FieldProof("pairs", proven="equal numbers are equal plans, and different ones different plans")


# -- pure equilibria -----------------------------------------------------------------------------------


def _check_requested(claim: ListClaim, problems: Problems) -> Iterator[FieldProof]:
    """Check that each member was to be of the concept that the list is about, and is not disproven to be."""
    requested = claim.requested
    if requested is None:
        return
    if requested not in WORDS:
        problems.add(f"requested: {requested[:80]!r} is no concept of equilibria")
        return
    if not claim.pure:
        problems.add("requested: only of a list of pure equilibria")
    for k, member in enumerate(claim.members):
        asked = member.requested or member.concept
        if asked != requested:
            problems.add(f"requested: {requested!r}, but equilibria[{k}] was to be {asked[:80]!r}")
        elif member.refutation is not None:
            problems.add(f"requested: {requested!r}, but equilibria[{k}] is proven to be none")
        elif member.concept not in (requested, "nash"):
            problems.add(
                f"requested: {requested!r}, but the concept of equilibria[{k}] is {member.concept!r}; an undecided "
                "member has the concept 'nash'"
            )
    proven, words = sum(member.concept == requested for member in claim.members), WORDS[requested]
    article = "an" if requested == "perfect" else "a"
    yield FieldProof("requested", proven=f"{proven:,} of {len(claim.members):,} are proven to be {article} {words}")


def _check_pure(form: SequenceForm, claim: ListClaim, problems: Problems) -> Iterator[FieldProof]:
    """Check `pure` and `complete`: each strategy does one thing wherever it comes, and no member is undecided."""
    if claim.pure is not None:
        sides = [(k, player) for k in range(len(claim.members)) for player in (0, 1)]
        found = [_pure_at(claim.members[k].strategies[player], form.sequences[player]) for k, player in sides]
        mixed = [k for (k, _), (reached, _) in zip(sides, found, strict=True) if not reached]
        if claim.pure and mixed:
            problems.add(f"pure: true, but equilibria[{mixed[0]}] is mixed")
        elif not claim.pure and not mixed:
            problems.add("pure: false, but every equilibrium is pure")
        everywhere = all(everywhere for _, everywhere in found)
        where = "at every information set" if everywhere else "where their own strategies come"
        yield FieldProof("pure", proven=f"they are all pure, {where}" if claim.pure else "one of them is mixed")
    if claim.complete is None:
        return
    if not claim.pure:
        problems.add("complete: only of a list of pure equilibria")
    undecided = [k for k, m in enumerate(claim.members) if m.concept != (m.requested or m.concept)]
    if claim.complete and claim.requested is not None and undecided:
        problems.add(f"complete: true, but equilibria[{undecided[0]}] is undecided")
    words = WORDS.get(claim.requested or "nash", WORDS["nash"]).removesuffix("um")
    if claim.complete:
        yield FieldProof("complete", believed=f"there are no other pure {words}a")
    else:
        yield FieldProof("complete", proven="the list does not claim to have all")


def _pure_at(strategy: Strategy, sequences: Sequences) -> tuple[bool, bool]:
    """Return whether a strategy is pure at the sets that it reaches, and at all sets."""
    comes, share = _reached(strategy, sequences), strategy.numerator
    mixed = [k for k, _, first, end in sequences.sets if sum(map(bool, share[first - 1 : end - 1])) > 1]
    return not any(comes[k] for k in mixed), not mixed


# -- how the members hang together ---------------------------------------------------------------------


class _Graph:
    """The members as edges between plans of player 1 and plans of player 2."""

    def __init__(self, pairs: Sequence[tuple[int, int]], limits: Limits) -> None:
        self.limits = limits
        self.sides = tuple(1 + max((pair[player] for pair in pairs), default=-1) for player in (0, 1))
        limits.keep("equilibria", 2 * self.sides[0] * self.sides[1])
        # Of each plan of a player the set of plans of the other that are with it in a member.
        self.neighbors: tuple[list[PlanSet], list[PlanSet]] = ([0] * self.sides[0], [0] * self.sides[1])
        for i, j in pairs:
            self.neighbors[0][i] |= 1 << j
            self.neighbors[1][j] |= 1 << i

    def common(self, player: int, plans: Sequence[int]) -> PlanSet:
        """Return the plans of the other player that are with all of these plans of a player."""
        self.limits.spend("equilibria", _STEPS, 1 + len(plans) * (1 + self.sides[1 - player] // 64))
        return reduce(and_, (self.neighbors[player][i] for i in plans))


def _refuse_missing(form: SequenceForm, claim: ListClaim, graph: _Graph, limits: Limits, problems: Problems) -> None:
    """Check every pair of stated plans: those that are equilibria must stand in the list.

    A plan is a best response exactly if it plays no losing sequence: it earns less than the best response by the sum of
    its weights times what each sequence loses.
    """
    plays: tuple[list[PlanSet], list[PlanSet]] = ([], [])  # of each plan, the sequences that it plays
    losing: tuple[list[PlanSet], list[PlanSet]] = (
        [],
        [],
    )  # against each plan, the losing sequences of the other player
    for player in (0, 1):
        strategies: dict[int, Strategy] = {}
        for pair, member in zip(claim.pairs or (), claim.members, strict=True):
            strategies.setdefault(pair[player], member.strategies[player])
        for _, strategy in sorted(strategies.items(), key=lambda item: item[0]):
            plan = realization_plan(form.sequences[player], probabilities(strategy), limits, "equilibria")
            plays[player].append(_set_of(map(bool, plan.weight)))
            losing[player].append(_losing(form, 1 - player, plan.weight, limits))
    size = 1 + max(sequences.count for sequences in form.sequences) // 64
    for i, (played, lost) in enumerate(zip(plays[0], losing[0], strict=True)):
        limits.spend("equilibria", _STEPS, 2 * size * len(plays[1]))
        for j, other in enumerate(plays[1]):
            if not played & losing[1][j] and not other & lost and not graph.neighbors[0][i] >> j & 1:
                problems.add(f"pairs: [{i + 1}, {j + 1}] is an equilibrium, too, and is missing")
        if len(problems) == Problems.MOST:
            return


def _losing(form: SequenceForm, player: int, other: Sequence[int], limits: Limits) -> PlanSet:
    """Return the sequences of a player that earn less than another one at their set against the other's plan."""
    sequences = form.sequences[player]
    worth = best_response(sequences, earnings(form.payoffs[player], sequences, [other], limits))
    best = [worth[0]]
    for _, _, first, end in sequences.sets:
        best += [max(worth[first:end])] * (end - first)
    return _set_of(u < most for u, most in zip(worth, best, strict=True))


def _set_of(truths: Iterable[bool]) -> PlanSet:
    """Return the positions of true values as the bits of an integer."""
    return int("".join("01"[truth] for truth in truths)[::-1], 2)


def _check_subsets(claim: ListClaim, graph: _Graph, limits: Limits, problems: Problems) -> Iterator[FieldProof]:
    """Check that the maximal subsets are all maximal complete subgraphs, each once, by the theorem."""
    subsets, before = claim.maximal_subsets, len(problems)
    if subsets is None:
        return
    sides_of_player2: set[PlanSet] = set()
    for k, (plans1, plans2) in enumerate(subsets):
        where, sides = f"maximal_subsets[{k}]", zip((plans1, plans2), graph.sides, strict=True)
        if not all(
            plans and min(plans) >= 0 and max(plans) < most and len({*plans}) == len(plans) for plans, most in sides
        ):
            problems.add(f"{where}: not two lists of different strategies")
            continue
        right = graph.common(0, plans1)
        apart = next((j for j in sorted(plans2) if not right >> j & 1), None)
        if apart is not None:
            i = next(i for i in sorted(plans1) if not graph.neighbors[0][i] >> apart & 1)
            problems.add(f"{where}: the pair [{i + 1}, {apart + 1}] is not among the equilibria")
        elif right.bit_count() > len(plans2) or graph.common(1, plans2).bit_count() > len(plans1):
            problems.add(f"{where}: it is part of a larger one")
        elif right in sides_of_player2:
            problems.add(f"{where}: it is stated twice")
        sides_of_player2.add(right)
    if len(problems) > before:
        return
    if not {*graph.neighbors[0]} <= sides_of_player2:
        problems.add("maximal_subsets: they do not contain every equilibrium")
        return
    for right in sides_of_player2:
        limits.spend("equilibria", _STEPS, graph.sides[0] * (1 + graph.sides[1] // 64))
        if any(right & near and right & near not in sides_of_player2 for near in graph.neighbors[0]):
            problems.add("maximal_subsets: one is missing, whose mixtures are equilibria, too")
            return
    yield FieldProof(
        "maximal_subsets",
        proven="all mixtures of the plans of one are equilibria; none is part of a larger one of these plans",
        believed="there are no others",
    )


def _check_components(claim: ListClaim, limits: Limits, problems: Problems) -> Iterator[FieldProof]:
    """Check that the components are those of the graph: members with a plan in common are connected."""
    if claim.components is None:
        return
    pairs = claim.pairs or ()
    limits.spend("equilibria", _STEPS, 10 * len(pairs))
    holders: dict[tuple[int, int], list[int]] = {}  # of each player and plan the members that have it
    for k, pair in enumerate(pairs):
        for player in (0, 1):
            holders.setdefault((player, pair[player]), []).append(k)
    left, true = set(range(len(pairs))), []
    while left:
        group, todo = [], [left.pop()]
        while todo:
            k = todo.pop()
            group.append(k)
            for player in (0, 1):
                near = [n for n in holders.pop((player, pairs[k][player]), ()) if n in left]
                left.difference_update(near)
                todo += near
        true.append(sorted(group))
    if sorted(map(sorted, claim.components)) != sorted(true):
        problems.add("components: these are not the connected components that the pairs have")
    yield FieldProof(
        "components", proven="these are the components of all mixtures that are known", believed="there are no others"
    )


def _check_game(claim: ListClaim, problems: Problems) -> Iterator[FieldProof]:
    """Check that indices fit each other; that they are the true ones, and `degenerate`, is believed."""
    indices = claim.indices
    if indices is not None:
        if claim.components is None or len(indices) != len(claim.components):
            problems.add(f"indices: there are {len(indices):,}, not one for each component")
        total = sum(index for index in indices if index is not None)
        if None not in indices and total != 1:
            problems.add(f"indices: the indices of all components add up to {total:,}, not to 1")
        yield FieldProof("indices", believed="these are the indices of the components")
    if None in (indices or ()):
        if claim.indices_unknown is None:
            problems.add("indices: some are null, but indices_unknown, which says why, is missing")
    elif claim.indices_unknown is not None:
        problems.add("indices_unknown: there are no indices that are null")
    if claim.degenerate is not None:
        yield FieldProof("degenerate", believed=f"the game is {'' if claim.degenerate else 'not '}degenerate")
