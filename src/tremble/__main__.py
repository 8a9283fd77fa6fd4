"""``python -m tremble`` is the command ``tremble``."""

from tremble.cli import main

if __name__ == "__main__":
    main()
