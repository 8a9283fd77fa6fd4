"""Games and strategies of others: Gambit's, OpenSpiel's, JSON.

The readers and writers of ``.efg`` and ``.nfg`` files stand at the top: :func:`tremble.read_efg`.

One module per format; each has ``read_X``, ``write_X`` and ``format_X``:

==================  ============================================================================
:mod:`~.efg`        Gambit's extensive form
:mod:`~.nfg`        Gambit's strategic form (one-shot games)
:mod:`~.game_json`  our own JSON form of a tree, lossless
==================  ============================================================================

Strategies from anywhere, Gambit's lines among them, are read by :mod:`~.profile`.

They stand on modules without a format of their own: :mod:`tremble.base.text_file` (a text with positions for
errors; files written whole or not at all), :mod:`~.gambit_text` (the tokens, numbers and labels that both
Gambit formats share) and :mod:`~.chance_repair` (probabilities that miss one by rounding).

The rows of :mod:`~.formats` say which there are; ``docs/extend.md`` how to add one. A reader gets the text from
:func:`tremble.base.text_file.read_source`, makes errors by ``SourceText.error`` and gives the tree a
:class:`tremble.model.tree.Origin`, so that errors about the whole game name the place in the file.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)  # the names stand in __init__.pyi
