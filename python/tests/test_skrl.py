"""skrl with vector environments: a short training of SoftGoal with its PPO in JAX (examples/soft_goal.py)."""

import numpy as np
import pytest
from conftest import example

pytest.importorskip("skrl")
jax = pytest.importorskip("jax")


def test_its_ppo_learns_from_make_vec(monkeypatch):
    soft_goal = example("soft_goal")
    for name, value in {"ENVS": 4, "ROLLOUT": 16, "HIDDEN": 16, "LEARNT": {"levels": 2}}.items():
        monkeypatch.setattr(soft_goal, name, value)
    # progress is reported as soon as one episode has ended
    agents = [soft_goal.learn(0, updates, 1, np.inf, lambda *_: None)[0] for updates in (0, 2)]
    before, after = [jax.device_get(agent.models["policy"].state_dict.params) for agent in agents]
    moved = jax.tree.map(lambda one, other: bool((one != other).any()), before, after)
    assert all(jax.tree.leaves(moved)), moved
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(after))
    rows = list(soft_goal.judge(soft_goal.policy_of(agents[1]), 2, 1))
    assert [name for name, *_ in rows] == ["rule", "policy"]
    assert all(np.isfinite(row[1:4]).all() for row in rows)
