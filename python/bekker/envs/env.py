"""One environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InputError
from ..picture import Picture, check_size
from .spaces import (
    SEEDS,
    Infos,
    action_space,
    check_alone,
    check_camera,
    check_open,
    check_render_mode,
    level_of,
    numbers_of,
    observation_space,
    seeds_of,
)

Observation = NDArray[np.float32]


class BekkerEnv(gymnasium.Env[Observation, Observation]):
    """A task, driven by one vehicle.

    `options` are those of docs/learning.md: `vehicle`, `soil`, `difficulty`, `levels` and so on.
    Of `reset`'s options `level` says which level is driven; the seed else decides.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}

    def __init__(
        self,
        task: str,
        *,
        render_mode: str | None = None,
        camera: str = "chase",
        size: tuple[int, int] = (480, 270),
        **options: Any,
    ) -> None:
        self.render_mode = check_render_mode(render_mode)
        self._camera, self._size = check_camera(camera), check_size(size)
        self._core = _core.Envs(task, 1, options, None, 1)
        check_alone(self._core, task)
        self._infos = Infos(self._core)
        self._seeded = False
        self.closed = False
        self.action_space = action_space(self._core)
        self.observation_space = observation_space(self._core)
        self.layout = self._core.layout()
        """Parts of an observation: name, numbers, what 1 stands for, unit."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins the first episode of a seed, or the next."""
        check_open(self.closed)
        super().reset(seed=seed)
        level = level_of(options)
        if seed is None and not self._seeded:
            seed = int(self.np_random.integers(SEEDS))
        self._seeded = True
        observations, levels = self._core.reset(seeds_of(seed, 1), [True], level)
        return observations[0], {"level": int(levels[0])}

    def step(
        self, action: Observation
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Drives for a period, 0.1 s unless told otherwise."""
        check_open(self.closed)
        given = numbers_of("action", action)
        if given.shape != self.action_space.shape:
            told = f"action of shape {given.shape}: must be {self.action_space.shape}"
            raise InputError(told, "action", str(given.shape), str(self.action_space.shape))
        found = self._core.step(given.tobytes(), "Disabled")
        observations, rewards, terminated, truncated, _, _, infos, levels, _ = found
        info = self._infos.single(infos[0], levels[0])
        return observations[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), info

    def close(self) -> None:
        """Ends it: it neither begins nor goes on with an episode."""
        self.closed = True

    def render(self) -> NDArray[np.uint8] | None:
        """What the camera sees now."""
        return None if self.render_mode is None else self.picture().array

    def picture(self) -> Picture:
        """What the camera sees now; shows itself in a notebook."""
        return Picture(*self._core.picture(0, self._camera, self._size))

    def expert(self) -> Observation:
        """What a rule would do now."""
        action: Observation = self._core.experts()[0]
        return action

    def snapshot(self) -> bytes:
        """The episode as bytes, to be pickled; a TimeLimit around it counts for itself."""
        return self._core.snapshot(0)

    def restore(self, snapshot: bytes) -> Observation:
        """Goes to the episode of a snapshot of the same task and options."""
        self._seeded = True
        return self._core.restore(0, snapshot)

    def state(self) -> dict[str, NDArray[Any]]:
        """The vehicle now: the truth, with slip, sinkage and load of each wheel."""
        return self._core.state(0)

    @property
    def scenario(self) -> dict[str, Any]:
        """The scenario of the level that is driven."""
        return self._core.scenario(0)
