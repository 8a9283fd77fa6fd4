"""What families of methods share: programs of the sequence form, claims of refinements, regrets, the public tree."""
