"""Readers and writers of game files, and of strategies from anywhere.

There is one module for each format, with ``read_X``, ``write_X`` and ``format_X``:

==================  ============================================================================
:mod:`~.efg`        Gambit's extensive form
:mod:`~.nfg`        Gambit's strategic form (one-shot games)
:mod:`~.game_json`  our own JSON form of a tree, lossless
==================  ============================================================================

:mod:`~.profile` reads strategies from anywhere, Gambit's lines among them.

These modules rest on others without a format of their own: :mod:`tremble.run.text_file` (a text with positions for
errors), :mod:`~.gambit_text` (tokens, numbers and labels that both formats of Gambit share) and :mod:`~.chance_repair`
(probabilities that miss a sum of one by rounding).

:mod:`~.formats` lists the formats in rows; ``docs/extend.md`` tells how to add one. A reader gets the text from
:func:`tremble.run.text_file.read_source`, makes errors by ``SourceText.error`` and gives the tree a
:class:`tremble.game.tree.Origin`, so that errors about the whole game name the place in the file.
"""
