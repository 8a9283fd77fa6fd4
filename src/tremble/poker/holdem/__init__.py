"""Texas Hold'em from the turn or the river on, solved with one vector of hands for each line of moves."""
