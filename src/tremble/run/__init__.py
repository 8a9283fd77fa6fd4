"""What knows no games: exact numbers, the clock, memory, signals, files that are read and written whole."""
