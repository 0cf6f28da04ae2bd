"""The command `bekker`."""

import signal
import sys

from ._core import main as _main


def main() -> None:
    """Runs the command line and exits with its status, as the program built by cargo does."""
    # the library handles SIGINT; Python would handle it only after the call returns
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_main(["bekker", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
