"""A convoy of 2 to 8 vehicles for PettingZoo: `convoy_v0.parallel_env(vehicles=4)`.

Needs PettingZoo: `pip install ".[convoy]"`. What it is about is told in docs/learning.md.
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
)

TASK = "Convoy"

Array = NDArray[Any]
Told = dict[str, Any]


class ConvoyEnv(ParallelEnv[str, Array, Array]):  # type: ignore[misc]
    """Vehicles in a row, each an agent, `vehicle_0` ahead.

    `options` are those of docs/learning.md, `vehicles` among them. The episode is over for all as
    soon as it is for one. Of `reset`'s options `level` says which level is driven; the seed else
    decides.
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
        """Parts of an observation: name, numbers, what 1 stands for, unit."""

    def action_space(self, agent: str) -> Space[Any]:
        """Steering and drive."""
        return self._action_spaces[agent]

    def observation_space(self, agent: str) -> Space[Any]:
        """All numbers within 1; `layout` says which is what."""
        return self._observation_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Array], dict[str, Told]]:
        """Begins the first episode of a seed, or the next."""
        # PettingZoo's own test hands options over that mean nothing: they are not refused
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
        """Drives all for a period, each by its action."""
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
        """What the camera of the first vehicle sees now."""
        return None if self.render_mode is None else self.picture().array

    def picture(self) -> Picture:
        """What the camera sees now; shows itself in a notebook."""
        return Picture(*self._core.picture(0, self._camera, self._size))

    def experts(self) -> dict[str, Array]:
        """What a rule would do now in each vehicle."""
        return self._each(self._core.experts())

    def snapshot(self) -> bytes:
        """The episode as bytes, to be pickled."""
        return self._core.snapshot(0)

    def restore(self, snapshot: bytes) -> dict[str, Array]:
        """Goes to the episode of a snapshot of the same options; what is seen there.

        Of one that is over `agents` is empty, as after its last step.
        """
        seen = self._core.restore(0, snapshot)
        self._seeded = True
        self.agents = [] if self._core.over(0) else list(self.possible_agents)
        return self._each(seen.reshape(len(self.possible_agents), -1))

    def close(self) -> None:
        """Nothing is left open."""


parallel_env = ConvoyEnv


def env(**options: Any) -> AECEnv[str, Array, Array]:
    """The same for PettingZoo's other interface, in which one vehicle acts after the other."""
    return parallel_to_aec(ConvoyEnv(**options))
