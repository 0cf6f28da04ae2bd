"""A planner through soft ground: MPPI on the simulator itself, against the rule that drives straight.

Model predictive path integral control (G. Williams, A. Aldrich and E. A. Theodorou, J. Guidance,
Control, and Dynamics 40(2), 2017) draws futures around the best so far, drives them side by side
by `rollout`, and weighs their actions by what they brought.

    python examples/mppi.py --levels 0 1 2 3
"""

import argparse

import gymnasium
import numpy as np

import bekker.envs  # noqa: F401  registers the ids

FUTURES = 24
HORIZON = 40
"""Steps of 0.1 s that a future has."""
KEPT = 5
"""Steps that are driven before it is planned anew."""
SPREAD = np.array([0.35, 0.3])
"""Standard deviation of steering and drive, each held for half a second."""
TEMPERATURE = 2.0


class Planner:
    """Plans around the mean of the last plan."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.mean = None
        self.driven = 0

    def __call__(self, env):
        if self.mean is None:
            self.mean = np.tile(env.experts()[0], (HORIZON, 1))
        if self.driven % KEPT == 0:
            self.plan(env)
        self.driven += 1
        return self.mean[(self.driven - 1) % KEPT]

    def plan(self, env):
        if self.driven:
            tail = np.tile(self.mean[-1], (KEPT, 1))
            self.mean = np.concatenate([self.mean[KEPT:], tail])
        noise = self.random.normal(0, SPREAD, (FUTURES, HORIZON // KEPT, 2)).repeat(KEPT, axis=1)
        noise[0] = 0
        futures = np.clip(self.mean + noise, -1, 1)
        # one future does as the rule would
        futures[1] = env.experts()[0]
        found = env.rollout(env.snapshot(), futures)
        score = found["rewards"].sum(axis=1)
        weights = np.exp((score - score.max()) / TEMPERATURE)
        self.mean = (weights[:, None, None] * futures).sum(axis=0) / weights.sum()


def drive(env, level, act):
    """One episode: what it brought, how it ended, and after how many seconds."""
    env.reset(seed=0, options={"level": level})
    total, steps = 0.0, 0
    while True:
        _, rewards, terminated, truncated, infos = env.step(act(env)[None])
        total, steps = total + rewards[0], steps + 1
        if terminated[0] or truncated[0]:
            return total, infos["ending"][0] or "time", steps / 10


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--levels", type=int, nargs="+", default=[0, 1, 2, 3])
    parser.add_argument("--difficulty", type=float, default=0.5)
    arguments = parser.parse_args()
    # coarse nodes and long steps: a plan need not be finer
    env = gymnasium.make_vec(
        "bekker/SoftGoal-v0",
        num_envs=1,
        autoreset_mode="Disabled",
        difficulty=arguments.difficulty,
        flexible_tyres=False,
        spacing=0.1,
        step=0.005,
        map=False,
    )
    for level in arguments.levels:
        for name, act in [("rule", lambda env: env.experts()[0]), ("MPPI", Planner(level))]:
            total, ending, seconds = drive(env, level, act)
            print(f"level {level}, {name}: {total:7.1f}, {ending} after {seconds:.1f} s", flush=True)


if __name__ == "__main__":
    main()
