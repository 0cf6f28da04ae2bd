"""Studies: one scenario driven many times, and what came of it.

>>> from bekker import study
>>> done = study.run("examples/study_tyre_pressure.toml", "pressure")
>>> done.trials["go"].mean(), done.report()["points"][0]

Each call is the command `bekker study` in a process of its own, so that a study is driven the same from
here, from a terminal and on a cluster, and the same folder can be gone on with by either.
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
    """The folder of a study that was driven, in all or in part."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        path = self.folder / "study.json"
        if not path.is_file():
            raise InputError(f"{self.folder} is not a study folder: it has no study.json", "folder", str(folder))
        self.asked: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        """All that was asked: the study's file, factors, responses with their units, number of trials."""

    @property
    def factors(self) -> list[str]:
        """Names of what was varied."""
        return list(self.asked["factors"])

    @property
    def responses(self) -> dict[str, str]:
        """What was taken down, each with its unit."""
        return dict(self.asked["responses"])

    @property
    def trials(self) -> dict[str, npt.NDArray[Any]]:
        """The table of trials, a row a trial in the order of their numbers: an array of each column, NaN
        where a trial has no number; names of levels are words, whatever they look like.
        `pandas.DataFrame(study.trials)` takes it as it is."""
        path = self.folder / "trials.csv"
        if not path.is_file():
            raise InputError(f"{self.folder} is not complete: it has no trials.csv", "folder", str(path))
        with path.open(newline="", encoding="utf-8") as file:
            head, *rows = csv.reader(file)
        columns = {name: [row[n] for row in rows] for n, name in enumerate(head)}
        named = {*_WORDS, *self._factors_of_words()}
        return {name: np.array(words) if name in named else _column(name, words) for name, words in columns.items()}

    def _factors_of_words(self) -> list[str]:
        """Factors whose levels are names, by the study's file: some look like numbers."""
        return [
            factor["name"]
            for factor in self.asked["study"].get("factor", [])
            if factor.get("levels") or any(isinstance(value, (str, bool)) for value in factor.get("values") or [])
        ]

    def status(self) -> dict[str, Any]:
        """How many trials are done, failed and missing."""
        return _asked("status", self.folder)

    def report(self) -> dict[str, Any]:
        """What came of it, with intervals; report.md, report.csv and report.html are in the folder then."""
        return _asked("report", self.folder)

    def __repr__(self) -> str:
        return f"<bekker.study.Study {self.folder}: {self.asked['trials']} trials>"


def plan(study: str | os.PathLike[str]) -> dict[str, Any]:
    """What a study would drive, without driving it."""
    return _asked("plan", study)


def run(
    study: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    threads: int | None = None,
    shard: tuple[int, int] | None = None,
) -> Study:
    """Drives a study, or goes on with one that was cut. `shard=(i, n)` drives the i-th of n parts, counted
    from 1, which `merge` makes a whole."""
    options = [f"--out={os.fspath(out)}"]
    if threads is not None:
        options.append(f"--threads={_threads(threads)}")
    if shard is not None:
        part, parts = _shard(shard)
        options.append(f"--shard={part}/{parts}")
    _asked("run", study, options=options)
    return Study(out)


def merge(parts: Iterable[str | os.PathLike[str] | Study], out: str | os.PathLike[str]) -> Study:
    """Makes the whole of parts that were driven by `shard`."""
    allowed = "a list of folders, one per shard"
    if isinstance(parts, (str, os.PathLike)):
        raise InputError(f"parts = {os.fspath(parts)!r}: must be {allowed}", "parts", os.fspath(parts), allowed)
    folders = [part.folder if isinstance(part, Study) else part for part in parts]
    if not folders:
        raise InputError(f"parts = []: must be {allowed}", "parts", "[]", allowed)
    _asked("merge", *folders, options=[f"--out={os.fspath(out)}"])
    return Study(out)


def _threads(threads: int) -> int:
    """As many threads, if there can be."""
    allowed = "a whole number from 1 to 1024"
    try:
        count = operator.index(threads)
    except TypeError:
        count = 0
    if not 1 <= count <= 1024:
        raise InputError(f"threads = {threads!r}: must be {allowed}", "threads", str(threads), allowed)
    return count


def _shard(shard: tuple[int, int]) -> tuple[int, int]:
    """A part and how many there are, if it can be one of them."""
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
    """The JSON that a subcommand prints."""
    # what begins with a dash is a path, too
    named = [os.fspath(each) for each in paths]
    line = [sys.executable, "-m", "bekker", "study", command, *options, "--json", "--", *named]
    # what it says of its progress and of doubts is for who looks on
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        cause = _without_options(done.stderr.strip()) or f"ended with status {done.returncode}"
        raise (InputError if done.returncode in (2, 3) else RunError)(cause)
    if done.stderr:
        print(done.stderr, end="", file=sys.stderr)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def _without_options(told: str) -> str:
    """What the command said, with arguments as they are called here, and without how to ask it for more."""
    said, _, _ = told.partition("\n\nFor more information, try '--help'")
    return re.sub(r"--(out|threads|shard)\b", r"\1", said).removeprefix("error: ")
