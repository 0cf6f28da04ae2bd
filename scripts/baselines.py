"""Trains skrl's PPO and SAC on the tasks of bekker.envs and prints their returns beside random actions and the expert.

Usage:
    python scripts/baselines.py --steps 60000 --seeds 0 1 2 --tasks SlipSpeed SideSlope --algorithms PPO SAC
    python scripts/baselines.py --table

Requires `pip install ".[envs]" "skrl[jax]" matplotlib`. Each run of a task, algorithm and seed is a file in the folder
`--out`; runs whose file exists are skipped, so that an interrupted call can be repeated. `--table` prints the table of
all files and draws the curves. Networks, PPO and the observation are those of examples/soft_goal.py.

Soft actor-critic: T. Haarnoja et al., arXiv 1812.05905 (2018); proximal policy optimization: J. Schulman et al.,
arXiv 1707.06347 (2017).
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))

# sets options of JAX, so it comes before JAX and skrl
import soft_goal
import flax.linen as nn
import gymnasium
import jax.numpy as jnp
import numpy as np
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from skrl import logger
from skrl.agents.jax import Agent
from skrl.agents.jax.sac import SAC, SAC_CFG
from skrl.envs.wrappers.jax import wrap_env
from skrl.memories.jax import RandomMemory
from skrl.models.jax import DeterministicMixin, GaussianMixin, Model
from skrl.trainers.jax import SequentialTrainer
from skrl.utils import set_seed

TASKS = ["SlipSpeed", "SideSlope", "Recover", "SoftGoal", "Vertical", "Obstacles"]
LEFT_OUT = "Convoy is left out: its environment has several vehicles, these agents drive one."
WITHOUT_GOAL = ("SlipSpeed", "SideSlope")
ENVS = {"PPO": soft_goal.ENVS, "SAC": 16}
COST = {"PPO": 1.5e-3, "SAC": 7e-3}
"""Processor seconds of a step of training, until a run of the task gives its own."""
EVALUATION = 20.0
"""Processor seconds of an evaluation."""
LEVELS = 32
"""Levels of the evaluation, which are not used in training."""
ROWS = 10
"""Rows of progress of a run, from the end of the first episode on."""


class SquashedPolicy(GaussianMixin, Model):
    """Actor of SAC: the hyperbolic tangent of a Gaussian distribution."""

    def __init__(self, **spaces: Any) -> None:
        Model.__init__(self, **spaces)
        GaussianMixin.__init__(self, min_log_std=-5.0, max_log_std=1.0)

    @nn.compact
    def __call__(self, inputs, role):
        hidden = inputs["observations"]
        for _ in range(2):
            hidden = nn.tanh(nn.Dense(soft_goal.HIDDEN)(hidden))
        return nn.Dense(self.num_actions)(hidden), {"log_std": nn.Dense(self.num_actions)(hidden)}

    def act(self, inputs, *, role="", params=None):
        free, outputs = GaussianMixin.act(self, inputs, role=role, params=params)
        actions = jnp.tanh(free)
        # density of a transformed variable; the constant avoids the logarithm of zero
        outputs["log_prob"] -= jnp.log(1 - actions**2 + 1e-6).sum(-1, keepdims=True)
        return actions, outputs


class ActionValue(DeterministicMixin, Model):
    """Critic of SAC: the expected return of an action."""

    def __init__(self, **spaces: Any) -> None:
        Model.__init__(self, **spaces)
        DeterministicMixin.__init__(self)

    @nn.compact
    def __call__(self, inputs, role):
        hidden = jnp.concatenate([inputs["observations"], inputs["taken_actions"]], axis=-1)
        for _ in range(2):
            hidden = nn.relu(nn.Dense(2 * soft_goal.HIDDEN)(hidden))
        return nn.Dense(1)(hidden), {}


class LearningCurve(RecordEpisodeStatistics):
    """Rows of steps and mean return of the last 100 episodes."""

    def __init__(self, env: gymnasium.vector.VectorEnv, steps: int, report: Callable[[int, float], None]) -> None:
        super().__init__(env, buffer_length=100)
        self.wanted, self.report, self.steps, self.curve = steps, report, 0, []

    def step(self, actions):
        found = super().step(actions)
        before, self.steps = self.steps, self.steps + self.num_envs
        if self.return_queue and self.steps * ROWS // self.wanted > before * ROWS // self.wanted:
            self.curve.append([self.steps, float(np.mean(self.return_queue))])
            self.report(*self.curve[-1])
        return found


def sac_agent(env, steps: int) -> SAC:
    """Creates skrl's SAC agent, with one gradient step for two steps of an environment."""
    spaces = {"observation_space": env.observation_space, "action_space": env.action_space}
    critics = ("critic_1", "critic_2", "target_critic_1", "target_critic_2")
    models = {"policy": SquashedPolicy(**spaces), **{role: ActionValue(**spaces) for role in critics}}
    for role, model in models.items():
        model.init_state_dict(role=role)
    settings = SAC_CFG(
        gradient_steps=ENVS["SAC"] // 2,
        batch_size=256,
        discount_factor=0.98,
        learning_rate=1e-3,
        random_timesteps=1000 // ENVS["SAC"],
        learning_starts=1000 // ENVS["SAC"],
        rewards_shaper=lambda rewards, *_: soft_goal.REWARD * rewards,
    )
    settings.experiment.write_interval = settings.experiment.checkpoint_interval = 0
    memory = RandomMemory(memory_size=steps // ENVS["SAC"], num_envs=ENVS["SAC"])
    return SAC(models=models, memory=memory, cfg=settings, **spaces)


def mean_action(agent: Agent, algorithm: str) -> Callable[[np.ndarray], np.ndarray]:
    """Returns a function from observations to the agent's actions without exploration."""
    if algorithm == "PPO":
        return soft_goal.policy_of(agent)
    policy = agent.models["policy"]
    parameters = policy.state_dict.params
    return lambda seen: np.tanh(policy.apply(parameters, {"observations": seen}, "policy")[0])


def environments(task: str, count: int, **options: Any) -> soft_goal.Coarse:
    """Creates environments of a task, on one thread."""
    env = gymnasium.make_vec(f"bekker/{task}-v0", count, num_threads=1, **soft_goal.CHEAP, **options)
    return soft_goal.Coarse(env)


def evaluate(task: str, acts: list[Callable]) -> list[dict[str, float]]:
    """Returns the mean return of each on levels that are not used in training, and the fraction that reaches the goal.

    Each of `acts` takes the environments and their observations.
    """
    env = environments(task, LEVELS, first_level=soft_goal.UNSEEN, levels=LEVELS)
    found = []
    for act in acts:
        returns, endings, _ = soft_goal.drive(env, lambda seen: act(env, seen), soft_goal.UNSEEN)
        found.append({"return": float(returns.mean()), "goal": float((endings == "goal").mean())})
    env.close()
    return found


def train(task: str, algorithm: str, steps: int, seed: int) -> dict[str, Any]:
    """Trains an agent and evaluates it."""
    set_seed(seed)
    begun, begun_cpu = time.monotonic(), time.process_time()

    def report(taken: int, score: float) -> None:
        left = (time.monotonic() - begun) * (steps / taken - 1) / 60
        print(f"{task:10} {algorithm:9} {seed:4} {taken:9} {score:8.1f} {left:9.1f}", flush=True)

    curve = LearningCurve(environments(task, ENVS[algorithm], **soft_goal.LEARNT), steps, report)
    env = wrap_env(curve)
    # skrl resets without a seed
    curve.env.reset(seed=seed)
    agent = soft_goal.agent_for(env) if algorithm == "PPO" else sac_agent(env, steps)
    settings = {"timesteps": steps // ENVS[algorithm], "headless": True, "disable_progressbar": True}
    SequentialTrainer(env=env, agents=agent, cfg={**settings, "close_environment_at_exit": False}).train()
    env.close()
    used = time.process_time() - begun_cpu
    act = mean_action(agent, algorithm)
    scores = evaluate(task, [lambda _, seen: act(seen)])[0]
    return {"steps": curve.steps, "curve": curve.curve, **scores, "cpu_seconds": used, "load": os.getloadavg()[1]}


def references(task: str) -> dict[str, Any]:
    """Evaluates random actions and the expert."""
    random = np.random.default_rng(0)
    uniform = lambda env, _: random.uniform(-1, 1, env.action_space.shape)
    return dict(zip(("random", "expert"), evaluate(task, [uniform, lambda env, _: env.unwrapped.experts()])))


def write(path: Path, found: dict[str, Any]) -> None:
    """Writes a file as a whole, so that an interrupted call leaves no part of one."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(found))
    part.replace(path)


def run_all(out: Path, tasks: list[str], algorithms: list[str], steps: int, seeds: list[int]) -> None:
    """Trains what is missing in the folder."""
    out.mkdir(parents=True, exist_ok=True)
    runs = {(*run, out / f"{run[0]}-{run[1]}-{steps}-{run[2]}.json") for run in product(tasks, algorithms, seeds)}
    missing = sorted((run for run in runs if not run[3].exists()), key=lambda run: (tasks.index(run[0]), run[1:]))
    seconds = sum(cost(out, task, algorithm) * steps + EVALUATION for task, algorithm, *_ in missing)
    print(
        f"{len(runs)} runs of {steps} steps, {len(runs) - len(missing)} of them finished: "
        f"about {seconds / 60:.0f} processor minutes, load now {os.getloadavg()[0]:.1f}"
    )
    for task in dict.fromkeys(task for task, *_ in missing):
        if not (path := out / f"{task}-reference.json").exists():
            write(path, references(task))
    if missing:
        print(f"{'task':10} {'algorithm':9} {'seed':>4} {'steps':>9} {'return':>8} {'left, min':>9}")
    for task, algorithm, seed, path in missing:
        write(path, train(task, algorithm, steps, seed))


def cost(out: Path, task: str, algorithm: str) -> float:
    """Returns the processor seconds of a step: those of finished runs, or the usual ones."""
    finished = [json.loads(path.read_text()) for path in out.glob(f"{task}-{algorithm}-*.json")]
    return float(np.mean([run["cpu_seconds"] / run["steps"] for run in finished])) if finished else COST[algorithm]


def results(out: Path, task: str, algorithm: str) -> list[dict[str, Any]]:
    """Returns the runs of the largest number of steps."""
    runs = [json.loads(path.read_text()) for path in sorted(out.glob(f"{task}-{algorithm}-*.json"))]
    most = max((run["steps"] for run in runs), default=0)
    return [run for run in runs if run["steps"] == most]


def cell(runs: list[dict[str, Any]], key: str, scale: float) -> str:
    """Returns mean and range of the seeds."""
    if not runs:
        return f"{'-':>8} {'':12}"
    values = [scale * run[key] for run in runs]
    return f"{np.mean(values):8.1f} {f'{min(values):.0f} to {max(values):.0f}':12}"


def print_table(out: Path) -> None:
    """Prints returns, fractions that reach the goal, and the cost of all results in the folder."""
    found = sorted((path.name.split("-")[0] for path in out.glob("*-reference.json")), key=TASKS.index)
    for title, key, scale in (("return", "return", 1.0), ("goal reached, %", "goal", 100.0)):
        print(f"{title:16}{'random':>8}{'expert':>8}{'PPO':>8} {'range':12}{'SAC':>8} range")
        for task in found:
            if key == "goal" and task in WITHOUT_GOAL:
                continue
            known = json.loads((out / f"{task}-reference.json").read_text())
            beside = "".join(f"{scale * known[who][key]:8.1f}" for who in ("random", "expert"))
            cells = "".join(cell(results(out, task, algorithm), key, scale) for algorithm in ENVS)
            print(f"{task:16}{beside}{cells}".rstrip())
        print()
    print(f"{'cost of a seed':16}{'steps':>8}{'seeds':>8}{'processor min':>15}{'load':>7}")
    for task, algorithm in product(found, ENVS):
        if runs := results(out, task, algorithm):
            minutes, load = (np.mean([run[key] for run in runs]) for key in ("cpu_seconds", "load"))
            print(f"{task:10} {algorithm:5}{runs[0]['steps']:8}{len(runs):8}{minutes / 60:15.1f}{load:7.1f}")
    print(LEFT_OUT)


def draw(out: Path) -> None:
    """Plots the curves of all results in the folder."""
    from matplotlib.figure import Figure

    found = [task for task in TASKS if (out / f"{task}-reference.json").exists()]
    columns = min(3, len(found))
    rows = -(-len(found) // columns)
    figure = Figure((3 * columns, 2.6 * rows), layout="constrained")
    for n, task in enumerate(found):
        axes = figure.add_subplot(rows, columns, n + 1)
        for algorithm, color in (("PPO", "tab:blue"), ("SAC", "tab:orange")):
            for seed, run in enumerate(results(out, task, algorithm)):
                axes.plot(*np.transpose(run["curve"]), color=color, linewidth=1, label=None if seed else algorithm)
        known = json.loads((out / f"{task}-reference.json").read_text())
        for who, style in (("expert", "--"), ("random", ":")):
            axes.axhline(known[who]["return"], color="black", linestyle=style, linewidth=1, label=who)
        axes.set(title=task, xlabel="environment steps", ylabel="return of an episode")
    figure.axes[0].legend(fontsize=7, loc="center right")
    figure.savefig(out / "curves.png", dpi=100)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=60_000, help="steps of a run, of all environments together")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=TASKS)
    parser.add_argument("--algorithms", nargs="+", choices=list(ENVS), default=list(ENVS))
    parser.add_argument("--table", action="store_true", help="train nothing: print the table and draw the curves")
    parser.add_argument("--out", type=Path, default=Path("runs/baselines"))
    given = parser.parse_args()
    if given.table:
        print_table(given.out)
        draw(given.out)
        return
    print(LEFT_OUT)
    # skrl reports the seed and the missing GPU of each run
    logger.setLevel("ERROR")
    try:
        run_all(given.out, given.tasks, given.algorithms, given.steps, given.seeds)
    except KeyboardInterrupt:
        sys.exit("interrupted: the same call continues with the missing runs")


if __name__ == "__main__":
    main()
