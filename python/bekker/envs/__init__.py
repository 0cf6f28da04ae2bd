"""Environments for Gymnasium: `gymnasium.make("bekker/SlipSpeed-v0")`, and `make_vec`.

Importing this module registers their ids, as does `gymnasium.make("bekker:bekker/SlipSpeed-v0")`.
docs/learning.md describes the tasks.
"""

from .dict_observation import DictObservation, DictVectorObservation
from .env import BekkerEnv
from .registration import IDS, register
from .spaces import parts
from .task import Range, States, Task, TaskEnv, TaskVectorEnv
from .vector import BekkerVectorEnv

__all__ = [
    "IDS",
    "BekkerEnv",
    "BekkerVectorEnv",
    "DictObservation",
    "DictVectorObservation",
    "Range",
    "States",
    "Task",
    "TaskEnv",
    "TaskVectorEnv",
    "parts",
    "register",
]

register()
