"""Vector environment for Gymnasium: one call steps all environments on several threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
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
    check_limit,
    check_open,
    check_render_mode,
    level_of,
    numbers_of,
    observation_space,
    seeds_of,
    tell_fidelity,
)

Array = NDArray[Any]


class BekkerVectorEnv(VectorEnv[Array, Array, Array]):
    """`num_envs` environments of a task. Each gives the same bits as a single environment.

    Args:
        task: Name of the task, such as `SoftGoal`.
        num_envs: Number of environments.
        max_episode_steps: Steps after which an episode is truncated, as by TimeLimit; None for no limit.
        num_threads: Number of threads; by default one per core.
        autoreset_mode: One of Gymnasium's three modes.
        render_mode: None or `rgb_array`.
        camera: View of `picture` and `render`: `chase`, `front`, `side`, `driver`, `top` or `bird`.
        size: Columns and rows of a picture.
        options: Options of docs/learning.md, such as `vehicle`, `soil`, `difficulty` and `levels`.

    Raises `InputError` or `ScenarioError` if an option is invalid.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 10}

    def __init__(
        self,
        task: str,
        num_envs: int = 1,
        *,
        max_episode_steps: int | None = None,
        num_threads: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        camera: str = "chase",
        size: tuple[int, int] = (240, 135),
        **options: Any,
    ) -> None:
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = check_render_mode(render_mode)
        self._camera, self._size = check_camera(camera), check_size(size)
        limit = check_limit("max_episode_steps", max_episode_steps)
        self._core = _core.Envs(task, num_envs, options, limit, num_threads)
        check_alone(self._core, task)
        tell_fidelity(options)
        self._infos = Infos(self._core)
        self._seeded = np.zeros(num_envs, bool)
        self.num_envs = num_envs
        self.single_action_space = action_space(self._core)
        self.single_observation_space = observation_space(self._core)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.layout = self._core.layout()
        """Parts of an observation: name, size, scale (the value that 1 stands for), unit, shape."""

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Array, dict[str, Any]]:
        """Begins the first episodes of the seeds seed, seed + 1 and so on, or the next episodes.

        `options["reset_mask"]` selects environments, `options["level"]` sets the level. An environment
        that never had a seed draws one.
        """
        check_open(self.closed)
        super().reset(seed=seed if isinstance(seed, int) else None)
        level = level_of(options)
        seeds = seeds_of(seed, self.num_envs)
        if not self._seeded.all():
            drawn = self.np_random.integers(SEEDS, size=self.num_envs).tolist()
            wants = [one is None and not seeded for one, seeded in zip(seeds, self._seeded)]
            seeds = [new if want else one for one, new, want in zip(seeds, drawn, wants)]
        mask = (options or {}).get("reset_mask")
        wanted = np.ones(self.num_envs, bool) if mask is None else np.asarray(mask)
        if wanted.shape != (self.num_envs,) or wanted.dtype != bool or not wanted.any():
            allowed = f"{self.num_envs} Booleans, at least one True"
            raise InputError(f"reset_mask: must be {allowed}", "reset_mask", str(mask), allowed)
        observations, levels = self._core.reset(seeds, wanted.tolist(), level)
        self._seeded |= wanted
        return observations, {"level": np.where(wanted, levels, 0), "_level": wanted}

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """Advances all environments by one period.

        `actions` has the shape (environments, size of an action). Raises `InputError` if the actions have
        the wrong shape or are not finite.
        """
        check_open(self.closed)
        given = numbers_of("actions", actions)
        if given.shape != self.action_space.shape:
            told = f"actions of shape {given.shape}: must be {self.action_space.shape}"
            raise InputError(told, "actions", str(given.shape), str(self.action_space.shape))
        found = self._core.step(given.tobytes(), self.autoreset_mode.value)
        observations, rewards, terminated, truncated, reset, last, rows, levels, driven = found
        begun = reset.view(bool)
        everywhere = np.ones(self.num_envs, bool)
        infos = {**self._told(rows, driven, ~begun), "level": levels, "_level": everywhere}
        if last is not None:
            final_obs = np.full(self.num_envs, None, dtype=object)
            for env in np.flatnonzero(begun).tolist():
                final_obs[env] = last[env]
            infos |= {
                "final_obs": final_obs,
                "_final_obs": begun,
                "final_info": self._told(rows, driven, begun),
                "_final_info": begun,
            }
        return observations, rewards, terminated.view(bool), truncated.view(bool), infos

    def _told(self, rows: Array, levels: Array, mask: Array) -> dict[str, Any]:
        """Returns an array per key, and under `_key` the mask of environments that have it."""
        if not mask.any():
            return {}
        told: dict[str, Any] = {}
        for place, name in enumerate(self._infos.names):
            # a float cannot represent large level numbers exactly
            values: Array = np.where(mask, levels if name == "level" else rows[:, place], 0)
            if name == "ending":
                told["is_success"] = values == 1
                told["_is_success"] = mask
                values = np.full(self.num_envs, None, dtype=object)
                for env in np.flatnonzero(mask).tolist():
                    values[env] = self._infos.endings[int(rows[env, place])]
            told[name] = values
            told[f"_{name}"] = mask
        return told

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """Returns a picture per environment, each of shape (rows, columns, 3); None without a render mode."""
        if self.render_mode is None:
            return None
        return tuple(self.picture(env).array for env in range(self.num_envs))

    def picture(self, env: int = 0) -> Picture:
        """Returns the view of an environment's camera."""
        return Picture(*self._core.picture(env, self._camera, self._size))

    def montage(self, columns: int = 4) -> Picture:
        """Returns the pictures of all environments side by side, which display themselves in a notebook."""
        from io import BytesIO

        from PIL import Image

        pictures = [self.picture(env).array for env in range(self.num_envs)]
        rows = -(-len(pictures) // columns)
        height, width, _ = pictures[0].shape
        whole = np.zeros((rows * height, columns * width, 3), np.uint8)
        for n, picture in enumerate(pictures):
            top, left = n // columns * height, n % columns * width
            whole[top : top + height, left : left + width] = picture
        file = BytesIO()
        Image.fromarray(whole).save(file, "png")
        return Picture(whole, file.getvalue())

    def experts(self) -> Array:
        """Returns the expert's actions in the present states, one row per environment."""
        return self._core.experts()

    def snapshot(self, env: int = 0) -> bytes:
        """Returns the episode of an environment as bytes."""
        return self._core.snapshot(env)

    def restore(self, snapshot: bytes, env: int = 0) -> Array:
        """Restores the episode of a snapshot of the same task and options, and returns its observation.

        Raises `SnapshotError` if the snapshot is damaged or belongs to another task or other options.
        """
        seen = self._core.restore(env, snapshot)
        self._seeded[env] = True
        return seen

    def rollout(self, snapshot: bytes, actions: Array) -> dict[str, Array]:
        """Simulates several futures of a snapshot in parallel. The environments do not change.

        `actions` has the shape (futures, steps, size of an action).

        Returns `rewards` (futures, steps), `lengths` in steps until the end of each, `terminated`, and the
        last `observations`. Raises `InputError` if the actions have the wrong shape.
        """
        given = numbers_of("actions", actions)
        if given.ndim != 3 or given.shape[2] != self._core.actions or 0 in given.shape:
            allowed = f"(futures, steps, {self._core.actions}), at least one of each"
            told = f"actions of shape {given.shape}: must be {allowed}"
            raise InputError(told, "actions", str(given.shape), allowed)
        found = self._core.rollout(snapshot, given.tobytes(), given.shape[1])
        rewards, lengths, terminated, observations = found
        return {
            "rewards": rewards,
            "lengths": lengths,
            "terminated": terminated.view(bool),
            "observations": observations,
        }
