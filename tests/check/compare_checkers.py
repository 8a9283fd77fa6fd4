"""Compare the verdicts of two checkers over honest forgeries and mutations.

    python tests/check/compare_checkers.py --honest 20000 --mutations 200000 --seed 1 --workers 2

Work is divided into blocks: a block is one small game, a pool of documents about it, and mutations of these. A
difference is printed with the command that repeats it; ``--keep FOLDER`` also writes game and document there.
"""

# ruff: noqa: E402

from __future__ import annotations

import argparse
import json
import random
import sys
import time
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from claims import lacking, read, verdict_of
from documents import mutation, pool_of
from forgeries import Document

from tremble import GameTree, TrembleError
from tremble.formats.efg import write_efg
from tremble.results import Equilibria
from tremble.solution.stated import StatedSolution

MUTATIONS = 1000  # in a block
Outcome = tuple[Any, ...]


# -- verdicts ----------------------------------------------------------------------------------------------------------


def _summary(found: Any) -> Outcome:
    """Return the parts of a verdict that both checkers have."""
    players = tuple(getattr(found, name, None) for name in ("proven_player", "disproven_player"))
    numbers = (found.values, found.best_response_values, found.bounds) if found.ok else ()
    fields = tuple((field.name, field.proven, field.believed) for field in found.fields)
    return (found.ok, found.proven, found.disproven, *players, *numbers, fields, found.nash_conv, found.notes)


def _old(game: GameTree, stated: StatedSolution | Equilibria) -> Any:
    from tremble.verifier import verify
    from tremble.verifier.lists import verify_list

    if isinstance(stated, Equilibria):
        return verify_list(game, stated, time_limit=None, progress=None)
    return verify(game, stated)


def _what(stated: StatedSolution | Equilibria) -> str:
    if not isinstance(stated, StatedSolution):
        return "list"
    what = f"{stated.concept} by {stated.certificate.get('kind')!s:.20}"
    if stated.refutation is not None:
        what += f", refutation {stated.refutation.get('kind')!s:.20} of {stated.refutation.get('concept')!s:.24}"
    return what


def compare(game: GameTree, document: Document, count: Counter[str], tag: str) -> str | None:
    """Compare both verdicts on a document; return the difference, or None."""
    try:
        stated = read(document)
    except (TrembleError, ValueError, TypeError, KeyError, IndexError, AttributeError):
        count["not of the format"] += 1
        return None
    lack = lacking(stated)
    if lack is not None:
        count[f"skipped: the kernel lacks {lack}"] += 1
        return None
    began = time.perf_counter()
    try:
        old = _old(game, stated)
    except TrembleError:
        count["not of the format for the old checker"] += 1
        return None
    except TypeError as error:  # it fails on stated orders in a game without moves
        count[f"the old checker raises TypeError: {error}"] += 1
        return None
    middle = time.perf_counter()
    try:
        new = verdict_of(game, stated)
    except Exception as error:
        return f"the kernel raises {type(error).__name__}: {error}"
    count["microseconds, old"] += int((middle - began) * 10**6)
    count["microseconds, new"] += int((time.perf_counter() - middle) * 10**6)
    what = _what(stated)
    count[f"{tag}: {what}: {'ok' if old.ok else 'refused'}"] += 1
    count[f"compared: {tag}"] += 1
    one, two = _summary(old), _summary(new)
    if one == two:
        return None
    return f"{what}\n    old {one[:5]} {old.problems[:2]}\n    new {two[:5]} {new.problems[:2]}"


# -- blocks ------------------------------------------------------------------------------------------------------------


def coverage(seed: int, block: int) -> Counter[str]:
    """Count the honest documents of a block by the verdict of the old checker, and how many problems it has."""
    game, pool = pool_of(seed, block)
    count: Counter[str] = Counter()
    for tag, document in pool:
        stated = read(document)
        try:
            found = _old(game, stated)
        except TypeError:  # the old checker fails on stated orders in a game without moves
            continue
        what = f"{tag:9}{_what(stated)}"
        count[f"{what}: {'ok' if found.ok else '1 problem' if len(found.problems) == 1 else 'more problems'}"] += 1
    return count


def run_block(seed: int, quota: tuple[int, int], keep: str, block: int) -> tuple[Counter[str], list[str]]:
    """Compare up to so many honest documents of a block, and so many mutations."""
    warnings.simplefilter("ignore")
    count: Counter[str] = Counter()
    differences = []
    began = time.perf_counter()
    game, pool = pool_of(seed, block)
    count["microseconds, documents"] = int((time.perf_counter() - began) * 10**6)
    honest = random.Random(block).sample(range(len(pool)), min(quota[0], len(pool)))
    cases = [(f"h{i}", *pool[i]) for i in honest]
    cases += [(f"m{i}", "mutated", mutation(pool, seed, block, i)) for i in range(quota[1])]
    for name, tag, document in cases:
        found = compare(game, document, count, tag if tag in ("mutated", "list") else "honest")
        if found is not None:
            differences.append(f"--seed {seed} --block {block} --case {name}: {game.title} {tag}: {found}")
            if keep:
                folder = Path(keep) / f"{seed}-{block}-{name}"
                folder.mkdir(parents=True, exist_ok=True)
                write_efg(game, folder / "game.efg")
                (folder / "document.json").write_text(json.dumps(document, indent=1))
    return count, differences


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--honest", type=int, default=1000)
    parser.add_argument("--mutations", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--keep", default="", help="folder for the documents that make a difference")
    parser.add_argument("--block", type=int, help="with --case: show one case")
    parser.add_argument("--case")
    parser.add_argument("--coverage", type=int, default=0, help="count the honest documents of so many blocks")
    given = parser.parse_args()
    if given.coverage:
        warnings.simplefilter("ignore")
        total: Counter[str] = Counter()
        for block in range(given.coverage):
            total += coverage(given.seed, block)
        for name, number in sorted(total.items()):
            print(f"{number:9,}  {name}")
        return
    if given.case:
        game, pool = pool_of(given.seed, given.block)
        number = int(given.case[1:])
        document = pool[number][1] if given.case[0] == "h" else mutation(pool, given.seed, given.block, number)
        print(json.dumps(document, indent=1))
        print(compare(game, document, Counter(), "") or "no difference")
        return
    blocks = max(1, -(-given.mutations // MUTATIONS), -(-given.honest // 100))
    quota = -(-given.honest // blocks), -(-given.mutations // blocks)
    began = time.perf_counter()
    count: Counter[str] = Counter()
    differences: list[str] = []
    with ProcessPoolExecutor(given.workers) as executor:
        for found, wrong in executor.map(partial(run_block, given.seed, quota, given.keep), range(blocks)):
            count += found
            for difference in wrong:
                print(difference, flush=True)
            differences += wrong
    seconds = time.perf_counter() - began
    for name, number in sorted(count.items()):
        print(f"{number:9,}  {name}")
    done = sum(number for name, number in count.items() if name.startswith("compared"))
    rate = done / seconds / given.workers
    print(f"{done:,} documents compared in {seconds:.1f} s, {rate:.0f} per second and core; {len(differences)} differ")
    sys.exit(bool(differences))


if __name__ == "__main__":
    main()
