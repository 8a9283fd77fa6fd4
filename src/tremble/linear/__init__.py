"""Linear programs and exact linear algebra; nothing here knows what a game is."""
