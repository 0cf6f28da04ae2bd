"""Soils and vehicles of the catalogs of bekker."""

from __future__ import annotations

import os
from typing import Any, Union

from . import _core, display

SoilName = Union[str, "Soil"]
"""Name of a soil, or the soil."""

Model = Union[str, "os.PathLike[str]", "Vehicle"]
"""Name of a vehicle in the catalog, the path of its file, or the vehicle."""


class Soil:
    """A soil of the catalog, with the source of its parameters. Accepted wherever the name of a soil is.

    Args:
        name: Id or alias of the soil.

    Raises `InputError` if the catalog has no such soil.
    """

    def __init__(self, name: str) -> None:
        entry = _core.soil(name)
        self.label = name
        """Name as given: an id or an alias."""
        self.id: str = entry["id"]
        self.name: str = entry["name"]
        self.family: str = entry["family"]
        self.parameters: dict[str, Any] = entry["parameters"]
        """Parameters by name, in SI units and radians."""
        self.trust: str = entry["trust"]
        self.source: str = entry["source"]
        self.notes: str = entry["notes"]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Soil) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((Soil, self.label))

    def __repr__(self) -> str:
        return f"<bekker.Soil {self.label}: {self.name}>"

    def _repr_html_(self) -> str:
        return display.soil(self)


class Vehicle:
    """A vehicle of the catalog or of a file. Accepted wherever the name of a model is.

    Args:
        model: Name in the catalog, or path of a `.toml` file.

    Raises `ScenarioError` if there is no such vehicle or its file is invalid.
    """

    def __init__(self, model: str | os.PathLike[str]) -> None:
        self.model = os.fspath(model)
        self.spec, self.mass = _core.vehicle(self.model)
        """Content of the vehicle's file, including all defaults, and its mass, kg."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vehicle) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((Vehicle, self.model))

    def __repr__(self) -> str:
        return f"<bekker.Vehicle {self.model}: {self.mass:.1f} kg>"

    def _repr_html_(self) -> str:
        return display.vehicle(self)


def plain(value: Any) -> Any:
    """Converts a value for JSON: a soil, vehicle or path to its name, an array or scalar of NumPy to numbers.

    Raises `TypeError` for any other value.
    """
    if isinstance(value, Soil):
        return value.label
    if isinstance(value, Vehicle):
        return value.model
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not a value")


def name_of(value: Any) -> Any:
    """Returns the name of a soil, vehicle or path, and any other value as it is."""
    return plain(value) if isinstance(value, (Soil, Vehicle, os.PathLike)) else value


def soils() -> list[str]:
    """Returns the ids of the soils in the catalog."""
    return _core.soils()


def vehicles() -> list[str]:
    """Returns the names of the vehicles in the catalog."""
    return _core.vehicles()
