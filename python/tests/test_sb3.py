"""Stable-Baselines3 with vector environments."""

import gymnasium
import numpy as np
import pytest

sb3 = pytest.importorskip("stable_baselines3")

from stable_baselines3.common.env_checker import check_env  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor, VecNormalize  # noqa: E402

import bekker  # noqa: E402
from bekker.sb3 import BekkerVecEnv  # noqa: E402

QUICK = {"flexible_tires": False, "spacing": 0.1, "step": 0.005, "levels": 2}
TASK = "bekker/SlipSpeed-v0"


def made(count=2, **options):
    env = gymnasium.make_vec(TASK, count, autoreset_mode="SameStep", **{**QUICK, **options})
    return BekkerVecEnv(env)


def actions_of(env, steps):
    shape = (steps, env.num_envs, *env.action_space.shape)
    return np.random.default_rng(0).uniform(-1, 1, shape).astype(np.float32)


def test_its_checker_has_no_word_to_say():
    check_env(gymnasium.make(TASK, **QUICK))


def test_it_does_what_its_own_vector_of_single_environments_does():
    ours = made(3, max_episode_steps=8)
    theirs = DummyVecEnv([lambda: gymnasium.make(TASK, max_episode_steps=8, **QUICK)] * 3)
    for env in (ours, theirs):
        env.seed(11)
    assert np.array_equal(ours.reset(), theirs.reset())
    assert ours.reset_infos == theirs.reset_infos
    for actions in actions_of(ours, 20):
        mine, their = ours.step(actions), theirs.step(actions)
        for one, other in zip(mine[:3], their[:3], strict=True):
            assert one.dtype == other.dtype and np.array_equal(one, other)
        for one, other in zip(mine[3], their[3], strict=True):
            assert one.keys() == other.keys()
            for key in one:
                assert np.array_equal(one[key], other[key]), key
        assert ours.reset_infos == theirs.reset_infos
    assert mine[2].dtype == bool and not mine[2].any(), "20 steps are two and a half episodes"


def test_options_and_seeds_are_for_the_next_reset():
    env = made(2, levels=8)
    env.seed(3)
    env.set_options([{"level": 5}, {}])
    chosen = env.reset()
    drawn = env.reset_infos[1]["level"]
    assert env.reset_infos[0] == {"level": 5}
    env.seed(3)
    env.reset()
    assert env.reset_infos[1]["level"] == drawn, "a level set for one environment does not change another"
    env.seed(3)
    env.set_options([{"level": 5}, {}])
    assert np.array_equal(env.reset(), chosen)


def test_methods_and_attributes():
    env = made(2, render_mode="rgb_array", size=(32, 24))
    env.reset()
    assert env.get_attr("render_mode") == ["rgb_array"] * 2
    env.set_attr("color", "red")
    assert env.get_attr("color", [1]) == ["red"] and env.has_attr("color") and not env.has_attr("smell")
    assert env.env_is_wrapped(gymnasium.Wrapper, 0) == [False]
    assert env.env_method("expert", indices=1)[0].shape == (2,)
    first, second = env.env_method("snapshot")
    env.step(actions_of(env, 1)[0])
    env.env_method("restore", first, indices=0)
    assert env.env_method("snapshot")[0] == first and env.env_method("snapshot", indices=1)[0] != second
    assert env.render().shape == (48, 32, 3), "pictures are stacked vertically"
    env.close()


@pytest.mark.parametrize(
    ("wrong", "key"),
    [
        (lambda: BekkerVecEnv(gymnasium.make_vec(TASK, 1, **QUICK)), "autoreset_mode"),
        (lambda: made().set_attr("color", "red", 0), "indices"),
        (lambda: made().env_method("jump"), "method_name"),
        (lambda: made().step_wait(), "step_wait"),
    ],
)
def test_what_cannot_be_is_refused(wrong, key):
    with pytest.raises(bekker.InputError) as raised:
        wrong()
    assert raised.value.key == key


def test_its_ppo_learns_from_them():
    env = VecNormalize(VecMonitor(made(4, max_episode_steps=20)))
    model = sb3.PPO("MlpPolicy", env, n_steps=32, batch_size=64, seed=0, device="cpu")
    model.learn(256)
    assert model.num_timesteps == 256 and len(model.ep_info_buffer) >= 4
