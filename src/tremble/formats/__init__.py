"""Readers and writers for game files, and readers for strategies from any source.

The module of each format has the functions ``read_X``, ``write_X`` and ``format_X``:

==================  ============================================================================
:mod:`~.efg`        Gambit's extensive form
:mod:`~.nfg`        Gambit's strategic form (one-shot games)
:mod:`~.game_json`  tremble's own JSON format for trees, which is lossless
==================  ============================================================================

The module :mod:`~.profile` reads strategies from files and from the lines that Gambit prints.

The module :mod:`~.gambit_text` reads and writes the parts that both formats of Gambit share. The module
:mod:`~.chance_repair` repairs probabilities that do not sum to one because they were rounded.

The module :mod:`~.formats` has a table of the formats, and ``docs/extend.md`` explains how to add a format. A reader
gets the text from :func:`tremble.run.source_text.read_source` and creates errors with ``SourceText.error``, which adds
the line and the column. A reader returns the result of :func:`tremble.formats.origin.with_origin`, so that errors
about the whole game include a position in the file.
"""
