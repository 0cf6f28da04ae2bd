"""The command `bekker`."""

import signal
import sys

from ._core import main as _main


def main() -> None:
    """Does what the command line says, as the program built by cargo does."""
    # the library hears signals by itself; Python would keep them until it returns
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_main(["bekker", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
