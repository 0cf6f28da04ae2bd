"""Registration of the environments with Gymnasium."""

from __future__ import annotations

from gymnasium.envs import registration

from .. import _core

ALONE = {f"bekker/{task}-v0": (task, steps) for task, steps, _, most in _core.tasks() if most == 1}

IDS = list(ALONE)
"""Ids of the tasks for one vehicle."""


def register() -> None:
    """Registers the ids with Gymnasium."""
    for name, (task, steps) in ALONE.items():
        if name not in registration.registry:
            registration.register(
                name,
                entry_point="bekker.envs:BekkerEnv",
                vector_entry_point="bekker.envs:BekkerVectorEnv",
                max_episode_steps=steps,
                kwargs={"task": task},
            )
