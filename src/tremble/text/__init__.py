"""Format results as text: tables for the terminal, JSON and CSV. Also the common style of pictures and pages."""
