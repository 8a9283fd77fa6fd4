"""Maxmin strategies of players that forget, by branch and bound."""
