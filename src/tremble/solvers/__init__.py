"""Methods: one door (:mod:`.solve`), one table (:mod:`.table`), one room for each family."""
