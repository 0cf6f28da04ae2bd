"""Own tasks: levels, observations, rewards and endings defined in Python.

>>> class Cruise(Task):
...     scenario = "examples/single_vehicle.toml"
...     observations = {"velocity": None, "slip": lambda states: states["slip"].mean(axis=1)}
...     rewards = {"speed": (1.0, lambda states: -np.abs(states["speed"] - 3.0))}
...     endings = ("stuck", "overturned")
>>> Cruise.register("me/Cruise-v0")
>>> many = gymnasium.make_vec("me/Cruise-v0", num_envs=8)

The simulation of all environments is one native call. Terms are functions of arrays over all environments,
so no Python code runs per environment. docs/howto/own_task.md is a tutorial.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Union

import gymnasium
import numpy as np
from gymnasium.envs import registration
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from .. import _core
from ..errors import InputError
from ..picture import Picture, check_size
from ..types import State
from .spaces import (
    SEEDS,
    Layout,
    action_space,
    check_camera,
    check_limit,
    check_open,
    check_render_mode,
    level_of,
    numbers_of,
    seeds_of,
)

__all__ = ["ENDINGS", "REWARDS", "Range", "States", "Task", "TaskEnv", "TaskVectorEnv"]

Array = NDArray[Any]

WINDOW = 100
"""Number of episodes over which the share of successes of a curriculum is taken."""


class States(State):
    """States of the vehicles of all environments: arrays with the environments as first axis.

    The quantities of `State` come first, then those of the last action.
    """

    action: Array
    """Last action, (n, size of an action)."""
    action_change: Array
    """Squared change of the last action, (n)."""
    previous_position: Array
    """Position before the last action, (n, 2), m."""
    energy: Array
    """Drive energy at the wheels over the last action, (n), J."""
    specific_force: Array
    """Mean specific force over the last action, (n, 3), body axes, m/s²."""
    stalled_time: Array
    """Time for which drive has been requested without progress, (n), s."""
    wanted_speed: Array
    """Target speed, (n), m/s; NaN without one."""
    goal: Array
    """Goal, (n, 2), m; NaN without one."""


Term = Callable[[States], Array]
"""Function of the states of all environments, with one number (or row of numbers) per environment."""


class Range(NamedTuple):
    """Range from which a value of the scenario is drawn for each level."""

    low: float
    high: float
    log: bool = False
    """Whether the logarithm is uniform, not the value."""

    def draw(self, random: np.random.Generator) -> float:
        """Draws a value."""
        if self.log:
            return float(np.exp(random.uniform(np.log(self.low), np.log(self.high))))
        return float(random.uniform(self.low, self.high))


def _distance(position: Array, goal: Array) -> Array:
    distance: Array = np.hypot(position[:, 0] - goal[:, 0], position[:, 1] - goal[:, 1])
    return distance


def _progress(states: States) -> Array:
    goal = states["goal"]
    return _distance(states["previous_position"], goal) - _distance(states["position"], goal)


def _tilt(states: States) -> Array:
    _, x, y, _ = states["orientation"].T
    tilt: Array = np.arccos(np.clip(1.0 - 2.0 * (x * x + y * y), -1.0, 1.0))
    return tilt


def _slip_beyond(states: States) -> Array:
    beyond: Array = np.maximum(np.abs(states["slip"]) - 0.2, 0.0).mean(axis=1)
    return beyond


REWARDS: dict[str, Term] = {
    "progress": _progress,
    "speed_error": lambda states: np.abs(states["speed"] - states["wanted_speed"]),
    "slip_beyond": _slip_beyond,
    "action_change": lambda states: states["action_change"],
    "energy": lambda states: states["energy"],
    "tilt": _tilt,
    "one": lambda states: np.ones(len(states["time"])),
}
"""Reward terms by name: approach to the goal (m), error of the speed (m/s), mean slip beyond 0.2, squared
change of the action, drive energy (J), tilt (rad), and 1."""

ENDINGS: dict[str, Term] = {
    "goal": lambda states: _distance(states["position"], states["goal"]) < 3.0,
    "stuck": lambda states: states["stalled_time"] >= 4.0,
    "overturned": lambda states: _tilt(states) > 1.4,
}
"""Endings by name: within 3 m of the goal, 4 s without progress, tilted by more than 1.4 rad."""

Level = Union[_core.Scenario, Mapping[str, Any], str, "os.PathLike[str]"]


class Task:
    """Base class of own tasks. Subclasses set class attributes, and override methods where these do not suffice.

    Instances may have arguments: `make(..., task_options={"weight": 2})` passes them to the constructor.
    """

    scenario: ClassVar[Level | None] = None
    """Scenario of all levels: one vehicle on some ground."""
    levels: ClassVar[int] = 64
    """Number of levels from which episodes draw."""
    randomization: ClassVar[Mapping[str, Range | Sequence[Any]]] = {}
    """Values of the scenario that differ between levels: by full key a range, or a list to choose from."""
    observations: ClassVar[Mapping[str, Term | None]] = {}
    """Observation terms by name: a function, or None for the field of this name of docs/learning.md."""
    rewards: ClassVar[Mapping[str, tuple[float, Term | str]]] = {}
    """Reward terms by name: a weight, and a function or the name of one in `REWARDS`."""
    endings: ClassVar[Sequence[str] | Mapping[str, Term | str]] = ("stuck", "overturned")
    """Endings: names of `ENDINGS`, or functions with a Boolean per environment by name. `goal` is success."""
    reverses: ClassVar[bool] = False
    """Whether the action has a third number, direction, so that the vehicle can reverse."""
    max_episode_steps: ClassVar[int | None] = 600
    """Steps after which an episode is truncated."""
    options: ClassVar[Mapping[str, Any]] = {}
    """Options of docs/learning.md for observations: `period`, `noise`, `map`, `image`, `lidar`, `cameras`,
    `soil_visible`."""

    def level(self, number: int, random: np.random.Generator) -> Level:
        """Returns the scenario of a level; by default `scenario` with values drawn from `randomization`."""
        if self.scenario is None:
            allowed = "a scenario, or a method level() that returns one"
            raise InputError(f"{type(self).__name__}.scenario = None: must be {allowed}", "scenario", "None", allowed)
        scenario = scenario_of(self.scenario)
        for key, values in self.randomization.items():
            scenario.set(key, values.draw(random) if isinstance(values, Range) else _chosen(values, random))
        return scenario

    def goal(self, number: int, random: np.random.Generator) -> tuple[float, float] | None:
        """Returns the goal of a level, m; by default there is none."""
        return None

    def speeds(self, number: int, random: np.random.Generator) -> Sequence[float]:
        """Returns the target speeds of a level, m/s, each for 4 s; by default there is none."""
        return ()

    def next_levels(self, success_rate: float, episodes: int) -> range | None:
        """Returns the levels of the next episodes, for a curriculum; None for those so far.

        It is called when episodes end, with the share of successes (`goal`) among the last 100 episodes and the
        number of all ended episodes. Level 0 should be the easiest.
        """
        return None

    @classmethod
    def register(cls, name: str) -> None:
        """Registers the task with Gymnasium, for `make` and `make_vec`."""
        registration.register(
            name,
            entry_point="bekker.envs:TaskEnv",
            vector_entry_point="bekker.envs:TaskVectorEnv",
            max_episode_steps=cls.max_episode_steps,
            kwargs={"task": cls},
        )


def _chosen(values: Sequence[Any], random: np.random.Generator) -> Any:
    return values[int(random.integers(len(values)))]


def scenario_of(given: Level) -> _core.Scenario:
    """Returns an own copy of a scenario, or creates one from a dict or a file."""
    if isinstance(given, _core.Scenario):
        return given.copy()
    if isinstance(given, Mapping):
        return _core.Scenario.from_dict(dict(given))
    return _core.Scenario.load(given)


def _term(kind: str, name: str, given: Term | str | None, known: Mapping[str, Term]) -> Term:
    """Returns a term: a function, or the one of this name."""
    if callable(given):
        return given
    found = known.get(name if given is None else given)
    if found is None:
        allowed = f"a function or one of {', '.join(known)}"
        raise InputError(f"{kind}[{name!r}] = {given!r}: must be {allowed}", kind, str(given), allowed)
    return found


def _checked(kind: str, name: str, values: Any, count: int) -> Array:
    """Checks the shape of a term's values, and returns them with one row per environment."""
    found = np.asarray(values)
    if found.shape[:1] != (count,) or found.ndim > 2:
        allowed = f"an array of shape ({count},) or ({count}, k)"
        told = f"{kind}[{name!r}] returned the shape {found.shape}: must be {allowed}"
        raise InputError(told, kind, str(found.shape), allowed)
    return found


class _Terms:
    """Observations, rewards and endings of a task as functions of arrays."""

    def __init__(self, task: Task, core: _core.Envs) -> None:
        places: dict[str, slice] = {}
        at = 0
        for name, size, *_ in core.layout():
            places[name] = slice(at, at + size)
            at += size
        named = task.observations or dict.fromkeys(places)
        self.observations: dict[str, Term | slice] = {}
        for name, term in named.items():
            if term is None and name not in places:
                allowed = f"a function, or None for one of {', '.join(places)}"
                raise InputError(f"observations[{name!r}] = None: must be {allowed}", "observations", name, allowed)
            self.observations[name] = places[name] if term is None else term
        self.rewards = {
            name: (float(weight), _term("rewards", name, term, REWARDS))
            for name, (weight, term) in task.rewards.items()
        }
        endings = task.endings
        pairs = endings.items() if isinstance(endings, Mapping) else [(name, None) for name in endings]
        self.endings = {name: _term("endings", name, term, ENDINGS) for name, term in pairs}

    def observe(self, states: States, native: Array) -> Array:
        """Returns the observations, clipped to ±1, one row per environment."""
        count = len(native)
        parts = [
            native[:, term] if isinstance(term, slice)
            else _checked("observations", name, term(states), count).reshape(count, -1)
            for name, term in self.observations.items()
        ]
        seen = np.concatenate(parts, axis=1, dtype=np.float32, casting="same_kind")
        # a vehicle whose state is not finite observes zeros
        return np.clip(np.nan_to_num(seen, nan=0.0), -1.0, 1.0)

    def layout(self, states: States, native_layout: Layout) -> Layout:
        """Returns name, size, scale, unit and shape of each term; scale 1 without a unit for functions."""
        fields = {field[0]: field for field in native_layout}
        count = len(states["time"])
        found: Layout = []
        for name, term in self.observations.items():
            if isinstance(term, slice):
                found.append(fields[name])
            else:
                size = _checked("observations", name, term(states), count)[0].size
                found.append((name, size, 1.0, "", (size,)))
        return found

    def reward(self, states: States) -> tuple[Array, dict[str, Array]]:
        """Returns the rewards, and their terms with weights."""
        count = len(states["time"])
        terms = {
            f"reward_{name}": weight * _checked("rewards", name, term(states), count).astype(float)
            for name, (weight, term) in self.rewards.items()
        }
        return sum(terms.values(), np.zeros(count)), terms

    def ended(self, states: States) -> tuple[Array, Array]:
        """Returns which episodes ended, and the name of the first ending of each; empty if it continues."""
        count = len(states["time"])
        name_of = np.full(count, "", dtype=object)
        for name, term in self.endings.items():
            ended = _checked("endings", name, term(states), count).astype(bool)
            name_of[ended & (name_of == "")] = name
        return name_of != "", name_of


def _created(
    task: type[Task] | Task, task_options: Mapping[str, Any] | None, num_envs: int, limit: int | None, threads: int | None
) -> tuple[Task, _core.Envs]:
    """Creates the task, its levels and the environments."""
    own = task(**(task_options or {})) if isinstance(task, type) else task
    levels = []
    for number in range(own.levels):
        random = np.random.default_rng((number, 59))
        scenario = scenario_of(own.level(number, random))
        goal = own.goal(number, random)
        speeds = [float(speed) for speed in own.speeds(number, random)]
        levels.append((scenario, None if goal is None else (float(goal[0]), float(goal[1])), speeds))
    return own, _core.Envs.custom(levels, own.reverses, num_envs, dict(own.options), limit, threads)


class TaskVectorEnv(VectorEnv[Array, Array, Array]):
    """`num_envs` environments of an own task.

    Args:
        task: Subclass of `Task`, or an instance.
        num_envs: Number of environments.
        task_options: Arguments of the constructor of the task.
        max_episode_steps: Steps after which an episode is truncated; None for no limit.
        num_threads: Number of threads; by default one per core.
        autoreset_mode: One of Gymnasium's three modes.
        render_mode: None or `rgb_array`.
        camera: View of `picture` and `render`.
        size: Columns and rows of a picture.

    Raises `InputError` or `ScenarioError` if the task is invalid.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 10}

    def __init__(
        self,
        task: type[Task] | Task,
        num_envs: int = 1,
        *,
        task_options: Mapping[str, Any] | None = None,
        max_episode_steps: int | None = None,
        num_threads: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        camera: str = "chase",
        size: tuple[int, int] = (240, 135),
    ) -> None:
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = check_render_mode(render_mode)
        self._camera, self._size = check_camera(camera), check_size(size)
        limit = check_limit("max_episode_steps", max_episode_steps)
        self.task, self._core = _created(task, task_options, num_envs, limit, num_threads)
        self._terms = _Terms(self.task, self._core)
        self._seeded = np.zeros(num_envs, bool)
        self._successes: deque[bool] = deque(maxlen=WINDOW)
        self._episodes = 0
        self.num_envs = num_envs
        self._draw_levels(self.task.next_levels(0.0, 0))
        # sizes of terms are known once a state exists
        native, _ = self._core.reset([0] * num_envs, [True] * num_envs, None)
        seen = self._terms.observe(self.states(), native)
        self.single_action_space = action_space(self._core)
        self.single_observation_space = Box(-1.0, 1.0, seen.shape[1:], np.float32)
        self.layout = self._terms.layout(self.states(), self._core.layout())
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)

    def states(self) -> States:
        """Returns the states of all environments: one array per quantity."""
        states: States = self._core.states()
        return states

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Array, dict[str, Any]]:
        """Begins the first episodes of the seeds seed, seed + 1 and so on, or the next episodes.

        `options["reset_mask"]` selects environments, `options["level"]` sets the level.
        """
        check_open(self.closed)
        super().reset(seed=seed if isinstance(seed, int) else None)
        level, seeds = level_of(options), seeds_of(seed, self.num_envs)
        if not self._seeded.all():
            drawn = self.np_random.integers(SEEDS, size=self.num_envs).tolist()
            wants = [one is None and not seeded for one, seeded in zip(seeds, self._seeded)]
            seeds = [new if want else one for one, new, want in zip(seeds, drawn, wants)]
        mask = (options or {}).get("reset_mask")
        wanted = np.ones(self.num_envs, bool) if mask is None else np.asarray(mask)
        if wanted.shape != (self.num_envs,) or wanted.dtype != bool or not wanted.any():
            allowed = f"{self.num_envs} Booleans, at least one True"
            raise InputError(f"reset_mask: must be {allowed}", "reset_mask", str(mask), allowed)
        native, levels = self._core.reset(seeds, wanted.tolist(), level)
        self._seeded |= wanted
        seen = self._terms.observe(self.states(), native)
        return seen, {"level": np.where(wanted, levels, 0), "_level": wanted}

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """Advances all environments by one period. `actions` has the shape (environments, size of an action)."""
        check_open(self.closed)
        given = numbers_of("actions", actions)
        if given.shape != self.action_space.shape:
            told = f"actions of shape {given.shape}: must be {self.action_space.shape}"
            raise InputError(told, "actions", str(given.shape), str(self.action_space.shape))
        next_step = self.autoreset_mode == AutoresetMode.NEXT_STEP
        found = self._core.step(given.tobytes(), "NextStep" if next_step else "Disabled")
        native, _, failed, truncated, reset, _, _, _, levels = found
        begun, cut = reset.view(bool), truncated.view(bool)
        states = self.states()
        seen = self._terms.observe(states, native)
        rewards, terms = self._terms.reward(states)
        ended, names = self._terms.ended(states)
        ended = (ended | failed.view(bool)) & ~begun
        rewards[begun] = 0.0
        infos: dict[str, Any] = {"level": levels, "_level": np.ones(self.num_envs, bool)}
        for name, values in {**terms, "ending": names, "is_success": names == "goal"}.items():
            infos[name], infos[f"_{name}"] = np.where(begun, np.zeros(1, values.dtype), values), ~begun
        over = ended | cut
        if not over.any():
            return seen, rewards, ended, cut, infos
        self._successes.extend((names[over] == "goal").tolist())
        self._episodes += int(np.count_nonzero(over))
        self._draw_levels(self.task.next_levels(float(np.mean(self._successes)), self._episodes))
        if self.autoreset_mode == AutoresetMode.SAME_STEP:
            last = np.full(self.num_envs, None, dtype=object)
            for env in np.flatnonzero(over).tolist():
                last[env] = seen[env]
            final = {name: value for name, value in infos.items() if not name.endswith("level")}
            infos |= {"final_obs": last, "_final_obs": over, "final_info": final, "_final_info": over}
            native, infos["level"] = self._core.reset([None] * self.num_envs, over.tolist(), None)
            seen = self._terms.observe(self.states(), native)
        else:
            self._core.end_episodes(ended.tolist())
        return seen, rewards, ended, cut, infos

    def _draw_levels(self, levels: range | None) -> None:
        """Draws the next episodes from a range of levels."""
        if levels is None:
            return
        if len(levels) == 0 or levels.step != 1:
            allowed = "a range of at least one level with step 1"
            raise InputError(f"next_levels returned {levels}: must be {allowed}", "next_levels", str(levels), allowed)
        self._core.draw_levels(levels[0], levels[-1])

    def experts(self) -> Array:
        """Returns actions that hold the target speed toward the goal, one row per environment."""
        return self._core.experts()

    def picture(self, env: int = 0) -> Picture:
        """Returns the view of an environment's camera."""
        return Picture(*self._core.picture(env, self._camera, self._size))

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """Returns a picture per environment; None without a render mode."""
        if self.render_mode is None:
            return None
        return tuple(self.picture(env).array for env in range(self.num_envs))


class TaskEnv(gymnasium.Env[Array, Array]):
    """One environment of an own task, with the arguments of `TaskVectorEnv`. It gives the same bits."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}

    def __init__(
        self,
        task: type[Task] | Task,
        *,
        task_options: Mapping[str, Any] | None = None,
        render_mode: str | None = None,
        camera: str = "chase",
        size: tuple[int, int] = (480, 270),
    ) -> None:
        self.many = TaskVectorEnv(
            task, 1, task_options=task_options, num_threads=1, autoreset_mode=AutoresetMode.DISABLED,
            render_mode=render_mode, camera=camera, size=size,
        )
        self.render_mode = render_mode
        self.action_space = self.many.single_action_space
        self.observation_space = self.many.single_observation_space
        self.layout = self.many.layout

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Begins the first episode of a seed, or the next episode without a seed. `options["level"]` sets the level."""
        super().reset(seed=seed)
        if seed is None and not self.many._seeded[0]:
            seed = int(self.np_random.integers(SEEDS))
        seen, infos = self.many.reset(seed=seed, options=options)
        return seen[0], {"level": int(infos["level"][0])}

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Advances by one period."""
        given = numbers_of("action", action)
        if given.shape != self.action_space.shape:
            told = f"action of shape {given.shape}: must be {self.action_space.shape}"
            raise InputError(told, "action", str(given.shape), str(self.action_space.shape))
        seen, rewards, ended, cut, infos = self.many.step(given[None])
        info = {name: value[0] for name, value in infos.items() if not name.startswith("_")}
        info = {name: value.item() if isinstance(value, np.generic) else value for name, value in info.items()}
        return seen[0], float(rewards[0]), bool(ended[0]), bool(cut[0]), info

    def states(self) -> States:
        """Returns the state of the environment: arrays with a first axis of length 1."""
        return self.many.states()

    def render(self) -> NDArray[np.uint8] | None:
        """Returns the view of the camera, shape (rows, columns, 3); None without a render mode."""
        return None if self.render_mode is None else self.many.picture().array

    def close(self) -> None:
        """Closes the environment."""
        self.many.close()
