"""The command `bekker`."""

import os
import signal
import sys
from pathlib import Path

from ._core import main as _main


def main() -> None:
    """Runs the command line and exits with its status, as the program built by cargo does."""
    # the library handles SIGINT; Python would handle it only after the call returns
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # wheels contain the library of FMUs
    library = Path(__file__).with_name("lib") / "libbekker_fmi.so"
    if library.is_file():
        os.environ.setdefault("BEKKER_FMI_LIBRARY", str(library))
    sys.exit(_main(["bekker", *sys.argv[1:]], sys.executable))


if __name__ == "__main__":
    main()
