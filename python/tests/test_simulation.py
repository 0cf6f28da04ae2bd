import copy
import multiprocessing
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import bekker


def test_a_run_gives_arrays_over_time(lone):
    simulation = bekker.Simulation(lone)
    history = simulation.run(0.5, sample_every=0.05)["scout"]
    assert history["time"].shape == (11,)
    assert np.allclose(history["time"], np.arange(11) * 0.05)
    assert history["position"].shape == (11, 3) and history["orientation"].shape == (11, 4)
    assert np.allclose(np.linalg.norm(history["orientation"], axis=1), 1.0)
    assert history["sinkage"].shape == (11, 4)
    assert (history["sinkage"][-1] > 0.01).all(), "the wheels have sunk into the soil"
    for never in ("nan", "inf", "-inf"):
        with pytest.raises(bekker.InputError, match=f"(?i)until = {never}: must be a time, s"):
            simulation.run(until=float(never))
        with pytest.raises(bekker.InputError, match=f"(?i)duration = {never}: must be a time above 0 s"):
            simulation.run(float(never))
    # at the start the wheels carry the weight; the static solution leaves 0.1 %
    weight = bekker.Vehicle("hmmwv").mass * 9.80665
    assert history["load"][0].sum() == pytest.approx(weight, rel=2e-3)
    assert history["load"][1].sum() == pytest.approx(weight, rel=2e-3)
    assert np.allclose(history["sinkage"][0], history["sinkage"][1], atol=2e-3)


def test_steps_and_a_run_give_the_same_bits_on_any_threads(lone):
    ran = bekker.Simulation(lone, threads=1)
    ran.run(0.3)
    stepped = bekker.Simulation(lone, threads=3)
    for _ in range(30):
        stepped.step()
    assert stepped.time == pytest.approx(0.3)
    assert ran.hash() == stepped.hash()


def test_a_run_is_that_of_the_command(lone, tmp_path):
    (tmp_path / "lone.toml").write_text(lone.to_toml())
    out = tmp_path / "run"
    command = [sys.executable, "-m", "bekker", "run", "lone.toml", "--no-picture", "--quiet", "--out", str(out)]
    subprocess.run(command, cwd=tmp_path, check=True)
    import json

    summary = json.loads((out / "summary.json").read_text())
    simulation = bekker.Simulation(lone)
    simulation.run()
    simulation.publish()
    assert simulation.summary()["state_hash"] == summary["state_hash"]


def test_a_vehicle_is_commanded_and_given_back(lone):
    simulation = bekker.Simulation(lone)
    simulation.command("scout", throttle=0.5, steering=1.0)
    simulation.step(20)
    state = simulation.state("scout")
    assert state["throttle"] == 0.5 and state["steering"] == 1.0
    simulation.command(0, steering_angle=0.1, gear="reverse")
    simulation.release(0)
    simulation.step(5)
    assert simulation.state("scout")["steering"] != 1.0


@pytest.mark.parametrize(
    ("wrong", "key"),
    [
        ({"throttle": float("nan")}, "throttle"),
        ({"steering": 0.0, "steering_angle": 0.0}, "steering_angle"),
        ({"gear": "first"}, "gear"),
    ],
)
def test_a_command_that_cannot_be_is_refused(lone, wrong, key):
    simulation = bekker.Simulation(lone)
    before = simulation.hash()
    with pytest.raises(bekker.InputError) as raised:
        simulation.command("scout", **wrong)
    assert raised.value.key == key and raised.value.allowed
    assert simulation.hash() == before


def test_no_such_vehicle(lone):
    with pytest.raises(bekker.InputError, match="scout"):
        bekker.Simulation(lone).state("scuot")


def test_a_snapshot_is_pickled_and_goes_the_same_way(lone):
    simulation = bekker.Simulation(lone)
    simulation.step(20)
    kept = pickle.dumps((lone.to_toml(), simulation.snapshot()))
    simulation.step(20)
    program = (
        "import pickle, sys, bekker\n"
        "text, snapshot = pickle.load(sys.stdin.buffer)\n"
        "again = bekker.Simulation(bekker.Scenario.parse(text), threads=2)\n"
        "again.restore(snapshot)\n"
        "again.step(20)\n"
        "print(again.hash())"
    )
    told = subprocess.run([sys.executable, "-c", program], input=kept, capture_output=True, check=True)
    assert told.stdout.decode().strip() == simulation.hash()


def test_a_snapshot_that_does_not_belong_is_refused(lone):
    simulation = bekker.Simulation(lone)
    snapshot = simulation.snapshot()
    lone.set("soil.default", "chrono_soft")
    other = bekker.Simulation(lone)
    before = other.hash()
    for wrong in (snapshot, snapshot[:-1], b"", b"nothing"):
        with pytest.raises(bekker.SnapshotError):
            other.restore(wrong)
    assert other.hash() == before


def test_the_ground_keeps_its_ruts(lone):
    simulation = bekker.Simulation(lone)
    simulation.run(1)
    ground = simulation.ground
    simulation.publish()
    across = np.linspace(-2, 2, 81)
    rut = ground.rut(-1.0, across)
    assert rut.shape == (81,) and rut.max() > 0.02
    assert np.allclose(ground.height(-1.0, across), -rut, atol=1e-9)
    whole = ground.rut_map((-3.0, -2.0), 0.05, (81, 121))
    assert whole.shape == (81, 121)
    assert np.array_equal(whole[:, 40], ground.rut(-3.0 + 40 * 0.05, -2.0 + np.arange(81) * 0.05))
    with pytest.raises(bekker.InputError):
        ground.height_map((0, 0), 1.0, (1 << 20, 1 << 20))


def test_ruts_become_a_raster(lone, tmp_path):
    image = pytest.importorskip("PIL.Image")
    simulation = bekker.Simulation(lone)
    path = tmp_path / "ruts.tif"
    simulation.run(1)
    simulation.publish()
    columns, rows, cell = simulation.ground.to_geotiff(path)
    raster = np.array(image.open(path))
    assert raster.shape == (rows, columns) and raster.dtype == np.float32
    # the greatest depth is that of the deepest node, in single precision
    whole = simulation.ground.rut_map((-6.0, -3.0), cell, (121, 241))
    assert np.isclose(np.nanmax(raster), whole.max(), atol=1e-6)
    with pytest.raises(bekker.RunError, match="nowhere"):
        simulation.ground.to_geotiff(tmp_path / "nowhere" / "ruts.tif")


def test_a_vehicle_is_put_elsewhere(lone):
    simulation = bekker.Simulation(lone)
    assert simulation.respawn("scout", (5.0, 2.0), heading=0.5) == "equilibrium"
    assert np.allclose(simulation.state("scout")["position"][:2], [5.0, 2.0], atol=0.2)
    with pytest.raises(bekker.InputError, match="speed"):
        simulation.respawn("scout", (0.0, 0.0), speed=1e3)


SENSORS = [
    {"name": "imu", "model": {"kind": "imu", "preset": "tactical"}, "rate": 100},
    {"name": "front", "model": {"kind": "camera", "width": 32, "height": 24, "channels": ["color", "depth", "class"]}, "rate": 10},
    {"name": "roof", "model": {"kind": "lidar", "preset": "vlp16"}, "rate": 10},
]


def test_sensors_give_arrays_without_files(lone):
    values = lone.to_dict()
    values["vehicle"][0]["sensor"] = SENSORS
    simulation = bekker.Simulation(bekker.Scenario.from_dict(values))
    simulation.step(30)
    readings = {}
    for reading in simulation.readings("scout"):
        readings.setdefault(reading["sensor"], []).append(reading)
        assert 0 < reading["taken"] <= reading["delivered"] <= simulation.time
        assert set(reading) - {"class"} <= set(TYPES[reading["kind"]].__annotations__), reading.keys()
    assert len(readings["imu"]) >= 28
    assert readings["imu"][5]["specific_force"][2] == pytest.approx(9.81, abs=2)
    picture = readings["front"][0]
    assert picture["color"].shape == (24, 32, 3) and picture["color"].dtype == np.float32
    assert picture["class"].dtype == np.uint8 and np.isfinite(picture["depth"]).any()
    scan = readings["roof"][0]
    assert scan["points"].shape == (len(scan["class"]), 3) and len(scan["class"]) > 1000
    labels = simulation.labels
    assert labels["soil"] == {0: "mud"} and labels["instance"] == {1: "scout"}
    assert {labels["class"][number] for number in np.unique(scan["class"]).tolist()} >= {"ground"}
    assert bekker.labels.CLASSES[1] == "ground"
    simulation.run(0.1)
    assert simulation.readings("scout") == [], "a run keeps no readings"


TYPES = {
    re.search(r"\w+", kind.__annotations__["kind"].__forward_arg__.removeprefix("Literal"))[0]: kind
    for kind in bekker.types.Reading.__args__
}


def test_small_readings_have_the_keys_of_their_types(lone):
    values = lone.to_dict()
    values["site"] = {"latitude_deg": 47.05, "longitude_deg": 11.1}
    kinds = ["imu", "gps", "magnetometer", "encoder", "odometry", "terramechanics"]
    values["vehicle"][0]["sensor"] = [{"name": kind, "model": {"kind": kind}, "rate": 10} for kind in kinds]
    simulation = bekker.Simulation(values)
    simulation.step(50)
    found = {reading["kind"]: reading for reading in simulation.readings("scout")}
    assert sorted(found) == sorted(kinds)
    for kind, reading in found.items():
        assert set(reading) == set(TYPES[kind].__annotations__), kind
    gps = found["gps"]
    assert gps["latitude_deg"] == pytest.approx(47.05, abs=1e-3)
    assert gps["longitude_deg"] == pytest.approx(11.1, abs=1e-3)
    assert isinstance(gps["altitude"], float)
    state = simulation.state("scout")
    trailer = bekker.types.State.__optional_keys__
    assert set(state) == set(bekker.types.State.__annotations__) - trailer


def test_simulations_are_pickled_and_copied(lone):
    simulation = bekker.Simulation(lone, threads=2)
    simulation.command("scout", throttle=0.4, steering=0.2)
    simulation.step(20)
    simulation.note = "mine"
    copies = [pickle.loads(pickle.dumps(simulation)), copy.deepcopy(simulation)]
    simulation.step(20)
    for own in copies:
        assert (own.threads, own.note, own.time) == (2, "mine", pytest.approx(0.2))
        own.step(20)
        assert own.hash() == simulation.hash()
        # commands are part of the state
        assert own.state("scout")["throttle"] == 0.4
        assert own.scenario.to_dict() == lone.to_dict()
    kept = pickle.dumps(simulation)
    program = "import pickle, sys; print(pickle.load(sys.stdin.buffer).hash())"
    told = subprocess.run([sys.executable, "-c", program], input=kept, capture_output=True, check=True)
    assert told.stdout.decode().strip() == simulation.hash()


def test_a_simulation_shows_itself(lone):
    shown = bekker.Simulation(lone)._repr_html_()
    assert shown.startswith("<table>") and "scout" in shown and "holding" in shown


def test_scenarios_are_given_as_objects_dicts_and_paths(lone, tmp_path):
    path = tmp_path / "lone.toml"
    path.write_text(lone.to_toml())
    hashes = {bekker.Simulation(given).hash() for given in (lone, lone.to_dict(), path, str(path))}
    assert len(hashes) == 1
    with pytest.raises(bekker.InputError, match="scenario = 5: must be a Scenario, a dict"):
        bekker.Simulation(5)


@pytest.mark.parametrize(("model", "rows"), [("hmmwv", 4), ("m113", 127)])
def test_contacts_have_the_same_shape_in_every_state(lone, model, rows):
    lone.set("vehicle[0].model", model)
    if model == "m113":
        values = lone.to_dict()
        del values["vehicle"][0]["tire"]
        lone = bekker.Scenario.from_dict(values)
    simulation = bekker.Simulation(lone)
    shapes = {"force": (rows, 3), "torque": (rows, 3), **dict.fromkeys(("normal_force", "sinkage", "area", "nodes"), (rows,))}
    before = simulation.contacts("scout")
    assert {name: array.shape for name, array in before.items()} == shapes
    assert all((array == 0).all() for array in before.values())
    for _ in range(3):
        simulation.step(5)
        contacts = simulation.contacts("scout")
        assert {name: array.shape for name, array in contacts.items()} == shapes
        assert all(np.isfinite(array).all() for array in contacts.values())
        loaded = contacts["nodes"] > 0
        assert loaded[: rows // 2].any() and loaded[rows // 2 :].any()
        assert (contacts["force"][~loaded] == 0).all()
    weight = bekker.Vehicle(model).mass * 9.80665
    assert contacts["force"][:, 2].sum() == pytest.approx(weight, rel=0.2)


def test_pictures_show_themselves(lone, tmp_path):
    simulation = bekker.Simulation(lone)
    picture = simulation.render("side", size=(64, 48), supersample=1)
    assert picture.array.shape == (48, 64, 3) and picture.array.std() > 5
    assert picture._repr_png_().startswith(b"\x89PNG")
    picture.save(tmp_path / "side.png")
    image = picture.to_pil()
    assert image.size == (64, 48)
    from PIL import Image

    assert np.array_equal(np.asarray(Image.open(tmp_path / "side.png").convert("RGB")), picture.array)
    with pytest.raises(bekker.InputError, match="chase"):
        simulation.render("from the moon")
    for key, wrong in [("fov_deg", float("nan")), ("fov_deg", 180), ("place", (0, 0, float("inf")))]:
        with pytest.raises(bekker.InputError, match=key) as raised:
            simulation.render(size=(8, 8), **{key: wrong})
        assert raised.value.key == key and raised.value.allowed


def test_progress(lone):
    told = []
    bekker.Simulation(lone).run(0.2, progress=lambda time, end: told.append((time, end)))
    assert told[-1] == (pytest.approx(0.2), 0.2)


def test_progress_is_a_line(lone, capsys):
    bekker.Simulation(lone).run(0.2, progress=True)
    shown = capsys.readouterr().err
    assert shown.startswith("\r[") and shown.endswith("x real time\n") and "0.2 of 0.2 s" in shown


def test_others_go_on_meanwhile(lone):
    simulation = bekker.Simulation(lone, threads=1)
    counted = 0
    thread = threading.Thread(target=simulation.run, args=(1.0,))
    thread.start()
    while thread.is_alive():
        counted += 1
        time.sleep(1e-3)
    assert counted > 3, "the GIL is released"


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT of this kind")
def test_ctrl_c_is_heard(lone):
    lone.set("time.duration", 3600)
    simulation = bekker.Simulation(lone)
    # a shell that runs the tests in the background ignores SIGINT
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            simulation.run()
    finally:
        signal.signal(signal.SIGINT, before)
    assert 0 < simulation.time < 3600
    simulation.step()


def _in_a_child(simulation, queue):
    try:
        simulation.step()
    except RuntimeError as error:
        queue.put(str(error))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_is_told(lone):
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_in_a_child, args=(bekker.Simulation(lone), queue))
    child.start()
    assert "fork" in queue.get(timeout=10)
    child.join(10)
    assert child.exitcode == 0


def test_the_wheels_of_who_was_put_elsewhere_carry_it(lone):
    simulation = bekker.Simulation(lone)
    simulation.run(0.2)
    simulation.respawn("scout", (20.0, 5.0))
    state = simulation.state("scout")
    weight = bekker.Vehicle("hmmwv").mass * 9.80665
    assert state["load"].sum() == pytest.approx(weight, rel=2e-3)
    assert (state["sinkage"] > 0).all() and (state["slip"] == 0).all()


def test_who_is_at_work_says_so(lone):
    simulation = bekker.Simulation(lone)
    for call in (lambda *_: simulation.step(), lambda *_: simulation.time, lambda *_: simulation.states()):
        with pytest.raises(bekker.RunError, match="busy"):
            simulation.run(0.1, progress=call)
    worker = threading.Thread(target=simulation.run, args=(1.0,))
    worker.start()
    told = []
    while worker.is_alive():
        try:
            simulation.hash()
        except bekker.BekkerError as busy:
            told.append(str(busy))
            break
    worker.join()
    assert told and "another thread" in told[0]


@pytest.mark.parametrize(
    ("call", "key"),
    [
        (lambda s: s.step(-1), "heartbeats"),
        (lambda s: s.step(0), "heartbeats"),
        (lambda s: s.render(size=(-1, 5)), "size"),
        (lambda s: s.render(supersample=-1), "supersample"),
        (lambda s: s.ground.height_map((0, 0), 0.0, (2, 2)), "spacing"),
        (lambda s: s.ground.height_map((0, 0), -1.0, (2, 2)), "spacing"),
        (lambda s: s.ground.rut_map((float("nan"), 0), 1.0, (2, 2)), "origin"),
        (lambda s: s.ground.height_map((0, 0), 1.0, (-2, 2)), "shape"),
    ],
)
def test_numbers_that_cannot_be_are_refused_by_name(lone, call, key):
    with pytest.raises(bekker.InputError) as refused:
        call(bekker.Simulation(lone))
    assert refused.value.key == key and refused.value.allowed


def test_so_many_threads_cannot_be(lone):
    with pytest.raises(bekker.InputError, match="threads = -1: must be from 1 to 1024"):
        bekker.Simulation(lone, threads=-1)


def test_a_summary_tells_no_time_that_nobody_took(lone):
    assert "wall" not in bekker.Simulation(lone).summary()


def test_events_are_dicts_of_the_whole_call(lone):
    simulation = bekker.Simulation(lone)
    simulation.run(1)
    events = simulation.events("scout")
    begun = {"event": "intent_changed", "time_s": 0.01, "vehicle": "scout", "from": "hold", "to": "drive"}
    assert events[0] == begun, events
    assert all(event["vehicle"] == "scout" and 0 < event["time_s"] <= 1 for event in events)
    assert [event["time_s"] for event in events] == sorted(event["time_s"] for event in events)
    # a later call returns none of these events
    before = simulation.events("scout")
    simulation.step()
    assert all(event not in before for event in simulation.events("scout"))


def test_hits_are_told_by_the_columns_of_the_folder(lone):
    values = lone.to_dict()
    values["soil"] = {"default": "rigid"}
    values["time"]["duration"] = 6
    values["scenery"] = [{"kind": "block", "places": [[6, 0]], "size": [1, 3, 2]}]
    values["vehicle"][0]["speed"] = 3
    simulation = bekker.Simulation(bekker.Scenario.from_dict(values))
    simulation.command("scout", throttle=0.1)
    simulation.run(2)
    simulation.command("scout", gear="reverse", throttle=0.5)
    simulation.run(until=5)
    hits = [event for event in simulation.events("scout") if event["event"] == "collided"]
    assert hits and hits[0]["with"] == "block 0" and hits[0]["broke"] is False, hits
    assert hits[0]["peak_N"] > 0 and hits[0]["began_s"] < hits[0]["time_s"]


def test_a_run_goes_on_and_never_back(lone):
    simulation = bekker.Simulation(lone)
    simulation.run(0.3)
    for past in (0.2, 0.3):
        told = rf"until = {past}: must be after the current time of 0\.3 s; run\(duration\) continues"
        with pytest.raises(bekker.InputError, match=told):
            simulation.run(until=past)
    for nothing in (0, -1.0):
        with pytest.raises(bekker.InputError, match=rf"duration = {nothing:g}: must be a time above 0 s"):
            simulation.run(nothing)
    with pytest.raises(bekker.InputError, match="until = 1: must be absent with duration"):
        simulation.run(0.1, until=1)
    # the same call in a loop continues, also beyond the scenario's end
    for end in (0.8, 1.3):
        times = simulation.run(0.5)["scout"]["time"]
        assert times[-1] == pytest.approx(end) and len(times) == 6
    with pytest.raises(bekker.InputError, match=r"until = 1, the scenario's end: must be .* 1\.3 s"):
        simulation.run()
    assert simulation.run(until=1.5)["scout"]["time"][-1] == pytest.approx(1.5)


def test_after_the_last_drive_there_is_nothing_to_step(lone):
    values = lone.to_dict()
    values["soil"] = {"default": "bog"}
    values["endings"] = {"immobilized_after": 0.5}
    values["time"]["duration"] = 60
    simulation = bekker.Simulation(values)
    # a bog in the words of the scenario, not of the catalog
    assert simulation.soil_names() == ["bog"]
    simulation.command("scout", throttle=0.3)
    simulation.run()
    assert not simulation.running and simulation.time < 60
    outcome = simulation.outcome("scout")
    assert outcome["soil"] == "bog" and "bog" in outcome["sentence"], outcome
    for more in (simulation.step, lambda: simulation.run(1), lambda: simulation.run(until=100), simulation.run):
        with pytest.raises(bekker.EndedError) as ended:
            more()
        assert outcome["sentence"] in str(ended.value) and "respawn(" in str(ended.value)
        assert ended.value.outcomes == {"scout": outcome}
        assert isinstance(ended.value, bekker.RunError)
        assert pickle.loads(pickle.dumps(ended.value)).outcomes == ended.value.outcomes
    simulation.respawn("scout", (20.0, 5.0))
    simulation.step()
    assert simulation.running


def test_samples_are_whole_heartbeats_apart(lone):
    simulation = bekker.Simulation(lone)
    told = r"sample_every = 0\.015: must be a whole multiple of time\.heartbeat = 0\.01 s; nearest: 0\.01 or 0\.02"
    with pytest.raises(bekker.InputError, match=told) as refused:
        simulation.run(0.1, sample_every=0.015)
    assert refused.value.allowed == "0.01 or 0.02"
    assert simulation.run(0.2)["scout"]["time"].tolist() == [0, 0.1, 0.2]
    lone.set("output.interval", 0.2)
    lone.set("time", {"duration": 1.2, "heartbeat": 0.04})
    assert np.allclose(bekker.Simulation(lone).run(0.24)["scout"]["time"], [0, 0.12, 0.24])


def test_ground_beside_the_terrain_is_refused_with_its_bounds(lone):
    lone.set("terrain", {"surface": {"kind": "random", "size": [120, 60]}})
    ground = bekker.Simulation(lone).ground
    assert ground.height([-60, 60], 30).shape == (2,)
    for call, key in [
        (lambda: ground.height(1e9, 0), "x"),
        (lambda: ground.rut([0, 1], [0, float("nan")]), "y"),
        (lambda: ground.height_map((-70, 0), 1.0, (2, 2)), "origin"),
        (lambda: ground.rut_map((0, 0), 1.0, (2, 100)), "shape"),
    ]:
        with pytest.raises(bekker.InputError) as refused:
            call()
        assert refused.value.key == key and "on the terrain" in refused.value.allowed, refused.value
    with pytest.raises(bekker.InputError, match="x = 1000000000: must be on the terrain, x from -60 to 60 m"):
        ground.height(1e9, 0)


def test_a_trailer_says_where_it_is():
    pair = bekker.Scenario.parse(
        """
format = 1
name = "pair"
time = { duration = 1 }
soil = { default = "rigid" }
[[vehicle]]
name = "own"
model = "hmmwv+cargo_trailer"
position = [0, 0]
speed = 3
"""
    )
    history = bekker.Simulation(pair).run(0.2)["own"]
    behind = history["position"] - history["trailer_position"]
    assert history["trailer_articulation"].shape == (3,) and history["hitch_force"].shape == (3, 3)
    assert (np.linalg.norm(behind, axis=1) < 6).all()


def test_motors_tell_their_currents_and_the_charge_of_the_battery():
    robot = bekker.Scenario.parse(
        """
format = 1
name = "robot"
time = { duration = 2 }
soil = { default = "rigid" }
[[vehicle]]
name = "own"
model = "husky"
position = [0, 0]
driver = { kind = "path", speed = 0.5, waypoints = [[0, 0], [9, 0]] }
"""
    )
    simulation = bekker.Simulation(robot)
    history = simulation.run(1)["own"]
    assert history["motor_current"].shape == (11, 2) and history["motor_current"].max() > 0
    state = simulation.state("own")
    assert state["motor_current"].shape == (2,)
    # it draws from the battery, whose charge falls
    assert history["battery_power"].max() > 0 and 0.9 < state["battery_charge"] < 1
    assert "motor_current" not in bekker.Simulation("examples/single_vehicle.toml").state(0)


def test_articulated_frames_report_their_angle():
    simulation = bekker.Simulation("examples/forwarder.toml")
    simulation.command("forwarder", steering=1)
    history = simulation.run(1)["forwarder"]
    # full steering turns the frame at 20 degrees a second
    assert history["articulation"].shape == history["time"].shape
    assert 0.2 < simulation.state("forwarder")["articulation"] < 0.36
    assert "articulation" not in bekker.Simulation("examples/single_vehicle.toml").state(0)
