"""The policy gradient of examples/ppo.py: its gradient, reproducibility and learning."""

import gymnasium
import numpy as np
import pytest
from conftest import example

ppo = example("ppo")
# levels of firm soil: a short training improves the policy
OPTIONS = {**ppo.CHEAP, "soil": "grenville_loam", "difficulty": 0.0, "levels": 2}


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(ppo, "HIDDEN", 8)
    monkeypatch.setattr(ppo, "BATCH", 64)


def made(count):
    return gymnasium.make_vec(ppo.TASK, count, autoreset_mode="SameStep", max_episode_steps=40, **OPTIONS)


def test_the_gradient_is_that_of_the_loss(short):
    random = np.random.default_rng(0)
    policy = ppo.Policy(5, 3, 2, random)
    seen, actions = random.normal(size=(64, 8)), random.normal(0, 0.4, (64, 2))
    # likelihoods of another policy, so that some ratios are clipped and some are not
    before = policy.log_likelihood(random.normal(0, 0.1, (64, 2)), actions)
    policy.actor.biases[-1][:] = 0.9, -0.9  # some means are beyond 1
    samples = (seen, actions, before, random.normal(size=64), random.normal(size=64))
    _, gradient = policy.loss(*samples)
    for own, found in zip(policy.parameters, gradient, strict=True):
        assert own.shape == found.shape
        for place in random.integers(own.size, size=4):
            value, loss = own.flat[place], []
            for shift in (1e-6, -1e-6):
                own.flat[place] = value + shift
                loss.append(policy.loss(*samples)[0])
            own.flat[place] = value
            # a central difference loses half the digits of 1e-16 to rounding
            assert (loss[0] - loss[1]) / 2e-6 == pytest.approx(found.flat[place], rel=1e-5, abs=1e-8)


def test_advantages_are_sums_of_surprises():
    rewards, values = np.array([[1.0], [2.0], [3.0]]), np.array([[0.5], [1.0], [1.5], [2.0]])
    ended = np.array([[False], [True], [False]])
    found = ppo.advantages_of(rewards, values, ended)[:, 0]
    d, k = ppo.DISCOUNT, ppo.DISCOUNT * ppo.LAMBDA
    assert found == pytest.approx([1 + d * 1 - 0.5 + k * (2 - 1), 2 - 1, 3 + d * 2 - 1.5])


def test_a_mean_begins_with_its_episode():
    env = Follow(2)
    memory = ppo.Memory(env, np.full((2, 25), 1.0))
    # the policy gets 24 visible and 9 implied columns and their two means; the last column is for the critic
    first = memory.seen(np.full((2, 25), 1.0))
    assert first.shape == (2, 3 * 33 + 1) and np.array_equal(first[:, [0, 33, 66, 99]], np.ones((2, 4)))
    seen = memory.see(np.full((2, 25), 3.0), np.array([False, True]))[:, [0, 33, 66, 99]]
    assert seen[0] == pytest.approx([*(ppo.MEANS + 3 * (1 - ppo.MEANS)), 3, 3])
    assert np.array_equal(seen[1], [3, 3, 3, 3])


def test_an_untrained_policy_drives_as_the_expert():
    env = made(2)
    observations, _ = env.reset(seed=3)
    memory = ppo.Memory(env, observations)
    seen, begun = memory.seen(observations), np.zeros(2, bool)
    policy = ppo.Policy(3 * memory.shown, 0, 2, np.random.default_rng(0))
    policy.actor.weights[-1][:] = 0
    for _ in range(30):
        actions = policy.act(seen)
        # observations are 32-bit numbers
        assert actions[:, 1] == pytest.approx(env.experts()[:, 1], abs=1e-5)
        observations, *_ = env.step(actions)
        seen = memory.see(observations, begun)


def test_the_same_seed_gives_the_same_bits_and_another_does_not(short, tmp_path):
    def learnt(seed):
        policy, curve = ppo.learn(made(4), seed, 3)
        return [part.tobytes() for part in (*policy.parameters, policy.mean, policy.scale, curve)]

    assert learnt(0) == learnt(0) != learnt(1)


def test_a_saved_policy_does_the_same(short, tmp_path):
    policy, _ = ppo.learn(made(2), 0, 1)
    policy.save(tmp_path / "policy.npz")
    seen = np.random.default_rng(0).normal(size=(9, len(policy.mean)))
    loaded = ppo.Policy.load(tmp_path / "policy.npz")
    assert np.array_equal(policy.act(seen), loaded.act(seen))
    assert np.array_equal(policy.value(seen), loaded.value(seen))


class Follow(gymnasium.vector.VectorEnv):
    """Rewards actions that equal the observation; its expert returns zeros."""

    layout = [("seen", 24, 1.0, ""), ("soil", 1, 1.0, "")]

    def __init__(self, count):
        self.num_envs, self.age = count, 0
        self.single_action_space = gymnasium.spaces.Box(-1, 1, (2,))
        self.random = np.random.default_rng(0)

    def reset(self, *, seed=None, options=None):
        self.wanted = self.random.uniform(-1, 1, (self.num_envs, 2))
        return np.pad(self.wanted, ((0, 0), (0, 23))), {}

    def experts(self):
        return np.zeros((self.num_envs, 2))

    def step(self, actions):
        rewards = 1 - ((actions - self.wanted) ** 2).sum(axis=1)
        self.age += 1
        cut = np.full(self.num_envs, self.age % 10 == 0)
        observations, _ = self.reset()
        return observations, rewards, np.zeros_like(cut), cut, {"final_obs": observations}


def test_it_learns_what_its_rule_does_not_know(short, monkeypatch):
    monkeypatch.setattr(ppo.Memory, "drive", lambda memory, error, slip: np.zeros(len(error)))
    # few updates learn only with much exploration
    monkeypatch.setattr(ppo, "SPREADS", (0.5, 0.06))
    _, curve = ppo.learn(Follow(16), 0, 25)
    # actions of zero earn 1 - 2/3 per step over 10 steps, minus twice the square of the spread
    assert curve[0][1] < 3.3 and curve[-1][1] > 5, curve[:, 1]
