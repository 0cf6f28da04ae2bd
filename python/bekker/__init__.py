"""Off-road vehicles on deformable terrain, bit-for-bit repeatable.

>>> import bekker
>>> simulation = bekker.Simulation("examples/single_vehicle.toml")
>>> history = simulation.run(5)
>>> simulation.render()

All values are in SI units and radians. Vehicle axes follow ISO 8855 (x forward, y left, z up);
the world frame is east-north-up. Invalid input raises `ScenarioError` or `InputError`, with
`key`, `value` and `allowed`.
"""

import sys

from . import labels, registration, rig, types
from ._core import Scenario, __version__, schema
from .catalog import Soil, Vehicle, soils, vehicles
from .errors import BekkerError, EndedError, Fault, InputError, RunError, ScenarioError, SnapshotError
from .picture import Picture
from .simulation import Ground, Simulation

__all__ = [
    "BekkerError",
    "EndedError",
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
    "labels",
    "rig",
    "schema",
    "soils",
    "types",
    "vehicles",
]

# so that `gymnasium.make("bekker:bekker/SoftGoal-v0")` finds the ids; Gymnasium itself is not imported here
if "gymnasium.envs.registration" in sys.modules:
    registration.register()
