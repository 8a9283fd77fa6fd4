"""Linear programs and exact linear algebra.

This package contains no code about games. Every function that may run for a long time takes an argument ``check``. It
calls ``check()`` between slices of its work. ``check`` may raise an exception to stop the work.
"""
