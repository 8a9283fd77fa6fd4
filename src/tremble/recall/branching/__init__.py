"""Parts of the behavior strategies of a player that forgets, and proofs of what no strategy of a part guarantees."""
