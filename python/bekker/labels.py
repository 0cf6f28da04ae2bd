"""Names of the labels in images and scans.

>>> reading = simulation.readings("scout")[0]
>>> names = simulation.labels
>>> names["class"][1], names["soil"][0], names["instance"][1]
('ground', 'mud', 'scout')
"""

from __future__ import annotations

from typing import TypedDict

from . import _core

__all__ = ["CLASSES", "Labels", "labels_of"]

CLASSES: dict[int, str] = dict(enumerate(_core.classes()))
"""Semantic classes by number: the channel `class` of cameras and lidars."""

Labels = TypedDict(
    "Labels", {"class": "dict[int, str]", "soil": "dict[int, str]", "instance": "dict[int, str]"}
)
"""Names by number, for each channel of labels."""


def labels_of(simulation: _core.Simulation) -> Labels:
    """Returns the names of classes, soils and instances of a simulation, by number.

    Soils have the names of the scenario. Instances are the vehicles; the channel `agent` of a camera
    has the same numbers. Numbers without a name are 0, no vehicle, and 255, no soil.
    """
    return {
        "class": dict(CLASSES),
        "soil": dict(enumerate(simulation.soil_names())),
        "instance": dict(enumerate(simulation.vehicles, start=1)),
    }
