"""Cells: sets of behavior strategies of a player without perfect recall, with proven upper bounds on their payoffs."""
