"""Vector environments with the interface of Stable-Baselines3.

`BekkerVecEnv(env)` wraps the result of `gymnasium.make_vec(ID, N, autoreset_mode="SameStep")`.
`VecMonitor` of Stable-Baselines3 around it records returns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium import Wrapper
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from .envs import BekkerVectorEnv
from .errors import InputError

Array = NDArray[Any]
Indices = int | Iterable[int] | None

METHODS = ("expert", "picture", "render", "restore", "snapshot")


class BekkerVecEnv(VecEnv):
    """Adapter from `BekkerVectorEnv` to `VecEnv`.

    The info of an episode's last step has the last observation as `terminal_observation`, and
    `TimeLimit.truncated`, true if the episode was truncated and not terminated.

    Raises `InputError` if the autoreset mode of `env` is not `SameStep`.
    """

    def __init__(self, env: BekkerVectorEnv) -> None:
        if env.autoreset_mode != AutoresetMode.SAME_STEP:
            found, allowed = env.autoreset_mode.value, AutoresetMode.SAME_STEP.value
            told = f"autoreset_mode = {found!r}: must be {allowed}"
            raise InputError(told, "autoreset_mode", found, allowed)
        self.env = env
        self._actions: Array | None = None
        self._seeded = False
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)

    def reset(self) -> Array:
        """Begins an episode in each environment, with the seeds and options set before."""
        if not self._seeded and None in self._seeds:
            self.seed()
        self._seeded = True
        levels = [options.get("level") for options in self._options]
        observations: Array = np.empty(0)
        for level in dict.fromkeys(levels):
            mask = np.array([one == level for one in levels])
            options = {**self._options[int(mask.argmax())], "reset_mask": mask}
            found, infos = self.env.reset(seed=self._seeds, options=options)
            observations = np.where(mask[:, None], found, observations) if observations.size else found
            for env in np.flatnonzero(mask).tolist():
                self.reset_infos[env] = {"level": int(infos["level"][env])}
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: Array) -> None:
        """Stores the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """Advances all environments by one period. Raises `InputError` without a call of `step_async` before."""
        if self._actions is None:
            raise InputError("step_wait: must come after step_async", "step_wait")
        actions, self._actions = self._actions, None
        observations, rewards, terminated, truncated, found = self.env.step(actions)
        done = terminated | truncated
        infos = self._rows(found)
        for env in np.flatnonzero(done).tolist():
            self.reset_infos[env] = {"level": infos[env]["level"]}
        for env, info in self._rows(found.get("final_info", {}), done).items():
            infos[env] = {**info, "terminal_observation": found["final_obs"][env]}
        for env, info in infos.items():
            info["TimeLimit.truncated"] = bool(truncated[env] and not terminated[env])
        return observations, rewards.astype(np.float32), done, [infos[env] for env in range(self.num_envs)]

    def _rows(self, infos: dict[str, Any], mask: Array | None = None) -> dict[int, dict[str, Any]]:
        """Converts arrays with masks to one dict per environment."""
        wanted = np.ones(self.num_envs, bool) if mask is None else mask
        rows: dict[int, dict[str, Any]] = {env: {} for env in np.flatnonzero(wanted).tolist()}
        for key, values in infos.items():
            if key.startswith("_") or isinstance(values, dict) or key == "final_obs":
                continue
            told, listed = infos[f"_{key}"], values.tolist()
            for env, row in rows.items():
                if told[env]:
                    row[key] = listed[env]
        return rows

    def close(self) -> None:
        """Closes the environments."""
        self.env.close()

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """Returns the views of the cameras; None for each without a render mode."""
        return self.env.render() or [None] * self.num_envs

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Returns an attribute, which is the same for all environments."""
        return [getattr(self.env, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Sets an attribute of all environments. Raises `InputError` for only some of them."""
        if {*self._get_indices(indices)} != {*range(self.num_envs)}:
            allowed = "None, or all indices"
            told = f"indices = {indices!r}: must be {allowed}"
            raise InputError(told, "indices", repr(indices), allowed)
        setattr(self.env, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Calls `expert`, `picture`, `render`, `restore` or `snapshot` for some environments."""
        if method_name not in METHODS:
            allowed = ", ".join(METHODS)
            told = f"env_method({method_name!r}): must be one of {allowed}"
            raise InputError(told, "method_name", method_name, allowed)
        numbers = list(self._get_indices(indices))
        if method_name == "expert":
            experts = self.env.experts()
            return [experts[env] for env in numbers]
        if method_name == "render":
            return [self.env.picture(env).array for env in numbers]
        method = getattr(self.env, method_name)
        return [method(*method_args, env=env, **method_kwargs) for env in numbers]

    def env_is_wrapped(self, wrapper_class: type[Wrapper[Any, Any, Any, Any]], indices: Indices = None) -> list[bool]:
        """Returns False for each: wrappers of Stable-Baselines3 wrap all environments together."""
        return [False for _ in self._get_indices(indices)]
