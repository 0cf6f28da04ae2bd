#!/usr/bin/env python3
"""Soak test: a run on processes that are killed must give the same results as a run in one process.

Runs a scenario on several processes over TCP. Vehicles migrate between processes at random, and a
random process other than rank 0 is killed repeatedly. The run restarts automatically from its last
checkpoint. Then the same scenario runs in one process. The files hashes.csv, states.parquet and the
last checkpoint must be equal, byte for byte.

    scripts/soak.py examples/convoy_mud.toml --processes 4 --every 5 --set time.duration=60

The run in one process can be done on another machine with more cores: `--against FILE` reads the output
of `sha256sum hashes.csv states.parquet checkpoint.bin` in its folder.

Requires Linux (processes are found in /proc) and only Python's standard library. Prints one JSON object.
The exit code is 0 if all files are equal, and 1 if not or if a run failed.
"""

import argparse
import hashlib
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time


def others(folder):
    """Yields the processes of the run in this folder, except rank 0."""
    for entry in pathlib.Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue  # the process has ended, or the entry is not a process
        if b"--rank" in words and str(folder).encode() in words:
            yield int(entry.name)


def memory(folder):
    """Returns the resident memory of all processes of the run, bytes."""
    pages = 0
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if str(folder).encode() in (entry / "cmdline").read_bytes().split(b"\0"):
                pages += int((entry / "statm").read_text().split()[1])
        except OSError:
            continue
    return pages * os.sysconf("SC_PAGE_SIZE")


def last_checkpoint(folder):
    """Returns a value that changes with each new checkpoint; None before the first."""
    checkpoint = folder / "checkpoint.bin"
    try:
        # checkpoints in parts: the set before the last one is complete
        names = [own.name for own in (folder / "checkpoints").iterdir()]
    except OSError:
        names = []
    # a set that is being removed has another name
    sets = sorted(int(name) for name in names if name.isdigit())
    whole = checkpoint.stat().st_mtime_ns if checkpoint.exists() else None
    last = (whole, sets[-2] if len(sets) > 1 else None)
    return None if last == (None, None) else last


def digest(folder):
    """Returns the SHA-256 hashes of the files to compare, by name."""
    return {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in ("hashes.csv", "states.parquet", "checkpoint.bin")
    }


def sums(file):
    """Reads SHA-256 hashes by name from the output of `sha256sum`."""
    lines = pathlib.Path(file).read_text().splitlines()
    return {name.strip().lstrip("*"): sha for sha, name in (line.split(None, 1) for line in lines)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scenario")
    parser.add_argument("--bekker", default="target/release/bekker")
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--every", type=float, default=60.0, help="time between kills, s")
    parser.add_argument("--checkpoint-every", type=float, default=2.0, help="simulated, s")
    parser.add_argument("--rebalance", type=float, default=1.0, help="simulated, s")
    parser.add_argument("--hash-every", type=int, default=10, help="heartbeats")
    parser.add_argument("--parts", action="store_true", help="each process writes its own part")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--against", metavar="FILE", help="hashes of a run on another machine, printed by sha256sum")
    options = parser.parse_args()
    # reads the file first, so that a missing file fails before the run
    wanted = sums(options.against) if options.against else None
    dice = random.Random(options.seed)
    base = pathlib.Path(tempfile.mkdtemp(prefix="soak-"))
    common = [options.bekker, "run", options.scenario, "--no-picture", "--quiet"]
    common += [f"--hash-every={options.hash_every}", "--set=output.ruts=false"]
    common += [f"--checkpoint-every={options.checkpoint_every}"]
    common += [f"--set={value}" for value in options.set]

    folder = base / "many"
    words = [f"--processes={options.processes}", "--restarts=60000", "--route=neighbor"]
    words += [f"--rebalance={options.rebalance}", f"--rebalance-by-chance={options.seed}"]
    words += ["--parts"] if options.parts else []
    begun = time.monotonic()
    with open(base / "many.log", "w") as log:
        run = subprocess.Popen([*common, *words, "--out", str(folder)], stdout=log, stderr=log)
    kills, most, due, last = 0, 0, begun + options.every, None
    while run.poll() is None:
        time.sleep(0.5)
        most = max(most, memory(folder))
        # at least one checkpoint is written between two kills
        written = last_checkpoint(folder)
        alive = sorted(others(folder))
        if time.monotonic() > due and written != last and alive:
            os.kill(dice.choice(alive), signal.SIGKILL)
            kills, due, last = kills + 1, time.monotonic() + options.every, written
    many = time.monotonic() - begun

    result = {
        "processes": options.processes,
        "exit_codes": [run.returncode],
        "kills": kills,
        "seconds": [round(many, 1)],
        "most_memory_mb": round(most / 1e6),
        "folder": str(base),
    }
    ended = run.returncode in (0, 4)
    if wanted is None:
        begun = time.monotonic()
        alone = base / "alone"
        with open(base / "alone.log", "w") as log:
            single = subprocess.run([*common, "--out", str(alone)], stdout=log, stderr=log)
        result["exit_codes"].append(single.returncode)
        result["seconds"].append(round(time.monotonic() - begun, 1))
        ended = ended and run.returncode == single.returncode
        wanted = digest(alone)
    result["sha256"] = digest(folder) if ended else None
    result["equal"] = ended and result["sha256"] == wanted
    print(json.dumps(result, indent=2))
    return 0 if result["equal"] else 1


if __name__ == "__main__":
    sys.exit(main())
