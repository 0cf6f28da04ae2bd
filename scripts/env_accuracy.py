"""Prints the errors and the cost of learning environments by time step and distance of soil nodes.

Usage: python scripts/env_accuracy.py [--tires rigid flexible] [--tasks SlipSpeed SoftGoal Vertical]

Drives levels of each task on soft, mid and hard soil for up to 30 s with the same throttle and a steering that
swings, and compares with a time step of 0.5 ms and nodes 5 cm apart: the end of the path relative to its length, the
mean sinkage of the wheels, and the mean traction of all wheels relative to their load. Means are from 5 s on. A drive
is compared as long as both last. Steps of 4 ms with nodes 8 cm apart are `fidelity="fast"`. Takes about five minutes
of a processor.
"""

import argparse
import math
import time

import numpy as np
from bekker.envs import BekkerEnv
from numpy.typing import NDArray

Array = NDArray[np.float64]
SOILS = ("dry_sand_lll", "chrono_mid", "chrono_hard")
REFERENCE = (0.0005, 0.05)
CASES = ((0.002, 0.05), (0.004, 0.05), (0.005, 0.05), (0.004, 0.08))
COARSE = ((0.002, 0.08), (0.005, 0.08), (0.005, 0.1))
STEPS = 300
FIRST = 50
"""First step of the means."""


def drive(env: BekkerEnv, level: int) -> tuple[Array, float]:
    """Returns rows of position, mean sinkage in m, sum of traction and of load in N, and processor seconds."""
    env.reset(seed=0, options={"level": level})
    rows, used = [], 0.0
    for step in range(STEPS):
        steering = 0.25 * math.sin(math.tau * step / 120)
        begun = time.process_time()
        _, _, over, cut, _ = env.step(np.array([steering, 0.45], np.float32))
        used += time.process_time() - begun
        state = env.state()
        rows.append([*state["position"][:2], state["sinkage"].mean(), state["traction"].sum(), state["load"].sum()])
        if over or cut:
            break
    return np.array(rows), used


def errors(exact: Array, found: Array) -> tuple[float, float, float]:
    """Returns the errors of path, sinkage and traction, percent."""
    steps = min(len(exact), len(found))
    exact, found = exact[:steps], found[:steps]
    length = np.linalg.norm(np.diff(exact[:, :2], axis=0), axis=1).sum()
    path = np.linalg.norm(found[-1, :2] - exact[-1, :2]) / length
    sinkage, traction, load = (np.mean([own[FIRST:, k] for own in (exact, found)], axis=1) for k in (2, 3, 4))
    return 100 * float(path), 100 * float(sinkage[1] / sinkage[0] - 1), 100 * float(np.diff(traction)[0] / load[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--levels", type=int, default=2)
    parser.add_argument("--vehicle", default="hmmwv")
    parser.add_argument("--tasks", nargs="+", default=["SlipSpeed", "SoftGoal", "Vertical"])
    parser.add_argument("--soils", nargs="+", default=SOILS)
    parser.add_argument("--tires", nargs="+", choices=["rigid", "flexible"], default=["rigid", "flexible"])
    parser.add_argument("--coarse", action="store_true", help="also nodes 8 and 10 cm apart")
    given = parser.parse_args()
    print("                                 step  nodes  env-steps per     path, %  sinkage, %  traction, %")
    print("task       tires     soil          ms     cm    processor s  mean   max         rms  of load, rms")
    for task, tires, soil in ((a, b, c) for a in given.tasks for b in given.tires for c in given.soils):
        exact: list[Array] = []
        for step, spacing in (REFERENCE, *CASES, *(COARSE if given.coarse else ())):
            options = {"vehicle": given.vehicle, "flexible_tires": tires == "flexible", "soil": soil}
            env = BekkerEnv(task, step=step, spacing=spacing, levels=given.levels, **options)
            drives = [drive(env, level) for level in range(given.levels)]
            exact = exact or [rows for rows, _ in drives]
            found = np.array([errors(one, other) for one, (other, _) in zip(exact, drives)])
            speed = sum(len(rows) for rows, _ in drives) / sum(used for _, used in drives)
            sinkage, traction = np.sqrt(np.mean(found[:, 1:] ** 2, axis=0))
            print(
                f"{task:10} {tires:9} {soil:12} {1e3 * step:5g} {1e2 * spacing:6g} {speed:14.0f}"
                f" {found[:, 0].mean():5.2f} {found[:, 0].max():5.2f} {sinkage:11.2f} {traction:13.2f}",
                flush=True,
            )


main()
