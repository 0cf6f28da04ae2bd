"""A convoy of 2 to 8 vehicles for PettingZoo: `convoy_v0.parallel_env(vehicles=4)`.

Requires PettingZoo: `pip install ".[convoy]"`. docs/learning.md describes the task.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Space
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import parallel_to_aec

from .. import _core
from ..errors import InputError
from ..picture import Picture, check_size
from .spaces import (
    SEEDS,
    Infos,
    action_space,
    check_camera,
    check_limit,
    check_render_mode,
    level_of,
    numbers_of,
    observation_space,
    seeds_of,
    tell_fidelity,
)

TASK = "Convoy"

Array = NDArray[Any]
Told = dict[str, Any]


class ConvoyEnv(ParallelEnv[str, Array, Array]):  # type: ignore[misc]
    """A convoy in which each vehicle is an agent; `vehicle_0` leads.

    The episode ends for all agents when it ends for one.

    Args:
        max_cycles: Steps after which an episode is truncated; by default those of the task.
        num_threads: Number of threads; by default one per core.
        render_mode: None or `rgb_array`.
        camera: View of `picture` and `render`: `chase`, `front`, `side`, `driver`, `top` or `bird`.
        size: Columns and rows of a picture.
        options: Options of docs/learning.md, such as `vehicles`, 2 to 8.

    Raises `InputError` or `ScenarioError` if an option is invalid.
    """

    metadata = {"name": "convoy_v0", "render_modes": ["rgb_array"], "render_fps": 10}

    def __init__(
        self,
        *,
        max_cycles: int | None = None,
        num_threads: int | None = None,
        render_mode: str | None = None,
        camera: str = "chase",
        size: tuple[int, int] = (480, 270),
        **options: Any,
    ) -> None:
        self.render_mode = check_render_mode(render_mode)
        self._camera, self._size = check_camera(camera), check_size(size)
        steps = next(steps for task, steps, *_ in _core.tasks() if task == TASK)
        limit = steps if max_cycles is None else check_limit("max_cycles", max_cycles)
        self._core = _core.Envs(TASK, 1, options, limit, num_threads)
        tell_fidelity(options)
        self._infos = Infos(self._core)
        self._random = np.random.default_rng()
        self._seeded = False
        self.possible_agents = [f"vehicle_{n}" for n in range(self._core.agents)]
        self.agents: list[str] = []
        self._action_spaces = {name: action_space(self._core) for name in self.possible_agents}
        self._observation_spaces = {
            name: observation_space(self._core) for name in self.possible_agents
        }
        self.layout = self._core.layout()
        """Parts of an observation: name, size, scale (the value that 1 stands for), unit, shape."""

    def action_space(self, agent: str) -> Space[Any]:
        """Returns the space of actions: steering and drive, each -1 to 1."""
        return self._action_spaces[agent]

    def observation_space(self, agent: str) -> Space[Any]:
        """Returns the space of observations: values within -1 to 1, listed in `layout`."""
        return self._observation_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Array], dict[str, Told]]:
        """Begins the first episode of a seed, or the next episode without a seed.

        `options["level"]` sets the level; by default the seed and the episode count choose it.
        Returns observations and infos by agent.
        """
        # PettingZoo's API test passes meaningless options, so unknown ones are ignored
        level = level_of({key: value for key, value in (options or {}).items() if key == "level"})
        if seed is None and not self._seeded:
            seed = int(self._random.integers(SEEDS))
        observations, levels = self._core.reset(seeds_of(seed, 1), [True], level)
        self._seeded = True
        self.agents = list(self.possible_agents)
        return self._each(observations), {name: {"level": int(levels[0])} for name in self.agents}

    def step(
        self, actions: dict[str, Array]
    ) -> tuple[
        dict[str, Array], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Told]
    ]:
        """Advances by one period with an action for each agent.

        Returns observations, rewards, terminations, truncations and infos by agent; empty dicts after
        the end of the episode. Raises `InputError` if actions are missing or invalid.
        """
        if not self.agents:
            return {}, {}, {}, {}, {}
        absent = [name for name in self.agents if name not in actions]
        if absent or len(actions) != len(self.agents):
            allowed = f"an action for each of {', '.join(self.agents)}"
            told = f"actions of {', '.join(actions)}: must be {allowed}"
            raise InputError(told, "actions", ", ".join(actions), allowed)
        given = [numbers_of(f"action of {name}", actions[name]) for name in self.agents]
        for name, action in zip(self.agents, given):
            if action.shape != (self._core.actions,):
                told = f"action of {name} of shape {action.shape}: must be ({self._core.actions},)"
                raise InputError(told, name, str(action.shape), f"({self._core.actions},)")
            if not np.isfinite(action).all():
                told = f"action of {name} is {action.tolist()}: must be finite numbers"
                raise InputError(told, name, str(action.tolist()), "finite numbers")
        found = self._core.step(np.concatenate(given).tobytes(), "Disabled")
        observations, rewards, terminated, truncated, _, _, rows, levels, _ = found
        over, cut = bool(terminated[0]), bool(truncated[0])
        names = self.agents
        infos = {name: self._infos.single(row, levels[0]) for name, row in zip(names, rows)}
        if over or cut:
            self.agents = []
        return (
            dict(zip(names, observations)),
            {name: float(reward) for name, reward in zip(names, rewards)},
            dict.fromkeys(names, over),
            dict.fromkeys(names, cut),
            infos,
        )

    def _each(self, rows: Array) -> dict[str, Array]:
        return dict(zip(self.possible_agents, rows))

    def render(self) -> NDArray[np.uint8] | None:
        """Returns the view of the first vehicle's camera, shape (rows, columns, 3); None without a render mode."""
        return None if self.render_mode is None else self.picture().array

    def picture(self) -> Picture:
        """Returns the view of the first vehicle's camera, which displays itself in a notebook."""
        return Picture(*self._core.picture(0, self._camera, self._size))

    def experts(self) -> dict[str, Array]:
        """Returns the expert's action for each agent in the present state."""
        return self._each(self._core.experts())

    def snapshot(self) -> bytes:
        """Returns the episode as bytes."""
        return self._core.snapshot(0)

    def restore(self, snapshot: bytes) -> dict[str, Array]:
        """Restores the episode of a snapshot with the same options, and returns its observations.

        `agents` is empty if that episode has ended. Raises `SnapshotError` if the snapshot is damaged
        or has other options.
        """
        seen = self._core.restore(0, snapshot)
        self._seeded = True
        self.agents = [] if self._core.over(0) else list(self.possible_agents)
        return self._each(seen.reshape(len(self.possible_agents), -1))

    def close(self) -> None:
        """Does nothing: no resources are open."""


parallel_env = ConvoyEnv


def env(**options: Any) -> AECEnv[str, Array, Array]:
    """Returns the convoy with PettingZoo's AEC interface, in which agents act one after the other."""
    return parallel_to_aec(ConvoyEnv(**options))
