"""Many environments: one call steps all of them, on threads of their own."""

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
)

Array = NDArray[Any]


class BekkerVectorEnv(VectorEnv[Array, Array, Array]):
    """`num_envs` environments of a task; each does what it does alone, bit for bit.

    Episodes are cut off after `max_episode_steps`, as by TimeLimit. `autoreset_mode` is any of
    Gymnasium's three.
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
        self._infos = Infos(self._core)
        self._seeded = np.zeros(num_envs, bool)
        self.num_envs = num_envs
        self.single_action_space = action_space(self._core)
        self.single_observation_space = observation_space(self._core)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.layout = self._core.layout()
        """Parts of an observation: name, numbers, what 1 stands for, unit."""

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Array, dict[str, Any]]:
        """Begins episodes: of the seeds seed, seed + 1 and so on, or the next ones.

        `options["reset_mask"]` says of which environments, `options["level"]` on which level. One
        that never had a seed draws its own.
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
        """Drives all of them for a period."""
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
        """Arrays by key, and by `_key` of which environments they are told."""
        if not mask.any():
            return {}
        told: dict[str, Any] = {}
        for place, name in enumerate(self._infos.names):
            # numbers of levels are larger than a float of a row can be exact
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
        """What the cameras see now, one picture each."""
        if self.render_mode is None:
            return None
        return tuple(self.picture(env).array for env in range(self.num_envs))

    def picture(self, env: int = 0) -> Picture:
        """What the camera of one environment sees now."""
        return Picture(*self._core.picture(env, self._camera, self._size))

    def montage(self, columns: int = 4) -> Picture:
        """The pictures of all, side by side, as they are seen in a notebook."""
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
        """What a rule would do now, an action a row."""
        return self._core.experts()

    def snapshot(self, env: int = 0) -> bytes:
        """An episode as bytes, to be pickled."""
        return self._core.snapshot(env)

    def restore(self, snapshot: bytes, env: int = 0) -> Array:
        """Goes to the episode of a snapshot of the same task and options; what is seen there."""
        seen = self._core.restore(env, snapshot)
        self._seeded[env] = True
        return seen

    def rollout(self, snapshot: bytes, actions: Array) -> dict[str, Array]:
        """Futures of a snapshot, side by side: `actions` is (futures, steps, numbers).

        `rewards` (futures, steps), `lengths` until the end of each, `terminated`, and the last
        `observations`. No environment goes on.
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
