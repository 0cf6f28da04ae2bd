"""Datasets, opened by the libraries of their formats."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import bekker.envs  # noqa: F401 - registers the ids

parquet = pytest.importorskip("pyarrow.parquet", reason="no pyarrow")

# rigid tires, coarse nodes, long steps and only two levels: the fastest options
OPTIONS = "--tire rigid --spacing 0.1 --step 0.005 --levels 2 --seed 5".split()
QUICK = {"flexible_tires": False, "spacing": 0.1, "step": 0.005, "levels": 2}
EPISODES, STEPS = 3, 12


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    made = {}

    def of(form: str, task: str = "SlipSpeed") -> Path:
        out = tmp_path_factory.mktemp("datasets") / form
        if (form, task) not in made:
            command = f"dataset --task {task} --policy mixed --episodes {EPISODES}".split()
            command += ["--max-steps", str(STEPS), "--format", form, "--out", str(out), *OPTIONS]
            subprocess.run([sys.executable, "-m", "bekker", *command], check=True)
            made[form, task] = out
        return made[form, task]

    return of


def lists(column) -> np.ndarray:
    """Returns a column of lists as an array of rows."""
    width = column.type.list_size
    return column.combine_chunks().flatten().to_numpy().reshape(-1, width)


def test_pyarrow_reads_steps_that_replay_to_the_same_bits(dataset):
    folder = dataset("parquet")
    steps = parquet.read_table(folder / "steps.parquet")
    episodes = parquet.read_table(folder / "episodes.parquet").to_pylist()
    manifest = json.loads((folder / "manifest.json").read_text())
    assert steps.num_rows == manifest["steps"] == sum(row["steps"] for row in episodes)
    assert {"wheel_slip", "wheel_sinkage", "wheel_load", "wheel_rut", "soil"} <= set(steps.column_names)
    units = json.loads(steps.schema.metadata[b"units"])
    assert units["soil_cohesion"] == "Pa"
    terms = [name for name in steps.column_names if name.startswith("reward_")]
    summed = sum(steps[name].to_numpy() for name in terms)
    # the order of the sum of three numbers differs
    assert np.allclose(summed, steps["reward"].to_numpy(), rtol=0, atol=1e-12)
    env = gymnasium.make("bekker/SlipSpeed-v0", **QUICK)
    for row, told in zip(episodes, manifest["episodes"]):
        mine = steps.filter(np.asarray(steps["episode"]) == row["episode"])
        actions, rewards = lists(mine["action"]), mine["reward"].to_numpy()
        last = np.float32(row["last_observation"])[None]
        observations = np.concatenate([lists(mine["observation"]), last])
        seen, info = env.reset(seed=row["seed"])
        assert info["level"] == row["level"]
        assert np.array_equal(seen, observations[0])
        for step, action in enumerate(actions):
            seen, reward, *_ = env.step(action)
            assert np.array_equal(seen, observations[step + 1])
            assert reward == rewards[step]
        parts = observations.tobytes() + actions.tobytes() + rewards.tobytes()
        assert hashlib.sha256(parts).hexdigest() == row["sha256"] == told["sha256"]


def test_the_manifest_has_the_hash_of_every_file(dataset):
    for form in ["parquet", "minari"]:
        folder = dataset(form)
        for file in json.loads((folder / "manifest.json").read_text())["files"]:
            found = hashlib.sha256((folder / file["path"]).read_bytes()).hexdigest()
            assert found == file["sha256"]


@pytest.mark.parametrize("task", ["SlipSpeed", "Recover"])
def test_minari_opens_it(dataset, task):
    minari = pytest.importorskip("minari", reason="no minari")
    folder = dataset("minari", task)
    opened = minari.MinariDataset(folder)
    assert (opened.total_episodes, opened.env_spec.id) == (EPISODES, f"bekker/{task}-v0")
    env = opened.recover_environment()
    assert env.observation_space == opened.observation_space
    assert env.action_space == opened.action_space
    assert opened.total_steps == sum(len(episode) for episode in opened)
    seeds = [told["seed"] for told in opened.storage.get_episode_metadata(range(EPISODES))]
    for episode, seed in zip(opened, seeds):
        count = len(episode)
        assert len(episode.observations) == count + 1 and len(episode.actions) == count
        assert all(len(values) == count + 1 for values in episode.infos.values())
        assert episode.infos["wheel_load"].shape == (count + 1, 4)
        seen, _ = env.reset(seed=seed)
        for step in range(count):
            assert np.array_equal(seen, episode.observations[step])
            seen, reward, over, cut, info = env.step(episode.actions[step])
            assert reward == episode.rewards[step]
            assert (over, cut) == (episode.terminations[step], episode.truncations[step])
            for name in (name for name in info if name.startswith("reward_")):
                assert info[name] == episode.infos[name][step + 1]
        assert np.array_equal(seen, episode.observations[count])


def test_a_convoys_episodes_drive_it_again(dataset):
    minari = pytest.importorskip("minari", reason="no minari")
    pytest.importorskip("pettingzoo")
    from bekker.envs import convoy_v0

    opened = minari.MinariDataset(dataset("minari", "Convoy"))
    vehicles = 4
    assert opened.env_spec is None and opened.total_episodes == EPISODES * vehicles
    told = opened.storage.get_episode_metadata(range(opened.total_episodes))
    drives = {}
    for row, episode in zip(told, opened):
        drives.setdefault(row["seed"], []).append((row["vehicle"], episode))
    assert len(drives) == EPISODES
    env = convoy_v0.parallel_env(vehicles=vehicles, max_cycles=STEPS, **QUICK)
    for seed, members in drives.items():
        each = {f"vehicle_{vehicle}": episode for vehicle, episode in members}
        assert list(each) == env.possible_agents
        seen, _ = env.reset(seed=seed)
        for step in range(len(each["vehicle_0"])):
            assert all(np.array_equal(seen[name], episode.observations[step]) for name, episode in each.items())
            seen, rewards, *_ = env.step({name: episode.actions[step] for name, episode in each.items()})
            assert rewards == {name: episode.rewards[step] for name, episode in each.items()}
        assert all(np.array_equal(seen[name], episode.observations[-1]) for name, episode in each.items())
        assert not env.agents


# LeRobot 3.0 requires these of every dataset: `lerobot.datasets.utils.DEFAULT_FEATURES`
FRAMES = {
    "timestamp": "float32",
    "frame_index": "int64",
    "episode_index": "int64",
    "index": "int64",
    "task_index": "int64",
}


def test_it_has_lerobots_layout(dataset):
    folder = dataset("lerobot")
    info = json.loads((folder / "meta/info.json").read_text())
    assert (info["codebase_version"], info["fps"], info["video_path"]) == ("v3.0", 10, None)
    assert (info["total_episodes"], info["splits"]) == (EPISODES, {"train": f"0:{EPISODES}"})
    features = info["features"]
    for name, kind in FRAMES.items():
        assert features[name] == {"dtype": kind, "shape": [1], "names": None}
    path = folder / info["data_path"].format(chunk_index=0, file_index=0)
    frames = parquet.read_table(path)
    assert frames.num_rows == info["total_frames"]
    assert set(frames.column_names) == set(features)
    for name, feature in features.items():
        kind, width = frames.schema.field(name).type, feature["shape"][0]
        if hasattr(kind, "list_size"):
            assert kind.list_size == width
            kind = kind.value_type
        else:
            assert width == 1
        assert str(kind).replace("double", "float64").replace("float", "float32").replace(
            "float3264", "float64"
        ) == feature["dtype"]
        assert "/" not in name
        assert feature["names"] is None or len(feature["names"]) == width
    episodes = parquet.read_table(folder / "meta/episodes/chunk-000/file-000.parquet").to_pylist()
    first = 0
    for number, row in enumerate(episodes):
        assert row["episode_index"] == number and row["tasks"] == ["SlipSpeed"]
        assert row["dataset_from_index"] == first
        first = row["dataset_to_index"]
        assert row["length"] == first - row["dataset_from_index"]
        mine = frames.slice(row["dataset_from_index"], row["length"])
        assert set(mine["episode_index"].to_pylist()) == {number}
        times = np.arange(row["length"]) / info["fps"]
        # LeRobot allows 1e-4 s
        assert np.allclose(mine["timestamp"].to_numpy(), times, rtol=0, atol=1e-4)
        assert mine["next.done"].to_pylist() == [False] * (row["length"] - 1) + [True]
    tasks = parquet.read_table(folder / "meta/tasks.parquet")
    assert tasks["task_index"].to_pylist() == [0]
    # LeRobot finds tasks by the pandas index
    index = json.loads(tasks.schema.metadata[b"pandas"])["index_columns"]
    assert [tasks[name].to_pylist() for name in index] == [["SlipSpeed"]]


def test_lerobots_statistics_are_those_of_its_frames(dataset):
    folder = dataset("lerobot")
    statistics = json.loads((folder / "meta/stats.json").read_text())
    frames = parquet.read_table(folder / "data/chunk-000/file-000.parquet")
    for name in ["observation.state", "action", "next.reward", "label.wheel_load"]:
        column = frames[name]
        many = hasattr(column.type, "list_size")
        values = lists(column) if many else column.to_numpy()[:, None]
        values, told = values.astype(np.float64), statistics[name]
        assert told["count"] == [len(values)]
        for key in ["min", "max"]:
            assert np.array_equal(told[key], getattr(values, key)(axis=0))
        for key in ["mean", "std"]:
            # merged episode by episode: errors of a few units in the last place of the largest value
            scale = np.abs(values).max(axis=0) + 1
            assert np.all(np.abs(told[key] - getattr(values, key)(axis=0)) < 1e-12 * scale)
        assert {"q01", "q10", "q50", "q90", "q99"} <= told.keys()


def test_mcap_is_read_by_its_own_library(dataset):
    protobuf = pytest.importorskip("mcap_protobuf.reader", reason="no mcap-protobuf-support")
    folder = dataset("mcap")
    manifest = json.loads((folder / "manifest.json").read_text())
    rows = parquet.read_table(dataset("parquet") / "steps.parquet")
    for episode in manifest["episodes"]:
        name = folder / f"episode_{episode['episode']:06}.mcap"
        messages = list(protobuf.read_protobuf_messages(str(name)))
        of = {topic: [] for topic in ("/observation", "/transition")}
        for message in messages:
            of[message.topic].append(message.proto_msg)
        steps = episode["steps"]
        assert (len(of["/observation"]), len(of["/transition"])) == (steps + 1, steps)
        mine = rows.filter(np.asarray(rows["episode"]) == episode["episode"])
        actions = np.array([message.action for message in of["/transition"]], np.float32)
        assert np.array_equal(actions, lists(mine["action"]))
        rewards = [message.reward for message in of["/transition"]]
        assert rewards == mine["reward"].to_pylist()
        loads = np.array([message.wheel_load for message in of["/observation"]])
        assert np.array_equal(loads[:-1], lists(mine["wheel_load"]))
        assert [message.soil for message in of["/observation"]][:-1] == mine["soil"].to_pylist()
