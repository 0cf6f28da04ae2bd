"""Running scenarios."""

from __future__ import annotations

import math
from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, display
from .labels import Labels, labels_of
from .picture import Picture, check_size
from .pickling import restore_simulation
from .progress import Progress
from .types import State

Vehicle = str | int
"""A vehicle by its name or its index, from 0."""


class Ground:
    """The present ground of a simulation.

    Points outside the terrain raise `InputError` with the bounds; unbounded terrain has none.
    """

    def __init__(self, simulation: _core.Simulation) -> None:
        self._simulation = simulation

    def _at(self, x: ArrayLike, y: ArrayLike, ruts: bool) -> NDArray[np.float64]:
        both = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
        east, north = (each.tobytes() for each in both)
        return self._simulation.ground_at(east, north, ruts).reshape(both[0].shape)

    def height(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """Returns heights at points, m, including all published deformation. x and y, m, are broadcast."""
        return self._at(x, y, False)

    def rut(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """Returns depths of ruts at points, m, negative for heaped soil. x and y, m, are broadcast."""
        return self._at(x, y, True)

    def height_map(
        self, origin: tuple[float, float], spacing: float, shape: tuple[int, int]
    ) -> NDArray[np.float64]:
        """Returns heights over a grid, m, as `[row, column]` with rows along x.

        Args:
            origin: x and y of the first point, m.
            spacing: Distance between points, m.
            shape: Numbers of rows and columns, at most 2^24 points.
        """
        return self._simulation.ground_over(origin, spacing, shape, False)

    def rut_map(
        self, origin: tuple[float, float], spacing: float, shape: tuple[int, int]
    ) -> NDArray[np.float64]:
        """Returns depths of ruts over a grid, m, with the arguments of `height_map`."""
        return self._simulation.ground_over(origin, spacing, shape, True)

    def to_geotiff(self, path: str | PathLike[str]) -> tuple[int, int, float] | None:
        """Writes the published ruts as a GeoTIFF of 32-bit depths in m, georeferenced as the DEM if there is one.

        Returns columns, rows and cell size, m. The cell size is the node spacing, or a multiple of it for
        more than 2^28 cells. Without ruts it writes no file and returns None.
        """
        return self._simulation.write_ruts(path)


class Simulation(_core.Simulation):
    """The simulated world of a scenario. It advances by whole heartbeats.

    `Simulation(scenario, threads=None)` builds the world and places its vehicles in static equilibrium.
    `scenario` is a `Scenario`, a dict of one, or the path of its file. Each simulation has its own threads, by default one per core. The same scenario and commands give
    the same bits on any number of threads.
    """

    @property
    def ground(self) -> Ground:
        """The present ground."""
        return Ground(self)

    @property
    def labels(self) -> Labels:
        """Names of classes, soils and instances by number, as in images and scans."""
        return labels_of(self)

    def run(
        self,
        duration: float | None = None,
        *,
        until: float | None = None,
        sample_every: float | None = None,
        progress: bool | Callable[[float, float], object] = False,
    ) -> dict[str, State]:
        """Runs for a duration or to a time, by default to the scenario's end. Ctrl-C stops between heartbeats.

        It ends earlier if the last drive ends.

        Args:
            duration: Simulated time to run, s, above 0.
            until: Time at which to stop, s, after the present one, instead of `duration`.
            sample_every: Time between samples, s, a multiple of the heartbeat; by default 0.1 s, rounded
                up to whole heartbeats.
            progress: True shows a progress line; a function is called with the simulated time and the
                end, s.

        Returns the history of each vehicle by name: one array per quantity, with time as first axis.
        Raises `InputError` if a time is invalid or there is nothing to run, `EndedError` if no vehicle is
        driving any more.
        """
        told = Progress() if progress is True else progress or None
        try:
            return self.run_to(duration, until, sample_every, told)
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
        """Renders a picture of the present world.

        Args:
            camera: `chase`, `front`, `side`, `driver`, `top` or `bird`.
            vehicle: Name or index of the vehicle in view.
            place: Position of the camera in the world, m, instead of `camera`.
            target: Point in the world that the camera looks at, m.
            size: Columns and rows.
            fov_deg: Horizontal field of view, degrees.
            supersample: Rays per pixel along each axis, 1 to 16.

        Raises `InputError` if an argument is invalid.
        """
        field = math.radians(fov_deg)
        found = self.picture(camera, vehicle, place, target, check_size(size), field, supersample)
        return Picture(*found)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles scenario, state and number of threads, but not the events and readings of the last call."""
        parts = (type(self), self.scenario, self.threads, self.snapshot())
        return restore_simulation, parts, vars(self) or None

    def _repr_html_(self) -> str:
        return display.simulation(self)
