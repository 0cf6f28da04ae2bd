"""Environments for Gymnasium: `gymnasium.make("bekker/SlipSpeed-v0")`, and `make_vec`.

What each is about is told in docs/learning.md. Their ids are registered where the package is
installed; elsewhere importing this module registers them.
"""

from ..registration import IDS, register
from .env import BekkerEnv
from .vector import BekkerVectorEnv

__all__ = ["IDS", "BekkerEnv", "BekkerVectorEnv", "register"]

register()
