import numpy as np
import pytest
from conftest import ROOT

import bekker


def test_text_file_and_dict_are_one_scenario(lone, tmp_path):
    path = tmp_path / "lone.toml"
    path.write_text(lone.to_toml())
    assert bekker.Scenario.load(path).to_dict() == lone.to_dict()
    assert bekker.Scenario.load(str(path)).to_dict() == lone.to_dict()
    assert bekker.Scenario.from_dict(lone.to_dict()).to_dict() == lone.to_dict()


def test_every_example_is_valid():
    # studies and maps are over scenarios, and are none
    others = ("study_", "map_")
    examples = [path for path in sorted((ROOT / "examples").glob("*.toml")) if not path.name.startswith(others)]
    assert len(examples) > 5
    for example in examples:
        bekker.Scenario.load(example)


def test_a_value_is_set_or_refused_and_then_nothing_is_changed(lone):
    lone.set("vehicle[0].driver.speed", 5)
    lone.set("vehicle[0].driver.waypoints", [[0, 0], [10, 5.5]])
    lone.set("terrain", {"surface": {"kind": "slope", "grade": 0.1}})
    driver = lone.to_dict()["vehicle"][0]["driver"]
    assert driver["speed"] == 5 and driver["waypoints"] == [[0, 0], [10, 5.5]]
    with pytest.raises(bekker.ScenarioError) as raised:
        lone.set("time.duration", -1)
    assert raised.value.key == "time.duration" and raised.value.value == "-1"
    assert raised.value.allowed == "> 0 and <= 604800 s"
    with pytest.raises(bekker.InputError, match="finite"):
        lone.set("time.duration", float("inf"))
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    for wrong in [object(), 1j, b"1", {"a": object()}, deep]:
        with pytest.raises(bekker.InputError, match="finite numbers") as refused:
            lone.set("time.duration", wrong)
        assert refused.value.key == "value" and refused.value.allowed
    assert lone.to_dict()["time"]["duration"] == 1


def test_numbers_and_arrays_of_numpy_are_values(lone):
    lone.set("vehicle[0].driver.speed", np.float32(2.5))
    lone.set("seed", np.int64(7))
    lone.set("vehicle[0].driver.waypoints", np.array([[0.0, 0.0], [20.0, 1.0]]))
    told = lone.to_dict()
    assert told["seed"] == 7 and told["vehicle"][0]["driver"]["speed"] == 2.5
    assert told["vehicle"][0]["driver"]["waypoints"] == [[0, 0], [20, 1]]
    told["time"]["duration"] = np.float64(0.5)
    assert bekker.Scenario.from_dict(told).to_dict()["time"]["duration"] == 0.5


def test_a_copy_goes_its_own_way(lone):
    other = lone.copy()
    other.set("seed", 7)
    assert (lone.to_dict()["seed"], other.to_dict()["seed"]) == (0, 7)


def test_all_faults_are_told_with_place_key_value_and_what_is_allowed():
    with pytest.raises(ValueError) as raised:
        bekker.Scenario.parse("format = 1\nname = 'x'\ntime = { duraton = 1 }\nsoil = { default = 'mud' }\n")
    error = raised.value
    assert isinstance(error, bekker.ScenarioError)
    keys = {fault.key: fault for fault in error.faults}
    assert "duration" in keys["time.duraton"].allowed
    assert keys["time.duraton"].place == "scenario:3"
    assert "vehicle" in keys


def test_files_that_are_built_from_are_told_of_too(lone):
    lone.set("soil.default", "mudd")
    with pytest.raises(bekker.ScenarioError, match="mud"):
        lone.validate()
    with pytest.raises(bekker.ScenarioError):
        bekker.Simulation(lone)


def test_no_file(tmp_path):
    with pytest.raises(bekker.InputError, match="none.toml|No such file"):
        bekker.Scenario.load(tmp_path / "none.toml")


def test_the_schema_and_the_catalogues():
    assert "vehicle" in bekker.schema()["properties"]
    assert "chrono_mid" in bekker.soils() and "hmmwv" in bekker.vehicles()
    soil = bekker.Soil("chrono_mid")
    assert soil.parameters["n"] > 0 and soil.source
    assert 2000 < bekker.Vehicle("hmmwv").mass < 5000
    with pytest.raises(bekker.InputError, match="no soil"):
        bekker.Soil("cheese")
    with pytest.raises(bekker.ScenarioError) as raised:
        bekker.Vehicle("hmwv")
    assert "hmmwv" in raised.value.allowed
