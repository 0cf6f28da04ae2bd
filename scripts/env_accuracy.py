"""Prints the errors and the cost of learning environments by time step and distance of soil nodes.

Usage: python scripts/env_accuracy.py [LEVELS]

Drives levels of SlipSpeed for 30 s with the same throttle and a steering that swings, and compares with a
time step of 1 ms and nodes 5 cm apart: the end of the path relative to its length, the sinkage of the wheels
and the traction of all wheels, means from 5 s on. Takes about five minutes.
"""

import math
import sys
import time
from collections.abc import Callable

import numpy as np
from bekker.envs import BekkerEnv
from numpy.typing import NDArray

Array = NDArray[np.float64]
REFERENCE = (0.001, 0.05)
CASES = ((0.002, 0.05), (0.004, 0.05), (0.005, 0.05), (0.002, 0.08), (0.005, 0.08), (0.005, 0.1))
STEPS = 300


def drive(env: BekkerEnv, level: int) -> tuple[Array, float, float, float]:
    """Returns positions (steps, 2), mean sinkage in m, mean traction in N and processor seconds."""
    env.reset(seed=0, options={"level": level})
    positions, sinkages, tractions, used = [], [], [], 0.0
    for step in range(STEPS):
        steering = 0.25 * math.sin(math.tau * step / 120)
        action = np.array([steering, 0.45], np.float32)
        begun = time.process_time()
        env.step(action)
        used += time.process_time() - begun
        state = env.state()
        positions.append(state["position"][:2])
        sinkages.append(np.mean(state["sinkage"]))
        tractions.append(np.sum(state["traction"]))
    return np.array(positions), float(np.mean(sinkages[50:])), float(np.mean(tractions[50:])), used


def main() -> None:
    levels = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    rms: Callable[[list[float]], float] = lambda errors: math.sqrt(np.mean(np.square(errors)))
    print("tires     step  nodes  env-steps per  path, mean  path, max  sinkage, rms  traction, rms")
    print("            ms     cm  processor s             %          %             %              N")
    for flexible in (False, True):
        results = {}
        for step, spacing in (REFERENCE, *CASES):
            options = {"flexible_tires": flexible, "step": step, "spacing": spacing, "levels": levels}
            env = BekkerEnv("SlipSpeed", **options)
            results[step, spacing] = [drive(env, level) for level in range(levels)]
            paths, sinkages, tractions, seconds = [], [], [], 0.0
            for exact, found in zip(results[REFERENCE], results[step, spacing]):
                length = np.linalg.norm(np.diff(exact[0], axis=0), axis=1).sum()
                paths.append(100 * float(np.linalg.norm(found[0][-1] - exact[0][-1]) / length))
                sinkages.append(100 * (found[1] / exact[1] - 1))
                tractions.append(found[2] - exact[2])
                seconds += found[3]
            speed = levels * STEPS / seconds
            print(
                f"{'flexible' if flexible else 'rigid':8} {1e3 * step:5.0f} {1e2 * spacing:6.0f} {speed:14.0f}"
                f" {np.mean(paths):11.2f} {np.max(paths):10.2f} {rms(sinkages):13.2f} {rms(tractions):14.1f}",
                flush=True,
            )


main()
