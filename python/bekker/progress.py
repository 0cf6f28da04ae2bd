"""Progress display for terminals and notebooks."""

from __future__ import annotations

import sys
import time
from typing import TextIO


class Progress:
    """Progress line: simulated time, end, and speed relative to real time.

    Args:
        stream: Output; by default standard error.
        every: Shortest wall time between two updates, s.
    """

    WIDTH = 30

    def __init__(self, stream: TextIO | None = None, every: float = 0.1) -> None:
        self._stream = stream or sys.stderr
        self._every = every
        self._began: tuple[float, float] | None = None
        self._told = 0.0

    def __call__(self, simulated: float, end: float) -> None:
        now = time.monotonic()
        if self._began is None:
            self._began = (now, simulated)
        done = simulated >= end
        if not done and now - self._told < self._every:
            return
        self._told = now
        wall = now - self._began[0]
        rate = (simulated - self._began[1]) / wall if wall > 0 else 0.0
        filled = round(self.WIDTH * min(simulated / end, 1.0)) if end > 0 else self.WIDTH
        bar = "#" * filled + "." * (self.WIDTH - filled)
        line = f"\r[{bar}] {simulated:.1f} of {end:.1f} s, {rate:.1f} x real time"
        self._stream.write(line)
        self._stream.flush()

    def close(self) -> None:
        """Ends the line."""
        if self._began is not None:
            self._stream.write("\n")
            self._stream.flush()
