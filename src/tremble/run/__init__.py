"""Time limits, memory, signals, processes and files. This package contains no code about games."""
