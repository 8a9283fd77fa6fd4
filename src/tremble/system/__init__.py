"""What the operating system gives and takes: memory, signals, files that are written whole."""
