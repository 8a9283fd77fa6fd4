r"""Subgame perfect equilibria: nobody gains by deviating in any subgame.

Definition (Selten 1975).  Let T contain a node v and all nodes below v. A *subgame* begins at v if every information
set lies completely in T or completely outside of T. A profile is subgame perfect if it is a Nash equilibrium of every
subgame. Subgames that begin at chance nodes count. Subgames that chance never reaches do not count.

A *cut subgame* ends where smaller subgames begin. Its payoffs there are the expected payoffs of the profile.

Theorem.  A profile is subgame perfect exactly if it is a Nash equilibrium of every cut subgame.

Proof.  A deviation that gains in a cut subgame also gains in the subgame if the player follows the profile below the
cuts. Conversely, take a smallest subgame in which a player gains. In the subgames inside it, no deviation earns more
than the profile. Hence the deviation above the cuts gains in the cut subgame.

Each node and each information set belongs to one cut subgame. So one pass down the tree finds all sequence forms: it
restarts the sequences and the probabilities where subgames begin. One backward induction finds all best responses.

Source: R. Selten, Reexamination of the perfectness concept for equilibrium points in extensive games, International
Journal of Game Theory 4 (1975), 25-55.
"""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from tremble.check.best_response import probabilities
from tremble.check.case import Case, Paths, moves_to_nodes
from tremble.check.claim import short
from tremble.check.limits import Limits, length_of
from tremble.check.nash import check_best_response_certificate
from tremble.check.tree import TERMINAL


def prove_subgame_perfect(case: Case) -> None:
    """Check the certificate. Record a problem if a player gains in a subgame without deviating in a smaller subgame."""
    check_best_response_certificate(case)
    gains = [found for found in subgame_gains(case) if found[0]]  # without the root, whose gains are reported already
    if gains:
        paths = Paths(case.game)
        for node, player, gain in gains:
            case.problems.add(f"player {player + 1} can gain {short(gain)} in the subgame after {paths.name(node)}")


def subgame_gains(case: Case) -> list[tuple[int, int, Fraction]]:
    """Return (root, player, gain) for each player who gains in a subgame by deviating outside its smaller subgames."""
    game = case.game
    begins = subgame_roots(game) & case.form.chance.possible
    roots = np.flatnonzero(begins).tolist()
    if roots == [0]:  # the game is the only subgame, for example in poker
        return [(0, player, gain) for player, gain in enumerate(case.outcome.gains or ()) if gain]
    share = _shares(case)
    gains = []
    for player in (0, 1):
        value = _values(game, player, share, case.limits)
        best = _best_responses(case, player, begins.tolist(), share, value)
        gains += [(root, player, best[root] - value[root]) for root in roots if best[root] != value[root]]
    return sorted(gains)


def subgame_roots(game: Any) -> np.ndarray:
    """Return a mask, bool[N]: True for the nodes where a subgame begins.

    In depth-first preorder, a node v and the nodes below v have consecutive positions. A subgame begins at v if all
    nodes that share an information set with v or with a node below v have positions in this range.
    """
    position = game.preorder.astype(np.int64)
    first, last, size = position.copy(), position.copy(), np.ones(len(position), dtype=np.int64)
    for player in (0, 1):
        own = np.flatnonzero(game.player == player)
        sets, count = game.infoset[own], len(game.actions[player])
        low, high = np.full(count, len(position)), np.full(count, -1)
        np.minimum.at(low, sets, position[own])
        np.maximum.at(high, sets, position[own])
        first[own], last[own] = low[sets], high[sets]
    for begin, end in reversed(list(pairwise(game.level[1:].tolist()))):
        above = game.parent[begin:end]
        np.add.at(size, above, size[begin:end])
        np.minimum.at(first, above, first[begin:end])
        np.maximum.at(last, above, last[begin:end])
    return np.asarray((first >= position) & (last < position + size) & (game.player != TERMINAL))


def _shares(case: Case) -> list[Fraction]:
    """Return, for each node, the probability of the move that leads to the node; 1 at the root."""
    tables: list[Any] = []
    for strategy, sequences in zip(case.claim.strategies, case.form.sequences, strict=True):
        share = probabilities(strategy)
        tables.append([share[first - 1 : end - 1] for _, _, first, end in sequences.sets])
    tables.append([chance.probabilities for chance in case.game.chance_tables])
    return moves_to_nodes(case.game, tables, Fraction(1))


def _plus(total: Fraction, share: Fraction, value: Fraction, limits: Limits) -> Fraction:
    """Return total + share * value, and reduce the limits by the cost of this computation."""
    if not share or not value:
        return total
    limits.charge("subgames", length_of(share), length_of(value))
    limits.charge("subgames", length_of(total), length_of(share) + length_of(value))
    return total + share * value


def _values(game: Any, player: int, share: list[Fraction], limits: Limits) -> list[Fraction]:
    """Return, for each node, the expected payoff of a player if play starts at the node."""
    value = [Fraction(0)] * len(share)
    for leaf, payoff in zip(game.leaves.tolist(), game.payoff[:, player].tolist(), strict=True):
        value[leaf] = Fraction(payoff, game.payoff_denominator)
    for node, above in zip(range(len(share) - 1, 0, -1), game.parent[:0:-1].tolist(), strict=True):
        value[above] = _plus(value[above], share[node], value[node], limits)
    return value


def _best_responses(
    case: Case, player: int, begins: list[bool], share: list[Fraction], value: list[Fraction]
) -> dict[int, Fraction]:
    """Return a dict from the root of each cut subgame to a player's best-response value in this subgame."""
    game, sequences = case.game, case.form.sequences[player]
    number, mover, parent = game.infoset.tolist(), game.player.tolist(), game.parent.tolist()
    here = sequences.at_node.tolist()
    empty = {root: sequences.count + i for i, root in enumerate(node for node, b in enumerate(begins) if b)}
    # Entries: one for each sequence of the player, then one for each cut subgame's empty sequence.
    worth = [Fraction(0)] * (sequences.count + len(empty))
    entry, reach = [0] * len(mover), [Fraction(1)] * len(mover)  # in the cut subgame: index in `worth`; chance * other
    before = [0] * len(sequences.sets)
    for node, above in enumerate(parent):
        if node:
            own_move = mover[above] == player
            entry[node] = here[node] if own_move else entry[above]
            reach[node] = reach[above] if own_move else _plus(Fraction(0), share[node], reach[above], case.limits)
            if begins[node] or mover[node] == TERMINAL:
                worth[entry[node]] = _plus(worth[entry[node]], reach[node], value[node], case.limits)
        if begins[node]:
            entry[node], reach[node] = empty[node], Fraction(1)
        if mover[node] == player:
            before[number[node]] = entry[node]
    for k, _, first, end in reversed(sequences.sets):
        long = max(map(length_of, worth[first:end]))
        case.limits.charge("subgames", long, long, end - first)
        worth[before[k]] = _plus(worth[before[k]], Fraction(1), max(worth[first:end]), case.limits)
    return {root: worth[i] for root, i in empty.items()}
