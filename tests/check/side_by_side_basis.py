"""Compare the kernel's proof of perfect equilibria by a basis with the former verifier's, claim by claim.

    python tests/check/side_by_side_basis.py [tests] [solved] [mutations N SEED] [honest N SEED] [time RANKS...]

As a pytest plugin (`-p side_by_side_basis`), it compares every solution that a test verifies.
"""

from __future__ import annotations

import json
import random
import sys
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parent.parent
sys.path[:0] = [str(TESTS / "check"), str(TESTS), str(TESTS / "verifier")]

import tremble  # noqa: E402
from alike_games import alike_game  # noqa: E402
from hand_made import random_game  # noqa: E402
from hostile_games import hostile_game  # noqa: E402
from mutations import damages, mutations  # noqa: E402
from tremble import GameTree  # noqa: E402
from tremble.check import Claim, Strategy, check  # noqa: E402
from tremble.results import StatedSolution  # noqa: E402

COUNT: Counter[Any] = Counter()
DIFFERENCES: list[Any] = []
old_verify = tremble.verify
EXPLAINED = {
    "an integer instead of text": "not an exact number as text",
    "more than 200 pivots vanish, which no longer matters": "of these pivots vanish",
}


def claim(solution: Any) -> Claim:
    """Turn a solution into a claim of the kernel."""
    strategies = [
        Strategy(t.infosets, t.actions, t.numerator.tolist(), t.denominator.tolist(), t.off_path.tolist())
        for t in solution.tables
    ]
    beliefs = solution.beliefs
    return Claim(
        solution.concept,
        str(solution.status.value),
        (strategies[0], strategies[1]),
        solution.values,
        solution.certificate,
        solution.bounds,
        None if beliefs is None else [[(row.infoset, row.nodes) for row in side] for side in beliefs],
        solution.refutation,
        solution.game.digest,
    )


def compare(game: Any, solution: Any, tag: str = "test", **keywords: Any) -> Any:
    """Verify in both ways, count, and print a difference; return the verifier's verdict."""
    old = old_verify(game, solution, **keywords)
    if not hasattr(solution, "certificate"):
        return old
    kind = solution.certificate.get("kind", "basis")
    if not isinstance(game, GameTree) or solution.concept != "perfect" or kind != "basis":
        return old
    new = check(game, claim(solution))
    if (new.ok, new.proven, new.disproven) == (old.ok, old.proven, old.disproven):
        COUNT[tag, "both prove" if new.ok else "both refuse"] += 1
        return old
    for name, text in EXPLAINED.items():
        if new.ok and all(text in problem for problem in old.problems):
            COUNT[tag, name] += 1
            return old
    COUNT[tag, "DIFFERENCE"] += 1
    DIFFERENCES.append((tag, game.title, "old", old.problems[:2], "new", new.problems[:2]))
    return old


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Compare wherever a test module verifies."""
    tremble.verify = compare
    for module in {item.module for item in items} | {m for m in sys.modules.values() if m is not None}:
        if getattr(module, "verify", None) is old_verify and not module.__name__.startswith("tremble"):
            module.verify = compare


def pytest_unconfigure() -> None:
    """Print the counts."""
    report()


def report() -> None:
    """Print what was counted, and the first differences."""
    for key, number in sorted(COUNT.items(), key=str):
        print(*key, number, sep="; ", flush=True)
    for difference in DIFFERENCES[:20]:
        print("DIFFERENCE", *difference, flush=True)


def games() -> Any:
    """Yield games of many kinds, small ones first."""
    for spec in (
        *("kuhn", "kuhn:cards=4", "matching_pennies", "guess_the_ace", "guess_the_ace:gift=true", "safe_or_risky"),
        *("battle_outside", "entry_deterrence", "beer_quiche", "kuhn_raise", "goofspiel", "goofspiel:order=increasing"),
        *("leduc:raises=1,ranks=2", "leduc", "liars_dice:sides=2"),
        *(
            f"random_tree:branching=2,depth={d},seed={n},sum={s}"
            for d in (3, 4)
            for n in (1, 2)
            for s in ("general", "zero")
        ),
    ):
        try:
            yield tremble.load(spec)
        except tremble.TrembleError as error:
            print(spec, error)
    for seed in range(30):
        yield random_game(seed, 4, zero_sum=seed % 2 == 0)
        yield alike_game(seed).tree if hasattr(alike_game(seed), "tree") else alike_game(seed)
    for name in ("plain", "chance", "degenerate", "perfect information", "blind", "one player", "fractions"):
        for seed in range(3):
            yield hostile_game(name, seed)
    for name in ("huge payoffs", "mixed payoffs", "root ends"):
        yield hostile_game(name, 1)


def solutions(most: int = 2_000) -> Any:
    """Yield games with solutions that state a basis, by different methods."""
    for game in games():
        if not isinstance(game, GameTree) or game.num_nodes > most:
            continue
        for keywords in ({}, {"merge": False}, {"method": "lemke"}):
            try:
                solution = tremble.solve(game, "perfect", time_limit=10, **keywords)
            except (tremble.TrembleError, TypeError) as error:
                COUNT["unsolved", str(error)[:60]] += 1
                continue
            if solution.certificate.get("kind") == "basis":
                yield game, solution


def run_solved() -> None:
    for game, solution in solutions(40_000):
        compare(game, solution, "solved")
        compare(game, StatedSolution.from_text(solution.to_text()), "solved, as text")


def run_mutations(number: int, seed: int) -> None:
    """Change a number, a word or a part of a solution; also two at once."""
    rng = random.Random(seed)
    pool = [(game, json.loads(solution.to_text())) for game, solution in solutions(400)]
    changed: list[list[Any]] = []
    for _, document in pool:
        found = [(path, d) for path, _, d in mutations(document)] + [(p, d) for p, _, d in damages(document)]
        changed.append([(path, d) for path, d in found if path and path[0] in ("certificate", "strategies")])
    print(len(pool), "solutions,", sum(map(len, changed)), "mutations", flush=True)
    for _ in range(number):
        at = rng.randrange(len(pool))
        path, document = rng.choice(changed[at])
        if rng.random() < 0.1:
            again = rng.choice([(p, d) for p, d in changed[at] if p[:2] != path[:2]])
            document = {**document, again[0][0]: again[1].get(again[0][0])}
        try:
            solution = StatedSolution.from_text(json.dumps(document))
        except tremble.TrembleError:
            COUNT["mutation", "not of the format"] += 1
            continue
        compare(pool[at][0], solution, "mutation: " + "/".join(map(str, path[:2])))


def run_honest(number: int, seed: int) -> None:
    """State right numbers of wrong bases: all derived numbers are right, only the claim is false."""
    import test_verifier_perfect as perfect

    rng = random.Random(seed)
    for _ in range(number):
        drawn = perfect.draw(rng.randrange(10**6))
        if drawn is None:
            continue
        program, every, weights, draws = drawn
        good = next(perfect.stable_bases(program, draws), None)
        if good is None:
            continue
        reference = perfect.stated(good, weights)
        for high in every[:25]:
            exact = perfect.functions(program, high)
            if exact is None or not exact.has_limits:
                wrong = perfect.tampered(reference, perfect.put([list(side) for side in high], "basis"))
                compare(program.tree, wrong, "honest: singular, or without limits")
            elif not exact.stable:
                compare(program.tree, perfect.spoilt(exact, reference), "honest: not optimal for all small epsilon")
            else:
                for extra in (None, 0, 1):
                    compare(program.tree, perfect.stated(exact, weights, extra), "honest: stable")
                for false in perfect.false_zeros(exact, weights):
                    compare(program.tree, false, "honest: false zeros")


def run_time(ranks: list[str]) -> None:
    """Measure both on Leduc hold'em; the first call of the former loads what it has compiled."""
    for number in ranks:
        game = tremble.load(f"leduc:ranks={number}")
        saved = Path(f"/tmp/side_by_side_leduc_{number}.json")
        if not saved.exists():
            saved.write_text(tremble.solve(game, "perfect").to_text())
        solution = StatedSolution.from_text(saved.read_text())
        seconds: list[list[float]] = [[], []]
        for _ in range(4):
            start = time.process_time()
            old = old_verify(game, solution)
            middle = time.process_time()
            new = check(game, claim(solution))
            seconds[0].append(middle - start)
            seconds[1].append(time.process_time() - middle)
            assert old.ok == new.ok
        first, best = [s[0] for s in seconds], [min(s[1:]) for s in seconds]
        print(
            f"{number} ranks, {game.num_nodes:,} nodes: first {first[0]:.2f} and {first[1]:.2f} s, later {best[0]:.2f} "
            f"and {best[1]:.2f} s, ratios {first[1] / first[0]:.2f} and {best[1] / best[0]:.2f}",
            flush=True,
        )


def main(arguments: list[str]) -> None:
    warnings.simplefilter("ignore")
    match arguments:
        case ["tests", *files]:
            import pytest

            pytest.main(["-q", "-p", "side_by_side_basis", "-p", "no:cacheprovider", *files])
        case ["solved"]:
            run_solved()
        case ["mutations", number, seed]:
            run_mutations(int(number), int(seed))
        case ["honest", number, seed]:
            run_honest(int(number), int(seed))
        case ["time", *ranks]:
            run_time(ranks)
        case _:
            print(__doc__)
    report()


if __name__ == "__main__":
    main(sys.argv[1:])
