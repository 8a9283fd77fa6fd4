"""What families of methods share: programs of the sequence form, exact Nash equilibria, claims of refinements."""
