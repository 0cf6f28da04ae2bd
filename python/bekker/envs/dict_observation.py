"""Observations as a dict of named arrays, with color images of 8 bits for convolutional policies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ..errors import InputError
from .spaces import Layout, parts

__all__ = ["DictObservation", "DictVectorObservation"]

Array = NDArray[Any]


def _layout(env: Any) -> Layout:
    layout: Layout | None = getattr(env.unwrapped, "layout", None)
    if layout is None:
        allowed = "an environment of bekker.envs"
        raise InputError(f"env = {env}: must be {allowed}", "env", str(env), allowed)
    return layout


def _is_8_bit(name: str, scale: float, shape: tuple[int, ...]) -> bool:
    """Returns whether a field has colors, or labels, whose scale is 255."""
    return len(shape) == 3 and (name == "image" or name.endswith("_color") or scale == 255.0)


def _split(layout: Layout, observations: Array) -> dict[str, Array]:
    fields = {}
    for (name, part), (_, _, scale, _, shape) in zip(parts(layout, observations).items(), layout):
        part = part.reshape(*observations.shape[:-1], *shape)
        fields[name] = np.rint(part * 255.0).astype(np.uint8) if _is_8_bit(name, scale, shape) else part
    return fields


def _space(layout: Layout) -> spaces.Dict:
    shown = _split(layout, np.zeros(sum(size for _, size, *_ in layout), np.float32))
    return spaces.Dict(
        {
            name: spaces.Box(0, 255, part.shape, np.uint8)
            if part.dtype == np.uint8
            else spaces.Box(-1.0, 1.0, part.shape, np.float32)
            for name, part in shown.items()
        }
    )


class DictObservation(gymnasium.ObservationWrapper[dict[str, Any], Array, Array], RecordConstructorArgs):
    """Environment whose observations are dicts of the fields of docs/learning.md.

    Images and maps have rows, columns and channels. Colors (linear RGB) and labels are 8-bit numbers. All others
    are as in the flat observation.

    Args:
        env: Environment of `bekker.envs`.
    """

    def __init__(self, env: gymnasium.Env[Array, Array]) -> None:
        RecordConstructorArgs.__init__(self)
        gymnasium.ObservationWrapper.__init__(self, env)
        self._fields = _layout(env)
        self.observation_space: spaces.Space[dict[str, Any]] = _space(self._fields)

    def observation(self, observation: Array) -> dict[str, Array]:
        """Returns the fields of an observation by name."""
        return _split(self._fields, observation)


class DictVectorObservation(VectorWrapper):
    """The same as `DictObservation` for environments in a vector: all arrays have the environments as first axis.

    Args:
        env: Vector environment of `bekker.envs`.
    """

    def __init__(self, env: VectorEnv[Array, Array, Array]) -> None:
        super().__init__(env)
        self._fields = _layout(env)
        self.single_observation_space = _space(self._fields)
        self.observation_space = batch_space(self.single_observation_space, env.num_envs)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Array], dict[str, Any]]:
        """Begins episodes as the wrapped environment does."""
        seen, infos = self.env.reset(seed=seed, options=options)  # type: ignore[arg-type]
        return _split(self._fields, seen), infos

    def step(self, actions: Array) -> tuple[dict[str, Array], Array, Array, Array, dict[str, Any]]:
        """Advances all environments; last observations of episodes in `infos` are dicts, too."""
        seen, rewards, ended, cut, infos = self.env.step(actions)
        last = infos.get("final_obs")
        if last is not None:
            converted = np.full(len(last), None, dtype=object)
            for env in np.flatnonzero(infos["_final_obs"]).tolist():
                converted[env] = _split(self._fields, last[env])
            infos = {**infos, "final_obs": converted}
        return _split(self._fields, seen), rewards, ended, cut, infos
