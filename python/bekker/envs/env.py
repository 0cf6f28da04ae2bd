"""A single environment for Gymnasium."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InputError
from ..picture import Picture, check_size
from ..types import State
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
    tell_fidelity,
)

Observation = NDArray[np.float32]


class BekkerEnv(gymnasium.Env[Observation, Observation]):
    """A task for one vehicle.

    Args:
        task: Name of the task, such as `SoftGoal`.
        render_mode: None or `rgb_array`.
        camera: View of `picture` and `render`: `chase`, `front`, `side`, `driver`, `top` or `bird`.
        size: Columns and rows of a picture.
        options: Options of docs/learning.md, such as `vehicle`, `soil`, `difficulty` and `levels`.

    Raises `InputError` or `ScenarioError` if an option is invalid.
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
        tell_fidelity(options)
        self._infos = Infos(self._core)
        self._seeded = False
        self.closed = False
        self.action_space = action_space(self._core)
        self.observation_space = observation_space(self._core)
        self.layout = self._core.layout()
        """Parts of an observation: name, size, scale (the value that 1 stands for), unit, shape."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins the first episode of a seed, or the next episode without a seed.

        `options["level"]` sets the level; by default the seed and the episode count choose it.
        """
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
        """Advances by one period, by default 0.1 s.

        Raises `InputError` if the action has the wrong shape or is not finite.
        """
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
        """Closes the environment. Later calls of `reset` and `step` raise `ClosedEnvironmentError`."""
        self.closed = True

    def render(self) -> NDArray[np.uint8] | None:
        """Returns the view of the camera, shape (rows, columns, 3); None without a render mode."""
        return None if self.render_mode is None else self.picture().array

    def picture(self) -> Picture:
        """Returns the view of the camera, which displays itself in a notebook."""
        return Picture(*self._core.picture(0, self._camera, self._size))

    def expert(self) -> Observation:
        """Returns the expert's action in the present state."""
        action: Observation = self._core.experts()[0]
        return action

    def snapshot(self) -> bytes:
        """Returns the episode as bytes, without the step count of a TimeLimit wrapper."""
        return self._core.snapshot(0)

    def restore(self, snapshot: bytes) -> Observation:
        """Restores the episode of a snapshot of the same task and options, and returns its observation.

        Raises `SnapshotError` if the snapshot is damaged or belongs to another task or other options.
        """
        self._seeded = True
        return self._core.restore(0, snapshot)

    def state(self) -> State:
        """Returns the true state of the vehicle, including slip, sinkage (m) and load (N) of each wheel."""
        return self._core.state(0)

    @property
    def scenario(self) -> dict[str, Any]:
        """Scenario of the current level."""
        return self._core.scenario(0)
