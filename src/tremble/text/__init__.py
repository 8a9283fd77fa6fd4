"""Results as text: for the terminal, as JSON, as CSV."""
