"""Built-in ordered games."""
