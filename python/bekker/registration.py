"""Registration of the environments with Gymnasium, without importing their classes."""

from __future__ import annotations

from . import _core

ALONE = {f"bekker/{task}-v0": (task, steps) for task, steps, _, most in _core.tasks() if most == 1}
"""Task and maximum number of steps of each id."""


def register() -> None:
    """Registers the ids with Gymnasium, unless they are registered already."""
    from gymnasium.envs import registration

    for name, (task, steps) in ALONE.items():
        if name not in registration.registry:
            registration.register(
                name,
                entry_point="bekker.envs:BekkerEnv",
                vector_entry_point="bekker.envs:BekkerVectorEnv",
                max_episode_steps=steps,
                kwargs={"task": task},
            )
