"""The convoy: PettingZoo's API test, seeds, snapshots and invalid arguments."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("pettingzoo")

from pettingzoo.test import parallel_api_test

import bekker
from bekker.envs import BekkerEnv, convoy_v0

# rigid tires, coarse nodes and long steps: the fastest options
QUICK: dict[str, Any] = {"flexible_tires": False, "spacing": 0.1, "step": 0.005, "levels": 2}


def test_it_keeps_the_contract() -> None:
    parallel_api_test(convoy_v0.parallel_env(vehicles=2, max_cycles=20, **QUICK), num_cycles=60)


def test_the_other_interface_drives_too() -> None:
    env = convoy_v0.env(vehicles=2, max_cycles=3, **QUICK)
    env.reset(seed=1)
    driven = 0
    for agent in env.agent_iter():
        _, _, terminated, truncated, _ = env.last()
        env.step(None if terminated or truncated else env.action_space(agent).sample())
        driven += 1
    assert driven == 2 * 3 + 2


def drive(seed: int, threads: int) -> list[bytes]:
    env = convoy_v0.parallel_env(vehicles=3, num_threads=threads, **{**QUICK, "levels": 1000})
    seen, infos = env.reset(seed=seed)
    told = [seen[name].tobytes() for name in env.agents]
    assert [info["level"] for info in infos.values()] == [infos["vehicle_0"]["level"]] * 3
    for _ in range(5):
        seen, rewards, *_ = env.step(env.experts())
        told += [seen[name].tobytes() for name in env.agents]
        told.append(np.array(list(rewards.values())).tobytes())
    return told


def test_a_seed_decides_and_threads_do_not() -> None:
    assert drive(3, 1) == drive(3, 2)
    assert drive(3, 1) != drive(4, 1)


def test_a_follower_sees_the_vehicle_ahead() -> None:
    env = convoy_v0.parallel_env(vehicles=2, **QUICK)
    seen, _ = env.reset(seed=1)
    at, place = {}, 0
    for name, size, scale, *_ in env.layout:
        at[name] = (place, scale)
        place += size
    place, scale = at["goal_distance"]
    # 12 m apart along the slope
    assert seen["vehicle_1"][place] * scale == pytest.approx(12.0, abs=0.2)
    assert env.observation_space("vehicle_0") is env.observation_space("vehicle_0")


def test_a_snapshot_goes_the_same_way() -> None:
    env = convoy_v0.parallel_env(vehicles=2, **QUICK)
    env.reset(seed=5)
    env.step(env.experts())
    kept, actions = env.snapshot(), env.experts()
    once = env.step(actions)
    env.restore(kept)
    twice = env.step(actions)
    for name in env.possible_agents:
        assert (once[0][name] == twice[0][name]).all() and once[1][name] == twice[1][name]


def test_an_end_is_the_end_for_all() -> None:
    env = convoy_v0.parallel_env(vehicles=2, **QUICK)
    env.reset(seed=1)
    # the second vehicle collides with the first, which brakes
    actions = {"vehicle_0": np.float32([0, -1]), "vehicle_1": np.float32([0, 1])}
    for _ in range(100):
        _, rewards, terminated, _, infos = env.step(actions)
        if not env.agents:
            break
    assert terminated == {"vehicle_0": True, "vehicle_1": True}
    assert infos["vehicle_1"]["ending"] == "hit" and rewards["vehicle_1"] < -40
    assert env.step({}) == ({}, {}, {}, {}, {})
    # a snapshot of an ended episode restores an ended episode
    other = convoy_v0.parallel_env(vehicles=2, **QUICK)
    other.restore(env.snapshot())
    assert other.agents == [] and other.step({}) == ({}, {}, {}, {}, {})


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(bekker.InputError, match="from 2 to 8"):
        convoy_v0.parallel_env(vehicles=9, **QUICK)
    with pytest.raises(bekker.InputError, match="must be 1"):
        BekkerEnv("SoftGoal", vehicles=2, **QUICK)
    with pytest.raises(bekker.InputError, match="convoy_v0"):
        BekkerEnv("Convoy", **QUICK)
    env = convoy_v0.parallel_env(vehicles=2, **QUICK)
    env.reset(seed=1)
    with pytest.raises(bekker.InputError, match="vehicle_1"):
        env.step({"vehicle_0": np.float32([0, 0])})
    with pytest.raises(bekker.InputError, match="action of vehicle_1 is .*nan.*finite") as refused:
        env.step({"vehicle_0": np.float32([0, 0]), "vehicle_1": np.float32([0, np.nan])})
    assert refused.value.key == "vehicle_1"
    with pytest.raises(bekker.InputError, match="max_cycles = 0"):
        convoy_v0.parallel_env(vehicles=2, max_cycles=0, **QUICK)
