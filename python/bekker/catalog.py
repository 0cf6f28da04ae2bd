"""Soils and vehicles of the catalogs of bekker."""

from __future__ import annotations

from typing import Any

from . import _core


class Soil:
    """A soil of the catalog, with the source of its parameters.

    Args:
        name: Id or alias of the soil.

    Raises `InputError` if the catalog has no such soil.
    """

    def __init__(self, name: str) -> None:
        entry = _core.soil(name)
        self.id: str = entry["id"]
        self.name: str = entry["name"]
        self.family: str = entry["family"]
        self.parameters: dict[str, Any] = entry["parameters"]
        """Parameters by name, in SI units and radians."""
        self.trust: str = entry["trust"]
        self.source: str = entry["source"]
        self.notes: str = entry["notes"]

    def __repr__(self) -> str:
        return f"<bekker.Soil {self.id}: {self.name}>"


class Vehicle:
    """A vehicle of the catalog or of a file.

    Args:
        model: Name in the catalog, or path of a `.toml` file.

    Raises `ScenarioError` if there is no such vehicle or its file is invalid.
    """

    def __init__(self, model: str) -> None:
        self.spec, self.mass = _core.vehicle(model)
        """Content of the vehicle's file, including all defaults, and its mass, kg."""
        self.model = model

    def __repr__(self) -> str:
        return f"<bekker.Vehicle {self.model}: {self.mass:.1f} kg>"


def soils() -> list[str]:
    """Returns the ids of the soils in the catalog."""
    return _core.soils()


def vehicles() -> list[str]:
    """Returns the names of the vehicles in the catalog."""
    return _core.vehicles()
