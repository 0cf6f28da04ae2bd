"""A scenario as it is driven."""

from __future__ import annotations

import math
from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .picture import Picture, check_size
from .progress import Progress

State = dict[str, NDArray[Any]]
"""Figures of a vehicle, an array each."""

Vehicle = str | int
"""A vehicle by its name or its number, from 0."""


class Ground:
    """The ground of a simulation, as it is now.

    Points off the terrain are an `InputError` that names its bounds; an unbounded one goes on for ever.
    """

    def __init__(self, simulation: _core.Simulation) -> None:
        self._simulation = simulation

    def _at(self, x: ArrayLike, y: ArrayLike, ruts: bool) -> NDArray[np.float64]:
        both = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
        east, north = (each.tobytes() for each in both)
        return self._simulation.ground_at(east, north, ruts).reshape(both[0].shape)

    def height(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """Heights at points after all published deformation, m; x and y broadcast."""
        return self._at(x, y, False)

    def rut(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """Depths of ruts at points, m; negative where soil is heaped."""
        return self._at(x, y, True)

    def height_map(
        self, origin: tuple[float, float], spacing: float, shape: tuple[int, int]
    ) -> NDArray[np.float64]:
        """Heights over a grid from `origin` on, rows along x: `[row, column]`, m."""
        return self._simulation.ground_over(origin, spacing, shape, False)

    def rut_map(
        self, origin: tuple[float, float], spacing: float, shape: tuple[int, int]
    ) -> NDArray[np.float64]:
        """Depths of ruts over the same grid, m."""
        return self._simulation.ground_over(origin, spacing, shape, True)

    def to_geotiff(self, path: str | PathLike[str]) -> tuple[int, int, float] | None:
        """Writes the published ruts as a GeoTIFF, 32-bit depths in m, on the DEM's map if there is one.

        Returns columns, rows and the side of a cell, m, which is a multiple of the nodes' distance
        where there are more than 2^28 cells; None, and no file, where there is no rut yet.
        """
        return self._simulation.write_ruts(path)


class Simulation(_core.Simulation):
    """A world of a scenario, from heartbeat to heartbeat.

    `Simulation(scenario, threads=None)` builds it and settles its vehicles. It has threads of
    its own, as many as there are cores unless told. The same scenario and commands give the
    same bits on any number of them.
    """

    @property
    def ground(self) -> Ground:
        """The ground as it is now."""
        return Ground(self)

    def run(
        self,
        until: float | None = None,
        *,
        sample_every: float | None = None,
        progress: bool | Callable[[float, float], object] = False,
    ) -> dict[str, State]:
        """Runs to a moment from now on, s; to the scenario's end without. Ctrl-C stops between heartbeats.

        Returns the vehicles over time, by name: of each figure an array whose first axis is
        time, sampled every `sample_every` seconds, a whole number of heartbeats; without it each
        tenth of a second, or as soon after as a heartbeat ends. `progress` shows a line, or is
        called with the simulated time and the end.
        """
        told = Progress() if progress is True else progress or None
        try:
            return self.run_to(until, sample_every, told)
        finally:
            if isinstance(told, Progress):
                told.close()

    def render(
        self,
        camera: str = "chase",
        *,
        vehicle: Vehicle = 0,
        place: tuple[float, float, float] | None = None,
        target: tuple[float, float, float] | None = None,
        size: tuple[int, int] = (960, 540),
        fov_deg: float = 55.0,
        supersample: int = 2,
    ) -> Picture:
        """A picture of the world now.

        `camera` is `chase`, `front`, `side`, `driver`, `top` or `bird`; a `place` of the
        camera, m, and what it looks at, `target`, take its place.
        """
        field = math.radians(fov_deg)
        found = self.picture(camera, vehicle, place, target, check_size(size), field, supersample)
        return Picture(*found)
