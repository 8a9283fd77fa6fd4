"""The method ``branch-and-bound``: maxmin strategies of a player without perfect recall."""
