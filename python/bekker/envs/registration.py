"""Ids of the environments."""

from __future__ import annotations

from ..registration import ALONE, register

__all__ = ["IDS", "register"]

IDS = list(ALONE)
"""Ids of the tasks for one vehicle."""
