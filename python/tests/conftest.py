import importlib.util
from pathlib import Path
from types import ModuleType

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
tire = "rigid"
driver = { kind = "path", speed = 3, waypoints = [[0, 0], [50, 0]] }
"""


@pytest.fixture
def lone() -> bekker.Scenario:
    return bekker.Scenario.parse(LONE)


def example(name: str) -> ModuleType:
    """Imports a script of `examples/` as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
