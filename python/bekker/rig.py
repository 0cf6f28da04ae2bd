"""The classic soil tests: a plate pressed, a plate sheared, a wheel rolled.

Lengths in m, loads in N, pressures in Pa. `changes` are parameters in place of the soil's own,
with the keys of a scenario's `[[soil.custom]]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .errors import InputError

Curve = dict[str, NDArray[np.float64]]

_RADIUS, _WIDTH = 0.467, 0.254
"""Of a cylinder unless told, m."""


def _curve(points: list[dict[str, float]]) -> Curve:
    names = points[0] if points else {}
    return {name: np.array([point[name] for point in points]) for name in names}


def _curves(found: dict[str, Any]) -> dict[str, Any]:
    return {name: _curve(part) if isinstance(part, list) else part for name, part in found.items()}


def _refuse(key: str, value: object, allowed: str) -> NoReturn:
    raise InputError(f"{key} = {value!r}: must be {allowed}", key, str(value), allowed)


def plate(
    soil: str,
    *,
    size: tuple[float, float] = (0.6, 0.2),
    radius: float | None = None,
    pressure: float = 1e5,
    spacing: float = 0.005,
    laws: str = "refined",
    changes: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """Presses a plate, lets it go and presses again.

    `loading`, `unloading` and `reloading` are curves of `sinkage` and `pressure`.
    """
    own = dict(changes or {})
    return _curves(_core.press_plate(soil, own, laws, size, radius, pressure, spacing))


def shear(
    soil: str,
    *,
    size: tuple[float, float] = (0.6, 0.2),
    radius: float | None = None,
    pressure: float = 1e5,
    displacement: float | None = None,
    spacing: float = 0.01,
    laws: str = "refined",
    changes: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """Shears a plate under a pressure: a `curve` of `displacement` and `stress`.

    As in `bekker rig shear` the plate is held at its height while it slides, without the laws by
    which it would sink further (slip sinkage, bearing under an inclined load), and slides 0.1 m
    unless told, or eight times the soil's shear modulus if that is more.
    """
    own = dict(changes or {})
    sheared = _core.shear_plate(soil, own, laws, size, radius, pressure, spacing, displacement)
    return _curves(sheared)


def wheel(
    soil: str,
    *,
    slip: ArrayLike = 0.2,
    vehicle: str | None = None,
    radius: float | None = None,
    width: float | None = None,
    tyre: str | None = None,
    load: float = 6312.0,
    speed: float = 1.0,
    spacing: float = 0.02,
    step: float = 1e-3,
    duration: float = 4.0,
    laws: str = "refined",
    changes: Mapping[str, float] | None = None,
) -> Curve:
    """Rolls a wheel, a rigid cylinder or that of a `vehicle`, at each slip.

    A cylinder has a `radius` of 0.467 m and a `width` of 0.254 m unless told. The `tyre` of a
    vehicle is `flexible`, where its file says how, or `rigid`; unless told the first that it has.

    Arrays over slip: `drawbar`, `torque`, `sinkage` and more.
    """
    if tyre not in (None, "flexible", "rigid"):
        _refuse("tyre", tyre, "flexible or rigid")
    if vehicle is None and tyre is not None:
        _refuse("tyre", tyre, "omitted without a vehicle, because a cylinder is rigid")
    for key, given in (("radius", radius), ("width", width)):
        if vehicle is not None and given is not None:
            _refuse(key, given, "omitted with a vehicle, which has its own wheel")
    cylinder = (_RADIUS if radius is None else radius, _WIDTH if width is None else width)
    slips = np.atleast_1d(np.asarray(slip, float))
    own = dict(changes or {})
    found = [
        _core.roll_wheel(
            soil, own, laws, vehicle, cylinder, tyre, load, each, speed, spacing, step, duration
        )
        for each in slips.tolist()
    ]
    figures = [{k: v for k, v in one.items() if isinstance(v, (int, float))} for one in found]
    return {"slip": slips, **_curve(figures)}
