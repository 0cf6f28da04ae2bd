"""Trains a policy for SoftGoal with skrl's PPO in JAX, and compares it with the expert.

Requires `pip install ".[envs]" "skrl[jax]" matplotlib` and hours on one core. docs/learning.md has the results.

    python examples/soft_goal.py --steps 1500000 --out runs/soft_goal
"""

import argparse
import os
import time
from pathlib import Path

# set before JAX is imported: threads slow down the products of small matrices
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import flax.linen as nn
import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import optax
from gymnasium.vector import VectorObservationWrapper
from gymnasium.vector.utils import batch_space
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from skrl.agents.jax.ppo import PPO, PPO_CFG
from skrl.envs.wrappers.jax import wrap_env
from skrl.memories.jax import RandomMemory
from skrl.models.jax import DeterministicMixin, GaussianMixin, Model
from skrl.resources.preprocessors.jax import RunningStandardScaler
from skrl.resources.schedulers.jax import KLAdaptiveLR
from skrl.trainers.jax import SequentialTrainer
from skrl.utils import set_seed

import bekker.envs

TASK = "bekker/SoftGoal-v0"
# coarse nodes, long steps and rigid tires are sufficient for training
CHEAP = {"flexible_tires": False, "spacing": 0.1, "step": 0.005}
LEARNT = {"first_level": 0, "levels": 256}
UNSEEN = 1_000_000
"""First level of the evaluation."""

ENVS = 64
ROLLOUT = 32
"""Steps of each environment between two updates."""
REWARD = 0.1
"""Scale of rewards: the critic learns 5 instead of 50 for the goal."""
HIDDEN = 64
SPREAD = -1.2
"""Logarithm of the initial standard deviation of actions, 0.3."""
IMITATED = 200
"""Steps of each environment by the expert, as data for imitation."""
CELLS = 8
"""Cells along a side of the policy's map: each is the mean of 4 x 4 of the 32 x 32 cells."""


class Coarse(VectorObservationWrapper):
    """Observation of the policy: vehicle state, rim speeds relative to the vehicle, and a coarse map if there is one."""

    def __init__(self, env):
        super().__init__(env)
        size = self.observations(np.zeros((1, *env.single_observation_space.shape), np.float32)).shape[1]
        self.single_observation_space = gymnasium.spaces.Box(-4.0, 4.0, (size,), np.float32)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)

    def observations(self, observations):
        named = bekker.envs.parts(self.unwrapped.layout, observations)
        count, block = len(observations), 32 // CELLS
        # tasks on flat ground have no map
        heights = named.pop("map_height", np.zeros((count, 0)))
        named.pop("map_rut", None)
        if heights.size:
            heights = heights.reshape(count, CELLS, block, CELLS, block).mean((2, 4)).reshape(count, -1)
        slips = named["rim_speed"] - named["velocity"][:, :1]
        return np.hstack([*named.values(), 4 * slips.clip(-1, 1), heights])


class Policy(GaussianMixin, Model):
    """Actor: a Gaussian distribution of actions."""

    def __init__(self, **spaces):
        Model.__init__(self, **spaces)
        GaussianMixin.__init__(self)

    @nn.compact
    def __call__(self, inputs, role):
        hidden = inputs["observations"]
        for _ in range(2):
            hidden = nn.tanh(nn.Dense(HIDDEN)(hidden))
        # a policy whose vehicle does not start would not improve
        ahead = lambda _, shape, *__: jnp.zeros(shape).at[1].set(0.5)
        small = nn.initializers.variance_scaling(1e-4, "fan_in", "normal")
        spread = self.param("log_spread", lambda _: jnp.full(self.num_actions, SPREAD))
        return nn.Dense(self.num_actions, kernel_init=small, bias_init=ahead)(hidden), {"log_std": spread}


class Value(DeterministicMixin, Model):
    """Critic: the expected return."""

    def __init__(self, **spaces):
        Model.__init__(self, **spaces)
        DeterministicMixin.__init__(self)

    @nn.compact
    def __call__(self, inputs, role):
        hidden = inputs["observations"]
        for _ in range(2):
            hidden = nn.tanh(nn.Dense(HIDDEN)(hidden))
        return nn.Dense(1)(hidden), {}


def agent_for(env):
    """Creates skrl's PPO agent with its networks."""
    spaces = {"observation_space": env.observation_space, "action_space": env.action_space}
    models = {"policy": Policy(**spaces), "value": Value(**spaces)}
    for role, model in models.items():
        model.init_state_dict(role=role)
    settings = PPO_CFG(
        rollouts=ROLLOUT,
        learning_epochs=6,
        mini_batches=8,
        learning_rate=7e-4,
        learning_rate_scheduler=KLAdaptiveLR,
        learning_rate_scheduler_kwargs={"kl_threshold": 0.01},
        discount_factor=0.98,
        gae_lambda=0.9,
        value_preprocessor=RunningStandardScaler,
        value_preprocessor_kwargs={"size": 1},
        rewards_shaper=lambda rewards, *_: REWARD * rewards,
        # with NextStep, the default of make_vec, the last observation of an episode is available
        time_limit_bootstrap=True,
    )
    settings.experiment.write_interval = settings.experiment.checkpoint_interval = 0
    memory = RandomMemory(memory_size=ROLLOUT, num_envs=env.num_envs)
    return PPO(models=models, memory=memory, cfg=settings, **spaces)


def imitate(agent, seed, threads):
    """Fits the policy to the expert's actions by least squares, in drives with disturbed actions."""
    env = Coarse(gymnasium.make_vec(TASK, ENVS, num_threads=threads, **CHEAP, **LEARNT))
    random = np.random.default_rng(seed)
    seen, _ = env.reset(seed=seed)
    rows = []
    for _ in range(IMITATED):
        actions = env.unwrapped.experts()
        rows.append((seen, actions))
        seen, *_ = env.step(np.clip(actions + random.normal(0, np.exp(SPREAD), actions.shape), -1, 1))
    env.close()
    inputs, outputs = (np.concatenate(column) for column in zip(*rows))
    policy = agent.models["policy"]
    adam = optax.adam(1e-3)

    def loss(parameters, inputs, outputs):
        means, _ = policy.apply(parameters, {"observations": inputs}, "policy")
        return ((means - outputs) ** 2).mean()

    @jax.jit
    def step(parameters, state, inputs, outputs):
        error, gradient = jax.value_and_grad(loss)(parameters, inputs, outputs)
        change, state = adam.update(gradient, state)
        return optax.apply_updates(parameters, change), state, error

    parameters = policy.state_dict.params
    state = adam.init(parameters)
    for _ in range(20):
        for batch in np.array_split(random.permutation(len(inputs)), max(1, len(inputs) // 256)):
            parameters, state, error = step(parameters, state, inputs[batch], outputs[batch])
    policy.state_dict = policy.state_dict.replace(params=parameters)
    return float(error)


def learn(seed, updates, threads, until, told, from_rule=False):
    """Trains an agent. Returns it and its curve: rows of steps and mean return of the last 100 episodes.

    Training ends after `updates`, or when the monotonic clock reaches `until`, s. With `from_rule` it starts
    from an imitation of the expert, otherwise from random weights.
    """
    set_seed(seed)
    options = {**CHEAP, **LEARNT, "num_threads": threads}
    counted = RecordEpisodeStatistics(Coarse(gymnasium.make_vec(TASK, ENVS, **options)), buffer_length=100)
    env = wrap_env(counted)
    agent = agent_for(env)
    trainer = SequentialTrainer(
        env=env, agents=agent, cfg={"timesteps": ROLLOUT, "headless": True, "disable_progressbar": True}
    )
    trainer.cfg.close_environment_at_exit = False
    if from_rule:
        print(f"mean squared error of imitated actions: {imitate(agent, seed, threads):.4f}", flush=True)
    curve = []
    for update in range(1, updates + 1):
        trainer.train()
        if counted.return_queue:
            curve.append((update * ROLLOUT * ENVS, np.mean(counted.return_queue)))
            told(*curve[-1])
        if time.monotonic() > until:
            break
    env.close()
    return agent, np.array(curve)


def policy_of(agent):
    """Returns a function from observations to the mean actions of the agent."""
    policy = agent.models["policy"]
    parameters = policy.state_dict.params
    return lambda seen: np.clip(policy.apply(parameters, {"observations": seen}, "policy")[0], -1, 1)


def begun(env, first):
    """Resets the environments to successive levels, from `first`, and returns their observations."""
    observations, _ = env.reset(seed=0)
    for n in range(env.num_envs):
        mask = np.arange(env.num_envs) == n
        observations, _ = env.reset(options={"level": first + n, "reset_mask": mask})
    return observations


def drive(env, act, first, watched=lambda step: None):
    """Drives each level once with `act`. Returns the returns, the endings and the durations, s."""
    seen = begun(env, first)
    total, endings = np.zeros(env.num_envs), np.full(env.num_envs, "time", object)
    times, on, step = np.zeros(env.num_envs), np.ones(env.num_envs, bool), 0
    while on.any():
        watched(step)
        seen, rewards, terminated, truncated, infos = env.step(act(seen))
        total += rewards * on
        times += 0.1 * on
        over = on & (terminated | truncated)
        for n in np.flatnonzero(over):
            endings[n] = infos["ending"][n] or "time"
        on, step = on & ~over, step + 1
    return total, endings, times


def judge(act, levels, threads):
    """Yields name, mean return, fractions that reach the goal and that are stuck, and mean time to the goal, s."""
    env = Coarse(gymnasium.make_vec(TASK, levels, num_threads=threads, first_level=UNSEEN, levels=levels, **CHEAP))
    for name, acts in [("rule", lambda _: env.unwrapped.experts()), ("policy", act)]:
        total, endings, times = drive(env, acts, UNSEEN)
        goals = endings == "goal"
        yield name, total.mean(), goals.mean(), (endings == "stuck").mean(), times[goals].mean() if goals.any() else np.nan


def film(act, level, path, frames=6):
    """Plots pictures of one drive as film strips, the expert above the policy; the last picture is at the end."""
    from matplotlib.figure import Figure

    figure = Figure((2 * frames, 2.6), layout="constrained")
    rows = figure.subplots(2, frames)
    env = Coarse(gymnasium.make_vec(TASK, 1, autoreset_mode="Disabled", size=(320, 180), **CHEAP))
    for axes, name, acts in [(rows[0], "rule", lambda _: env.unwrapped.experts()), (rows[1], "policy", act)]:
        _, endings, times = drive(env, acts, level)
        steps = round(10 * times[0])
        wanted = np.linspace(0, steps - 1, frames).round().astype(int).tolist()
        taken = {}

        def watch(step):
            if step in wanted:
                taken[step] = env.unwrapped.picture().array

        drive(env, acts, level, watch)
        for axis, step in zip(axes, wanted):
            axis.imshow(taken[step])
            axis.set(xticks=[], yticks=[], title=f"{step / 10:.1f} s")
        axes[0].set_ylabel(name)
        axes[-1].set_title(f"{times[0]:.1f} s: {endings[0]}")
    figure.savefig(path, dpi=100)


def draw(curves, rule, path):
    """Plots returns over steps, with each curve labeled."""
    from matplotlib.figure import Figure

    axes = (figure := Figure((6, 3.5), layout="constrained")).add_subplot()
    for name, curve in curves.items():
        axes.plot(*curve.T, label=name, linewidth=1)
    axes.axhline(rule, color="black", linestyle="--", linewidth=1, label="rule, unseen levels")
    axes.set(xlabel="environment steps", ylabel="return of an episode while learning")
    axes.legend()
    figure.savefig(path, dpi=100)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--steps", type=int, default=1_500_000, help="number of steps, of all environments together")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="time limit of each seed, minutes")
    parser.add_argument("--from-rule", action="store_true", help="start from an imitation of the expert")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--judged", type=int, default=64, help="number of levels of the evaluation")
    parser.add_argument("--watched", type=int, default=UNSEEN, help="level of the film strip")
    parser.add_argument("--out", type=Path, default=Path("runs/soft_goal"))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    updates = max(1, arguments.steps // (ROLLOUT * ENVS))
    curves, acts = {}, {}
    for seed in arguments.seeds:
        began = time.monotonic()
        until = began + 60 * arguments.minutes
        told = lambda *row: print("%8d %6.1f" % row, flush=True)
        agent, curves[seed] = learn(seed, updates, arguments.threads, until, told, arguments.from_rule)
        steps, taken = curves[seed][-1, 0], time.monotonic() - began
        print(f"seed {seed}: {steps:.0f} steps in {taken:.0f} s, load {os.getloadavg()[1]:.1f}", flush=True)
        agent.save(str(arguments.out / f"agent-{seed}.pickle"))
        acts[seed] = policy_of(agent)
    np.savez(arguments.out / "curves.npz", **{f"seed_{seed}": curve for seed, curve in curves.items()})
    rule = np.nan
    for seed, act in acts.items():
        for name, score, goals, stuck, seconds in judge(act, arguments.judged, arguments.threads):
            rule = score if name == "rule" else rule
            told = f"{score:6.1f}, goal {100 * goals:3.0f} %, stuck {100 * stuck:3.0f} %, {seconds:4.1f} s to it"
            print(f"seed {seed} {name:6} {told}", flush=True)
    draw({f"seed {seed}": curve for seed, curve in curves.items()}, rule, arguments.out / "curve.png")
    film(acts[arguments.seeds[0]], arguments.watched, arguments.out / "film.png")


if __name__ == "__main__":
    main()
