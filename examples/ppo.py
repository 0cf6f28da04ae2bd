"""Trains a policy that holds a speed on unknown soil: proximal policy optimization in NumPy.

The policy corrects a rule: proportional and integral control of the speed, reduced by the slip that the
observation shows. It observes the environment's observation and slow means of it, from which it can infer the
response of the soil. It is trained on some levels and evaluated, next to the environment's expert, on levels and
soils that are not used in training.

Proximal policy optimization: J. Schulman et al., arXiv 1707.06347 (2017); advantages:
J. Schulman et al., arXiv 1506.02438 (2015); optimizer: D. P. Kingma and J. Ba, arXiv 1412.6980 (2014); corrections
of a rule: T. Silver et al., arXiv 1812.06298 (2018).

    python examples/ppo.py --seeds 0 1 2 --out runs/ppo
"""

import argparse
import os
import sys
import time
from collections import deque
from pathlib import Path

# set before NumPy is imported: threads slow down the products of small matrices
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import gymnasium
import numpy as np

import bekker.envs  # noqa: F401  registers the ids

TASK = "bekker/SlipSpeed-v0"
# coarse nodes and long steps are sufficient for training
CHEAP = {"flexible_tires": False, "spacing": 0.1, "step": 0.005}
# the critic, which is used only in training, also observes soil and wheels
LEARNT = {"first_level": 0, "levels": 256, "difficulty": 0.75, "soil_visible": True}
UNSEEN = {"first_level": 1_000_000, "levels": 1024}
UNSEEN_SOILS = ["sandy_loam_22_lll", "heavy_clay_25_wes", "grenville_loam", "azimi_sand_2013"]

NEEDED = 400_000
"""Steps of the published returns (docs/learning.md)."""
ENVS = 64
HORIZON = 32
"""Steps of each environment between two updates."""
DISCOUNT = 0.99
LAMBDA = 0.95
EPOCHS = 6
BATCH = 256
RATE = 7e-4
"""Initial learning rate of Adam; it decreases linearly to zero."""
CLIP = 0.2
SPREADS = 0.25, 0.05
"""Standard deviation of actions at the start and at the end of training."""
LARGEST_GRADIENT = 0.5
HIDDEN = 64
FORWARD, RIMS, DRIVE, WANTED = 0, slice(12, 16), 22, 23
"""Indices in an observation: forward speed, rim speeds, last drive action and target speed."""
PERIOD = 0.1
"""Time between actions, s."""
PRIVILEGED = ("soil", "wheel_slip", "wheel_sinkage")
MEANS = np.array([0.8, 0.95])
"""Weights of the past in the moving means per step: time constants of about 0.5 s and 2 s."""


class Network:
    """Network of tanh layers and a linear last layer, with its gradient."""

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
        """Returns the activations of each layer, from the inputs to the outputs."""
        layers = [inputs]
        for number, (weight, bias) in enumerate(zip(self.weights, self.biases), 1):
            sums = layers[-1] @ weight + bias
            layers.append(sums if number == len(self.weights) else np.tanh(sums))
        return layers

    def gradient(self, layers, outputs):
        """Returns the gradient of the parameters, from the gradient of the outputs."""
        weights, biases = [], []
        for weight, inputs in zip(self.weights[::-1], layers[-2::-1]):
            weights.insert(0, inputs.T @ outputs)
            biases.insert(0, outputs.sum(axis=0))
            outputs = outputs @ weight.T * (1 - inputs**2)
        return weights + biases


class Memory:
    """Inputs of the policy, one row per environment: observation, what it implies, and slow means of both.

    Implied are the speed error, the slip of the wheels, the integral of small speed errors, the time without
    progress, after which an episode ends, and the action of the rule.
    """

    def __init__(self, env, observations):
        self.visible = sum(count for name, count, *_ in env.layout if name not in PRIVILEGED)
        self.integral, self.stalled, self.gained = np.zeros((3, len(observations)))
        felt = self.felt(observations)
        self.shown = felt.shape[1]
        self.means = np.repeat(felt[:, None], len(MEANS), axis=1)

    def felt(self, observations):
        """Returns the unprivileged observation and values computed from it; the last two columns are the rule's action."""
        rims, forward = observations[:, RIMS], observations[:, FORWARD, None]
        error = observations[:, WANTED] - observations[:, FORWARD]
        # below 0.5 m/s a ratio of speeds is mostly noise
        slip = (rims - forward) / np.maximum(np.maximum(abs(rims), abs(forward)), 0.05)
        implied = [4 * error, slip, self.integral / 4, self.stalled / 4, np.zeros(len(error)), self.drive(error, slip)]
        return np.column_stack([observations[:, : self.visible], *implied]).astype(float)

    def drive(self, error, slip):
        """Returns the rule's drive action: that of the expert, with the slip that the observation shows."""
        wanted = 0.15 + 3.5 * error + 0.15 * self.integral
        return np.clip(wanted - 1.5 * np.maximum(slip.mean(axis=1) - 0.35, 0), -0.5, 1.0)

    def see(self, observations, begun):
        """Updates the memory and returns the inputs. A new episode resets it."""
        error = 10 * (observations[:, WANTED] - observations[:, FORWARD])
        self.integral = np.clip(self.integral + PERIOD * np.where(abs(error) < 1, error, 0), -4, 4)
        self.gained += 10 * PERIOD * observations[:, FORWARD]
        moved = (abs(self.gained) > 0.3) | (observations[:, DRIVE] <= 0.05)
        self.stalled = np.where(moved, 0, self.stalled + PERIOD)
        self.gained = np.where(moved, 0, self.gained)
        for own in (self.integral, self.stalled, self.gained):
            own[begun] = 0
        kept = np.where(begun[:, None, None], 0.0, MEANS[:, None])
        self.means = kept * self.means + (1 - kept) * self.felt(observations)[:, None]
        return self.seen(observations)

    def seen(self, observations):
        """Returns the inputs. The last columns of each row are only for the critic."""
        means = self.means.reshape(len(observations), -1)
        return np.column_stack([means, self.felt(observations), observations[:, self.visible :]])


class Policy:
    """Actor, a Gaussian distribution of actions around the rule's, and critic, the expected return."""

    def __init__(self, shown, hidden, actions, random):
        inputs = shown + hidden
        self.shown, self.mean, self.scale = shown, np.zeros(inputs), np.ones(inputs)
        self.actor = Network([shown, HIDDEN, HIDDEN, actions], 0.01, random)
        self.critic = Network([inputs, HIDDEN, HIDDEN, 1], 1.0, random)
        self.spread = SPREADS[0]

    @property
    def parameters(self):
        return [*self.actor.parameters, *self.critic.parameters]

    def normal(self, seen):
        count = seen.shape[1]
        return np.clip((seen - self.mean[:count]) / self.scale[:count], -5, 5)

    def rule(self, seen):
        return seen[:, self.shown - 2 : self.shown]

    def mean_action(self, seen):
        return self.rule(seen) + self.actor(self.normal(seen[:, : self.shown]))[-1]

    def act(self, seen):
        return np.clip(self.mean_action(seen), -1, 1)

    def value(self, seen):
        return self.critic(self.normal(seen))[-1][:, 0]

    def log_likelihood(self, means, actions):
        """Returns the log-likelihood up to a constant; the spread does not change in an update."""
        return -0.5 * (((actions - means) / self.spread) ** 2).sum(axis=1)

    def loss(self, seen, actions, before, advantages, returns):
        """Returns the loss and its gradient.

        The loss is the clipped surrogate, plus half the squared errors of values and of means beyond 1.
        """
        inputs, count = self.normal(seen), len(seen)
        layers, values = self.actor(inputs[:, : self.shown]), self.critic(inputs)
        means = layers[-1] + self.rule(seen)
        ratio = np.exp(self.log_likelihood(means, actions) - before)
        clipped = np.clip(ratio, 1 - CLIP, 1 + CLIP)
        error = values[-1][:, 0] - returns
        beyond = means - np.clip(means, -1, 1)
        surrogate = np.minimum(ratio * advantages, clipped * advantages)
        loss = 0.5 * (error**2).mean() + 0.5 * (beyond**2).sum() / count - surrogate.mean()
        # derivative by the log-likelihood: zero where the ratio is clipped
        moved = np.where(ratio * advantages <= clipped * advantages, -ratio * advantages, 0)[:, None] / count
        outputs = moved * (actions - means) / self.spread**2 + beyond / count
        return loss, self.actor.gradient(layers, outputs) + self.critic.gradient(values, error[:, None] / count)

    def save(self, path):
        np.savez(path, *self.parameters, mean=self.mean, scale=self.scale)

    @classmethod
    def load(cls, path):
        """Loads a policy written by `save`."""
        with np.load(path) as file:
            parameters = [file[f"arr_{n}"] for n in range(len(file.files) - 2)]
            shown = len(parameters[0])
            policy = cls(shown, len(file["mean"]) - shown, len(parameters[5]), np.random.default_rng(0))
            for own, saved in zip(policy.parameters, parameters):
                own[...] = saved
            policy.mean, policy.scale = file["mean"], file["scale"]
        return policy


class Adam:
    """Adam optimizer: steps by the mean gradient over the root of its mean square."""

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
    """Returns generalized advantage estimates, shape (steps, environments); `values` has one more row."""
    found, after = np.zeros_like(rewards), np.zeros(rewards.shape[1])
    for step in reversed(range(len(rewards))):
        goes_on = DISCOUNT * ~ended[step]
        surprise = rewards[step] + goes_on * values[step + 1] - values[step]
        found[step] = after = surprise + goes_on * LAMBDA * after
    return found


def learn(env, seed, updates, told=lambda steps, score: None):
    """Trains a policy. Returns it and its curve: rows of steps and mean return of the last 100 episodes.

    The same seed gives the same bits on the same machine with the same NumPy.
    """
    random = np.random.default_rng(seed)
    observations, _ = env.reset(seed=seed)
    count = env.num_envs
    memory = Memory(env, observations)
    seen = memory.seen(observations)
    shown = memory.shown * (1 + len(MEANS))
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
                # a truncated episode gets the value of its last observation
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
        # the new normalization applies to the next samples
        moments += (np.stack([everything.mean(0), (everything**2).mean(0)]) - moments) / (update + 1)
        policy.mean = moments[0]
        policy.scale = np.sqrt(np.maximum(moments[1] - moments[0] ** 2, 1e-4))
        if recent:
            curve.append(((update + 1) * HORIZON * count, np.mean(recent)))
            told(*curve[-1])
    return policy, np.array(curve)


def drive(env, act, seed=0, watched=lambda step: None):
    """Returns the return of each environment's first episode; `act` takes the inputs of the policy."""
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
    """Yields rows of a name and the mean returns of the expert and of each policy on unseen levels."""
    for soil in [None, *UNSEEN_SOILS]:
        options = {**CHEAP, **UNSEEN} | ({"soil": soil} if soil else {})
        env = gymnasium.make_vec(TASK, num_envs=ENVS, num_threads=threads, **options)
        rule = drive(env, lambda _: env.experts()).mean()
        yield soil or "the task's soils", rule, [drive(env, policy.act).mean() for policy in policies]
        env.close()


def draw(curves, rule, path):
    """Plots the curves if Matplotlib is installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print("Matplotlib is not installed: no plot of the curves")
        return
    axes = (figure := Figure((6, 3.5), layout="constrained")).add_subplot()
    for seed, curve in curves.items():
        axes.plot(*curve.T, label=f"seed {seed}", linewidth=1)
    axes.axhline(rule, color="black", linestyle="--", linewidth=1, label="rule, unseen levels")
    axes.set(xlabel="environment steps", ylabel="return of an episode while learning")
    axes.legend()
    figure.savefig(path, dpi=100)


def progress(seed, steps, began):
    """Returns a function that prints the mean return and the time left after every tenth update."""

    def show(done, score):
        if done % (10 * ENVS * HORIZON) == 0 or done == steps:
            left = (time.monotonic() - began) * (steps - done) / done
            print(f"{seed:4} {done:8} {score:7.1f} {left:7.0f} s", flush=True)

    return show


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--updates", type=int, default=200, help=f"number of updates, of {ENVS * HORIZON} steps each")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("runs/ppo"))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    policies, curves = [], {}
    steps = arguments.updates * ENVS * HORIZON
    print(f"{steps:,} steps per seed; the returns of docs/learning.md need about {NEEDED:,}")
    if steps < NEEDED - ENVS * HORIZON:
        print("warning: a run this short changes the rule little", file=sys.stderr)
    print(f"{'seed':>4} {'steps':>8} {'return':>7} {'time left':>9}", flush=True)
    for seed in arguments.seeds:
        options = {"autoreset_mode": "SameStep", "num_threads": arguments.threads, **CHEAP, **LEARNT}
        env = gymnasium.make_vec(TASK, num_envs=ENVS, **options)
        began = time.monotonic()
        policy, curves[seed] = learn(env, seed, arguments.updates, progress(seed, steps, began))
        taken = time.monotonic() - began
        env.close()
        policies.append(policy)
        policy.save(arguments.out / f"policy-{seed}.npz")
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
