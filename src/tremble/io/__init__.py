"""Reading and writing games as files.

One module per format; each has ``read_X``, ``write_X`` and ``format_X``:

==================  ============================================================================
:mod:`~.efg`        Gambit's extensive form
:mod:`~.nfg`        Gambit's strategic form (one-shot games)
:mod:`~.game_json`  our own JSON form of a tree, lossless
==================  ============================================================================

Strategies from anywhere, Gambit's lines among them, are read by :mod:`~.profile`.

They stand on modules without a format of their own: :mod:`tremble.text_file` (a text with positions for
errors; files written whole or not at all), :mod:`~.gambit_text` (the tokens, numbers and labels that both
Gambit formats share) and :mod:`~.chance_repair` (probabilities that miss one by rounding).

How to add a format: write one module here.

* ``read_X(source, *, max_nodes=..., name=None) -> GameTree`` takes a path or the text itself, gets it from
  :func:`tremble.text_file.read_source`, hands nodes in depth-first preorder to
  :class:`tremble.model.tree.TreeBuilder`, and lets nothing out but ``TrembleError``: ``FormatError`` (made by
  ``SourceText.error``, with line and column), ``PlayersError``, ``TooLargeError``. It gives the tree a
  :class:`tremble.model.tree.Origin`, so that errors about the whole game name the place in the file.
* ``format_X(tree) -> str`` gives the text, ``write_X(tree, path)`` passes it to
  :func:`tremble.text_file.write_text`.
* Name the file ending in ``tremble.io.loading`` and in ``tremble.cli.convert``, and add the pair to the
  round trips in ``tests/test_fuzz_formats.py``.
"""
