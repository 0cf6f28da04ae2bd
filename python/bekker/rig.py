"""Soil tests: pressing a plate, shearing a plate, rolling a wheel.

Lengths are in m, loads in N, pressures in Pa. `soil` is a deformable soil of the catalog. `changes`
replaces parameters of the soil, with the keys of a scenario's `[[soil.custom]]`. `laws` is
`refined` or `reference`. Arguments out of range raise `InputError`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .catalog import Model, SoilName, name_of
from .errors import InputError

Curve = dict[str, NDArray[np.float64]]

_RADIUS, _WIDTH = 0.467, 0.254
"""Defaults of a cylinder, m."""


def _curve(points: list[dict[str, float]]) -> Curve:
    names = points[0] if points else {}
    return {name: np.array([point[name] for point in points]) for name in names}


def _curves(found: dict[str, Any]) -> dict[str, Any]:
    return {name: _curve(part) if isinstance(part, list) else part for name, part in found.items()}


def _refuse(key: str, value: object, allowed: str) -> NoReturn:
    raise InputError(f"{key} = {value!r}: must be {allowed}", key, str(value), allowed)


def plate(
    soil: SoilName,
    *,
    size: tuple[float, float] = (0.6, 0.2),
    radius: float | None = None,
    pressure: float = 1e5,
    spacing: float = 0.005,
    laws: str = "refined",
    changes: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """Loads a plate, unloads it and loads it again.

    Args:
        soil: The soil, or its name.
        size: Length and width of the plate, m.
        radius: Radius of a circular plate, m, instead of `size`.
        pressure: Greatest pressure, Pa.
        spacing: Distance between soil nodes, m.
        laws: Soil laws, `refined` or `reference`.
        changes: Soil parameters to replace.

    Returns curves `loading`, `unloading` and `reloading`, each with arrays `sinkage`, m, and `pressure`,
    Pa. Further values are `sinkage` at the greatest pressure, `residual` after unloading and `reloaded`,
    m, and the work of loading, `work`, and of unloading, `returned`, J.
    """
    own = dict(changes or {})
    return _curves(_core.press_plate(name_of(soil), own, laws, size, radius, pressure, spacing))


def shear(
    soil: SoilName,
    *,
    size: tuple[float, float] = (0.6, 0.2),
    radius: float | None = None,
    pressure: float = 1e5,
    displacement: float | None = None,
    spacing: float = 0.01,
    laws: str = "refined",
    changes: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """Shears a plate under a pressure.

    As in `bekker rig shear`, the height of the plate is constant while it slides. The laws by which it
    would sink further (slip sinkage, bearing under an inclined load) are off.

    Args:
        soil: The soil, or its name.
        size: Length and width of the plate, m.
        radius: Radius of a circular plate, m, instead of `size`.
        pressure: Pressure, Pa.
        displacement: Sliding distance, m; by default 0.1 m, or eight times the soil's shear modulus if
            that is more.
        spacing: Distance between soil nodes, m.
        laws: Soil laws, `refined` or `reference`.
        changes: Soil parameters to replace.

    Returns a `curve` with arrays `displacement`, m, and `stress`, Pa; the mean normal `pressure` and
    the greatest shear stress, `strength`, Pa.
    """
    own = dict(changes or {})
    sheared = _core.shear_plate(name_of(soil), own, laws, size, radius, pressure, spacing, displacement)
    return _curves(sheared)


def wheel(
    soil: SoilName,
    *,
    slip: ArrayLike = 0.2,
    vehicle: Model | None = None,
    radius: float | None = None,
    width: float | None = None,
    tire: str | None = None,
    load: float = 6312.0,
    speed: float = 1.0,
    spacing: float = 0.02,
    step: float = 1e-3,
    duration: float = 4.0,
    laws: str = "refined",
    changes: Mapping[str, float] | None = None,
) -> Curve:
    """Rolls a wheel at each slip: a rigid cylinder, or the wheel of a vehicle.

    Args:
        soil: The soil, or its name.
        slip: One slip or an array of them.
        vehicle: Wheeled vehicle, or its name, whose wheel to roll, instead of a cylinder.
        radius: Radius of the cylinder, m; by default 0.467.
        width: Width of the cylinder, m; by default 0.254.
        tire: `flexible` or `rigid` tire of the vehicle; by default flexible if its file describes one.
        load: Load, N.
        speed: Forward speed, m/s.
        spacing: Distance between soil nodes, m.
        step: Time step, s.
        duration: Duration, s.
        laws: Soil laws, `refined` or `reference`.
        changes: Soil parameters to replace.

    Returns an array over slip per quantity: `slip`, `drawbar` and `vertical`, N, `torque`, N m,
    `sinkage`, m, and more.
    """
    if tire not in (None, "flexible", "rigid"):
        _refuse("tire", tire, "flexible or rigid")
    if vehicle is None and tire is not None:
        _refuse("tire", tire, "omitted without a vehicle, because a cylinder is rigid")
    for key, given in (("radius", radius), ("width", width)):
        if vehicle is not None and given is not None:
            _refuse(key, given, "omitted with a vehicle, which has its own wheel")
    cylinder = (_RADIUS if radius is None else radius, _WIDTH if width is None else width)
    slips = np.atleast_1d(np.asarray(slip, float))
    own = dict(changes or {})
    found = [
        _core.roll_wheel(
            name_of(soil), own, laws, name_of(vehicle), cylinder, tire, load, each, speed, spacing, step, duration
        )
        for each in slips.tolist()
    ]
    figures = [{k: v for k, v in one.items() if isinstance(v, (int, float))} for one in found]
    return {"slip": slips, **_curve(figures)}
