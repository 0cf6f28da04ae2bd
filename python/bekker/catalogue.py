"""Soils and vehicles that bekker brings along."""

from __future__ import annotations

from typing import Any

from . import _core


class Soil:
    """A soil of the catalogue, by any of its names, with the source of its parameters."""

    def __init__(self, name: str) -> None:
        entry = _core.soil(name)
        self.id: str = entry["id"]
        self.name: str = entry["name"]
        self.family: str = entry["family"]
        self.parameters: dict[str, Any] = entry["parameters"]
        """SI units and radians."""
        self.trust: str = entry["trust"]
        self.source: str = entry["source"]
        self.notes: str = entry["notes"]

    def __repr__(self) -> str:
        return f"<bekker.Soil {self.id}: {self.name}>"


class Vehicle:
    """A vehicle of the catalogue, or of a file (`.toml`)."""

    def __init__(self, model: str) -> None:
        self.spec, self.mass = _core.vehicle(model)
        """All that its file says, and its mass, kg."""
        self.model = model

    def __repr__(self) -> str:
        return f"<bekker.Vehicle {self.model}: {self.mass:.1f} kg>"


def soils() -> list[str]:
    """Names of the soils of the catalogue."""
    return _core.soils()


def vehicles() -> list[str]:
    """Names of the vehicles of the catalogue."""
    return _core.vehicles()
