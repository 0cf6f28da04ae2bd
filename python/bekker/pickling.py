"""Functions by which pickled objects are created again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _core

if TYPE_CHECKING:
    from .simulation import Simulation


def restore_scenario(place: str, content: str, folder: str, files: list[tuple[str, bytes]]) -> _core.Scenario:
    """Creates a scenario from its pickled parts."""
    return _core.restore_scenario(place, content, folder, files)


def restore_simulation(
    kind: type[Simulation], scenario: _core.Scenario, threads: int, snapshot: bytes
) -> Simulation:
    """Creates a simulation from its pickled parts."""
    simulation = kind(scenario, threads=threads)
    simulation.restore(snapshot)
    return simulation
