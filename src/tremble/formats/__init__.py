"""Readers and writers for game files, and readers for strategies from any source.

Each format has a module with ``read_X``, ``write_X`` and ``format_X``:

==================  ============================================================================
:mod:`~.efg`        Gambit's extensive form
:mod:`~.nfg`        Gambit's strategic form (one-shot games)
:mod:`~.game_json`  our own JSON form of a tree, lossless
==================  ============================================================================

:mod:`~.profile` reads strategies from any source, such as the lines that Gambit prints.

These modules use others: :mod:`tremble.run.text_file` (a text with positions for errors), :mod:`~.gambit_text` (tokens,
numbers and labels for both formats of Gambit) and :mod:`~.chance_repair` (probabilities whose sum misses one because
they were rounded).

:mod:`~.formats` has a table of the formats; ``docs/extend.md`` explains how to add one. A reader gets the text from
:func:`tremble.run.text_file.read_source` and makes errors by ``SourceText.error``. It returns the result of
:func:`tremble.game.requirements.with_origin`, so that errors about the whole game name the place in the file.
"""
