"""The shell around the Rust library; see the modules of `bekker`, which show it."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

__all__ = [
    "Envs",
    "Scenario",
    "Simulation",
    "__version__",
    "endings",
    "main",
    "press_plate",
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

_State = dict[str, NDArray[Any]]

@final
class Scenario:
    """What drives where, on which ground, for how long."""

    @staticmethod
    def load(path: str | PathLike[str]) -> Scenario:
        """Reads a scenario file; its relative paths start from its folder, wherever `os.chdir` goes later."""

    @staticmethod
    def parse(text: str, folder: str | PathLike[str] | None = None) -> Scenario:
        """Reads a scenario from text; its relative paths start from `folder`."""

    @staticmethod
    def from_dict(values: dict[str, Any], folder: str | PathLike[str] | None = None) -> Scenario:
        """A scenario of dicts and lists with the keys of the format."""

    def set(self, key: str, value: Any) -> None:
        """Changes a value, by its key as `vehicle[0].driver.speed`."""

    def validate(self) -> list[str]:
        """Builds all that it names; what is doubtful but not wrong."""

    def to_toml(self) -> str:
        """As a file has it, with every default written out."""

    def to_dict(self) -> dict[str, Any]:
        """As dicts and lists, with every default written out."""

    def copy(self) -> Scenario:
        """A scenario like this one that goes its own way."""

    @property
    def name(self) -> str: ...

@disjoint_base
class Simulation:
    """A world of a scenario, between heartbeats."""

    def __new__(cls, scenario: Scenario, *, threads: int | None = None) -> Simulation: ...
    @property
    def time(self) -> float:
        """Simulated time, s."""

    @property
    def running(self) -> bool:
        """Whether any vehicle still drives."""

    @property
    def vehicles(self) -> list[str]:
        """Names of the vehicles."""

    @property
    def warnings(self) -> list[str]:
        """What is doubtful about the scenario."""

    def step(self, heartbeats: int = 1) -> None:
        """Takes the world through so many heartbeats."""

    def run_to(
        self,
        until: float | None,
        sample_every: float | None,
        progress: Callable[[float, float], object] | None,
    ) -> dict[str, _State]: ...
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
        """Commands a vehicle in its driver's place, until told otherwise.

        Throttle and brake 0 to 1; steering -1 (right) to 1 (left), or the mean angle of the
        steered wheels, rad; gear `drive`, `neutral` or `reverse`; inflation in kPa, 0 to 5000;
        locks of differentials `centre`, `inter_axle`, `front_axles`, `rear_axles`; uncouple
        lets go of the trailer.
        """

    def release(self, vehicle: str | int) -> None:
        """Gives a vehicle back to its own driver."""

    def respawn(
        self,
        vehicle: str | int,
        position: tuple[float, float],
        *,
        heading: float = 0.0,
        speed: float = 0.0,
    ) -> str:
        """Puts a vehicle elsewhere, settled; whether it stands `still`, `slides` or `falls`."""

    def state(self, vehicle: str | int) -> _State:
        """One vehicle now: an array of each figure."""

    def states(self) -> dict[str, _State]:
        """All vehicles now, by name."""

    def contacts(self, vehicle: str | int) -> _State:
        """What the ground did in the last step to each wheel or shoe."""

    def events(self, vehicle: str | int) -> list[dict[str, Any]]:
        """What happened to a vehicle in the last call of `step` or `run`, first what came first.

        Each is a dict with `event`, `time_s` (the end of its heartbeat) and `vehicle`. `event` is
        `gear_shifted`, `soil_entered` or `intent_changed` (with `from` and `to`), `collided` (with the
        columns of `hits.csv`), `uncoupled`, `torn_off` or `pulled_up` (as in `trailers.csv`), or `ended`
        (with the `outcome`).
        """

    def outcome(self, vehicle: str | int) -> dict[str, Any]:
        """How a vehicle's drive ended, or how it stands."""

    def summary(self) -> dict[str, Any]:
        """The run so far in a few figures, those of `summary.json` but the wall time."""

    def readings(self, vehicle: str | int) -> list[dict[str, Any]]:
        """What a vehicle's sensors delivered in the last call of `step`."""

    def ground_at(
        self, x: bytes, y: bytes, ruts: bool
    ) -> NDArray[np.float64]: ...
    def ground_over(
        self, origin: tuple[float, float], spacing: float, shape: tuple[int, int], ruts: bool
    ) -> NDArray[np.float64]: ...
    def snapshot(self) -> bytes:
        """The whole state as bytes, to be pickled or kept."""

    def restore(self, snapshot: bytes) -> None:
        """Goes back, or on, to a snapshot of the same scenario."""

    def publish(self) -> None:
        """Publishes the ground still under wheels too, as the end of a run does.

        From then on ruts and hashes are those that `bekker run` leaves.
        """

    def write_ruts(self, path: str | PathLike[str]) -> tuple[int, int, float] | None:
        """Writes the published ruts as a GeoTIFF: columns, rows, side of a cell, m."""

    def hash(self) -> str:
        """Hash of the whole state, hexadecimal."""

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
    """Environments of one task, stepped beside one another on threads of their own."""

    def __new__(
        cls,
        task: str,
        num_envs: int,
        options: dict[str, Any],
        limit: int | None = None,
        threads: int | None = None,
    ) -> Envs: ...
    def __deepcopy__(self, memo: Any, /) -> Envs:
        """One that goes its own way, on the same levels and threads of its own."""

    def layout(self) -> list[tuple[str, int, float, str]]:
        """Parts of an observation: name, numbers, what 1 stands for, unit."""

    @property
    def agents(self) -> int:
        """Vehicles that are driven in each environment."""

    @property
    def actions(self) -> int:
        """Numbers of an action of a vehicle."""

    @property
    def observations(self) -> int:
        """Numbers of an observation."""

    @property
    def period(self) -> float:
        """Time between actions, s."""

    @property
    def threads(self) -> int:
        """How many threads step it."""

    def info_names(self) -> list[str]:
        """Names of the numbers of an info."""

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
        """What a rule would do now, an action a row."""

    def snapshot(self, env: int) -> bytes: ...
    def restore(self, env: int, snapshot: bytes) -> NDArray[np.float32]: ...
    def rollout(
        self, snapshot: bytes, actions: bytes, horizon: int
    ) -> tuple[
        NDArray[np.float64], NDArray[np.uint32], NDArray[np.uint8], NDArray[np.float32]
    ]: ...
    def over(self, env: int) -> bool:
        """Whether the episode of one environment is over."""

    def state(self, env: int) -> _State:
        """The vehicle of one environment: an array of each figure."""

    def scenario(self, env: int) -> dict[str, Any]:
        """The scenario of the level that one environment is on."""

    def picture(
        self, env: int, camera: str, size: tuple[int, int]
    ) -> tuple[NDArray[np.uint8], bytes]: ...
    def __len__(self) -> int: ...

def endings() -> list[str]: ...
def tasks() -> list[tuple[str, int, list[str], int]]: ...
def main(arguments: list[str]) -> int: ...
def schema() -> dict[str, Any]:
    """The JSON Schema of the scenario format."""

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
    tyre: str | None,
    load: float,
    slip: float,
    speed: float,
    spacing: float,
    step: float,
    duration: float,
) -> dict[str, Any]: ...
