"""Games and equilibria built by hand, so that the tests of solution and verifier lean on no other room."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction as F

from tremble import TERMINAL, BehaviorStrategy, GameTree, TreeBuilder, best_response, expected_values
from tremble.game.rules import DefaultRule, UnbuiltStrategy
from tremble.solution import certificates
from tremble.solution.claim import MethodReference
from tremble.solution.claims import GameReference
from tremble.solution.stated import StatedSolution
from tremble.status import Status

Rows = Sequence[Sequence[F | int]]


def kuhn() -> GameTree:
    """Kuhn poker (Kuhn 1950), cards J < Q < K."""
    builder = TreeBuilder(title="Kuhn poker")
    deals = [(a, b) for a in range(3) for b in range(3) if a != b]
    names = "JQK"
    builder.chance([names[a] + names[b] for a, b in deals], [F(1, 6)] * 6)
    for a, b in deals:
        win = 1 if a > b else -1
        builder.decision(0, f"{names[a]}", ("check", "bet"))
        builder.decision(1, f"{names[b]} after check", ("check", "bet"))
        builder.leaf(win, -win)
        builder.decision(0, f"{names[a]} after check, bet", ("fold", "call"))
        builder.leaf(-1, 1)
        builder.leaf(2 * win, -2 * win)
        builder.decision(1, f"{names[b]} after bet", ("fold", "call"))
        builder.leaf(1, -1)
        builder.leaf(2 * win, -2 * win)
    return builder.finish()


def kuhn_by_rows(alpha: F, *, spare: bool = False) -> tuple[UnbuiltStrategy, UnbuiltStrategy]:
    """Return Kuhn's family by rows; with a further row that states what is played anyway."""
    first = {"J:": alpha, "K:": 3 * alpha, "Q:cb": alpha + F(1, 3), "K:cb": F(1)}
    second = {"J:c": F(1, 3), "K:c": F(1), "Q:b": F(1, 3), "K:b": F(1)}
    if spare:
        first["Q:"] = F(0)
    one, two = (
        UnbuiltStrategy(
            player,
            DefaultRule("first"),
            {
                key: tuple(zip(("fold", "call") if key.endswith("b") else ("check", "bet"), (1 - p, p), strict=True))
                for key, p in side.items()
            },
        )
        for player, side in enumerate((first, second))
    )
    return one, two


def kuhn_equilibrium(tree: GameTree, alpha: F) -> tuple[BehaviorStrategy, BehaviorStrategy]:
    """Kuhn's one-parameter family for player 1 (0 <= alpha <= 1/3), player 2's only equilibrium strategy."""
    second = {
        "J": alpha,
        "Q": 0,
        "K": 3 * alpha,
        "J after check, bet": 0,
        "Q after check, bet": alpha + F(1, 3),
        "K after check, bet": 1,
        "J after check": F(1, 3),
        "Q after check": 0,
        "K after check": 1,
        "J after bet": 0,
        "Q after bet": F(1, 3),
        "K after bet": 1,
    }
    one, two = (
        BehaviorStrategy.from_rows(tree, i, [(1 - second[label], second[label]) for label in tree.infoset_labels[i]])
        for i in (0, 1)
    )
    return one, two


def solution_of(
    tree: GameTree,
    strategies: tuple[BehaviorStrategy, BehaviorStrategy],
    status: Status = Status.CERTIFIED,
) -> StatedSolution:
    """A solution that states the truth about a profile, as ``response`` finds it, whatever its status says."""
    values = expected_values(tree, strategies)
    best = [best_response(tree, strategies, player)[0] for player in (0, 1)]
    constant = tree.constant_sum
    bounds = None if constant is None else (constant - best[1], best[0])
    return StatedSolution(
        game=GameReference.of(tree),
        concept="nash",
        requested="nash",
        method=MethodReference("by hand", {"gap": F(1, 1000), "time_limit_float": 1.5, "deep": [{"x": None}]}),
        status=status,
        values=values,
        bounds=bounds,
        strategies=strategies,
        certificate=certificates.best_response(values, best),
        stats={"iterations": 3, "seconds_float": 0.25},
    )


def profile(tree: GameTree, one: Rows, two: Rows) -> tuple[BehaviorStrategy, BehaviorStrategy]:
    return BehaviorStrategy.from_rows(tree, 0, one), BehaviorStrategy.from_rows(tree, 1, two)


def random_game(seed: int, depth: int = 5, *, zero_sum: bool = True, big: bool = False) -> GameTree:
    """A random game with perfect recall: chance, unequal depths, forced moves, now and then one player only."""
    rng = random.Random(seed)
    movers = rng.choice(((0, 1, -1), (0, 1), (0, 1), (0,), (1, -1), (-1,)))
    builder = TreeBuilder(title=f"random {seed}")
    constant = rng.choice((0, 0, 3, F(1, 7)))
    scale = 10**25 if big else 6

    def width(key: object) -> int:
        return random.Random(f"{seed} {key}").choice((1, 2, 2, 3))

    def grow(left: int, seen: tuple[tuple[object, ...], tuple[object, ...]]) -> None:
        if left == 0 or rng.random() < 0.15:
            u = F(rng.randint(-scale, scale), rng.choice((1, 1, 2, 3, 10**9 + 7 if big else 5)))
            builder.leaf(u, constant - u if zero_sum else rng.randint(-scale, scale))
            return
        mover = rng.choice(movers)
        if mover < 0:
            weights = [rng.choice((0, 1, 1, 2, 5)) for _ in range(rng.choice((1, 2, 3)))]
            total = sum(weights)
            shares = [F(w, total) for w in weights] if total else [F(1), *[F(0)] * (len(weights) - 1)]
            n = len(weights)
            builder.chance([f"c{i}" for i in range(n)], shares)
        else:
            n = width((mover, seen[mover]))
            builder.decision(mover, (mover, seen[mover]), [f"a{i}" for i in range(n)], f"set {len(seen[mover])}")
        visible = [rng.random() < 0.5, rng.random() < 0.5]
        for i in range(n):
            grow(
                left - 1,
                tuple(  # type: ignore[arg-type]
                    (*seen[p], (mover, i)) if p == mover else (*seen[p], i if visible[p] else "?") for p in (0, 1)
                ),
            )

    grow(depth, ((), ()))
    return builder.finish()


def random_rows(tree: GameTree, player: int, rng: random.Random, limit: int = 6) -> list[list[F]]:
    """Exact probabilities, with zeros."""
    rows = []
    for labels in tree.actions[player]:
        weights = [rng.choice((0, 0, rng.randint(1, limit))) for _ in labels]
        if not any(weights):
            weights[rng.randrange(len(weights))] = 1
        rows.append([F(w, sum(weights)) for w in weights])
    return rows


def random_profile(tree: GameTree, seed: int, limit: int = 6) -> tuple[BehaviorStrategy, BehaviorStrategy]:
    rng = random.Random(seed)
    return profile(tree, random_rows(tree, 0, rng, limit), random_rows(tree, 1, rng, limit))


def chain(length: int) -> GameTree:
    """A game as deep as it is long: stop, or pass the move on; going on to the end is worth nothing."""
    builder = TreeBuilder(title="chain")
    for i in range(length):
        builder.decision(i % 2, i, ("stop", "go on"))
        builder.leaf(-1 if i % 2 == 0 else 1, 1 if i % 2 == 0 else -1)
    builder.leaf(0, 0)
    return builder.finish()


class OutOrIn:
    """Player 1 stays out or lets player 2 move."""

    def root(self) -> str:
        return ""

    def player(self, h: str) -> int:
        return {"": 0, "i": 1}.get(h, TERMINAL)

    def actions(self, h: str) -> tuple[str, ...]:
        return ("l", "r") if h else ("out", "in")

    def child(self, h: str, i: int) -> str:
        return h + ("lr" if h else "oi")[i]

    def infoset(self, h: str) -> str:
        return "second" if h else "first"

    def chance(self, h: str) -> tuple[F, ...]:
        raise AssertionError(h)

    def payoff(self, h: str) -> tuple[int, int]:
        return (1, -1) if h == "o" else (0, 0)
