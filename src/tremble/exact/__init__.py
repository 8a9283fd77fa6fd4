"""Linear programs and exact linear algebra; nothing here knows what a game is.

``check``, which all long work takes, is called between slices of work, and may raise to stop it.
"""
