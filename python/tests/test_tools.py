"""Environments in tools of other libraries: copies, pickles, processes, checkers, truncation."""

import copy
import multiprocessing
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv

import bekker
import bekker.envs
from bekker.envs import IDS, BekkerVectorEnv

# rigid tires, coarse nodes, long steps and only two levels: the fastest options
QUICK = {"flexible_tires": False, "spacing": 0.1, "step": 0.005, "levels": 2}
ACTION = np.float32([0.3, 0.8])


def after(env, steps=3):
    """Returns observations and rewards of some steps, as bytes."""
    told = [env.step(np.broadcast_to(ACTION, env.action_space.shape)) for _ in range(steps)]
    return [(np.asarray(seen).tobytes(), np.asarray(reward).tobytes()) for seen, reward, *_ in told]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_to_the_same_bits_and_its_own_way(copied):
    alone = gymnasium.make("bekker/SoftGoal-v0", difficulty=0.8, **QUICK)
    alone.reset(seed=4)
    many = BekkerVectorEnv("SoftGoal", 2, max_episode_steps=4, num_threads=2, **QUICK)
    many.reset(seed=4)
    for env in (alone, many):
        first = after(env)
        other = copied(env)
        expected = after(env)
        assert after(other) == expected != first
        before = other.unwrapped.snapshot()
        env.reset(seed=9)
        assert other.unwrapped.snapshot() == before
    with pytest.raises(bekker.RunError):
        copied(BekkerVectorEnv("SoftGoal", 1, **QUICK)).step(np.zeros((1, 2)))


def test_what_is_restored_is_seen_beside_a_reset_of_others():
    env = BekkerVectorEnv("SlipSpeed", 2, **QUICK)
    env.reset(seed=0)
    env.step(env.experts())
    kept, expected = env.snapshot(1), env.step(env.experts())[0]
    seen = env.restore(kept, 1)
    shown, _ = env.reset(options={"reset_mask": np.array([True, False])})
    assert np.array_equal(shown[1], seen) and not np.array_equal(shown[1], expected[1])


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_gymnasiums_processes_drive_them(context):
    if context not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {context}")
    make = [made] * 2
    with warnings.catch_warnings():
        # CPython warns about fork in a process with threads
        warnings.simplefilter("ignore", DeprecationWarning)
        env = AsyncVectorEnv(make, context=context)
    native = BekkerVectorEnv("SlipSpeed", 2, max_episode_steps=200, **QUICK)
    try:
        assert np.array_equal(env.reset(seed=3)[0], native.reset(seed=3)[0])
        assert after(env) == after(native)
    finally:
        env.close()


def made():
    return gymnasium.make("bekker/SlipSpeed-v0", **QUICK)


SEEN = [{"map": True, "image": 8, "lidar": 8}, {"map": False, "soil_visible": True, "noise": 0.1}]


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("seen", SEEN, ids=lambda seen: "-".join(seen))
def test_gymnasiums_checker_has_no_word_to_say_whatever_is_seen(name, seen):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(name, **seen, **QUICK).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("name", IDS)
def test_a_state_that_cannot_go_on_is_cut_off_and_seen_within_bounds(name):
    """With steps of 10 ms the belts of tires are unstable; failed episodes are truncated with reward 0."""
    task = name.removeprefix("bekker/").removesuffix("-v0")
    options = {"step": 0.01, "spacing": 0.2, "levels": 4, "soil_visible": True, "image": 8, "lidar": 8}
    env = BekkerVectorEnv(task, 8, autoreset_mode="SameStep", **options)
    env.reset(seed=0)
    random = np.random.default_rng(0)
    for _ in range(60):
        found = env.step(random.uniform(-1, 1, env.action_space.shape))
        seen, rewards, terminated, truncated, infos = found
        last = [one for one in infos.get("final_obs", []) if one is not None]
        for one in [seen, *last]:
            assert (np.abs(one) <= 1).all()
        assert np.isfinite(rewards).all()
        ended = infos.get("final_info", {}).get("ending", np.full(8, None))
        for env_index in np.flatnonzero(ended == "failed"):
            # a failure of the simulation truncates, and its reward is 0
            assert truncated[env_index] and not terminated[env_index] and rewards[env_index] == 0


@pytest.mark.parametrize(
    ("options", "key", "allowed"),
    [
        ({"difficulty": "hard"}, "difficulty", "a number"),
        ({"levels": 2.5}, "levels", "a whole number"),
        ({"map": 1}, "map", "boolean"),
        ({"soil": 3}, "soil", "string"),
        ({"noise": float("nan")}, "noise", "finite"),
        ({"vehicle": object()}, "vehicle", "text"),
        ({"color": "red"}, "color", "difficulty"),
        ({"image": -1}, "image", "whole number"),
    ],
)
def test_an_option_that_cannot_be_is_told_by_itself(options, key, allowed):
    with pytest.raises(bekker.InputError) as raised:
        BekkerVectorEnv("SlipSpeed", 1, **{**QUICK, **options})
    assert raised.value.key == key and allowed in raised.value.allowed


def test_numpys_numbers_are_numbers():
    options = {**QUICK, "levels": np.int64(2), "difficulty": np.float32(0.5), "map": np.bool_(True)}
    assert np.array_equal(*(BekkerVectorEnv("SlipSpeed", 1, **one).reset(seed=0)[0] for one in (options, {**QUICK, "map": True})))


@pytest.mark.parametrize("level", [-1, 2.5, "three", 2**63])
def test_a_level_that_cannot_be_is_refused(level):
    env = gymnasium.make("bekker/SlipSpeed-v0", **QUICK)
    with pytest.raises(bekker.InputError, match="level = "):
        env.reset(seed=0, options={"level": level})
