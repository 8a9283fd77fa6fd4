"""Methods: one door (:mod:`.door`), one table (:mod:`.table`), one room for each family."""
