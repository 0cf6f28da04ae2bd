"""Environments for Gymnasium: `gymnasium.make("bekker/SlipSpeed-v0")`, and `make_vec`.

What each is about is told in docs/learning.md. Importing this module registers their ids.
"""

from .env import BekkerEnv
from .registration import IDS, register
from .spaces import parts
from .vector import BekkerVectorEnv

__all__ = ["IDS", "BekkerEnv", "BekkerVectorEnv", "parts", "register"]

register()
