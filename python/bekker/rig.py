"""The classic soil tests: a plate pressed, a plate sheared, a wheel rolled.

Lengths in m, loads in N, pressures in Pa. `changes` are parameters in place of the soil's own,
with the keys of a scenario's `[[soil.custom]]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .errors import InputError

Curve = dict[str, NDArray[np.float64]]


def _curve(points: list[dict[str, float]]) -> Curve:
    names = points[0] if points else {}
    return {name: np.array([point[name] for point in points]) for name in names}


def _curves(found: dict[str, Any]) -> dict[str, Any]:
    return {name: _curve(part) if isinstance(part, list) else part for name, part in found.items()}


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
    displacement: float = 0.1,
    spacing: float = 0.01,
    laws: str = "refined",
    changes: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """Shears a plate under a pressure: a `curve` of `displacement` and `stress`."""
    own = dict(changes or {})
    sheared = _core.shear_plate(soil, own, laws, size, radius, pressure, spacing, displacement)
    return _curves(sheared)


def wheel(
    soil: str,
    *,
    slip: ArrayLike = 0.2,
    vehicle: str | None = None,
    radius: float = 0.467,
    width: float = 0.254,
    tyre: str = "flexible",
    load: float = 6312.0,
    speed: float = 1.0,
    spacing: float = 0.02,
    step: float = 1e-3,
    duration: float = 4.0,
    laws: str = "refined",
    changes: Mapping[str, float] | None = None,
) -> Curve:
    """Rolls a wheel, a cylinder or that of a `vehicle`, at each slip.

    Arrays over slip: `drawbar`, `torque`, `sinkage` and more.
    """
    if tyre not in ("flexible", "rigid"):
        allowed = "flexible or rigid"
        raise InputError(f"tyre = {tyre!r}: must be {allowed}", "tyre", tyre, allowed)
    slips = np.atleast_1d(np.asarray(slip, float))
    own = dict(changes or {})
    rigid = tyre == "rigid"
    found = [
        _core.roll_wheel(
            soil, own, laws, vehicle, (radius, width), rigid, load, each, speed, spacing, step, duration
        )
        for each in slips.tolist()
    ]
    figures = [{k: v for k, v in one.items() if isinstance(v, (int, float))} for one in found]
    return {"slip": slips, **_curve(figures)}
