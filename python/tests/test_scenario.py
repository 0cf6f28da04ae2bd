import copy
import pickle
import subprocess
import sys

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
    # files of studies and maps are not scenarios
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
        assert refused.value.key.startswith("time.duration") and refused.value.allowed
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
    assert keys["time.duraton"].place == "<text>:3"
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


def test_the_schema_and_the_catalogs():
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


def with_hill(lone, folder, height):
    """Writes a scenario file with the vehicle on a DEM in this folder, and returns its path."""
    rows = "\n".join(" ".join([str(height)] * 60) for _ in range(60))
    grid = f"ncols 60\nnrows 60\nxllcorner 0\nyllcorner 0\ncellsize 5\n{rows}\n"
    (folder / "hill.asc").write_text(grid)
    text = lone.to_dict()
    text["terrain"] = {"surface": {"kind": "dem", "file": "hill.asc"}}
    path = folder / "hill.toml"
    path.write_text(bekker.Scenario.from_dict(text, folder).to_toml())
    return path


def test_another_folder_to_work_in_leads_to_no_other_files(lone, tmp_path, monkeypatch):
    here, there = tmp_path / "here", tmp_path / "there"
    for folder, height in ((here, 10), (there, 20)):
        folder.mkdir()
        with_hill(lone, folder, height)
    monkeypatch.chdir(here)
    loaded = bekker.Scenario.load("hill.toml")
    parsed = bekker.Scenario.parse((here / "hill.toml").read_text(), ".")
    monkeypatch.chdir(there)
    for scenario in (loaded, loaded.copy(), parsed):
        assert bekker.Simulation(scenario).ground.height(0.0, 0.0) == pytest.approx(10, abs=0.1)
    loaded.set("seed", 3)
    assert bekker.Simulation(loaded).ground.height(0.0, 0.0) == pytest.approx(10, abs=0.1)


def test_a_file_that_was_edited_since_is_told_of(lone, tmp_path):
    path = with_hill(lone, tmp_path, 10)
    scenario = bekker.Scenario.load(path)
    bekker.Simulation(scenario)
    with_hill(lone, tmp_path, 20)
    with pytest.raises(bekker.ScenarioError, match="load the scenario again"):
        bekker.Simulation(scenario)
    again = bekker.Simulation(bekker.Scenario.load(path))
    assert again.ground.height(0.0, 0.0) == pytest.approx(20, abs=0.1)


def test_a_path_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "latin.toml").write_bytes(b"name = '\xe9'")
    for path in (tmp_path / "missing.toml", tmp_path, tmp_path / "latin.toml"):
        with pytest.raises(bekker.InputError) as refused:
            bekker.Scenario.load(path)
        assert refused.value.key == "path" and str(path) in str(refused.value)


def test_a_number_that_toml_has_not_is_told_with_its_key(lone):
    values = lone.to_dict()
    values["vehicle"][0]["driver"]["speed"] = float("nan")
    with pytest.raises(bekker.InputError, match=r"vehicle\[0\].driver.speed = nan: must be finite") as refused:
        bekker.Scenario.from_dict(values)
    assert refused.value.key == "vehicle[0].driver.speed"
    with pytest.raises(bekker.InputError, match="time.duration = nan") as refused:
        lone.set("time.duration", float("nan"))
    assert refused.value.key == "time.duration"
    with pytest.raises(bekker.InputError, match=r"seed = 9223372036854775808: .* 2\^63 - 1") as refused:
        lone.set("seed", 2**63)
    assert refused.value.key == "seed"


def test_a_key_with_dots_is_told_how_to_nest(lone):
    values = lone.to_dict()
    values["time.duration"] = 5
    with pytest.raises(bekker.ScenarioError, match=r'time\.duration = 5: .* write \{"time": \{"duration": \.\.\.\}\}'):
        bekker.Scenario.from_dict(values)
    del values["time.duration"]
    values["vehicle[0].driver.speed"] = 5
    with pytest.raises(bekker.ScenarioError, match=r'write \{"vehicle": \[\{"driver": \{"speed": \.\.\.\}\}\]\}'):
        bekker.Scenario.from_dict(values)
    del values["vehicle[0].driver.speed"]
    values["vehicle"][0]["overrides"] = {"chassis.mass": 2500}
    with pytest.raises(bekker.ScenarioError, match=r'write \{"chassis": \{"mass": \.\.\.\}\}'):
        bekker.Simulation(values)


def test_mass_and_wheel_radius_have_a_key_each(lone):
    lone.set("vehicle[0].mass", 3500)
    lone.set("vehicle[0].wheel_radius", 0.55)
    simulation = bekker.Simulation(lone)
    assert simulation.state(0)["load"].sum() == pytest.approx(3500 * 9.80665, rel=2e-3)
    higher = simulation.state(0)["position"][2]
    lone.set("vehicle[0].wheel_radius", 0.5)
    assert higher - bekker.Simulation(lone).state(0)["position"][2] == pytest.approx(0.05, abs=0.01)
    lone.set("vehicle[0].mass", 10)
    with pytest.raises(bekker.ScenarioError, match=r"vehicle\[0\]\.mass = 10: must be above .* kg, the mass of all parts"):
        lone.validate()


def test_radii_of_a_tire_that_contradict_each_other_are_refused(lone):
    lone.set("vehicle[0].overrides", {"tire": {"handling": {"unloaded_radius": 0.6}}})
    with pytest.raises(bekker.ScenarioError, match="unloaded_radius = 0.6: must be within 10 % of 0.4677, .*wheel_radius"):
        lone.validate()


def test_soils_and_vehicles_are_values(lone):
    soil, vehicle = bekker.Soil("bog"), bekker.Vehicle("mrzr4")
    lone.set("soil.default", soil)
    lone.set("vehicle[0].model", vehicle)
    told = lone.to_dict()
    assert told["soil"]["default"] == "bog" and told["vehicle"][0]["model"] == "mrzr4"
    assert bekker.Scenario.from_dict({**told, "soil": {"default": soil}}).to_dict() == told
    for own in (soil, vehicle):
        for again in (pickle.loads(pickle.dumps(own)), copy.deepcopy(own)):
            assert again == own and hash(again) == hash(own) and repr(again) == repr(own)
        assert own._repr_html_().startswith("<table>")
    assert soil != bekker.Soil("mud") and "bog" in repr(soil)
    settings = {"slip": 0.1, "duration": 2.0, "spacing": 0.05}
    found = bekker.rig.wheel(bekker.Soil("mud"), vehicle=bekker.Vehicle("hmmwv"), **settings)
    assert found["sinkage"] == bekker.rig.wheel("mud", vehicle="hmmwv", **settings)["sinkage"]


def test_scenarios_are_pickled_and_copied(lone, tmp_path):
    path = with_hill(lone, tmp_path, 10)
    scenario = bekker.Scenario.load(path)
    scenario.set("seed", 5)
    for again in (pickle.loads(pickle.dumps(scenario)), copy.deepcopy(scenario), copy.copy(scenario)):
        assert again.to_dict() == scenario.to_dict()
        again.set("seed", 6)
        assert scenario.to_dict()["seed"] == 5
        assert bekker.Simulation(again).ground.height(0.0, 0.0) == pytest.approx(10, abs=0.1)
    # also in another working directory
    program = "import pickle, sys, bekker; s = pickle.load(sys.stdin.buffer); print(bekker.Simulation(s).hash())"
    kept = pickle.dumps(scenario)
    told = subprocess.run([sys.executable, "-c", program], input=kept, capture_output=True, check=True, cwd="/")
    assert told.stdout.decode().strip() == bekker.Simulation(scenario).hash()
    shown = scenario._repr_html_()
    assert "scout" in shown and "hmmwv" in shown and "dem" in shown


def array_ground():
    """Heights over 30 rows and 50 columns, and soils: 1 in the east."""
    y, x = np.mgrid[0:30, 0:50]
    return 0.02 * x + 0.1 * np.sin(0.3 * y), (x >= 25).astype(np.uint8)


def test_ground_from_arrays(lone):
    heights, soils = array_ground()
    values = lone.to_dict()
    del values["terrain"], values["soil"], values["vehicle"][0]["driver"]
    names = ["firm", bekker.Soil("bog")]
    scenario = bekker.Scenario.from_dict(values, heights=heights, spacing=0.5, soils=soils, soil_names=names)
    simulation = bekker.Simulation(scenario)
    ground = simulation.ground
    origin = (-0.5 * 49 * 0.5, -0.5 * 29 * 0.5)
    # to the bit at the points themselves
    assert np.array_equal(ground.height_map(origin, 0.5, (30, 50)), heights)
    assert sorted(simulation.soil_names()) == ["bog", "firm"]
    simulation.respawn("scout", (-6.0, 0.0))
    on_firm = simulation.state("scout")["sinkage"].mean()
    simulation.respawn("scout", (6.0, 0.0))
    assert simulation.state("scout")["sinkage"].mean() > on_firm + 0.05
    # with an origin
    placed = bekker.Scenario.from_dict(values | {"soil": {"default": "mud"}}, heights=heights, spacing=0.5, origin=(-10, -5))
    assert np.array_equal(bekker.Simulation(placed).ground.height_map((-10, -5), 0.5, (30, 50)), heights)
    assert placed.validate() == []


def test_ground_from_arrays_is_pickled_set_and_saved(lone, tmp_path):
    heights, soils = array_ground()
    values = lone.to_dict()
    del values["terrain"], values["soil"], values["vehicle"][0]["driver"]
    scenario = bekker.Scenario.from_dict(values, heights=heights, spacing=0.5, soils=soils, soil_names=["firm", "bog"])
    expected = bekker.Simulation(scenario)
    for again in (pickle.loads(pickle.dumps(scenario)), scenario.copy()):
        assert bekker.Simulation(again).hash() == expected.hash()
        again.set("seed", 3)
        assert bekker.Simulation(again).ground.height(0, 0) == expected.ground.height(0, 0)
    assert pickle.loads(pickle.dumps(expected)).hash() == expected.hash()
    scenario.save(tmp_path / "own.toml")
    assert {path.name for path in tmp_path.iterdir()} == {"own.toml", "own_heights.tif", "own_soils.tif"}
    saved = bekker.Simulation(tmp_path / "own.toml")
    assert saved.ground.height(0.3, 0.4) == expected.ground.height(0.3, 0.4)
    saved.step(10), expected.step(10)
    assert saved.state(0)["position"].tolist() == expected.state(0)["position"].tolist()
    # the same arrays given again replace those of the dict
    values = scenario.to_dict()
    again = bekker.Scenario.from_dict(values, heights=heights, spacing=0.5, soils=soils, soil_names=["firm", "bog"])
    assert again.to_dict() == values


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ({"heights": np.zeros((3, 4))}, "spacing"),
        ({"spacing": 1.0}, "spacing"),
        ({"heights": np.zeros((3, 4)), "spacing": -1.0}, "spacing"),
        ({"heights": np.zeros(4), "spacing": 1.0}, "heights"),
        ({"heights": np.zeros((1, 4)), "spacing": 1.0}, "heights"),
        ({"heights": [["a", "b"], ["c", "d"]], "spacing": 1.0}, "heights"),
        ({"soils": np.zeros((3, 4), int), "spacing": 1.0}, "soil_names"),
        ({"soils": np.ones((3, 4), int), "spacing": 1.0, "soil_names": ["mud"]}, "soils"),
        ({"soils": 0.5 * np.ones((3, 4)), "spacing": 1.0, "soil_names": ["mud", "bog"]}, "soils"),
        ({"soils": np.zeros((3, 4), int), "spacing": 1.0, "soil_names": "mud"}, "soil_names"),
        ({"origin": (0, 0)}, "origin"),
    ],
)
def test_arrays_that_cannot_be_are_refused_by_name(lone, arguments, key):
    values = lone.to_dict()
    with pytest.raises(bekker.InputError) as refused:
        bekker.Scenario.from_dict(values, **arguments)
    assert refused.value.key == key and refused.value.allowed


def test_an_array_and_a_surface_exclude_each_other(lone):
    lone.set("terrain", {"surface": {"kind": "slope", "grade": 0.1}})
    with pytest.raises(bekker.InputError, match=r"terrain\.surface: must be absent with an array"):
        bekker.Scenario.from_dict(lone.to_dict(), heights=np.zeros((3, 4)), spacing=1.0)
