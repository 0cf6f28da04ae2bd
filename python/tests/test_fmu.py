"""A functional mock-up unit (FMU), validated, loaded, stepped and restored by FMPy."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from ctypes import byref, c_void_p
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

import bekker
from bekker.link import Link

fmpy = pytest.importorskip("fmpy")
fmi2 = pytest.importorskip("fmpy.fmi2")
validation = pytest.importorskip("fmpy.validation")
fmi3 = pytest.importorskip("fmpy.fmi3")

LIBRARY = Path(os.environ.get("BEKKER_FMI", ROOT / "target/release/libbekker_fmi.so"))
COMMAND = os.environ.get("BEKKER_COMMAND", f"{sys.executable} -m bekker").split()
HEARTBEAT = 0.01
STEPS = 40

# refers to a file of each kind that an FMU must contain
SCENARIO = """
format = 1
name = "two cars"
description = "One <driven> externally & one along a path"
time = { duration = 0.4 }
soil = { default = "chrono_mid" }
terrain = { surface = { kind = "dem", file = "land/jacksboro.tif", origin = [-84.1901, 36.6206] } }

[[vehicle]]
name = "lead"
model = "land/own.toml"
position = [0, 0]
driver = { kind = "outside" }

[[vehicle]]
name = "2nd car"
model = "mrzr4"
position = [0, 12]
driver = { kind = "path", speed = 3, waypoints = [[0, 12], [40, 12]] }
"""

pytestmark = pytest.mark.skipif(
    not LIBRARY.exists(), reason=f"no {LIBRARY}: cargo build --release -p bekker-fmi"
)


def bekker_command(*words: str, folder: Path) -> str:
    done = subprocess.run([*COMMAND, *words], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def commands(step: int) -> dict[str, float]:
    """Returns the driver's commands for a heartbeat."""
    return {"throttle": 0.8 if step > 3 else 0.1, "brake": 0, "steering": 0.02 * step}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Returns the JSON of the export, with the FMU unpacked in another folder."""
    folder = tmp_path_factory.mktemp("export")
    (folder / "land").mkdir()
    shutil.copy(ROOT / "terrains/jacksboro_fault.tif", folder / "land/jacksboro.tif")
    shutil.copy(ROOT / "crates/vehicle/vehicles/hmmwv.toml", folder / "land/own.toml")
    (folder / "cars.toml").write_text(SCENARIO)
    words = ["export-fmu", "cars.toml", "-o", "cars.fmu", "--library", str(LIBRARY), "--json"]
    about = json.loads(bekker_command(*words, folder=folder))
    moved = tmp_path_factory.mktemp("moved") / "a folder with spaces"
    fmpy.extract(str(folder / "cars.fmu"), str(moved))
    about["references"] = {own["name"]: own["value_reference"] for own in about["variables"]}
    about["folder"] = folder
    about["unpacked"] = str(moved)
    return about


def test_the_wheel_contains_the_library_of_fmus(made: dict[str, Any]) -> None:
    if not (Path(bekker.__file__).parent / "lib/libbekker_fmi.so").is_file():
        pytest.skip("not installed from a wheel of scripts/wheel.sh")
    bekker_command("export-fmu", "cars.toml", "-o", "wheel.fmu", folder=made["folder"])
    assert validation.validate_fmu(str(made["folder"] / "wheel.fmu")) == []


class Unit:
    """An instance of the FMU with access to variables by name."""

    def __init__(self, made: dict[str, Any], token: str | None = None) -> None:
        self.references: dict[str, int] = made["references"]
        self.said: list[str] = []
        self.slave = fmi3.FMU3Slave(
            guid=token or made["instantiation_token"],
            unzipDirectory=made["unpacked"],
            modelIdentifier="two_cars",
            instanceName="one",
        )
        self.slave.instantiate(
            logMessage=lambda _environment, _status, _category, text: self.said.append(text.decode())
        )

    def begin(self) -> "Unit":
        self.slave.enterInitializationMode(startTime=0.0)
        self.slave.exitInitializationMode()
        return self

    def set(self, **values: float) -> None:
        names = [f"lead.{name}" for name in values]
        self.slave.setFloat64([self.references[name] for name in names], list(values.values()))

    def step(self, step: int) -> str:
        """Advances by a heartbeat with the driver's commands, and returns the hash of the state."""
        self.set(**commands(step))
        self.slave.doStep(step * HEARTBEAT, HEARTBEAT)
        return self.hash()

    def hash(self) -> str:
        return str(self.slave.getString([self.references["state_hash"]])[0])

    def outputs(self) -> list[float]:
        all_reals = [own for name, own in self.references.items() if real(name)]
        return list(self.slave.getFloat64(all_reals))


def real(name: str) -> bool:
    others = ("selector", "gear", "driving", "outcome", "state_hash")
    return not name.endswith(others)


@pytest.fixture
def unit(made: dict[str, Any]) -> Iterator[Unit]:
    own = Unit(made).begin()
    yield own
    own.slave.terminate()
    own.slave.freeInstance()


def test_the_unit_is_valid(made: dict[str, Any]) -> None:
    file = str(made["folder"] / "cars.fmu")
    assert validation.validate_fmu(file) == []
    told = fmpy.read_model_description(file)
    assert told.coSimulation.modelIdentifier == "two_cars"
    assert float(told.coSimulation.fixedInternalStepSize) == HEARTBEAT
    assert told.description == "One <driven> externally & one along a path"
    by_name = {own.name: own for own in told.modelVariables}
    assert by_name["lead.steering"].causality == "input"
    assert by_name["'2nd car'.wheel[4].force.z"].unit == "N"
    assert "'2nd car'.throttle" not in by_name
    # the same export gives the same bytes
    before = Path(file).read_bytes()
    bekker_command(
        "export-fmu", "cars.toml", "-o", "again.fmu", "--library", str(LIBRARY), folder=made["folder"]
    )
    assert (made["folder"] / "again.fmu").read_bytes() == before


def test_steps_give_the_bits_of_a_run(made: dict[str, Any], unit: Unit) -> None:
    folder: Path = made["folder"]
    run = subprocess.Popen(
        [*COMMAND, "run", "cars.toml", "--serve", "--out", "run", "--no-picture"],
        cwd=folder,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    assert run.stderr
    told = next(line for line in run.stderr if line.startswith("serving at"))
    place = re.match(r"serving at (\S+), token (\S+)", told)
    assert place
    with Link(place[1], place[2], ["lead"]) as link:
        for step, _ in enumerate(link):
            link.act({"lead": commands(step)})
    # reads the remaining output, so that a full pipe does not block the run
    said = run.stderr.read()
    assert run.wait() == 0, said
    with (folder / "run/hashes.csv").open() as rows:
        expected = [row["state"] for row in csv.DictReader(rows)]
    assert len(expected) == STEPS
    # hashes.csv has the first half of each hash
    assert [unit.step(step)[:32] for step in range(STEPS)] == expected


def test_states_are_saved_and_restored_to_the_bit(made: dict[str, Any], unit: Unit) -> None:
    for step in range(10):
        unit.step(step)
    saved, outputs, here = unit.slave.getFMUState(), unit.outputs(), unit.hash()
    onwards = [unit.step(step) for step in range(10, 20)]
    assert unit.outputs() != outputs
    unit.slave.setFMUState(saved)
    assert (unit.outputs(), unit.hash()) == (outputs, here)
    assert [unit.step(step) for step in range(10, 20)] == onwards
    # a serialized state restores another instance
    data = unit.slave.serializeFMUState(saved)
    other = Unit(made)
    state = other.slave.deserializeFMUState(data)
    other.slave.setFMUState(state)
    assert (other.outputs(), other.hash()) == (outputs, here)
    assert [other.step(step) for step in range(10, 20)] == onwards
    other.slave.freeFMUState(state)
    with pytest.raises(fmpy.fmi1.FMICallException):
        other.slave.deserializeFMUState(data[:-1] + bytes([data[-1] ^ 1]))
    assert "does not match" in other.said[-1]
    # reset returns to the initial state
    other.slave.reset()
    assert other.begin().step(0) == Unit(made).begin().step(0)
    other.slave.freeInstance()
    unit.slave.freeFMUState(saved)


def test_what_cannot_be_is_refused_in_words(made: dict[str, Any], unit: Unit) -> None:
    def refused(call: Any, *words: str) -> None:
        before = unit.hash()
        with pytest.raises(fmpy.fmi1.FMICallException) as failure:
            call()
        assert failure.value.status == fmi3.fmi3Error
        assert all(word in unit.said[-1] for word in words), unit.said[-1]
        assert unit.hash() == before

    at = unit.references
    refused(lambda: unit.slave.doStep(0, 0.015), "0.015", "multiple of the heartbeat of 0.01 s")
    refused(lambda: unit.slave.doStep(0, float("nan")), "communicationStepSize")
    refused(lambda: unit.slave.doStep(0.5, HEARTBEAT), "currentCommunicationPoint = 0.5")
    refused(lambda: unit.set(throttle=float("nan")), "lead.throttle = NaN", "finite")
    refused(lambda: unit.slave.setFloat64([at["lead.speed"]], [1.0]), "lead.speed is not an input")
    refused(lambda: unit.slave.getFloat64([9999]), "value reference 9999")
    refused(lambda: unit.slave.setInt32([at["lead.selector"]], [5]), "1 (drive)")
    refused(lambda: unit.slave.enterInitializationMode(), "Step Mode")
    refused(lambda: unit.slave.getDirectionalDerivative([0], [0], [1.0]), "does not offer")
    # the instance continues after these errors; a step may have several heartbeats
    unit.slave.doStep(0, 3 * HEARTBEAT)
    assert unit.slave.getFloat64([0])[0] == pytest.approx(3 * HEARTBEAT)
    other = Unit.__new__(Unit)
    with pytest.raises(Exception, match="instantiate"):
        other.__init__(made, token="0" * 64)  # type: ignore[misc]
    assert "export the FMU again" in other.said[-1]


def test_version_2_does_the_same(made: dict[str, Any], unit: Unit, tmp_path: Path) -> None:
    file = str(tmp_path / "cars.fmu")
    words = ["-o", file, "--fmi", "2.0", "--library", str(LIBRARY)]
    bekker_command("export-fmu", "cars.toml", *words, folder=made["folder"])
    assert validation.validate_fmu(file) == []
    unpacked = tmp_path / "with spaces & more%"
    fmpy.extract(file, str(unpacked))
    slave = fmi2.FMU2Slave(
        guid=made["instantiation_token"],
        unzipDirectory=str(unpacked),
        modelIdentifier="two_cars",
        instanceName="two",
    )
    slave.instantiate()
    slave.setupExperiment(startTime=0.0)
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    pedals = [unit.references[f"lead.{name}"] for name in commands(0)]

    def step(number: int) -> str:
        slave.setReal(pedals, list(commands(number).values()))
        slave.doStep(number * HEARTBEAT, HEARTBEAT)
        told: bytes = slave.getString([unit.references["state_hash"]])[0]
        return told.decode()

    hashes = [unit.step(number) for number in range(10)]
    assert [step(number) for number in range(5)] == hashes[:5]
    saved = slave.getFMUstate()
    assert [step(number) for number in range(5, 10)] == hashes[5:]
    slave.setFMUstate(slave.deSerializeFMUstate(slave.serializeFMUstate(saved)))
    assert [step(number) for number in range(5, 10)] == hashes[5:]
    with pytest.raises(fmpy.fmi1.FMICallException):
        slave.doStep(10 * HEARTBEAT, 0.015)
    slave.terminate()
    slave.freeInstance()


def test_an_importer_simulates_it_whole(made: dict[str, Any]) -> None:
    file = str(made["folder"] / "cars.fmu")
    results = fmpy.simulate_fmu(
        file,
        start_values={"lead.throttle": 0.8, "lead.brake": 0},
        output=["lead.position.x", "lead.speed", "lead.wheel[1].sinkage", "lead.driving"],
        output_interval=2 * HEARTBEAT,
    )
    assert len(results) == STEPS // 2 + 1
    assert results["lead.speed"][-1] > 0.3
    assert results["lead.wheel[1].sinkage"][-1] > 0.005
    assert results["lead.driving"].all()
