"""Off-road vehicles on deformable terrain, bit-for-bit repeatable.

>>> import bekker
>>> simulation = bekker.Simulation(bekker.Scenario.load("examples/single_vehicle.toml"))
>>> history = simulation.run(5)
>>> simulation.render()

All values are in SI units and radians. Vehicle axes follow ISO 8855 (x forward, y left, z up);
the world frame is east-north-up. Invalid input raises `ScenarioError` or `InputError`, with
`key`, `value` and `allowed`.
"""

from . import rig
from ._core import Scenario, __version__, schema
from .catalog import Soil, Vehicle, soils, vehicles
from .errors import BekkerError, Fault, InputError, RunError, ScenarioError, SnapshotError
from .picture import Picture
from .simulation import Ground, Simulation

__all__ = [
    "BekkerError",
    "Fault",
    "Ground",
    "InputError",
    "Picture",
    "RunError",
    "Scenario",
    "ScenarioError",
    "Simulation",
    "SnapshotError",
    "Soil",
    "Vehicle",
    "__version__",
    "rig",
    "schema",
    "soils",
    "vehicles",
]
