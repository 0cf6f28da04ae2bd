"""Observations as dicts, of shipped and own tasks."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import bekker
from bekker.envs import BekkerEnv, BekkerVectorEnv, DictObservation, DictVectorObservation, Task, TaskEnv, TaskVectorEnv

QUICK = {"flexible_tires": False, "spacing": 0.1, "step": 0.005, "levels": 2, "image": 8}


def test_the_fields_are_those_of_the_flat_observation():
    flat, wrapped = BekkerEnv("SoftGoal", **QUICK), DictObservation(BekkerEnv("SoftGoal", **QUICK))
    plain, _ = flat.reset(seed=4)
    fields, _ = wrapped.reset(seed=4)
    assert wrapped.observation_space.contains(fields)
    named = bekker.envs.parts(flat.layout, plain)
    assert set(fields) == set(wrapped.observation_space) == {name for name, *_ in flat.layout}
    assert fields["image"].shape == (8, 8, 3) and fields["image"].dtype == np.uint8
    assert np.array_equal(fields["image"], np.rint(named["image"] * 255))
    assert fields["image"].max() > 50
    assert np.array_equal(fields["depth"][..., 0], named["depth"])
    assert fields["map_height"].shape == (32, 32, 1)
    assert np.array_equal(fields["velocity"], named["velocity"])


def test_a_vector_has_the_last_observations_of_episodes_as_dicts():
    made = BekkerVectorEnv("SoftGoal", 2, max_episode_steps=2, autoreset_mode=AutoresetMode.SAME_STEP, **QUICK)
    many = DictVectorObservation(made)
    fields, _ = many.reset(seed=4)
    assert many.observation_space.contains(fields) and fields["image"].shape == (2, 8, 8, 3)
    action = np.zeros(many.action_space.shape, np.float32)
    many.step(action)
    _, _, _, cut, infos = many.step(action)
    assert cut.all() and infos["final_obs"][1]["image"].shape == (8, 8, 3)


class Slip(Task):
    scenario = {
        "format": 1, "name": "flat", "time": {"duration": 10, "step": 0.005}, "soil": {"default": "mud"},
        "ground": {"spacing": 0.1},
        "vehicle": [{"name": "own", "model": "hmmwv", "position": [0, 0], "tire": "rigid"}],
    }
    levels = 1
    observations = {"velocity": None, "slip": lambda states: states["slip"]}
    rewards = {"time": (-1.0, "one")}


def test_terms_of_own_tasks_are_fields():
    one = DictObservation(TaskEnv(Slip))
    fields, _ = one.reset(seed=1)
    assert fields["velocity"].shape == (3,) and fields["slip"].shape == (4,)
    assert one.observation_space.contains(fields)
    many, _ = DictVectorObservation(TaskVectorEnv(Slip, 2)).reset(seed=1)
    assert np.array_equal(many["slip"][0], fields["slip"])


def test_other_environments_are_refused():
    with pytest.raises(bekker.InputError, match="bekker.envs"):
        DictObservation(gymnasium.make("CartPole-v1"))
