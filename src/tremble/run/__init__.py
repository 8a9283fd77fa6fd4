"""The process and its surroundings, without any knowledge of games: time, memory, signals, processes and files."""
