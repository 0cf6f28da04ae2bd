"""`python -m bekker` is the command `bekker`."""

from .cli import main

if __name__ == "__main__":
    main()
