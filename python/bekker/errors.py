"""Exceptions, with the key, the value and the allowed values."""

from __future__ import annotations

from typing import Any, NamedTuple


class BekkerError(Exception):
    """Base class of the exceptions of bekker."""


class Fault(NamedTuple):
    """One fault of a scenario."""

    place: str
    """File and line."""
    key: str
    """Full path of the key; empty for the file as a whole."""
    value: str | None
    """The invalid value as text; None for a missing key."""
    allowed: str | None
    """Allowed values as text, if the fault has a list or a range of them."""
    message: str
    """Complete message."""


class ScenarioError(BekkerError, ValueError):
    """A scenario is invalid. `faults` lists all faults; `key`, `value` and `allowed` are those of the first."""

    def __init__(self, message: str, faults: list[tuple[str, str, str | None, str | None, str]]) -> None:
        super().__init__(message, faults)
        self.faults = [Fault(*fault) for fault in faults]
        self.key = self.faults[0].key if faults else ""
        self.value = self.faults[0].value if faults else None
        self.allowed = self.faults[0].allowed if faults else None

    def __str__(self) -> str:
        return str(self.args[0])


class InputError(BekkerError, ValueError):
    """An argument is invalid: `key` names it, `value` is its value as text, `allowed` the allowed values."""

    def __init__(self, message: str, key: str = "", value: str = "", allowed: str = "") -> None:
        super().__init__(message, key, value, allowed)
        self.key = key
        self.value = value
        self.allowed = allowed

    def __str__(self) -> str:
        return str(self.args[0])


class SnapshotError(BekkerError, ValueError):
    """A snapshot is damaged or belongs to another scenario."""


class RunError(BekkerError, RuntimeError):
    """A computation failed."""


class EndedError(RunError):
    """All drives of a simulation have ended. `outcomes` has the outcome of each vehicle by name."""

    def __init__(self, message: str, outcomes: dict[str, dict[str, Any]] | None = None) -> None:
        super().__init__(message, outcomes or {})
        self.outcomes = outcomes or {}

    def __str__(self) -> str:
        return str(self.args[0])
