"""One check per concept: what a certificate has to state, and why that proves the concept."""
