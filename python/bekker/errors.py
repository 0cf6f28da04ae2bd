"""What goes wrong, with key, value and what is allowed."""

from __future__ import annotations

from typing import NamedTuple


class BekkerError(Exception):
    """Any error of bekker's own."""


class Fault(NamedTuple):
    """One thing that is wrong with a scenario."""

    place: str
    """File and line."""
    key: str
    """Full path of the key; empty for the file as a whole."""
    value: str | None
    """The offending value as text, if there is one."""
    allowed: str | None
    """What it may be, where that is more than `message` says."""
    message: str
    """All of it in words."""


class ScenarioError(BekkerError, ValueError):
    """Everything that is wrong with a scenario; `key`, `value` and `allowed` are of the first."""

    def __init__(self, message: str, faults: list[tuple[str, str, str | None, str | None, str]]) -> None:
        super().__init__(message, faults)
        self.faults = [Fault(*fault) for fault in faults]
        self.key = self.faults[0].key if faults else ""
        self.value = self.faults[0].value if faults else None
        self.allowed = self.faults[0].allowed if faults else None

    def __str__(self) -> str:
        return str(self.args[0])


class InputError(BekkerError, ValueError):
    """An argument that cannot be."""

    def __init__(self, message: str, key: str = "", value: str = "", allowed: str = "") -> None:
        super().__init__(message, key, value, allowed)
        self.key = key
        self.value = value
        self.allowed = allowed

    def __str__(self) -> str:
        return str(self.args[0])


class SnapshotError(BekkerError, ValueError):
    """A snapshot of another scenario, or a damaged one."""


class RunError(BekkerError, RuntimeError):
    """What was computed came to nothing."""
