"""Observations as dicts, of shipped and own tasks."""

import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import bekker
from bekker.envs import BekkerEnv, BekkerVectorEnv, DictObservation, DictVectorObservation, Task, TaskEnv, TaskVectorEnv

QUICK = {"flexible_tires": False, "spacing": 0.1, "step": 0.005, "levels": 2, "image": 8}


def test_the_fields_are_those_of_the_flat_observation():
    flat, wrapped = BekkerEnv("SoftGoal", **QUICK), DictObservation(BekkerEnv("SoftGoal", **QUICK))
    plain, _ = flat.reset(seed=4)
    fields, _ = wrapped.reset(seed=4)
    assert wrapped.observation_space.contains(fields)
    named = bekker.envs.parts(flat.layout, plain)
    assert set(fields) == set(wrapped.observation_space) == {name for name, *_ in flat.layout}
    assert fields["image"].shape == (8, 8, 3) and fields["image"].dtype == np.uint8
    assert np.array_equal(fields["image"], np.rint(named["image"] * 255))
    assert fields["image"].max() > 50
    assert np.array_equal(fields["depth"][..., 0], named["depth"])
    assert fields["map_height"].shape == (32, 32, 1)
    assert np.array_equal(fields["velocity"], named["velocity"])


def test_a_vector_has_the_last_observations_of_episodes_as_dicts():
    made = BekkerVectorEnv("SoftGoal", 2, max_episode_steps=2, autoreset_mode=AutoresetMode.SAME_STEP, **QUICK)
    many = DictVectorObservation(made)
    fields, _ = many.reset(seed=4)
    assert many.observation_space.contains(fields) and fields["image"].shape == (2, 8, 8, 3)
    action = np.zeros(many.action_space.shape, np.float32)
    many.step(action)
    _, _, _, cut, infos = many.step(action)
    assert cut.all() and infos["final_obs"][1]["image"].shape == (8, 8, 3)


class Slip(Task):
    scenario = {
        "format": 1, "name": "flat", "time": {"duration": 10, "step": 0.005}, "soil": {"default": "mud"},
        "ground": {"spacing": 0.1},
        "vehicle": [{"name": "own", "model": "hmmwv", "position": [0, 0], "tire": "rigid"}],
    }
    levels = 1
    observations = {"velocity": None, "slip": lambda states: states["slip"]}
    rewards = {"time": (-1.0, "one")}


def test_terms_of_own_tasks_are_fields():
    one = DictObservation(TaskEnv(Slip))
    fields, _ = one.reset(seed=1)
    assert fields["velocity"].shape == (3,) and fields["slip"].shape == (4,)
    assert one.observation_space.contains(fields)
    many, _ = DictVectorObservation(TaskVectorEnv(Slip, 2)).reset(seed=1)
    assert np.array_equal(many["slip"][0], fields["slip"])


def test_other_environments_are_refused():
    with pytest.raises(bekker.InputError, match="bekker.envs"):
        DictObservation(gymnasium.make("CartPole-v1"))


REAR = {"name": "rear", "yaw_deg": 180, "position": [-2.5, 0, 1.5], "width": 16, "height": 12, "channels": ["depth", "class"]}
CAMERAS = {**QUICK, "image": None, "cameras": [{"name": "front", "width": 8, "height": 8, "channels": ["color", "normal"]}, REAR]}


def test_every_channel_of_every_camera_is_a_field():
    env = DictObservation(gymnasium.make("bekker/SoftGoal-v0", **CAMERAS).unwrapped)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # the wrapper is what is checked
        warnings.filterwarnings("ignore", message=".*different from the unwrapped version.*")
        check_env(env)
    fields, _ = env.reset(seed=4)
    shapes = {name: (own.shape, str(own.dtype)) for name, own in fields.items() if "_" in name and own.ndim == 3}
    assert shapes == {
        "map_height": ((32, 32, 1), "float32"),
        "map_rut": ((32, 32, 1), "float32"),
        "front_color": ((8, 8, 3), "uint8"),
        "front_normal": ((8, 8, 3), "float32"),
        "rear_depth": ((12, 16, 1), "float32"),
        "rear_class": ((12, 16, 1), "uint8"),
    }
    classes = {bekker.labels.CLASSES[number] for number in np.unique(fields["rear_class"]).tolist()}
    assert {"sky", "ground"} <= classes
    assert (fields["rear_depth"][fields["rear_class"] == 0] == 1).all()
    lengths = np.linalg.norm(fields["front_normal"], axis=-1)
    assert np.all((lengths == 0) | (abs(lengths - 1) < 1e-6))
    assert env.observation_space.contains(fields)


def test_a_camera_at_the_eyes_of_the_driver_sees_what_the_option_image_shows():
    # that camera is 1.2 rad wide, looks down by 0.15 in 1, and does not roll with the chassis, as on level ground
    ahead = {"name": "own", "width": 8, "height": 8, "fov_deg": np.degrees(1.2), "pitch_deg": np.degrees(np.arctan(0.15))}
    cameras = [{**ahead, "channels": ["color", "depth"]}, REAR]
    level = {**QUICK, "difficulty": 0.0, "lidar": 8}
    fields, _ = DictObservation(BekkerEnv("SlipSpeed", **level, cameras=cameras)).reset(seed=4)
    # colors round to one of 256
    assert np.abs(fields["own_color"].astype(int) - fields["image"]).max() <= 1
    # the chassis rolls by some 0.1 mrad at rest; half of that across rows 3 degrees below the horizon is 0.1 %
    assert fields["own_depth"] == pytest.approx(fields["depth"], rel=1e-3)
    # other observed fields change nothing
    alone, _ = DictObservation(BekkerEnv("SlipSpeed", **{**level, "image": None})).reset(seed=4)
    assert np.array_equal(alone["lidar"], fields["lidar"]) and alone["lidar"].min() > 0


def test_cameras_of_a_vector_are_those_of_single_environments():
    made = BekkerVectorEnv("Obstacles", 3, max_episode_steps=2, autoreset_mode=AutoresetMode.SAME_STEP, **CAMERAS)
    many = DictVectorObservation(made)
    fields, _ = many.reset(seed=4)
    assert many.observation_space.contains(fields) and fields["rear_class"].shape == (3, 12, 16, 1)
    action = np.zeros(many.action_space.shape, np.float32)
    many.step(action)
    after, _, _, cut, infos = many.step(action)
    assert cut.all() and infos["final_obs"][2]["rear_depth"].shape == (12, 16, 1)
    for n in range(3):
        one = DictObservation(BekkerEnv("Obstacles", **CAMERAS))
        first, _ = one.reset(seed=4 + n)
        one.step(action[n])
        last, *_ = one.step(action[n])
        again, _ = one.reset()
        for name in first:
            assert np.array_equal(fields[name][n], first[name]), name
            assert np.array_equal(infos["final_obs"][n][name], last[name]), name
            assert np.array_equal(after[name][n], again[name]), name


def test_environments_with_cameras_are_pickled():
    one = BekkerEnv("SlipSpeed", **CAMERAS)
    one.reset(seed=4)
    other = pickle.loads(pickle.dumps(one))
    action = np.array([0.1, 0.5], np.float32)
    assert other.layout == one.layout and np.array_equal(one.step(action)[0], other.step(action)[0])


class Watched(Slip):
    scenario = {
        **Slip.scenario,
        "vehicle": [{
            **Slip.scenario["vehicle"][0],
            "sensor": [
                {"name": "hood", "position": [1, 0, 1], "model": {"kind": "camera", "width": 12, "height": 8, "channels": ["depth"]}},
                {"name": "late", "lag": 0.1, "model": {"kind": "camera"}},
            ],
        }],
    }
    observations = {}
    options = {"cameras": ["hood", REAR]}


def test_an_own_task_observes_cameras_of_its_vehicle():
    fields, _ = DictObservation(TaskEnv(Watched)).reset(seed=1)
    assert fields["hood_depth"].shape == (8, 12, 1) and fields["rear_class"].shape == (12, 16, 1)
    # ground in the last row, at most 2 m below a camera that looks ahead with 80 degrees of view
    assert (fields["hood_depth"][-1] < 0.1).all() and (fields["hood_depth"][0] == 1).all()
    task = type("Unknown", (Watched,), {"options": {"cameras": ["rear"]}})
    with pytest.raises(bekker.InputError, match='"rear": must be one of hood, late, or a table'):
        TaskEnv(task)
    with pytest.raises(bekker.InputError, match='"late": must be a camera without lag'):
        TaskEnv(type("Late", (Watched,), {"options": {"cameras": ["late"]}}))


@pytest.mark.parametrize(
    ("cameras", "told"),
    [
        (["front"], '"front": must be a table that describes a camera: the vehicle has no camera'),
        ([{"name": "a", "channels": ["depht"]}], "`depht`; must be one of `color`, `depth`, `normal`, `class`, `instance`"),
        ([{"name": "a", "yaw": 1}], "`yaw`; must be one of `name`, `position`, `roll_deg`"),
        ([{"name": "a", "width": 4}], "cameras.width = 4: must be from 8 to 512"),
        ([{"name": "a", "fov_deg": 180}], "cameras.fov_deg = 180: must be from 1 to 170"),
        ([{"name": "a", "channels": []}], "cameras.channels = .*at least one"),
        ([{"name": "a"}, {"name": "a"}], "cameras.name = a: must be unique"),
        ([{"name": "a.b"}], "letters, digits and _"),
        ([{}], "letters, digits and _"),
        ("front", "must be a sequence"),
        ([1], "the name of a camera, or a table"),
    ],
)
def test_cameras_that_cannot_be_are_refused(cameras, told):
    with pytest.raises(bekker.InputError, match=told):
        BekkerEnv("SlipSpeed", **{**QUICK, "image": None, "cameras": cameras})
