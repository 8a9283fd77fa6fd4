"""The method ``branch-and-bound``, which computes maxmin strategies of a player without perfect recall."""
