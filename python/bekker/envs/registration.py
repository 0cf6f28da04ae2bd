"""Ids of the environments."""

from __future__ import annotations

from gymnasium.envs import registration

from .. import _core

IDS = [f"bekker/{task}-v0" for task, _, _ in _core.tasks()]
"""The ids."""


def register() -> None:
    """Registers the ids with Gymnasium."""
    for (task, steps, _), name in zip(_core.tasks(), IDS):
        if name not in registration.registry:
            registration.register(
                name,
                entry_point="bekker.envs:BekkerEnv",
                vector_entry_point="bekker.envs:BekkerVectorEnv",
                max_episode_steps=steps,
                kwargs={"task": task},
            )
