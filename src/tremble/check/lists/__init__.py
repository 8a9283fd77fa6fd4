r"""Lists of equilibria: the kernel proves each member, and then the list's statements about its members.

Theorem (equal plans).  Two strategies of a player with perfect recall have the same realization plan if and only if
they are equal at every information set that the player's own moves reach with either strategy.

Proof.  Start at the sets that follow no own move, and go down. As long as the distributions are equal, both strategies
reach the same sets with the same weights. At the first set with different distributions, the plans differ, too.

So the kernel compares members by their distributions at the sets that own moves reach. Two members with different plans
prove that the game has more than one equilibrium. A list cannot prove that there are *no other* equilibria, because
such a proof needs an enumeration. So the kernel believes `unique: true`, `complete: true`, indices and degeneracy, and
each check reports what it believes. The kernel refuses fields that contradict the members. See `subsets` for the
statements about mixtures of members.

Source: H. W. Kuhn, Extensive games and the problem of information (1953), theorem 4; the fields are defined in
tremble/equilibria@1 in docs/reference/file-formats.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import gcd
from typing import Any

from tremble.check.claim import TREE, Claim, Problems, Strategy, Wrong
from tremble.check.judging import Extra, check, check_digest, is_tree, limits_for
from tremble.check.limits import Limits, TooLarge
from tremble.check.lists.subsets import Graph, check_components, check_subsets, refuse_missing
from tremble.check.refute import disproven_player
from tremble.check.tree import SequenceForm, Sequences, sequence_form
from tremble.check.verdict import FieldProof, Verification, proven_player
from tremble.status import Status

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
"""The concepts of the equilibria that a list may contain, in words."""

_OF_PLANS = ("nash", "normal-form-perfect", "proper")  # these define no play at sets that own play never reaches
_STEPS_PER_NODE = 2_000  # the cost of checking a member after the first

Members = Sequence[Claim]


@dataclass(frozen=True)
class ListClaim:
    """A statement about a list of equilibria. Plans and members are numbered from 0. None marks a missing field."""

    members: tuple[Claim, ...]
    digest: str | None = None  # of the game
    game: str = ""  # the name of the game, for messages
    requested: str | None = None  # the concept that a list of pure equilibria is about
    pairs: Sequence[tuple[int, int]] | None = None  # for each member, the numbers of its two plans
    maximal_subsets: Sequence[tuple[Sequence[int], Sequence[int]]] | None = None  # sets of plans of players 1 and 2
    components: Sequence[Sequence[int]] | None = None  # sets of members
    unique: bool | None = None  # the game has only one Nash equilibrium
    unique_plans: tuple[bool, bool] | None = None  # for each player: all Nash equilibria have the same plan
    pure: bool | None = None  # all members are pure at the sets that their own strategies reach
    complete: bool | None = None  # no pure equilibrium is missing
    indices: Sequence[int | None] | None = None  # the index of each component
    indices_unknown: str | None = None  # why some indices are None
    degenerate: bool | None = None


@dataclass(frozen=True)
class Plans:
    """Two numberings of plans. Equal numbers in `same` mean equal plans; unequal ones in `apart` mean unequal plans."""

    same: tuple[Sequence[int], Sequence[int]]  # plans with equal numbers are equal
    apart: tuple[Sequence[int], Sequence[int]]  # plans with different numbers are different

    @property
    def exact(self) -> bool:
        """True if ``same`` and ``apart`` are one numbering: plans are equal if and only if their numbers are equal."""
        return self.same is self.apart


Supplier = Callable[[Any, ListClaim, Limits], Plans]


def check_list(
    game: Any,
    claim: ListClaim,
    limits: Limits | None = None,
    extra: Extra | None = None,
    plans_of: Supplier | None = None,
) -> Verification:
    """Prove each equilibrium of a list, and then the claims that the list makes about all equilibria together.

    Parameters
    ----------
    game, limits, extra
        As in `check`. The limits apply to all members together.
    claim : ListClaim
    plans_of : function, optional
        Compares the members' plans if the game is not a tree, and returns `Plans`. The kernel trusts this function.
    """
    problems, concept = Problems(), common_concept(claim.members)
    kind = next((member.kind for member in claim.members if member.kind != TREE), TREE)
    try:
        check_digest(game, Claim(concept, "", (None, None), None, {}, digest=claim.digest, kind=kind, game=claim.game))
    except Wrong as error:
        problems.add(str(error))
        return _conclude(concept, None, problems, (), None)
    limits = limits or limits_for(game)
    found: list[Verification] = []
    fields: tuple[FieldProof, ...] = ()
    try:
        form = _shared_form(game, limits)
        found.extend(_check_members(game, claim, limits, extra, form, problems))
        if not problems:
            plans = _plans(game, claim, limits, form, plans_of)
            fields = tuple(_check_fields(claim, plans, form, limits, problems))
    except (Wrong, TooLarge) as error:
        problems.add(f"equilibria: {error}")
    player = common_player(claim.members) if not problems and concept == "one-sided-quasi-perfect" else None
    return _conclude(concept, found, problems, fields, player)


def _conclude(
    concept: str,
    members: Sequence[Verification] | None,
    problems: Problems,
    fields: tuple[FieldProof, ...],
    player: int | None,
) -> Verification:
    """Create the verdict on a list of equilibria from the verdicts on its members.

    Parameters
    ----------
    concept : str
        The concept of all members.
    members : verdicts, or None
        One for each member; None if the list belongs to another game.
    fields : tuple of FieldProof
        What is proven and what is believed about each stated field.
    player : int or None
        The player, 0 or 1, if the verdict is about the strategies of one player only.
    """
    gains = [member.nash_conv for member in members or () if member.nash_conv is not None]
    notes: list[str] = []
    if members is not None:
        notes += dict.fromkeys(note for member in members for note in member.notes)
        believed = [f"{field.name}: that {field.believed} is stated, not proven" for field in fields if field.believed]
        others = "the list neither states nor proves whether there are other equilibria"
        notes += believed if believed and not problems else [others]
    return Verification(
        ok=not problems,
        concept=concept,
        status=Status.CERTIFIED,
        proven=None if problems else concept,
        nash_conv=max(gains) if gains and len(gains) == len(members or ()) else None,
        problems=problems.listed(),
        notes=tuple(notes),
        proven_player=None if problems else player,
        fields=() if problems else fields,
    )


def common_concept(members: Members) -> str:
    """Return the concept that all members share. If concepts differ, return "nash", because all are Nash equilibria."""
    concepts = {member.concept for member in members}
    return concepts.pop() if len(concepts) == 1 and concepts <= {*WORDS, "maxmin"} else "nash"


def common_player(members: Members) -> int | None:
    """Return the player, 0 or 1, if the members' proofs are about one player only; None if they are about both."""
    return next((player for player in map(_player, members) if player is not None), None)


def _player(member: Claim) -> int | None:
    """Return the player (0 or 1) whom the member's certificate is about, else the refutation's player, else None."""
    player = proven_player(member.concept, member.certificate)
    return disproven_player(member.refutation) if player is None and member.refutation is not None else player


def _shared_form(game: Any, limits: Limits) -> SequenceForm | None:
    """Compute the sequence form, which all members share. On failure return None, and `check` reports the reason."""
    try:
        return sequence_form(game, limits) if is_tree(game) else None
    except (Wrong, TooLarge):
        return None


def _check_members(
    game: Any, claim: ListClaim, limits: Limits, extra: Extra | None, form: SequenceForm | None, problems: Problems
) -> Iterator[Verification]:
    """Check that each member is a certified equilibrium, and that all members have strategies of the same kind."""
    if not claim.members and not claim.pure:
        problems.add("equilibria: the list is empty")
    for k, member in enumerate(claim.members):
        where = f"equilibria[{k}]"
        if k and is_tree(game):
            limits.spend(where, _STEPS_PER_NODE, len(game.parent))
        verdict = check(game, member, limits, extra, form)
        if member.concept == "maxmin":
            problems.add(f"{where}.concept: 'maxmin' is no equilibrium concept, so a list cannot contain it")
        for problem in verdict.problems:
            problems.add(f"{where}: {problem}")
        if verdict.ok and not member.certified:
            problems.add(f"{where}.status: {str(member.status)!r}, but every equilibrium in a list must be certified")
        if member.kind != claim.members[0].kind:
            problems.add(f"{where}.strategies: belong to another kind of game than those of equilibria[0]")
        yield verdict


def _check_fields(
    claim: ListClaim, plans: Plans, form: SequenceForm | None, limits: Limits, problems: Problems
) -> Iterator[FieldProof]:
    """Check each field of the list, and yield which statements are proven and which are only believed."""
    _refuse_repetitions(claim.members, plans, limits, problems)
    yield _members(claim.members, plans)
    yield from _check_number(claim, plans, problems)
    for name in () if form is not None else _OF_TREES[plans.exact :]:
        if getattr(claim, name) is not None:
            problems.add(f"{name}: cannot be checked in a game that is not built")
    if claim.pairs is not None and plans.exact:
        yield from _check_pairs(claim.pairs, plans, problems)
    if form is None:
        return
    whom = common_player(claim.members)
    for k, member in enumerate(claim.members):
        if _player(member) not in (None, whom):
            problems.add(f"equilibria[{k}]: its proof is about another player than the earlier proofs")
    if claim.requested is not None:
        yield from _check_requested(claim, claim.requested, problems)
    yield from _check_pure(form, claim, problems)
    if claim.pairs is None:
        for name in ("maximal_subsets", "components"):
            if getattr(claim, name) is not None:
                problems.add(f"{name}: the field 'pairs' is missing, but this field needs it")
    elif not problems and (claim.maximal_subsets is not None or claim.components is not None):
        graph = Graph(claim.pairs, limits)
        refuse_missing(form, claim.members, graph, problems)
        if claim.maximal_subsets is not None:
            yield from check_subsets(claim.maximal_subsets, graph, problems)
        if claim.components is not None:
            yield from check_components(claim.components, graph, problems)
    yield from _check_game(claim, problems)


_OF_TREES = (
    "pairs",  # can be checked in other games if `Plans.exact` is true
    "requested", "maximal_subsets", "components", "pure", "complete", "indices", "indices_unknown", "degenerate",
)  # fmt: skip


# -- equal plans ---------------------------------------------------------------------------------------


def _plans(game: Any, claim: ListClaim, limits: Limits, form: SequenceForm | None, plans_of: Supplier | None) -> Plans:
    """Assign a number to each plan of each member, such that equal plans have equal numbers."""
    if not claim.members:
        none: tuple[list[int], list[int]] = ([], [])
        return Plans(none, none)  # the same object twice, so that `exact` is true and stated pairs are checked
    if form is not None:
        limits.grant(len(game.parent) * len(claim.members))  # for pairs of plans
        numbers = _numbered(claim.members, limits, form)
        return Plans(numbers, numbers)
    if is_tree(game) or plans_of is None:
        raise Wrong("the realization plans cannot be compared in this kind of game")
    return plans_of(game, claim, limits)


def _numbered(members: Members, limits: Limits, form: SequenceForm | None = None) -> tuple[list[int], list[int]]:
    """Number each player's strategies so that equal strategies share a number. With `form`, compare plans instead."""
    numbers1, numbers2 = (
        number_equal([_rows(m.strategies[i], limits, form.sequences[i] if form else None) for m in members])
        for i in (0, 1)
    )
    return numbers1, numbers2


def number_equal(keys: Sequence[tuple[int, ...]]) -> list[int]:
    """Return a number, from 0, for each key. Equal keys share a number, and different keys do not.

    The function sorts the keys. Hashing would be slow if a file states thousands of integers with equal hashes.
    """
    order, numbers = sorted(range(len(keys)), key=keys.__getitem__), [0] * len(keys)
    for before, k in pairwise(order):
        numbers[k] = numbers[before] + (keys[k] != keys[before])
    return numbers


def _rows(strategy: Strategy, limits: Limits, reached_in: Sequences | None = None) -> tuple[int, ...]:
    """Return a strategy as integers in lowest terms. If `reached_in` is given, omit sets that own moves never reach."""
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
    """Return a list of bool: True for each information set that the player's own moves reach."""
    plays = [True, *map(bool, strategy.numerator)]
    comes = []
    for _, prior, first, end in sequences.sets:
        comes.append(plays[prior])
        plays[first:end] = [plays[prior] and plays[q] for q in range(first, end)]
    return comes


def _refuse_repetitions(members: Members, plans: Plans, limits: Limits, problems: Problems) -> None:
    """Refuse two members with equal plans. If their concepts define play at all sets, compare strategies instead.

    In this case, equal strategies are allowed if both members state beliefs and these beliefs differ.
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
    """Return True if a concept of ``member``, proven or requested, restricts play at sets that the player avoids."""
    return any(name in WORDS and name not in _OF_PLANS for name in (member.concept, member.requested))


def _beliefs(member: Claim) -> tuple[int, ...]:
    """Return the probabilities in a member's beliefs, in the order of the game; an empty tuple without beliefs."""
    if member.beliefs is None or member.kind != TREE:
        return ()
    stated = (share for side in member.beliefs for _, nodes in side for _, share in nodes)
    return tuple(number for share in stated for number in share.as_integer_ratio())


def _members(members: Members, plans: Plans) -> FieldProof:
    """Return the proof for the list's members: the concept that they satisfy, and the count of different plan pairs."""
    many, different = len(members), len(set(zip(*plans.apart, strict=True)))
    if not many:
        return FieldProof("equilibria", proven="the list is empty")
    few = "" if plans.exact or many == 1 else "at least "
    count = f"; {few}{different:,} of {many:,} are different realization plans" if many > 1 else ""
    return FieldProof("equilibria", proven=f"each is a proven {WORDS[common_concept(members)]}{count}")


def _check_number(claim: ListClaim, plans: Plans, problems: Problems) -> Iterator[FieldProof]:
    """Check the fields `unique` and `unique_plans` against the number of members and against the members' plans."""
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
        yield FieldProof("unique", proven="false: two of these have different plans")
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
                f"{name}: true, but equilibria[0] and equilibria[{k}] state other rows of {who}, which are not "
                "proven to be the same plan"
            )
        if alone:
            yield FieldProof(name, believed=f"no other equilibrium has another plan of {who}")
        else:
            yield FieldProof(name, proven=f"two of these have different plans of {who}")


def _check_pairs(pairs: Sequence[tuple[int, int]], plans: Plans, problems: Problems) -> Iterator[FieldProof]:
    """Check `pairs`: the numbers 0, 1, 2, ... identify each player's different plans, and no pair occurs twice."""
    count = len(plans.same[0])
    if len(pairs) != count or len(set(pairs)) != count:
        found = f"{len(pairs):,}" if len(pairs) != count else f"{len(set(pairs)):,} different ones"
        problems.add(f"pairs: there are {found} for {count:,} equilibria")
        return
    for player in (0, 1):
        plan_of: dict[int, int] = {}
        number_of: dict[int, int] = {}
        for k, (pair, plan) in enumerate(zip(pairs, plans.same[player], strict=True)):
            number = pair[player]
            if plan_of.setdefault(number, plan) != plan:
                problems.add(f"pairs[{k}]: the number {number + 1} is that of another strategy of player {player + 1}")
            elif number_of.setdefault(plan, number) != number:
                problems.add(f"pairs[{k}]: strategy {number + 1} of player {player + 1} also has another number")
        if sorted(plan_of) != list(range(len(plan_of))):
            problems.add(f"pairs: the strategies of player {player + 1} are not numbered from 1 to {len(plan_of)}")
    yield FieldProof("pairs", proven="equal numbers mean equal plans, and different numbers mean different plans")


# -- pure equilibria -----------------------------------------------------------------------------------


def _check_requested(claim: ListClaim, requested: str, problems: Problems) -> Iterator[FieldProof]:
    """Check that every member of a list has the same requested concept, ``requested``, and that none is disproven."""
    if requested not in WORDS:
        problems.add(f"requested: {requested[:80]!r} is no concept of equilibria")
        return
    if not claim.pure:
        problems.add("requested: allowed only in a list of pure equilibria")
    for k, member in enumerate(claim.members):
        asked = member.requested or member.concept
        if asked != requested:
            problems.add(f"requested: {requested!r}, but the requested concept of equilibria[{k}] is {asked[:80]!r}")
        elif member.refutation is not None:
            problems.add(f"requested: {requested!r}, but equilibria[{k}] is disproven")
        elif member.concept not in (requested, "nash"):
            problems.add(
                f"requested: {requested!r}, but the concept of equilibria[{k}] is {member.concept!r}; an undecided "
                "member has the concept 'nash'"
            )
    proven, words = sum(member.concept == requested for member in claim.members), WORDS[requested]
    article = "an" if requested == "perfect" else "a"
    yield FieldProof("requested", proven=f"{proven:,} of {len(claim.members):,} are proven to be {article} {words}")


def _check_pure(form: SequenceForm, claim: ListClaim, problems: Problems) -> Iterator[FieldProof]:
    """Check the fields `pure` (strategies are pure at sets that they reach) and `complete` (no member is undecided)."""
    if claim.pure is not None:
        sides = [(k, player) for k in range(len(claim.members)) for player in (0, 1)]
        found = [_pure_at(claim.members[k].strategies[player], form.sequences[player]) for k, player in sides]
        mixed = [k for (k, _), (reached, _) in zip(sides, found, strict=True) if not reached]
        if claim.pure and mixed:
            problems.add(f"pure: true, but equilibria[{mixed[0]}] is mixed")
        elif not claim.pure and not mixed:
            problems.add("pure: false, but every equilibrium is pure")
        everywhere = all(everywhere for _, everywhere in found)
        where = "at every information set" if everywhere else "at the information sets that their own play reaches"
        yield FieldProof("pure", proven=f"they are all pure, {where}" if claim.pure else "one of them is mixed")
    if claim.complete is None:
        return
    if not claim.pure:
        problems.add("complete: allowed only in a list of pure equilibria")
    undecided = [k for k, m in enumerate(claim.members) if m.concept != (m.requested or m.concept)]
    if claim.complete and claim.requested is not None and undecided:
        problems.add(f"complete: true, but equilibria[{undecided[0]}] is undecided")
    words = WORDS.get(claim.requested or "nash", WORDS["nash"]).removesuffix("um")
    if claim.complete:
        yield FieldProof("complete", believed=f"there are no other pure {words}a")
    else:
        yield FieldProof("complete", proven="the list does not claim to contain all")


def _pure_at(strategy: Strategy, sequences: Sequences) -> tuple[bool, bool]:
    """Return two bools. First: the strategy is pure at all sets that it reaches. Second: it is pure at all sets."""
    comes, share = _reached(strategy, sequences), strategy.numerator
    mixed = [k for k, _, first, end in sequences.sets if sum(map(bool, share[first - 1 : end - 1])) > 1]
    return not any(comes[k] for k in mixed), not mixed


# -- the whole game ------------------------------------------------------------------------------------


def _check_game(claim: ListClaim, problems: Problems) -> Iterator[FieldProof]:
    """Check that the stated indices are consistent. Believe the indices and the field `degenerate` without a proof."""
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
