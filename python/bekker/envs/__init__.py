"""Environments for Gymnasium: `gymnasium.make("bekker/SlipSpeed-v0")`, and `make_vec`.

Importing this module registers their ids. docs/learning.md describes the tasks.
"""

from .env import BekkerEnv
from .registration import IDS, register
from .spaces import parts
from .vector import BekkerVectorEnv

__all__ = ["IDS", "BekkerEnv", "BekkerVectorEnv", "parts", "register"]

register()
