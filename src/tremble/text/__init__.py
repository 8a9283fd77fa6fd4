"""Results as text: tables for the terminal, JSON and CSV."""
