from pathlib import Path

import pytest

import bekker

ROOT = Path(__file__).resolve().parents[2]

LONE = """
format = 1
name = "lone"
time = { duration = 1 }
soil = { default = "mud" }
[[vehicle]]
name = "scout"
model = "hmmwv"
position = [0, 0]
tyre = "rigid"
driver = { kind = "path", speed = 3, waypoints = [[0, 0], [50, 0]] }
"""


@pytest.fixture
def lone() -> bekker.Scenario:
    return bekker.Scenario.parse(LONE)
