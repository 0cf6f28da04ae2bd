#!/usr/bin/env python3
"""Measures the cost of a team over its size, as in the MAVS swarm study: 1 to 64 vehicles on 600 m by 1200 m.

Runs use one process, ranks in one process, or a launcher with one vehicle per rank.

Each run prints one line with sharing mode, vehicles, ranks, simulated time (s), wall time and CPU time per
simulated second and vehicle (s), map data that a vehicle sends (kB/s), and the hash of the merged map. Under a
launcher on other machines the CPU time is only that of this process.

    scripts/swarm_scaling.py target/release/bekker --vehicles 1 2 4 8
    scripts/swarm_scaling.py target/release/bekker --vehicles 2 4 --ranks
    scripts/swarm_scaling.py target/release/bekker --vehicles 2 4 --launcher "mpirun --oversubscribe -n"
"""

import argparse
import json
import pathlib
import resource
import shlex
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent.parent


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bekker", type=pathlib.Path)
    parser.add_argument("--vehicles", type=int, nargs="+", default=[1, 2, 4, 8, 16, 32, 64])
    parser.add_argument("--sharing", nargs="+", default=["whole", "central", "peers"])
    parser.add_argument("--seconds", type=float, default=3, help="simulated time of a run, s")
    parser.add_argument("--ranks", action="store_true", help="one vehicle per rank, in one process")
    parser.add_argument("--launcher", default="", help="one vehicle per rank, started by this command")
    return parser.parse_args()


def sets(vehicles, sharing, seconds):
    keys = {
        "time.duration": seconds,
        "terrain.surface.size": "[600, 1200]",
        "terrain.surface.holes.count": 288,
        "team.sharing": f'"{sharing}"',
        "vehicle[0].position": "[-290, -595]",
        "vehicle[0].driver.goal": "[290, -595]",
        "vehicle[0].row.count": vehicles,
        "vehicle[0].row.to": "[-290, 595]",
        "vehicle[0].row.goal_to": "[290, 595]",
    }
    return [f"--set={key}={value}" for key, value in keys.items()]


def spent():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    asked = arguments()
    for sharing in asked.sharing:
        for vehicles in asked.vehicles:
            with tempfile.TemporaryDirectory() as folder:
                command = [str(asked.bekker), "run", str(HERE / "examples/swarm_500.toml"), "--quiet", "--no-picture"]
                command += ["--force", "--out", folder, *sets(vehicles, sharing, asked.seconds)]
                ranks = 1
                if asked.launcher:
                    ranks, command = vehicles, [*shlex.split(asked.launcher), str(vehicles), *command]
                elif asked.ranks:
                    ranks, command = vehicles, [*command, "--ranks", str(vehicles)]
                before = spent()
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                work = spent() - before
                run = json.loads((pathlib.Path(folder) / "summary.json").read_text())
            found, time = run["exploration"], run["simulated"]
            share = vehicles * time
            print(
                f"{sharing:8} {vehicles:3} {ranks:3} {time:5.1f} {run['wall'] / share:8.3f} {work / share:8.3f}"
                f" {1e-3 * found['bytes'][0] / share:9.1f} {found['map_hash']}",
                flush=True,
            )


if __name__ == "__main__":
    main()
