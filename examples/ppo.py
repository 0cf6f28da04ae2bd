"""Learns to hold a speed on soil that it cannot see: proximal policy optimisation in numpy.

The policy sees what the environment shows and slow means of it, from which it can tell how the soil
answers. It learns on some levels and is judged, beside the environment's own rule, on levels and
soils that it never met.

Proximal policy optimisation: J. Schulman et al., arXiv 1707.06347 (2017); advantages:
J. Schulman et al., arXiv 1506.02438 (2015); steps: D. P. Kingma and J. Ba, arXiv 1412.6980 (2014).

    python examples/ppo.py --seeds 0 1 2 --out runs/ppo
"""

import argparse
import os
import time
from collections import deque
from pathlib import Path

# before numpy: over small matrices threads wait for one another longer than they multiply
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import gymnasium
import numpy as np

import bekker.envs  # noqa: F401  registers the ids

TASK = "bekker/SlipSpeed-v0"
# coarse nodes and long steps: what is learnt need not be finer
CHEAP = {"flexible_tyres": False, "spacing": 0.1, "step": 0.005}
# the critic, which is for learning alone, sees soil and wheels too
LEARNT = {"first_level": 0, "levels": 256, "difficulty": 0.75, "soil_visible": True}
UNSEEN = {"first_level": 1_000_000, "levels": 1024}
UNSEEN_SOILS = ["sandy_loam_22_lll", "heavy_clay_25_wes", "grenville_loam", "azimi_sand_2013"]

ENVS = 64
HORIZON = 32
"""Steps of each environment between two updates."""
DISCOUNT = 0.97
LAMBDA = 0.9
EPOCHS = 6
BATCH = 256
RATE = 7e-4
"""Of Adam at first; it falls to nothing by the end."""
CLIP = 0.2
SPREADS = 0.5, 0.06
"""Standard deviation of actions while it learns, at first and at last."""
LARGEST_GRADIENT = 0.5
HIDDEN = 64
FORWARD, WANTED = 0, 23
"""Of an observation: speed ahead, and that which is wanted."""
PRIVILEGED = ("soil", "wheel_slip", "wheel_sinkage")
MEANS = np.array([0.8, 0.95])
"""What is left of a mean after a step: over half a second, and over two."""


class Network:
    """Layers of tanh and a linear one: inputs to outputs, and gradients back."""

    def __init__(self, sizes, last, random):
        scales = [1.0] * (len(sizes) - 2) + [last]
        self.weights = [
            random.normal(0, scale / np.sqrt(inputs), (inputs, outputs))
            for inputs, outputs, scale in zip(sizes, sizes[1:], scales)
        ]
        self.biases = [np.zeros(outputs) for outputs in sizes[1:]]

    @property
    def parameters(self):
        return self.weights + self.biases

    def __call__(self, inputs):
        """Activations of each layer, from the inputs to the outputs."""
        layers = [inputs]
        for number, (weight, bias) in enumerate(zip(self.weights, self.biases), 1):
            sums = layers[-1] @ weight + bias
            layers.append(sums if number == len(self.weights) else np.tanh(sums))
        return layers

    def gradient(self, layers, outputs):
        """Of the parameters, from that of the outputs."""
        weights, biases = [], []
        for weight, inputs in zip(self.weights[::-1], layers[-2::-1]):
            weights.insert(0, inputs.T @ outputs)
            biases.insert(0, outputs.sum(axis=0))
            outputs = outputs @ weight.T * (1 - inputs**2)
        return weights + biases


class Memory:
    """What a policy is told, one row an environment: observations, the error, slow means of both."""

    def __init__(self, env, observations):
        self.shown = sum(count for name, count, *_ in env.layout if name not in PRIVILEGED)
        self.means = np.repeat(self.felt(observations)[:, None], len(MEANS), axis=1)

    def felt(self, observations):
        """What everyone sees, and the error of speed."""
        error = observations[:, WANTED] - observations[:, FORWARD]
        return np.column_stack([observations[:, : self.shown], 4 * error]).astype(float)

    def see(self, observations, begun):
        """What is seen next; where an episode has begun there is nothing to remember."""
        kept = np.where(begun[:, None, None], 0.0, MEANS[:, None])
        self.means = kept * self.means + (1 - kept) * self.felt(observations)[:, None]
        return self.seen(observations)

    def seen(self, observations):
        """At the end of each row is what is for critics."""
        means = self.means.reshape(len(observations), -1)
        return np.column_stack([means, self.felt(observations), observations[:, self.shown :]])


class Policy:
    """A Gaussian over actions, and what is still to be had by them."""

    def __init__(self, shown, hidden, actions, random):
        inputs = shown + hidden
        self.shown, self.mean, self.scale = shown, np.zeros(inputs), np.ones(inputs)
        self.actor = Network([shown, HIDDEN, HIDDEN, actions], 0.01, random)
        self.critic = Network([inputs, HIDDEN, HIDDEN, 1], 1.0, random)
        # who never sets off is never stuck, and would learn no more
        self.actor.biases[-1][1] = 0.3
        self.spread = SPREADS[0]

    @property
    def parameters(self):
        return [*self.actor.parameters, *self.critic.parameters]

    def normal(self, seen):
        count = seen.shape[1]
        return np.clip((seen - self.mean[:count]) / self.scale[:count], -5, 5)

    def mean_action(self, seen):
        return self.actor(self.normal(seen[:, : self.shown]))[-1]

    def act(self, seen):
        return np.clip(self.mean_action(seen), -1, 1)

    def value(self, seen):
        return self.critic(self.normal(seen))[-1][:, 0]

    def log_likelihood(self, means, actions):
        """Less a constant, for the spread is the same before and after an update."""
        return -0.5 * (((actions - means) / self.spread) ** 2).sum(axis=1)

    def loss(self, seen, actions, before, advantages, returns):
        """The clipped surrogate, half the square errors of values and of means beyond 1; its gradient."""
        inputs, count = self.normal(seen), len(seen)
        layers, values = self.actor(inputs[:, : self.shown]), self.critic(inputs)
        ratio = np.exp(self.log_likelihood(layers[-1], actions) - before)
        clipped = np.clip(ratio, 1 - CLIP, 1 + CLIP)
        error = values[-1][:, 0] - returns
        beyond = layers[-1] - np.clip(layers[-1], -1, 1)
        surrogate = np.minimum(ratio * advantages, clipped * advantages)
        loss = 0.5 * (error**2).mean() + 0.5 * (beyond**2).sum() / count - surrogate.mean()
        # of the logarithm of the likelihood: nothing where clipping holds it
        moved = np.where(ratio * advantages <= clipped * advantages, -ratio * advantages, 0)[:, None] / count
        means = moved * (actions - layers[-1]) / self.spread**2 + beyond / count
        return loss, self.actor.gradient(layers, means) + self.critic.gradient(values, error[:, None] / count)

    def save(self, path):
        np.savez(path, *self.parameters, mean=self.mean, scale=self.scale)

    @classmethod
    def load(cls, path):
        """A policy that `save` wrote."""
        with np.load(path) as file:
            parameters = [file[f"arr_{n}"] for n in range(len(file.files) - 2)]
            shown = len(parameters[0])
            policy = cls(shown, len(file["mean"]) - shown, len(parameters[5]), np.random.default_rng(0))
            for own, saved in zip(policy.parameters, parameters):
                own[...] = saved
            policy.mean, policy.scale = file["mean"], file["scale"]
        return policy


class Adam:
    """Steps by the gradient's mean over the root of its mean square."""

    def __init__(self, parameters):
        self.parameters, self.taken = parameters, 0
        self.first = [np.zeros_like(own) for own in parameters]
        self.second = [np.zeros_like(own) for own in parameters]

    def step(self, gradient, rate):
        self.taken += 1
        length = np.sqrt(sum((part**2).sum() for part in gradient))
        shrunk = min(1.0, LARGEST_GRADIENT / (length + 1e-12))
        for own, part, first, second in zip(self.parameters, gradient, self.first, self.second):
            first += 0.1 * (shrunk * part - first)
            second += 0.001 * ((shrunk * part) ** 2 - second)
            root = np.sqrt(second / (1 - 0.999**self.taken)) + 1e-8
            own -= rate * first / (1 - 0.9**self.taken) / root


def advantages_of(rewards, values, ended):
    """How much better each step was than expected, discounted; values has one row more."""
    found, after = np.zeros_like(rewards), np.zeros(rewards.shape[1])
    for step in reversed(range(len(rewards))):
        goes_on = DISCOUNT * ~ended[step]
        surprise = rewards[step] + goes_on * values[step + 1] - values[step]
        found[step] = after = surprise + goes_on * LAMBDA * after
    return found


def learn(env, seed, updates, told=lambda steps, score: None):
    """A policy, and its curve: rows of steps taken and mean return of the last 100 episodes.

    The same seed gives the same bits on one machine with one numpy.
    """
    random = np.random.default_rng(seed)
    observations, _ = env.reset(seed=seed)
    count = env.num_envs
    memory = Memory(env, observations)
    seen = memory.seen(observations)
    shown = (memory.shown + 1) * (1 + len(MEANS))
    policy = Policy(shown, seen.shape[1] - shown, env.single_action_space.shape[0], random)
    adam = Adam(policy.parameters)
    moments = np.zeros((2, seen.shape[1]))
    running, curve, recent = np.zeros(count), [], deque(maxlen=100)
    for update in range(updates):
        done = update / updates
        policy.spread = SPREADS[0] * (SPREADS[1] / SPREADS[0]) ** done
        kept = []
        for _ in range(HORIZON):
            means = policy.mean_action(seen)
            actions = means + policy.spread * random.normal(size=means.shape)
            observations, rewards, terminated, truncated, infos = env.step(np.clip(actions, -1, 1))
            ended = terminated | truncated
            running += rewards
            recent += running[ended].tolist()
            running[ended] = 0
            rewards = rewards * (1 - DISCOUNT)
            for cut in np.flatnonzero(truncated & ~terminated):
                # time is up but the drive would have gone on: what it was worth there
                last = Memory.seen(memory, np.tile(infos["final_obs"][cut], (count, 1)))[cut]
                rewards[cut] += DISCOUNT * policy.value(last[None])[0]
            before = policy.log_likelihood(means, actions)
            kept.append((seen, actions, before, rewards, ended))
            seen = memory.see(observations, ended)
        rolled = [np.array(column) for column in zip(*kept)]
        everything = rolled[0].reshape(-1, seen.shape[1])
        values = policy.value(np.concatenate([everything, seen])).reshape(HORIZON + 1, count)
        advantages = advantages_of(rolled[3], values, rolled[4])
        samples = [
            everything,
            rolled[1].reshape(-1, rolled[1].shape[2]),
            rolled[2].ravel(),
            ((advantages - advantages.mean()) / (advantages.std() + 1e-8)).ravel(),
            (advantages + values[:-1]).ravel(),
        ]
        rate = RATE * (1 - done)
        for _ in range(EPOCHS):
            for batch in np.array_split(random.permutation(len(everything)), max(1, len(everything) // BATCH)):
                adam.step(policy.loss(*[part[batch] for part in samples])[1], rate)
        # scales are for the next samples, not for those that were just learnt from
        moments += (np.stack([everything.mean(0), (everything**2).mean(0)]) - moments) / (update + 1)
        policy.mean = moments[0]
        policy.scale = np.sqrt(np.maximum(moments[1] - moments[0] ** 2, 1e-4))
        if recent:
            curve.append(((update + 1) * HORIZON * count, np.mean(recent)))
            told(*curve[-1])
    return policy, np.array(curve)


def drive(env, act, seed=0, watched=lambda step: None):
    """What each environment's first episode brings; `act` takes what the policy sees."""
    observations, _ = env.reset(seed=seed)
    memory = Memory(env, observations)
    seen, begun = memory.seen(observations), np.zeros(env.num_envs, bool)
    total, drives, step = np.zeros(env.num_envs), ~begun, 0
    while drives.any():
        watched(step)
        observations, rewards, terminated, truncated, _ = env.step(act(seen))
        total += rewards * drives
        drives = drives & ~(terminated | truncated)
        seen, step = memory.see(observations, begun), step + 1
    return total


def judge(policies, threads):
    """Mean returns, row by row: a name, the rule's, and each policy's on levels that none has met."""
    for soil in [None, *UNSEEN_SOILS]:
        options = {**CHEAP, **UNSEEN} | ({"soil": soil} if soil else {})
        env = gymnasium.make_vec(TASK, num_envs=ENVS, num_threads=threads, **options)
        rule = drive(env, lambda _: env.experts()).mean()
        yield soil or "the task's soils", rule, [drive(env, policy.act).mean() for policy in policies]
        env.close()


def draw(curves, rule, path):
    """The curves, where there is a matplotlib to draw them."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print("no matplotlib: the curves are not drawn")
        return
    axes = (figure := Figure((6, 3.5), layout="constrained")).add_subplot()
    for seed, curve in curves.items():
        axes.plot(*curve.T, label=f"seed {seed}", linewidth=1)
    axes.axhline(rule, color="black", linestyle="--", linewidth=1, label="rule, unseen levels")
    axes.set(xlabel="environment steps", ylabel="return of an episode while learning")
    axes.legend()
    figure.savefig(path, dpi=100)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--updates", type=int, default=200, help=f"each of {ENVS * HORIZON} steps")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("runs/ppo"))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    policies, curves = [], {}
    for seed in arguments.seeds:
        options = {"autoreset_mode": "SameStep", "num_threads": arguments.threads, **CHEAP, **LEARNT}
        env = gymnasium.make_vec(TASK, num_envs=ENVS, **options)
        began = time.monotonic()
        policy, curves[seed] = learn(env, seed, arguments.updates, lambda *told: print("%8d %6.1f" % told, flush=True))
        taken = time.monotonic() - began
        env.close()
        policies.append(policy)
        policy.save(arguments.out / f"policy-{seed}.npz")
        steps = arguments.updates * ENVS * HORIZON
        print(f"seed {seed}: {steps} steps in {taken:.0f} s, load {os.getloadavg()[1]:.1f}", flush=True)
    np.savez(arguments.out / "curves.npz", **{f"seed_{seed}": curve for seed, curve in curves.items()})
    rules = []
    print(f"{'on':20} {'seed':>4} {'rule':>7} {'policy':>7}")
    for name, rule, scores in judge(policies, arguments.threads):
        rules.append(rule)
        for seed, score in zip(arguments.seeds, scores):
            print(f"{name:20} {seed:4} {rule:7.1f} {score:7.1f} {100 * (score / rule - 1):+6.0f} %", flush=True)
    draw(curves, rules[0], arguments.out / "curve.png")


if __name__ == "__main__":
    main()
