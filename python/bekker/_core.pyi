"""Types of the compiled extension module. The modules of `bekker` are its public interface."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import disjoint_base

from .catalog import SoilName
from .types import Contacts, Reading, State

__all__ = [
    "Envs",
    "Scenario",
    "Simulation",
    "__version__",
    "classes",
    "endings",
    "main",
    "press_plate",
    "restore_scenario",
    "roll_wheel",
    "schema",
    "shear_plate",
    "soil",
    "soils",
    "tasks",
    "vehicle",
    "vehicles",
]

__version__: str

@final
class Scenario:
    """A scenario: vehicles with their drivers, terrain and soils, and the duration."""

    @staticmethod
    def load(path: str | PathLike[str]) -> Scenario:
        """Reads a scenario file. Relative paths in it start at its folder, also after a later `os.chdir`.

        Raises `InputError` if the file cannot be read, `ScenarioError` if its content is invalid.
        """

    @staticmethod
    def parse(text: str, folder: str | PathLike[str] | None = None) -> Scenario:
        """Reads a scenario from TOML text. Relative paths in it start at `folder`, by default the working directory.

        Raises `ScenarioError` if the content is invalid.
        """

    @staticmethod
    def from_dict(
        values: dict[str, Any],
        folder: str | PathLike[str] | None = None,
        *,
        heights: ArrayLike | None = None,
        spacing: float | None = None,
        origin: tuple[float, float] | None = None,
        soils: ArrayLike | None = None,
        soil_names: Sequence[SoilName] | None = None,
    ) -> Scenario:
        """Creates a scenario from dicts and lists with the keys of the scenario format.

        Args:
            values: Values; NumPy arrays and scalars, `Soil`, `Vehicle` and paths are values too.
            folder: Folder at which relative paths start; by default the working directory.
            heights: Heights of the terrain, m, as `[row, column]` with rows along x from the south.
            spacing: Distance between the points of `heights` and `soils`, m.
            origin: x and y of the point `[0, 0]`, m; by default the middle of each array is at (0, 0).
            soils: Numbers of soils, with the axes of `heights`.
            soil_names: The soils, or their names, by number. The first is `soil.default` where absent.

        Raises `InputError` for an invalid array or a value that TOML cannot represent, `ScenarioError` for
        an invalid scenario.
        """

    def set(self, key: str, value: Any) -> None:
        """Sets a value by its full key, such as `vehicle[0].driver.speed`.

        Raises `InputError` or `ScenarioError` if the value is invalid, and then changes nothing.
        """

    def validate(self) -> list[str]:
        """Builds everything that the scenario names, and returns the warnings.

        Raises `ScenarioError` if something is invalid.
        """

    def to_toml(self) -> str:
        """Returns the scenario as TOML text, including all defaults."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the scenario as dicts and lists, including all defaults."""

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the scenario as a file, with its arrays as GeoTIFFs beside it. Paths of other files become absolute.

        Raises `RunError` if a file cannot be written.
        """

    def copy(self) -> Scenario:
        """Returns an independent copy."""

    def __copy__(self) -> Scenario: ...
    def __deepcopy__(self, _memo: Any, /) -> Scenario: ...
    @property
    def name(self) -> str: ...
    def _repr_html_(self) -> str: ...

@disjoint_base
class Simulation:
    """The simulated world of a scenario. It advances by whole heartbeats."""

    def __new__(
        cls, scenario: Scenario | dict[str, Any] | str | PathLike[str], *, threads: int | None = None
    ) -> Simulation: ...
    @property
    def time(self) -> float:
        """Simulated time, s."""

    @property
    def running(self) -> bool:
        """Whether any vehicle is still driving."""

    @property
    def vehicles(self) -> list[str]:
        """Names of the vehicles."""

    @property
    def scenario(self) -> Scenario:
        """The scenario, as a copy."""

    @property
    def threads(self) -> int:
        """Number of threads."""

    @property
    def warnings(self) -> list[str]:
        """Warnings about the scenario, one sentence each."""

    def soil_names(self) -> list[str]:
        """Returns the names of the soils, by the numbers of the channel `soil` of cameras."""

    def step(self, heartbeats: int = 1) -> None:
        """Advances by a number of heartbeats, 1 or more, or fewer if the last drive ends before.

        Raises `EndedError` if no vehicle is driving any more.
        """

    def run_to(
        self,
        duration: float | None,
        until: float | None,
        sample_every: float | None,
        progress: Callable[[float, float], object] | None,
    ) -> dict[str, State]: ...
    def command(
        self,
        vehicle: str | int,
        *,
        throttle: float = 0.0,
        brake: float = 0.0,
        steering: float | None = None,
        steering_angle: float | None = None,
        gear: str = "drive",
        inflation_kpa: float | None = None,
        locks: Sequence[str] | None = None,
        uncouple: bool = False,
    ) -> None:
        """Replaces the commands of a vehicle's driver until the next `command` or `release`.

        Args:
            vehicle: Name or index of the vehicle.
            throttle: 0 to 1.
            brake: 0 to 1.
            steering: -1 (right) to 1 (left).
            steering_angle: Mean angle of the steered wheels, rad, instead of `steering`.
            gear: `drive`, `neutral` or `reverse`.
            inflation_kpa: Inflation that central tire inflation works towards, 0 to 5000 kPa.
            locks: Differentials to lock: `center`, `inter_axle`, `front_axles`, `rear_axles`.
            uncouple: Whether to uncouple the trailer.

        Raises `InputError` if a value is invalid, and then changes nothing.
        """

    def release(self, vehicle: str | int) -> None:
        """Returns control of a vehicle to the driver of its scenario."""

    def respawn(
        self,
        vehicle: str | int,
        position: tuple[float, float],
        *,
        heading: float = 0.0,
        speed: float = 0.0,
    ) -> str:
        """Moves a vehicle to another position and computes its static equilibrium there.

        Args:
            vehicle: Name or index of the vehicle.
            position: x and y, m.
            heading: Heading, rad.
            speed: Forward speed, m/s.

        Returns `equilibrium`, `sliding` (the slope is too steep) or `unsupported`.
        Raises `InputError` if the position is outside the terrain or occupied.
        """

    def state(self, vehicle: str | int) -> State:
        """Returns the state of a vehicle now: one array per quantity."""

    def states(self) -> dict[str, State]:
        """Returns the states of all vehicles now, by name."""

    def contacts(self, vehicle: str | int) -> Contacts:
        """Returns the contacts of a vehicle with the ground in the last step, one row per wheel or shoe.

        Wheels are listed axle by axle from the front, left before right. Shoes are listed for the left and
        then the right track: first those in contact, then those off the ground. All values are zero without
        contact and before the first step.
        """

    def events(self, vehicle: str | int) -> list[dict[str, Any]]:
        """Returns the events of a vehicle in the last call of `step` or `run`, in order of time.

        Each is a dict with `event`, `time_s` (the end of its heartbeat) and `vehicle`. The events
        `gear_shifted`, `soil_entered` and `intent_changed` have `from` and `to`, `collided` has the columns
        of `hits.csv`, and `ended` has the `outcome`. `uncoupled`, `torn_off` and `pulled_up` have no more keys.
        """

    def outcome(self, vehicle: str | int) -> dict[str, Any]:
        """Returns the outcome of a vehicle's drive, or its status if it is still driving."""

    def summary(self) -> dict[str, Any]:
        """Returns the content of `summary.json` for the run so far, without the wall time."""

    def readings(self, vehicle: str | int) -> list[Reading]:
        """Returns the sensor readings delivered to a vehicle in the last call of `step`, none after `run`.

        `kind` tells the type of each.
        """

    def ground_at(
        self, x: bytes, y: bytes, ruts: bool
    ) -> NDArray[np.float64]: ...
    def ground_over(
        self, origin: tuple[float, float], spacing: float, shape: tuple[int, int], ruts: bool
    ) -> NDArray[np.float64]: ...
    def snapshot(self) -> bytes:
        """Returns the complete state as bytes."""

    def restore(self, snapshot: bytes) -> None:
        """Restores the state of a snapshot of the same scenario. The simulation then continues with the same bits.

        Raises `SnapshotError` if the snapshot is damaged or belongs to another scenario.
        """

    def publish(self) -> None:
        """Publishes all deformation, including that under wheels, as the end of a run does.

        Afterwards ruts and hash equal those of `bekker run`.
        """

    def write_ruts(self, path: str | PathLike[str]) -> tuple[int, int, float] | None:
        """Writes the published ruts as a GeoTIFF. Returns columns, rows and cell size, m; None if there are no ruts."""

    def hash(self) -> str:
        """Returns the hash of the complete state, 64 hexadecimal digits."""

    def picture(
        self,
        camera: str,
        vehicle: str | int,
        place: tuple[float, float, float] | None,
        target: tuple[float, float, float] | None,
        size: tuple[int, int],
        field: float,
        supersample: int,
    ) -> tuple[NDArray[np.uint8], bytes]: ...

@final
class Envs:
    """Environments of one task, stepped in parallel on threads of this object."""

    def __new__(
        cls,
        task: str,
        num_envs: int,
        options: dict[str, Any],
        limit: int | None = None,
        threads: int | None = None,
    ) -> Envs: ...
    @staticmethod
    def custom(
        levels: Sequence[tuple[Scenario, tuple[float, float] | None, Sequence[float]]],
        reverses: bool,
        num_envs: int,
        options: dict[str, Any],
        limit: int | None = None,
        threads: int | None = None,
    ) -> Envs:
        """Creates environments on given levels, each a scenario with its goal, m, and target speeds, m/s."""

    def end_episodes(self, mask: Sequence[bool]) -> None:
        """Ends the episodes of the environments in the mask, as if their task had ended."""

    def draw_levels(self, first: int, last: int) -> None:
        """Draws the next episodes of all environments from the levels `first` to `last`."""

    def states(self) -> Any:
        """Returns the states of the first vehicles: one array per quantity, environments as first axis."""

    def __deepcopy__(self, memo: Any, /) -> Envs:
        """Returns an independent copy with the same levels and its own threads."""

    def layout(self) -> list[tuple[str, int, float, str, tuple[int, ...]]]:
        """Returns the parts of an observation: name, size, scale (the value that 1 stands for), unit."""

    @property
    def agents(self) -> int:
        """Number of vehicles, the agents, in each environment."""

    @property
    def actions(self) -> int:
        """Size of the action of one vehicle."""

    @property
    def observations(self) -> int:
        """Size of the observation of one vehicle."""

    @property
    def period(self) -> float:
        """Time between actions, s."""

    @property
    def threads(self) -> int:
        """Number of threads that step the environments."""

    def info_names(self) -> list[str]:
        """Returns the names of the columns of an info."""

    def reset(
        self, seeds: list[int | None], mask: list[bool], level: int | None
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]: ...
    def step(
        self, actions: bytes, autoreset: str
    ) -> tuple[
        NDArray[np.float32],
        NDArray[np.float64],
        NDArray[np.uint8],
        NDArray[np.uint8],
        NDArray[np.uint8],
        NDArray[np.float32] | None,
        NDArray[np.float64],
        NDArray[np.int64],
        NDArray[np.int64],
    ]: ...
    def experts(self) -> NDArray[np.float32]:
        """Returns the actions of the expert in the current states, one row per vehicle."""

    def snapshot(self, env: int) -> bytes: ...
    def restore(self, env: int, snapshot: bytes) -> NDArray[np.float32]: ...
    def rollout(
        self, snapshot: bytes, actions: bytes, horizon: int
    ) -> tuple[
        NDArray[np.float64], NDArray[np.uint32], NDArray[np.uint8], NDArray[np.float32]
    ]: ...
    def over(self, env: int) -> bool:
        """Whether the episode of an environment has ended."""

    def state(self, env: int) -> State:
        """Returns the state of the vehicle of an environment: one array per quantity."""

    def scenario(self, env: int) -> dict[str, Any]:
        """Returns the scenario of the current level of an environment."""

    def picture(
        self, env: int, camera: str, size: tuple[int, int]
    ) -> tuple[NDArray[np.uint8], bytes]: ...
    def __len__(self) -> int: ...

def classes() -> list[str]: ...
def endings() -> list[str]: ...
def restore_scenario(
    place: str, content: str, folder: str | PathLike[str], files: list[tuple[str, bytes]]
) -> Scenario: ...
def tasks() -> list[tuple[str, int, list[str], int]]: ...
def main(arguments: list[str], interpreter: str) -> int: ...
def schema() -> dict[str, Any]:
    """Returns the JSON Schema of the scenario format."""

def soil(name: str) -> dict[str, Any]: ...
def soils() -> list[str]: ...
def vehicles() -> list[str]: ...
def vehicle(model: str) -> tuple[dict[str, Any], float]: ...
def press_plate(
    soil: str,
    changes: dict[str, float],
    laws: str,
    size: tuple[float, float],
    radius: float | None,
    pressure: float,
    spacing: float,
) -> dict[str, Any]: ...
def shear_plate(
    soil: str,
    changes: dict[str, float],
    laws: str,
    size: tuple[float, float],
    radius: float | None,
    pressure: float,
    spacing: float,
    displacement: float | None,
) -> dict[str, Any]: ...
def roll_wheel(
    soil: str,
    changes: dict[str, float],
    laws: str,
    vehicle: str | None,
    cylinder: tuple[float, float],
    tire: str | None,
    load: float,
    slip: float,
    speed: float,
    spacing: float,
    step: float,
    duration: float,
) -> dict[str, Any]: ...
