"""skrl drives them as they are: a short PPO in jax."""

import gymnasium
import numpy as np
import pytest

pytest.importorskip("skrl")
jax = pytest.importorskip("jax")

import flax.linen as nn  # noqa: E402
from skrl.agents.jax.ppo import PPO, PPO_CFG  # noqa: E402
from skrl.envs.wrappers.jax import wrap_env  # noqa: E402
from skrl.memories.jax import RandomMemory  # noqa: E402
from skrl.models.jax import DeterministicMixin, GaussianMixin, Model  # noqa: E402
from skrl.trainers.jax import SequentialTrainer  # noqa: E402

import bekker.envs  # noqa: E402, F401  registers the ids

ENVS, ROLLOUT = 4, 16


class Policy(GaussianMixin, Model):
    def __init__(self, **spaces):
        Model.__init__(self, **spaces)
        GaussianMixin.__init__(self)

    @nn.compact
    def __call__(self, inputs, role):
        hidden = nn.tanh(nn.Dense(16)(inputs["observations"]))
        spread = self.param("log_spread", lambda _: -0.7 * np.ones(self.num_actions, np.float32))
        return nn.Dense(self.num_actions)(hidden), {"log_std": spread}


class Value(DeterministicMixin, Model):
    def __init__(self, **spaces):
        Model.__init__(self, **spaces)
        DeterministicMixin.__init__(self)

    @nn.compact
    def __call__(self, inputs, role):
        return nn.Dense(1)(nn.tanh(nn.Dense(16)(inputs["observations"]))), {}


def test_its_ppo_learns_from_make_vec(tmp_path):
    options = {"flexible_tyres": False, "spacing": 0.1, "step": 0.005, "levels": 2}
    native = gymnasium.make_vec("bekker/SlipSpeed-v0", ENVS, max_episode_steps=10, **options)
    env = wrap_env(native)
    assert env.num_envs == ENVS and env.observation_space == native.single_observation_space
    spaces = {"observation_space": env.observation_space, "action_space": env.action_space}
    models = {"policy": Policy(**spaces), "value": Value(**spaces)}
    for role, model in models.items():
        model.init_state_dict(role=role)
    settings = PPO_CFG(rollouts=ROLLOUT, learning_epochs=2, mini_batches=2, time_limit_bootstrap=True)
    settings.experiment.directory = str(tmp_path)
    settings.experiment.write_interval = settings.experiment.checkpoint_interval = 0
    agent = PPO(models=models, memory=RandomMemory(memory_size=ROLLOUT, num_envs=ENVS), cfg=settings, **spaces)
    before = jax.device_get(models["policy"].state_dict.params)
    trained = {"timesteps": 2 * ROLLOUT, "headless": True, "disable_progressbar": True}
    SequentialTrainer(env=env, agents=agent, cfg={**trained, "close_environment_at_exit": False}).train()
    after = jax.device_get(models["policy"].state_dict.params)
    moved = jax.tree.map(lambda one, other: bool((one != other).any()), before, after)
    assert all(jax.tree.leaves(moved)), moved
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(after))
    assert np.isfinite(np.asarray(agent.memory.get_tensor_by_name("rewards"))).all()
