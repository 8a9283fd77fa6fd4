"""Mutation test of the kernel: python -m benchmarks.mutants [MODULE ...] [--folder FOLDER] [--again] [--record].

A *mutant* is a module of `tremble.check` with one small fault. It is *killed* if a test fails or exceeds its time
limit, and *survives* if all tests pass. A survivor shows a missing test, or it computes the same results as the module.
The score is the share of killed mutants.

The faults are those of mutmut (`OPERATORS`), without its changes of texts, positional arguments and assigned values,
and four more: a statement is dropped, a condition always or never holds, one operand of `and` or `or` is dropped, and a
function returns None. Texts, f-strings, annotations, types and `strict=` of `zip` stay as they are.

The program changes no file. It collects the tests once, and measures once which test runs which lines. For each mutant,
it forks the process, gives the function the changed code, and runs the tests that reach the changed line, the fastest
first, until one fails. A fault in code that runs at the import of a module needs new imports, so it costs ten seconds.
Run the program in the root of a clone; it needs `os.fork` and the extra `mutants`.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import gc
import hashlib
import importlib
import importlib.abc
import importlib.util
import json
import os
import resource
import signal
import sys
import tempfile
import time
import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from itertools import accumulate, groupby
from operator import itemgetter
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import libcst as cst
import pytest
from coverage import Coverage
from hypothesis import Phase, settings
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation import mutators

import tremble

__all__ = ["OPERATORS", "Mutant", "Session", "fate", "mutants", "reached", "record"]

ROOT = Path(__file__).parents[1]
KERNEL = Path(tremble.__file__).parent / "check"
RECORD = Path(__file__).parent / "results" / "mutants.json"
TESTS = ("tests/check", "tests/checker")
LIBRARIES = ("numpy", "scipy.sparse", "numba", "highspy", "flint")
OPTIONS = (
    "-qq", "-s", "--tb=no", "--no-summary", "-p", "no:cacheprovider", "-p", "no:xdist",
    "-W", "ignore::pytest.PytestWarning",
)  # fmt: skip
KEY = ("module", "function", "source", "fault")
FATES = ("killed", "timed out", "survived")
GRACE = 3.0  # seconds of processor time that each test may take in any case
PATIENCE = (1, 5)  # a test counts as too slow only if it exceeds these multiples of its time limit, one after the other
WALL = 1800.0  # seconds for all tests of one mutant
MEMORY = 4 << 30  # bytes that a mutant may use beside what the process has at the fork

OPERATORS = (
    "operator_number", "operator_name", "operator_remove_unary_ops", "operator_symmetric_string_methods_swap",
    "operator_unsymmetrical_string_methods_swap", "operator_lambda", "operator_keywords", "operator_swap_op",
    "operator_if_exp", "operator_augmented_assignment", "operator_match", "operator_arg_removal",
)  # fmt: skip
"""The names of the operators in `mutmut.mutation.mutators` that the program uses."""

Say = Callable[[str], object]
NEGATED = (cst.Equal, cst.NotEqual, cst.Is, cst.IsNot, cst.In, cst.NotIn)


@dataclass(frozen=True)
class Mutant:
    """A module with one fault."""

    module: str  # the path in the kernel, as "nash.py"
    function: str  # the outermost function, as "Limits.keep"; "" for code outside functions
    line: int
    lines: range  # the lines of the statement, or of its head
    source: str  # the text of the line
    fault: str  # the old code and the new code
    at_import: bool  # the import of the module runs this code
    text: Callable[[], str]  # the source of the whole module with the fault

    @property
    def key(self) -> tuple[str, str, str, str]:
        """A name that stays the same if line numbers change."""
        return self.module, self.function, self.source, self.fault


# -- faults -------------------------------------------------------------------------------------------


def _removes_keyword(node: Any, new: Any) -> bool:
    """Return True if the new call lacks a keyword argument. `strict=` of `zip` does not count."""
    removed = [arg for arg in node.args if all(arg is not kept for kept in new.args)]
    return len(new.args) < len(node.args) and removed[0].keyword is not None and removed[0].keyword.value != "strict"


def _is_condition(node: Any, parent: Any) -> bool:
    return isinstance(parent, cst.If | cst.CompIf | cst.IfExp) and node is parent.test


def _faults(node: Any, parents: list[Any]) -> Iterator[Any]:
    """Yield the new node for each fault at this node."""
    parent, above = (*parents[:-3:-1], None, None)[:2]
    condition = _is_condition(node, parent)
    negated = condition and isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not)
    if isinstance(node, NEGATED) and len(above.comparisons) == 1:  # the operator, which mutmut also changes
        negated = _is_condition(above, parents[-3])
    if isinstance(node, cst.ComparisonTarget) and isinstance(node.operator, NEGATED) and len(parent.comparisons) == 1:
        negated = _is_condition(parent, above)
    if condition and not isinstance(parent, cst.IfExp):  # mutmut has an operator for these
        for joined, constant in ((cst.And(), "False"), (cst.Or(), "True")):
            inner = node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
            yield cst.BooleanOperation(
                inner, joined, cst.Name(constant), lpar=[cst.LeftParen()], rpar=[cst.RightParen()]
            )
    elif isinstance(parent, cst.While) and node is parent.test:
        yield cst.Name("False")
    only = isinstance(above, cst.If) and above.orelse is None and len(above.body.body) == 1
    alone = only and parent is above.body  # dropping the statement is as if the condition never held
    if isinstance(node, cst.SimpleStatementLine) and not alone:
        small = node.body[0]
        if isinstance(small, cst.Raise | cst.Assert) or (
            isinstance(small, cst.Expr) and isinstance(small.value, cst.Call)
        ):
            yield node.with_changes(body=[cst.Pass()])
    elif isinstance(node, cst.For) and not alone:
        yield cst.SimpleStatementLine([cst.Pass()])
    elif isinstance(node, cst.Return) and node.value is not None:
        if not (isinstance(node.value, cst.Name) and node.value.value in ("None", "True", "False")):
            yield node.with_changes(value=cst.Name("None"))
    elif isinstance(node, cst.BooleanOperation):
        yield node.left
        yield node.right
    for kind, operator in mutators.mutation_operators:
        if operator.__name__ not in OPERATORS or not isinstance(node, kind):
            continue
        if isinstance(node, cst.BooleanOperation) or negated:
            continue  # dropping an operand, and a condition that always or never holds, are smaller faults
        for new in operator(node):
            if operator.__name__ != "operator_arg_removal" or _removes_keyword(node, new):
                yield new


def _nodes(node: Any, parents: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield each node that faults may change, after its parents."""
    if isinstance(
        node, cst.Annotation | cst.SimpleString | cst.FormattedString | cst.TypeAlias | cst.Import | cst.ImportFrom
    ):
        return
    if isinstance(node, cst.Arg) and node.keyword is not None and node.keyword.value == "strict":
        return
    if parents:
        yield *parents, node
    for child in node.children:
        yield from _nodes(child, (*parents, node))


def _code(node: Any) -> str:
    """Return the first line of the code of a node, shortened."""
    lines = cst.Module([]).code_for_node(node).strip().splitlines()
    first = next((line.strip() for line in lines if line.strip() and not line.strip().startswith("#")), "")
    return first if len(first) <= 100 else f"{first[:97]}..."


def mutants(path: Path) -> list[Mutant]:
    """Return all mutants of a file of the kernel, in the order of its syntax tree."""
    wrapper = MetadataWrapper(cst.parse_module(path.read_text("utf-8")))
    tree, places = wrapper.module, wrapper.resolve(PositionProvider)
    texts, seen, found = path.read_text("utf-8").splitlines(), Counter[tuple[str, ...]](), []
    module = _name(path)
    for *parents, node in _nodes(tree, ()):
        scope, at_import = [], True
        for above, below in zip(parents, [*parents[1:], node], strict=True):
            if isinstance(above, cst.ClassDef | cst.FunctionDef) and at_import:
                scope.append(above.name.value)
                at_import = isinstance(above, cst.ClassDef) or below is not above.body
        statement = next(n for n in (node, *reversed(parents)) if isinstance(n, cst.BaseStatement | cst.Module))
        if isinstance(statement, cst.Module):
            continue
        place, body = places[statement], getattr(statement, "body", None)
        end = places[body].start.line if isinstance(body, cst.BaseSuite) else place.end.line + 1
        lines = range(place.start.line, max(end, place.start.line + 1))
        line = places[node].start.line if node in places else place.start.line
        for new in _faults(node, parents):
            if at_import and isinstance(getattr(new, "operator", None), cst.BitAnd):
                continue  # a union of types
            function, source = ".".join(scope), texts[line - 1].strip()
            dropped = isinstance(node, cst.BaseStatement)
            fault = f"drop {_code(node)}" if dropped else f"{_code(node)} -> {_code(new)}"
            seen[function, source, fault] += 1
            if seen[function, source, fault] > 1:
                fault += f" ({seen[function, source, fault]})"
            text = functools.partial(_replace, tree, node, new)
            found.append(Mutant(module, function, line, lines, source, fault, at_import, text))
    return found


def _replace(tree: Any, node: Any, new: Any) -> str:
    return str(tree.deep_replace(node, new).code)


# -- runs ---------------------------------------------------------------------------------------------


class Session:
    """A plugin of pytest that collects tests, and then runs a function instead of the tests."""

    def __init__(self, work: Callable[[list[pytest.Item]], None], tests: Sequence[str]) -> None:
        # A failing example must not be shrunk, which takes minutes, and must not be stored.
        settings.register_profile("mutants", database=None, derandomize=True, phases=(Phase.explicit, Phase.generate))
        settings.load_profile("mutants")
        self.work = work
        if code := pytest.main([*OPTIONS, *tests], plugins=[self]):
            raise RuntimeError(f"pytest cannot collect the tests: {code!r}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Run the function with the collected tests."""
        if session.testsfailed:
            return None
        self.work(session.items)
        return True


def _forked(work: Callable[[Say], None], seconds: float) -> list[str]:
    """Run a function in a fork, and end it after some seconds. Return the lines that it passes to its argument."""
    with tempfile.TemporaryFile() as file:
        child = os.fork()
        if child == 0:
            os.setsid()  # the end of the time limit also ends the processes that tests start
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 1)
            os.dup2(silent, 2)
            try:
                work(lambda line: os.write(file.fileno(), f"{line}\n".encode()))
            except BaseException as error:
                os.write(file.fileno(), f"{type(error).__name__}: {error}\n".encode())
                os.write(file.fileno(), b"failed\n")
            finally:
                os._exit(0)
        end = time.monotonic() + seconds
        while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < end:
            time.sleep(0.005)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        if ended == (0, 0):
            os.waitpid(child, 0)
        file.seek(0)
        return file.read().decode().splitlines()


def _fails(item: pytest.Item, following: pytest.Item | None = None) -> bool:
    """Run a test, with its filters of warnings, and return True if it fails."""
    before = item.session.testsfailed
    item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
    return item.session.testsfailed > before


def _run(items: list[pytest.Item], seconds: dict[str, float], patience: int, say: Say) -> None:
    """Run tests until the first failure. A test that takes ten times as long as usual ends the process."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    for item, following in zip(items, [*items[1:], None], strict=True):
        say(item.nodeid)
        signal.setitimer(signal.ITIMER_PROF, patience * (GRACE + 10 * seconds[item.nodeid]))  # of processor time
        if _fails(item, following):
            say("failed")
            return
    say("passed")


@functools.cache
def _functions(path: Path) -> list[FunctionType]:
    """Return all functions that were read from a file. Call this before `gc.freeze`, which hides them."""
    things = (thing for thing in gc.get_objects() if isinstance(thing, FunctionType))
    return [thing for thing in things if thing.__code__.co_filename == str(path)]


def _change(mutant: Mutant, path: Path, functions: list[FunctionType]) -> None:
    """Give functions, wherever they are used, the code with the fault."""
    code: Any = compile(mutant.text(), str(path), "exec")
    for name in mutant.function.split("."):
        code = next(const for const in code.co_consts if isinstance(const, CodeType) and const.co_name == name)
    for function in functions:
        function.__code__ = code


class _Changed(importlib.abc.Loader):
    """A loader that gives one module another source."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text = path, text

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return this loader for the changed module, as a finder of imports."""
        parts = self.path.relative_to(KERNEL.parents[1]).with_suffix("").parts
        if fullname != ".".join(part for part in parts if part != "__init__"):
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self)

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed source."""
        exec(compile(self.text, str(self.path), "exec"), module.__dict__)  # the source of the kernel, with one fault


def fate(mutant: Mutant, path: Path, items: list[pytest.Item], seconds: dict[str, float]) -> tuple[str, str]:
    """Run tests with a mutant of an imported module. Return "killed", "timed out" or "survived", and the test.

    Parameters
    ----------
    mutant, path
        The mutant, and the file of its module.
    items
        The collected tests, in the order in which they run.
    seconds
        The usual processor time of each test.
    """

    def work(patience: int, say: Say) -> None:
        if not mutant.at_import:
            _change(mutant, path, functions)
            _run(items, seconds, patience, say)
            return
        for name, module in list(sys.modules.items()):
            if (getattr(module, "__file__", None) or "").startswith((str(ROOT), str(KERNEL.parents[1]))):
                del sys.modules[name]  # the tests must import the changed module
        sys.meta_path.insert(0, _Changed(path, mutant.text()))
        rank = {item.nodeid: k for k, item in enumerate(items)}

        def again(new: list[pytest.Item]) -> None:
            chosen = (item for item in new if item.nodeid in rank)
            _run(sorted(chosen, key=lambda item: rank[item.nodeid]), seconds, patience, say)

        Session(again, sorted({item.nodeid.partition("::")[0] for item in items}))

    if not items:
        return "survived", "no test reaches this line"
    functions = [function for function in _functions(path) if function.__code__.co_qualname == mutant.function]
    if not functions and not mutant.at_import:
        raise LookupError(f"{path}: no function {mutant.function}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of `is` with a number
        for patience in PATIENCE:
            lines = _forked(functools.partial(work, patience), WALL)
            if lines[-1:] == ["passed"]:
                return "survived", ""
            if lines[-1:] == ["failed"]:
                return "killed", lines[-2]
            while lines and items[0].nodeid != lines[-1]:
                items = items[1:]  # these tests have passed
    return "timed out", lines[-1] if lines else ""


# -- which test runs which lines ----------------------------------------------------------------------


@dataclass(frozen=True)
class Reached:
    """The lines of the kernel that a test runs, and its seconds of processor time."""

    test: str
    version: str  # a hash of the file of the test and of the kernel
    passes: bool
    seconds: float
    lines: dict[str, list[int]]  # for each module


def _name(path: Path) -> str:
    return path.relative_to(KERNEL).as_posix() if path.is_relative_to(KERNEL) else path.name


def _version(item: pytest.Item) -> str:
    return _hash_of((*sorted(KERNEL.rglob("*.py")), item.path))


@functools.cache
def _hash_of(paths: tuple[Path, ...]) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def _measure(items: list[pytest.Item], file: Path) -> None:
    """Run each test without cached results of other tests, and write what it reaches. Call it in a fork."""
    cached = [thing for thing in gc.get_objects() if isinstance(thing, functools._lru_cache_wrapper)]
    for item in items:
        for thing in cached:
            thing.cache_clear()
        measured = Coverage(data_file=None, config_file=False, include=[f"{KERNEL}/*"], messages=False)
        start = time.process_time()
        with measured.collect():
            passes = not _fails(item)
        seconds = round(time.process_time() - start, 4)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of tests that do not reach the kernel
            data = measured.get_data()
        lines = {_name(Path(name)): sorted(data.lines(name) or ()) for name in sorted(data.measured_files())}
        with file.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(vars(Reached(item.nodeid, _version(item), passes, seconds, lines))) + "\n")


def reached(items: list[pytest.Item], folder: Path) -> dict[str, Reached]:
    """Return what each test reaches. Measure the tests that are new or have changed since the last run."""
    file = folder / "reached.jsonl"
    file.touch()

    def read() -> dict[str, Reached]:
        found = [Reached(**json.loads(line)) for line in file.read_text("utf-8").splitlines()]
        versions = {item.nodeid: _version(item) for item in items}
        return {test.test: test for test in found if versions.get(test.test) == test.version}

    known = read()
    if missing := [item for item in items if item.nodeid not in known]:
        print(f"measuring which lines {len(missing)} tests run", flush=True)
        problems = _forked(lambda say: _measure(missing, file), 4 * 3600)
        known = read()
        if len(known) < len(items):
            raise RuntimeError(f"{len(items) - len(known)} tests cannot be measured: {problems}")
    for test in known.values():
        if not test.passes:
            print(f"{test.test} fails without a fault, so it is not used", flush=True)
    return {name: test for name, test in known.items() if test.passes}


# -- the command --------------------------------------------------------------------------------------


def _results(folder: Path) -> dict[tuple[str, ...], dict[str, Any]]:
    """Return the last result of each mutant."""
    lines = [line for file in sorted(folder.glob("mutants-*")) for line in file.read_text("utf-8").splitlines()]
    return {tuple(result[name] for name in KEY): result for result in map(json.loads, lines)}


def record(results: list[dict[str, Any]], file: Path = RECORD) -> None:
    """Write counts and survivors of the modules with results. Reasons that are recorded for survivors stay."""
    old = json.loads(file.read_text("utf-8")) if file.exists() else {"modules": {}, "survivors": []}
    reasons = {tuple(entry[name] for name in KEY): entry["reason"] for entry in old["survivors"]}
    modules = old["modules"]
    survivors = [entry for entry in old["survivors"] if entry["module"] not in {r["module"] for r in results}]
    for module, group in groupby(sorted(results, key=itemgetter("module", "line")), key=itemgetter("module")):
        these = list(group)
        count = Counter(result["fate"] for result in these)
        modules[module] = {"mutants": len(these), **{name: count[name] for name in FATES}}
        for result in these:
            if result["fate"] == "survived":
                entry = {name: result[name] for name in KEY}
                survivors.append(entry | {"reason": reasons.get(tuple(entry.values()), "")})
    text = {"modules": dict(sorted(modules.items())), "survivors": sorted(survivors, key=itemgetter("module"))}
    file.write_text(json.dumps(text, indent=1, ensure_ascii=False) + "\n", "utf-8")


def main() -> int:
    """Run the command; return 1 if a mutant survives without a recorded reason."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument(
        "modules", nargs="*", metavar="MODULE", help='files of the kernel, as "nash.py"; all if missing'
    )
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir(), "tremble-mutants"), help="of results"
    )
    parser.add_argument("--tests", nargs="+", default=TESTS, metavar="PATH", help="the tests, as for pytest")
    parser.add_argument("--again", action="store_true", help="run also the mutants that survived before")
    parser.add_argument(
        "--limit", type=int, metavar="N", help="run at most N mutants of each module; 0: measure the tests only"
    )
    parser.add_argument(
        "--budget", type=float, default=30, metavar="SECONDS", help="of processor time, for all tests of a mutant"
    )
    parser.add_argument("--list", action="store_true", help="count the mutants, and run none")
    parser.add_argument("--record", action="store_true", help=f"write all results to {RECORD.name}")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    names = given.modules or [_name(path) for path in sorted(KERNEL.rglob("*.py")) if path.name != "__main__.py"]
    every = {name: mutants(KERNEL / name) for name in names}
    if given.list:
        for name in names:
            print(f"{name}: {len(every[name])} mutants, {sum(m.at_import for m in every[name])} of them at import")
        return 0
    results = _results(given.folder)
    done = {key for key, result in results.items() if result["fate"] != "survived" or not given.again}
    left = [m for name in names for m in [m for m in every[name] if m.key not in done][: given.limit]]
    left.sort(key=lambda mutant: mutant.at_import)  # these take longer
    for library in LIBRARIES:
        importlib.import_module(library)  # once, before the forks
    for name in names:
        importlib.import_module(
            ".".join(("tremble", "check", *Path(name).with_suffix("").parts)).removesuffix(".__init__")
        )

    def work(items: list[pytest.Item]) -> None:
        tests = reached(items, given.folder)
        items = sorted((item for item in items if item.nodeid in tests), key=lambda item: tests[item.nodeid].seconds)
        seconds = {name: test.seconds for name, test in tests.items()}
        for name in names:
            _functions(KERNEL / name)
        gc.freeze()  # so that collections of garbage in forks copy less memory
        for mutant in left:
            lines = {item.nodeid: tests[item.nodeid].lines.get(mutant.module, []) for item in items}
            chosen = [
                item
                for item in items
                if lines[item.nodeid] and (mutant.at_import or not set(mutant.lines).isdisjoint(lines[item.nodeid]))
            ]
            spent = list(accumulate(seconds[item.nodeid] for item in chosen))
            affordable = chosen[: max(1, bisect_right(spent, given.budget))]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            found, test = fate(mutant, KERNEL / mutant.module, affordable, seconds)
            if found == "survived" and len(affordable) < len(chosen):
                test = f"{len(chosen) - len(affordable)} slower tests are beyond the budget"
            result = dict(zip(KEY, mutant.key, strict=True)) | {"line": mutant.line, "fate": found, "test": test}
            after = resource.getrusage(resource.RUSAGE_CHILDREN)  # processor time
            result["seconds"] = round(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, 2)
            with (given.folder / f"mutants-{mutant.module.replace('/', '-')}.jsonl").open(
                "a", encoding="utf-8"
            ) as file:
                file.write(json.dumps(result, ensure_ascii=False) + "\n")
            results[mutant.key] = result
            if found == "survived":
                print(f"{mutant.module}:{mutant.line}: survives: {mutant.fault}    {test}", flush=True)

    if left or given.limit == 0:
        Session(work, given.tests)
    chosen = [results[m.key] | {"line": m.line} for name in names for m in every[name] if m.key in results]
    for name in names:
        count = Counter(result["fate"] for result in chosen if result["module"] == name)
        print(f"{name}: {len(every[name])} mutants, {', '.join(f'{count[fate]} {fate}' for fate in FATES)}")
    if given.record:
        record(chosen)
    known = json.loads(RECORD.read_text("utf-8"))["survivors"] if RECORD.exists() else []
    explained = {tuple(entry[name] for name in KEY) for entry in known if entry["reason"]}
    return int(any(r["fate"] == "survived" and tuple(r[name] for name in KEY) not in explained for r in chosen))


if __name__ == "__main__":
    sys.exit(main())
