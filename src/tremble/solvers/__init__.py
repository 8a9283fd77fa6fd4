"""Solve games: :mod:`.door` has the public function, and :mod:`.table` lists the methods."""
