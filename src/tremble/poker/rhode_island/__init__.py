"""Rhode Island Hold'em, solved with one vector of hands and histories for each action."""
