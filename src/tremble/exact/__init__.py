"""Linear programs and exact linear algebra, without any knowledge of games.

Every function that may run long takes an argument ``check``. It calls ``check()`` between slices of its work.
``check`` may raise an exception to stop the work.
"""
