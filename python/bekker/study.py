"""Studies: many runs of one scenario, and their results.

>>> from bekker import study
>>> done = study.run("examples/study_tire_pressure.toml", "pressure")
>>> done.trials["go"].mean(), done.report()["points"][0]

Each call runs the command `bekker study` in its own process. A study runs the same from Python, from a
terminal and on a cluster, and each of them can resume the same folder.
"""

from __future__ import annotations

import csv
import json
import operator
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import InputError, RunError

__all__ = ["Study", "merge", "plan", "run"]

_COUNTS = ("trial", "point", "replication", "scenario_seed")
_WORDS = ("status", "reason", "state_hash")


class Study:
    """Results of a complete or partial study, read from its folder.

    Raises `InputError` if the folder has no `study.json`.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        path = self.folder / "study.json"
        if not path.is_file():
            raise InputError(f"{self.folder} is not a study folder: it has no study.json", "folder", str(folder))
        self.asked: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        """Content of study.json: the study's file, factors, responses with their units, number of trials."""

    @property
    def factors(self) -> list[str]:
        """Names of the factors."""
        return list(self.asked["factors"])

    @property
    def responses(self) -> dict[str, str]:
        """Recorded responses, each with its unit."""
        return dict(self.asked["responses"])

    @property
    def trials(self) -> dict[str, npt.NDArray[Any]]:
        """The table of trials: one array per column, with a row per trial in order of trial numbers.

        Missing numbers are NaN. Names of levels are text, also those that look like numbers.
        `pandas.DataFrame(study.trials)` accepts the dict. Raises `InputError` if the study is not complete.
        """
        path = self.folder / "trials.csv"
        if not path.is_file():
            raise InputError(f"{self.folder} is not complete: it has no trials.csv", "folder", str(path))
        with path.open(newline="", encoding="utf-8") as file:
            head, *rows = csv.reader(file)
        columns = {name: [row[n] for row in rows] for n, name in enumerate(head)}
        named = {*_WORDS, *self._factors_of_words()}
        return {name: np.array(words) if name in named else _column(name, words) for name, words in columns.items()}

    def _factors_of_words(self) -> list[str]:
        """Factors with named levels, from the study's file: some names look like numbers."""
        return [
            factor["name"]
            for factor in self.asked["study"].get("factor", [])
            if factor.get("levels") or any(isinstance(value, (str, bool)) for value in factor.get("values") or [])
        ]

    def status(self) -> dict[str, Any]:
        """Returns the numbers of completed, failed and missing trials."""
        return _asked("status", self.folder)

    def report(self) -> dict[str, Any]:
        """Writes report.md, report.csv and report.html to the folder. Returns the results with their intervals."""
        return _asked("report", self.folder)

    def __repr__(self) -> str:
        return f"<bekker.study.Study {self.folder}: {self.asked['trials']} trials>"


def plan(study: str | os.PathLike[str]) -> dict[str, Any]:
    """Plans a study without running it. Returns the JSON of `bekker study plan`, with the number of `trials`."""
    return _asked("plan", study)


def run(
    study: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    threads: int | None = None,
    shard: tuple[int, int] | None = None,
) -> Study:
    """Runs a study, or resumes an interrupted one.

    Args:
        study: File of the study.
        out: Folder of the results.
        threads: Number of threads, 1 to 1024; by default one per core.
        shard: `(i, n)` runs only the i-th of n shards, from 1; `merge` combines them.

    Raises `InputError` if an argument or the study is invalid, `RunError` if the run fails.
    """
    options = [f"--out={os.fspath(out)}"]
    if threads is not None:
        options.append(f"--threads={_threads(threads)}")
    if shard is not None:
        part, parts = _shard(shard)
        options.append(f"--shard={part}/{parts}")
    _asked("run", study, options=options)
    return Study(out)


def merge(parts: Iterable[str | os.PathLike[str] | Study], out: str | os.PathLike[str]) -> Study:
    """Combines the folders of all shards of a study in the folder `out`."""
    allowed = "a list of folders, one per shard"
    if isinstance(parts, (str, os.PathLike)):
        raise InputError(f"parts = {os.fspath(parts)!r}: must be {allowed}", "parts", os.fspath(parts), allowed)
    folders = [part.folder if isinstance(part, Study) else part for part in parts]
    if not folders:
        raise InputError(f"parts = []: must be {allowed}", "parts", "[]", allowed)
    _asked("merge", *folders, options=[f"--out={os.fspath(out)}"])
    return Study(out)


def _threads(threads: int) -> int:
    """Checks a number of threads."""
    allowed = "a whole number from 1 to 1024"
    try:
        count = operator.index(threads)
    except TypeError:
        count = 0
    if not 1 <= count <= 1024:
        raise InputError(f"threads = {threads!r}: must be {allowed}", "threads", str(threads), allowed)
    return count


def _shard(shard: tuple[int, int]) -> tuple[int, int]:
    """Checks a shard and returns its number and the number of shards."""
    allowed = "two whole numbers (i, n), part i of n, from 1, with n up to 1000000"
    try:
        part, parts = (operator.index(number) for number in shard)
    except (TypeError, ValueError):
        part, parts = 0, 0
    if not 1 <= part <= parts <= 1_000_000:
        raise InputError(f"shard = {shard!r}: must be {allowed}", "shard", str(shard), allowed)
    return part, parts


def _column(name: str, words: list[str]) -> npt.NDArray[Any]:
    if name in _COUNTS and all(words):
        return np.array([int(word) for word in words], dtype=np.int64)
    try:
        return np.array([float(word) if word else np.nan for word in words])
    except ValueError:
        return np.array(words)


def _asked(command: str, *paths: str | os.PathLike[str], options: Iterable[str] = ()) -> dict[str, Any]:
    """Runs a subcommand and returns the JSON that it prints."""
    # paths may begin with a dash
    named = [os.fspath(each) for each in paths]
    line = [sys.executable, "-m", "bekker", "study", command, *options, "--json", "--", *named]
    # progress and warnings are on standard error
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        cause = _without_options(done.stderr.strip()) or f"ended with status {done.returncode}"
        raise (InputError if done.returncode in (2, 3) else RunError)(cause)
    if done.stderr:
        print(done.stderr, end="", file=sys.stderr)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def _without_options(told: str) -> str:
    """Returns the error of the command with Python's argument names and without the hint at `--help`."""
    said, _, _ = told.partition("\n\nFor more information, try '--help'")
    return re.sub(r"--(out|threads|shard)\b", r"\1", said).removeprefix("error: ")
