"""Runs the command `bekker` as `python -m bekker`."""

from .cli import main

if __name__ == "__main__":
    main()
