"""Model predictive path integral control (MPPI) through soft ground, compared with the expert.

The simulator itself is the model of the planner. MPPI (G. Williams, A. Aldrich and E. A. Theodorou,
J. Guidance, Control, and Dynamics 40(2), 2017) samples futures around the last plan, simulates them
in parallel with `rollout`, and averages their actions with weights from their returns. The expert
drives straight to the goal.

    python examples/mppi.py --levels 0 1 2 3
"""

import argparse

import gymnasium
import numpy as np

import bekker.envs  # noqa: F401  registers the ids

FUTURES = 24
HORIZON = 40
"""Length of a future in steps of 0.1 s."""
KEPT = 5
"""Steps between two plans."""
SPREAD = np.array([0.35, 0.3])
"""Standard deviations of the noise on steering and drive, constant over 0.5 s."""
TEMPERATURE = 2.0


class Planner:
    """Driver that plans around the mean of the last plan."""

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
        # one future repeats the expert's present action
        futures[1] = env.experts()[0]
        found = env.rollout(env.snapshot(), futures)
        score = found["rewards"].sum(axis=1)
        weights = np.exp((score - score.max()) / TEMPERATURE)
        self.mean = (weights[:, None, None] * futures).sum(axis=0) / weights.sum()


def drive(env, level, act):
    """Drives one episode. Returns its return, its ending and its duration, s."""
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
    # coarse nodes and long steps are sufficient for planning
    env = gymnasium.make_vec(
        "bekker/SoftGoal-v0",
        num_envs=1,
        autoreset_mode="Disabled",
        difficulty=arguments.difficulty,
        flexible_tires=False,
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
