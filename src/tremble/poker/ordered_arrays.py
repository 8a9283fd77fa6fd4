"""Files of NumPy arrays that contain strategies of ordered games. Reading a file from an untrusted source is safe.

The file of arrays is an archive in the folder of the solution file. The archive contains neither pickled nor
compressed data, so a reader needs no more memory than the size of the file. Before the program reads an array, it
checks that the archive's directory and the array's header agree with the actual bytes.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import stat
import struct
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from math import prod
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from tremble.errors import CertificateError, FormatError, GameError
from tremble.poker.game import OrderedGame
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.strategy import OrderedStrategy
from tremble.run.regular_file import read_bytes
from tremble.run.whole_file import encoded, folder_held, write_whole
from tremble.solution.memory import expect, refuse
from tremble.solution.schema import INTEGER

__all__ = ["OrderedPair", "digest_of", "packed", "read_arrays", "unpacked", "write_beside"]

OrderedPair = tuple[OrderedStrategy, OrderedStrategy]

_MOST_BYTES = 2**32
_MAGIC = b"\x93NUMPY\x01\x00"
_HEADER = re.compile(
    rb"\{'descr': '([<|][iu][1248])', 'fortran_order': False, 'shape': \(((?:\d{1,12}, ?)*(?:\d{1,12})?)\), \} *\n"
)
_TYPES = {"class": ("|i1", "<i2", "<i4", "<i8"), "weight": ("<i8", "<u8")}
_MEMBER = re.compile(r"(class|weight)_([12])_([1-9][0-9]?)\.npy")
_NAME = re.compile(r"[^/\\\0]{1,200}\.[0-9a-f]{16}\.npz")
_MOST_JSON = 2**20  # largest size, in bytes, of a solution file that names arrays
_LONGEST_STEM = 50  # a longer solution file name is cut to this number of characters in the arrays' file name
_LIMB = 64  # the number of bits of a limb, which is a part of a long integer


# -- to bytes ------------------------------------------------------------------------------------


def packed(strategies: OrderedPair) -> bytes:
    """Return the bytes of an archive that contains the arrays of both players. Equal strategies give equal bytes.

    Raises
    ------
    CertificateError
        An array contains both a negative weight and a weight that does not fit into int64.
    """
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for player, strategy in enumerate(strategies, 1):
            for number, (classes, weight) in enumerate(zip(strategy.class_of, strategy.weight, strict=True), 1):
                _add(archive, f"class_{player}_{number}.npy", _short(classes))
                _add(archive, f"weight_{player}_{number}.npy", _in_limbs(weight))
    return stream.getvalue()


def digest_of(data: bytes) -> str:
    """Return the SHA-256 hash of data in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def _add(archive: zipfile.ZipFile, name: str, array: NDArray[Any]) -> None:
    entry = zipfile.ZipInfo(name)  # the date of every entry is in 1980, so that equal arrays give equal bytes
    entry.create_system, entry.external_attr = 3, 0o644 << 16
    shape = f"({', '.join(map(str, array.shape))}{',' if array.ndim == 1 else ''})"
    header = f"{{'descr': '{array.dtype.str}', 'fortran_order': False, 'shape': {shape}, }}"
    filled = header + " " * (-(len(_MAGIC) + 2 + len(header) + 1) % 64) + "\n"
    with archive.open(entry, "w") as member:
        member.write(_MAGIC + struct.pack("<H", len(filled)) + filled.encode())
        member.write(np.ascontiguousarray(array).data if array.size else b"")


def _short(classes: NDArray[np.int64]) -> NDArray[Any]:
    """Convert classes to the smallest integer type that can represent them."""
    most = int(classes.max(initial=0))
    kind = next(kind for kind in _TYPES["class"] if most <= np.iinfo(kind).max)
    return classes.astype(kind)


def _in_limbs(weight: NDArray[Any]) -> NDArray[Any]:
    """Convert weights to int64 if they fit, otherwise to uint64 limbs along an additional axis.

    The first limb contains the lowest bits.
    """
    if weight.dtype != object:
        return weight.astype("<i8")
    least, most = (int(weight.min()), int(weight.max())) if weight.size else (0, 0)
    if least >= -(2**63) and most < 2**63:
        return weight.astype("<i8")
    if least < 0:
        raise CertificateError(f"strategies: the negative weight {least} is in an array with weights of over 63 bits")
    size = -(-most.bit_length() // _LIMB)
    data = b"".join(value.to_bytes(_LIMB // 8 * size, "little") for value in weight.ravel().tolist())
    return np.frombuffer(data, dtype="<u8").reshape(*weight.shape, size)


# -- from bytes ----------------------------------------------------------------------------------


def unpacked(data: bytes, denominators: tuple[int, int], *, file: str) -> OrderedPair:
    """Read the strategies from an archive.

    Raises
    ------
    FormatError
        The data is not an archive of strategies.
    """

    def fail(message: str) -> NoReturn:
        raise FormatError(f"{message}; expected the arrays of a solution, as tremble writes them", file=file)

    arrays: dict[tuple[str, int, int], NDArray[Any]] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if sum(entry.file_size for entry in entries) > len(data):
                fail("the directory of the archive lists arrays that are larger than the file")
            for entry in entries:
                name = _MEMBER.fullmatch(entry.filename)
                if name is None:
                    fail(f"the archive has an unknown entry {entry.filename!r:.60}")
                key = name[1], int(name[2]) - 1, int(name[3]) - 1
                if key in arrays:
                    fail(f"the archive has two entries {entry.filename!r}")
                if entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 1:
                    fail(f"the entry {entry.filename!r} is compressed or encrypted")
                part = _array(archive.read(entry), _TYPES[name[1]], (1,) if name[1] == "class" else (3, 4))
                arrays[key] = part if isinstance(part, np.ndarray) else fail(f"the entry {entry.filename!r} {part}")
    except (zipfile.BadZipFile, EOFError, NotImplementedError, OSError, ValueError, struct.error) as error:
        if isinstance(error, FormatError):
            raise
        fail(f"the file is damaged: {error!s:.80}")
    rounds = len(arrays) // 4
    if not rounds or set(arrays) != {(w, p, r) for w in _TYPES for p in (0, 1) for r in range(rounds)}:
        fail("classes or weights of a player are missing in some round")
    player1, player2 = (
        OrderedStrategy(
            player,
            tuple(arrays["class", player, r].astype(np.int64) for r in range(rounds)),
            tuple(_from_limbs(arrays["weight", player, r]) for r in range(rounds)),
            denominators[player],
        )
        for player in (0, 1)
    )
    return player1, player2


def _array(data: bytes, types: tuple[str, ...], dimensions: tuple[int, ...]) -> NDArray[Any] | str:
    """Return the array that an archive entry contains, or a text that describes the fault of the entry."""
    start = len(_MAGIC) + 2
    if not data.startswith(_MAGIC) or len(data) < start:
        return "is not a NumPy array"
    end = start + struct.unpack("<H", data[len(_MAGIC) : start])[0]
    header = _HEADER.fullmatch(data[start:end])
    if header is None:
        return f"has the unexpected header {data[start : min(end, start + 60)]!r}"
    kind = header[1].decode()
    shape = tuple(int(size) for size in header[2].decode().split(",") if size.strip())
    if kind not in types:
        return f"is of the type {kind!r}, not one of {', '.join(types)}"
    if len(shape) not in dimensions or (len(shape) > dimensions[0] and not prod(shape)):  # refuse empty limb arrays
        return f"has the unexpected shape {shape}"
    if prod(shape) * int(kind[2]) != len(data) - end:
        return f"has the shape {shape} in its header, but an array of {len(data) - end:,} bytes"
    return np.frombuffer(data, dtype=kind, offset=end).reshape(shape)


def _from_limbs(weight: NDArray[Any]) -> NDArray[Any]:
    if weight.ndim == 3:
        return weight.astype(np.int64)
    chances = np.empty(weight.shape[:3], dtype=object)
    size = weight.itemsize * weight.shape[3]
    data = memoryview(np.ascontiguousarray(weight).tobytes())
    chances[...] = np.array(
        [int.from_bytes(data[first : first + size], "little") for first in range(0, len(data), size)], dtype=object
    ).reshape(chances.shape)
    return chances


# -- beside a file -------------------------------------------------------------------------------


def read_arrays(path: str | os.PathLike[str], name: str, sha256: str, denominators: tuple[int, int]) -> OrderedPair:
    """Read the strategies from the file of arrays beside a solution file.

    Raises
    ------
    FormatError
        The file of arrays is missing, or its hash differs from ``sha256``.
    """
    if not _NAME.fullmatch(name):
        raise FormatError(f"strategies.npz: {name!r:.80} is not the name of a file of arrays", file=os.fspath(path))
    beside = Path(os.path.realpath(path)).with_name(name)
    try:
        data = read_bytes(beside, most=_MOST_BYTES)
    except FormatError as error:
        raise FormatError(
            f"{error.message}; this file stores the strategies of {os.path.basename(path)}: keep both files together",
            file=str(beside),
        ) from None
    if digest_of(data) != sha256:
        raise FormatError(
            f"the file does not contain the arrays of {os.path.basename(path)}: the hashes differ", file=str(beside)
        )
    return unpacked(data, denominators, file=str(beside))


def write_beside(path: str | os.PathLike[str], data: bytes, text_naming: Callable[[str], str]) -> None:
    """Write a solution file and its file of arrays. If this replaces a solution file, delete the old file of arrays.

    Parameters
    ----------
    path : path
        The solution file.
    data : bytes
        The archive of arrays.
    text_naming : callable
        A function that receives the name of the file of arrays, and returns the text of the solution file.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise FormatError(
            "the arrays need a second file beside this file, and this is not a regular file; give a file name",
            file=str(path),
        )
    stem = target.name.removesuffix(".json")[:_LONGEST_STEM]
    arrays = target.with_name(f"{stem}.{digest_of(data)[:16]}.npz")
    text = encoded(path, text_naming(arrays.name))
    before = _named_by(target)
    known = arrays.exists()
    try:
        write_whole((arrays, lambda stream: stream.write(data)), (path, lambda stream: stream.write(text)))
    except BaseException:
        if not known:
            _delete_unnamed(arrays)
        raise
    ours = re.compile(rf"{re.escape(stem)}\.[0-9a-f]{{16}}\.npz")
    if before is not None and before != arrays.name and ours.fullmatch(before):
        _delete_unnamed(target.with_name(before))


def _named_by(target: Path) -> str | None:
    """Return the name of the array file that the solution file ``target`` refers to, or None if no name can be read."""
    with suppress(OSError, ValueError, LookupError, TypeError, RecursionError):
        name = json.loads(read_bytes(target, most=_MOST_JSON))["strategies"]["npz"]
        return name if isinstance(name, str) else None
    return None


# -- files of arrays that no solution file names -----------------------------------------------------

_SEARCHED_SECONDS = 0.5  # time limit for searching the files of a folder for the name of a file of arrays
_PIECE = 1 << 20
_COMPRESSED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")  # gzip, bzip2, xz, zstd


def _delete_unnamed(arrays: Path) -> None:
    """Delete the file ``arrays`` if no file in the folder contains the file name of ``arrays``.

    If the function cannot search all files, it does not delete ``arrays``. A process that writes arrays keeps the
    folder locked until the solution file that names the file of arrays is also written.
    """
    with folder_held(arrays.parent, alone=True) as held, suppress(OSError):
        if held and not _perhaps_named(arrays):
            arrays.unlink(missing_ok=True)


def _perhaps_named(arrays: Path) -> bool:
    """Return True if another file in the folder of ``arrays`` contains the name of the file ``arrays``.

    The result is also True if the answer is uncertain, for example if a file cannot be read within the time limit. The
    function searches files with any ending. Folders, pipes and other files of arrays are skipped. The function searches
    for the name as JSON writes it. If JSON may write the name in multiple ways, the function searches only for the end
    of the name, which contains the hash.
    """
    name = arrays.name
    sought = (name if re.fullmatch(r"[\w.+-]+", name, re.ASCII) else name[-len(".0123456789abcdef.npz") :]).encode()
    until = time.monotonic() + _SEARCHED_SECONDS
    with os.scandir(arrays.parent) as entries:
        for entry in entries:
            try:
                regular = stat.S_ISREG(entry.stat().st_mode)
                if regular and entry.name != name and _holds(entry.path, sought, until):
                    return True
            except FileNotFoundError:
                if not entry.is_symlink():  # another process may have renamed the file
                    return True
            except OSError:
                return True
    return False


def _holds(path: str, sought: bytes, until: float) -> bool:
    """Check whether a file contains the bytes ``sought``. Return True also if the file is compressed or time is up."""
    with open(path, "rb") as stream:
        piece = stream.read(_PIECE)
        if piece.startswith(b"PK") and _NAME.fullmatch(os.path.basename(path)):
            return False
        there = piece.startswith(_COMPRESSED) or sought in piece
        while piece and not there:
            if time.monotonic() > until:
                return True
            end, piece = piece[-len(sought) :], stream.read(_PIECE)
            there = sought in end + piece
    return there


def require_arrays(strategy: OrderedStrategy, path: str) -> None:
    """Raise ``CertificateError`` if a field of a strategy has a wrong type or contains an element of a wrong type."""
    for name in ("player", "denominator"):
        INTEGER.plain(getattr(strategy, name), f"{path}.{name}")
    for name, dimensions in (("class_of", 1), ("weight", 3)):
        for number, array in enumerate(expect(getattr(strategy, name), list | tuple, "a tuple", f"{path}.{name}")):
            where = f"{path}.{name}[{number}]"
            fits = type(array) is np.ndarray and array.ndim == dimensions  # subclasses may mask elements
            if name == "class_of" and not (fits and array.dtype.kind == "i"):
                refuse(where, "an array of integers with one dimension", array)
            if not fits:
                refuse(where, "an array with three dimensions", array)
            exact = array.dtype == np.int64 or (array.dtype == object and all(type(w) is int for w in array.flat))
            if name == "weight" and not exact:
                refuse(where, "an array of int64 or of Python integers", array)


def rows_of_classes(game: object, strategies: OrderedPair) -> list[dict[str, Any]] | None:
    """Return table rows with the action probabilities of each class of hands, or None if the game is not ordered.

    In a flop, turn or river of Hold'em, each hand has its own rows.
    """
    from tremble.poker.class_rows import class_rows
    from tremble.poker.holdem.tables import strategy_rows

    rules = getattr(game, "rules", None)
    if isinstance(rules, HoldemGame):
        return [row for strategy in strategies for row in strategy_rows(rules, strategy)]
    if not isinstance(rules, OrderedGame):
        return None
    return [row for strategy in strategies for row in class_rows(rules, strategy)]


def table_of_hands(game: object, strategies: OrderedPair, line: str) -> tuple[int, list[dict[str, Any]]]:
    """Return the player who moves after a line, and the rows of :meth:`tremble.Solution.hands`."""
    from tremble.poker.holdem.values import hand_rows

    rules = getattr(game, "rules", None)
    if not isinstance(rules, HoldemGame):
        raise GameError("tables of hands exist only for flops, turns and rivers of Texas Hold'em")
    return hand_rows(rules, strategies, line)
