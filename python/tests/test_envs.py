"""Environments: Gymnasium's API, equality of single and vector environments, invalid arguments."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings

import gymnasium
import numpy as np
import psutil
import pytest
from conftest import example
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import bekker
from bekker.envs import IDS, BekkerVectorEnv, parts

# rigid tires, coarse nodes, long steps and only two levels: the fastest options
QUICK = {"flexible_tires": False, "spacing": 0.1, "step": 0.005, "levels": 2}


def actions_of(env, steps, seed=0):
    random = np.random.default_rng(seed)
    shape = (steps, *env.action_space.shape)
    return random.uniform(-1, 1, shape).astype(np.float32)


@pytest.mark.parametrize("name", IDS)
def test_gymnasiums_checker_has_no_word_to_say(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(name, render_mode="rgb_array", size=(32, 24), **QUICK)
        check_env(env.unwrapped)
        env.close()
        env.close()


def test_what_was_closed_goes_on_no_more():
    vector = gymnasium.make_vec("bekker/SlipSpeed-v0", 2, **QUICK)
    for env in (gymnasium.make("bekker/SlipSpeed-v0", **QUICK), vector):
        env.reset(seed=1)
        env.close()
        with pytest.raises(gymnasium.error.ClosedEnvironmentError):
            env.step(np.zeros(env.action_space.shape, np.float32))
        with pytest.raises(gymnasium.error.ClosedEnvironmentError):
            env.reset()


@pytest.mark.parametrize("name", IDS)
def test_make_and_make_vec_give_the_same_bits(name):
    vector = gymnasium.make_vec(name, 3, **QUICK)
    alone = [gymnasium.make(name, **QUICK) for _ in range(3)]
    seen, _ = vector.reset(seed=11)
    for n, env in enumerate(alone):
        assert np.array_equal(env.reset(seed=11 + n)[0], seen[n])
    for actions in actions_of(vector, 15):
        seen, rewards, terminated, truncated, _ = vector.step(actions)
        for n, env in enumerate(alone):
            observation, reward, over, cut, _ = env.step(actions[n])
            assert np.array_equal(observation, seen[n])
            assert (reward, over, cut) == (rewards[n], terminated[n], truncated[n])


def same(one, other, place=""):
    """Asserts that infos have the same keys, array types and values."""
    assert type(one) is type(other), place
    if isinstance(one, dict):
        assert one.keys() == other.keys(), (place, one.keys() ^ other.keys())
        for key in one:
            same(one[key], other[key], f"{place}.{key}")
    elif one.dtype == object:
        assert other.dtype == object, place
        for a, b in zip(one, other, strict=True):
            assert (a is None) == (b is None) and (a is None or np.array_equal(a, b)), place
    else:
        assert one.dtype.kind == other.dtype.kind, place
        assert np.array_equal(one, other), (place, one, other)


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("name", ["bekker/SlipSpeed-v0", "bekker/SoftGoal-v0"])
def test_every_autoreset_mode_does_as_gymnasiums_own_vector(name, mode):
    limit = 6
    make = lambda: gymnasium.make(name, max_episode_steps=limit, **QUICK)
    reference = SyncVectorEnv([make] * 3, autoreset_mode=mode)
    vector = gymnasium.make_vec(
        name, 3, max_episode_steps=limit, autoreset_mode=mode, **QUICK
    )
    assert vector.metadata["autoreset_mode"] is mode
    begun, expected = vector.reset(seed=5), reference.reset(seed=5)
    assert np.array_equal(begun[0], expected[0])
    same(begun[1], expected[1])
    for step, actions in enumerate(actions_of(vector, 3 * limit)):
        found, expected = vector.step(actions), reference.step(actions)
        for one, other in zip(found[:4], expected[:4]):
            assert one.dtype == other.dtype and np.array_equal(one, other), step
        same(found[4], expected[4], f"step {step}")
        if mode is AutoresetMode.DISABLED and (found[3] | found[2]).any():
            mask = found[3] | found[2]
            again = [each.reset(options={"reset_mask": mask}) for each in (vector, reference)]
            assert np.array_equal(again[0][0], again[1][0])
            same(again[0][1], again[1][1])


def trace(envs, threads, steps=8):
    env = BekkerVectorEnv("SoftGoal", envs, num_threads=threads, max_episode_steps=5, **QUICK)
    env.reset(seed=3)
    actions = actions_of(BekkerVectorEnv("SoftGoal", 7, **QUICK), steps)[:, :envs]
    return [env.step(action)[0][:1].tobytes() for action in actions]


def test_an_environment_knows_nothing_of_threads_and_neighbors():
    alone = trace(1, 1)
    assert len(set(alone)) > 1
    for envs, threads in [(1, 2), (2, 8), (7, 1), (7, 2), (7, 8)]:
        assert trace(envs, threads) == alone, (envs, threads)


def test_seeds_decide_the_levels_and_levels_can_be_said():
    env = gymnasium.make("bekker/SoftGoal-v0", flexible_tires=False, spacing=0.1, levels=50)
    drawn = [env.reset(seed=1)[1]["level"]] + [env.reset()[1]["level"] for _ in range(4)]
    again = [env.reset(seed=1)[1]["level"]] + [env.reset()[1]["level"] for _ in range(4)]
    assert drawn == again and len(set(drawn)) > 2
    one, info = env.reset(seed=9, options={"level": 33})
    assert info["level"] == 33
    assert np.array_equal(one, env.reset(seed=4, options={"level": 33})[0])
    others = gymnasium.make("bekker/SoftGoal-v0", flexible_tires=False, spacing=0.1, levels=4, first_level=100)
    assert 100 <= others.reset(seed=0)[1]["level"] < 104


def test_a_snapshot_goes_on_in_another_process():
    env = BekkerVectorEnv("SoftGoal", 2, max_episode_steps=50, **QUICK)
    env.reset(seed=2)
    actions = actions_of(env, 6)
    for action in actions[:3]:
        env.step(action)
    kept = pickle.dumps((QUICK, env.snapshot(1), actions[3:, 1:]))
    last = [env.step(action)[0][1] for action in actions[3:]][-1]
    program = (
        "import pickle, sys\n"
        "from bekker.envs import BekkerVectorEnv\n"
        "options, snapshot, actions = pickle.load(sys.stdin.buffer)\n"
        "env = BekkerVectorEnv('SoftGoal', 1, max_episode_steps=50, **options)\n"
        "env.restore(snapshot)\n"
        "seen = [env.step(action)[0][0] for action in actions][-1]\n"
        "sys.stdout.buffer.write(seen.tobytes())"
    )
    told = subprocess.run([sys.executable, "-c", program], input=kept, capture_output=True, check=True)
    assert told.stdout == last.tobytes()


def test_a_rollout_is_what_steps_would_be():
    env = BekkerVectorEnv("SlipSpeed", 1, num_threads=2, **QUICK)
    env.reset(seed=7)
    env.step(np.ones((1, 2), np.float32))
    snapshot = env.snapshot()
    futures = np.random.default_rng(0).uniform(-1, 1, (4, 5, 2)).astype(np.float32)
    found = env.rollout(snapshot, futures)
    assert found["rewards"].shape == (4, 5)
    for n, actions in enumerate(futures):
        env.restore(snapshot)
        steps = [env.step(action[None]) for action in actions]
        assert np.array_equal(found["rewards"][n], [step[1][0] for step in steps])
        assert np.array_equal(found["observations"][n], steps[-1][0][0])


def test_a_rollout_names_the_shape_that_it_wants():
    env = BekkerVectorEnv("SlipSpeed", 1, **QUICK)
    env.reset(seed=7)
    for shape in ((3,), (4, 5, 3), (5, 2), (4, 0, 2)):
        with pytest.raises(bekker.InputError) as refused:
            env.rollout(env.snapshot(), np.zeros(shape))
        told = f"actions of shape {shape}: must be (futures, steps, 2), at least one of each"
        assert str(refused.value) == told and refused.value.key == "actions"


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT of this kind")
def test_a_rollout_hears_ctrl_c():
    env = BekkerVectorEnv("SlipSpeed", 1, **QUICK)
    env.reset(seed=0)
    futures = np.full((1000, 200, 2), 0.1, np.float32)
    begun = time.monotonic()
    env.rollout(env.snapshot(), futures[:10])
    hundredth = time.monotonic() - begun
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    begun = time.monotonic()
    try:
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            env.rollout(env.snapshot(), futures)
    finally:
        signal.signal(signal.SIGINT, before)
    # well before all futures are complete
    assert time.monotonic() - begun < 0.5 + 30 * hundredth
    assert env.rollout(env.snapshot(), futures[:2, :3])["lengths"].tolist() == [3, 3]


def test_snapshots_of_others_are_refused():
    env = BekkerVectorEnv("SlipSpeed", 1, **QUICK)
    seen, _ = env.reset(seed=0)
    other = BekkerVectorEnv("SlipSpeed", 1, **{**QUICK, "difficulty": 0.1})
    other.reset(seed=0)
    snapshot = env.snapshot()
    flipped = [
        snapshot[:place] + bytes([snapshot[place] ^ 1]) + snapshot[place + 1 :]
        # bytes of the options, of the task's memory, of the state, of the step count
        for place in (10, 400, 700, len(snapshot) // 2, len(snapshot) - 36)
    ]
    for wrong in (other.snapshot(), snapshot[:20], *flipped, b""):
        with pytest.raises(bekker.SnapshotError):
            env.restore(wrong)
    with pytest.raises(bekker.SnapshotError, match=r"it belongs to another one: difficulty was 0\.1 and is") as refused:
        env.restore(other.snapshot())
    assert "Options {" not in str(refused.value)
    assert env.snapshot() == snapshot


@pytest.mark.parametrize(
    "wrong", [np.full((2, 2), np.nan, np.float32), np.zeros((2, 3)), np.zeros(2), np.full((2, 2), np.inf)]
)
def test_wrong_actions_are_refused_and_change_nothing(wrong):
    _refused(wrong)


@pytest.mark.parametrize("wrong", ["x", [["a", "b"], ["c", "d"]], np.full((2, 2), 0.5 + 1j), [[1.0], [1.0, 2.0]], {}])
def test_actions_that_are_no_real_numbers_are_told_by_key(wrong):
    raised = _refused(wrong)
    assert raised.key == "actions" and raised.allowed == "an array of real numbers"


def _refused(wrong):
    env = BekkerVectorEnv("SlipSpeed", 2, **QUICK)
    env.reset(seed=0)
    before = [env.snapshot(n) for n in range(2)]
    with pytest.raises(ValueError) as raised:
        env.step(wrong)
    assert [env.snapshot(n) for n in range(2)] == before
    return raised.value


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"difficulty": 2.0}, "difficulty"),
        ({"soli": "mud"}, "soli"),
        ({"levels": 0}, "levels"),
        ({"vehicle": "m113"}, "vehicle"),
        ({"camera": "moon"}, "camera"),
        ({"render_mode": "human"}, "render_mode"),
        ({"step": 0.003}, "step"),
        ({"num_threads": -1}, "num_threads"),
        ({"max_episode_steps": 0}, "max_episode_steps"),
        ({"max_episode_steps": -1}, "max_episode_steps"),
        ({"size": (-1, 5)}, "size"),
        ({"size": "a"}, "size"),
        ({"size": (64,)}, "size"),
    ],
)
def test_options_that_cannot_be_are_refused(options, key):
    with pytest.raises(bekker.InputError) as raised:
        BekkerVectorEnv("SlipSpeed", 1, **{**QUICK, **options})
    assert raised.value.key == key and raised.value.allowed


def test_an_unknown_soil_or_task_is_refused():
    with pytest.raises(bekker.ScenarioError, match="cheese"):
        BekkerVectorEnv("SlipSpeed", 1, soil="cheese")
    with pytest.raises(bekker.InputError, match="SoftGoal"):
        BekkerVectorEnv("HardGoal", 1)


def test_so_many_environments_cannot_be():
    with pytest.raises(bekker.InputError, match="num_envs = -1: must be from 1") as raised:
        BekkerVectorEnv("SlipSpeed", -1, **QUICK)
    assert raised.value.key == "num_envs"


@pytest.mark.parametrize("env", [3, -1])
def test_an_environment_that_there_is_not_is_told_of(env):
    many = BekkerVectorEnv("SlipSpeed", 3, **QUICK)
    many.reset(seed=0)
    snapshot = many.snapshot(0)
    for call in (many.picture, many.snapshot, lambda env: many.restore(snapshot, env)):
        with pytest.raises(bekker.InputError, match=f"env = {env}: must be from 0 to 2") as raised:
            call(env)
        assert (raised.value.key, raised.value.value) == ("env", str(env))


@pytest.mark.parametrize("seed", [[1, 2, 3, 4], [1, 2], [1.5, 2, 3], [1, -2, 3], [1, 2, "three"], 1.5])
def test_seeds_that_cannot_be_are_refused(seed):
    many = BekkerVectorEnv("SlipSpeed", 3, **QUICK)
    for _ in range(2):
        with pytest.raises(bekker.InputError) as raised:
            many.reset(seed=seed)
        assert raised.value.key == "seed" and raised.value.allowed
        many.reset(seed=0)


def test_each_environment_that_never_had_a_seed_draws_its_own():
    wide = {**QUICK, "levels": 1_000_000}
    many = BekkerVectorEnv("SlipSpeed", 3, **wide)
    many.reset(seed=0)
    snapshot = many.snapshot(0)
    # restoring a snapshot seeds no other environment
    restored = BekkerVectorEnv("SlipSpeed", 3, **wide)
    restored.restore(snapshot, 0)
    _, infos = restored.reset(options={"reset_mask": np.array([False, True, True])})
    assert infos["level"][1] != infos["level"][2]
    # a first reset of some environments seeds no other
    masked = BekkerVectorEnv("SlipSpeed", 3, **wide)
    masked.reset(seed=7, options={"reset_mask": np.array([True, False, False])})
    _, infos = masked.reset(options={"reset_mask": np.array([False, True, True])})
    unseeded = BekkerVectorEnv("SlipSpeed", 1, **wide).reset(seed=0)[1]["level"][0]
    assert len({unseeded, *infos["level"][1:]}) == 3


def test_a_level_beyond_what_a_float_holds_is_told_to_the_last_digit():
    level = 2**60 + 1
    options = {"level": level}
    for mode in AutoresetMode:
        many = BekkerVectorEnv("SlipSpeed", 1, max_episode_steps=2, autoreset_mode=mode, **QUICK)
        assert many.reset(seed=0, options=options)[1]["level"][0] == level
        infos = [many.step(np.zeros((1, 2)))[4] for _ in range(2)]
        assert infos[0]["level"].dtype == np.int64 and infos[0]["level"][0] == level
        last = infos[1]["final_info"] if mode == AutoresetMode.SAME_STEP else infos[1]
        assert last["level"].dtype == np.int64 and last["level"][0] == level
    alone = gymnasium.make("bekker/SlipSpeed-v0", **QUICK)
    assert alone.reset(seed=0, options=options)[1]["level"] == level
    assert alone.step(np.zeros(2))[4]["level"] == level


def test_any_period_that_is_of_whole_steps_will_do():
    env = gymnasium.make("bekker/SlipSpeed-v0", **{**QUICK, "period": 0.07, "step": 0.0035})
    env.reset(seed=0)
    env.step(np.zeros(2))
    state = env.unwrapped.state()
    assert state["time"] == pytest.approx(0.07)


def test_a_vehicle_stands_on_the_ground_before_the_first_step():
    env = gymnasium.make("bekker/SlipSpeed-v0", **{**QUICK, "flexible_tires": True, "soil": "mud"})
    env.reset(seed=0)
    state = env.unwrapped.state()
    for figure in ("sinkage", "load", "inflation_kpa", "deflection", "contact_length"):
        assert (state[figure] > 0).all(), figure
    assert (state["slip"] == 0).all()


def test_it_must_be_reset_first():
    with pytest.raises(bekker.RunError, match="reset"):
        BekkerVectorEnv("SlipSpeed", 1, **QUICK).step(np.zeros((1, 2)))


def test_soil_is_hidden_unless_it_is_asked_for():
    hidden = BekkerVectorEnv("SlipSpeed", 1, **QUICK)
    shown = BekkerVectorEnv("SlipSpeed", 1, soil_visible=True, **QUICK)
    assert "soil" not in [name for name, *_ in hidden.layout]
    sizes = {name: size for name, size, *_ in shown.layout}
    assert sizes["soil"] == 6 and sizes["wheel_slip"] == 4
    seen, _ = shown.reset(seed=0)
    other, _ = hidden.reset(seed=0)
    assert np.array_equal(seen[:, : other.shape[1]], other) and (seen[:, other.shape[1] :] != 0).any()


def test_noise_is_of_the_seed():
    def first(seed, noise):
        env = BekkerVectorEnv("SlipSpeed", 1, noise=noise, **QUICK)
        return env.reset(seed=seed, options={"level": 0})[0]

    assert np.array_equal(first(0, 0.1), first(0, 0.1))
    assert not np.array_equal(first(0, 0.1), first(1, 0.1))
    assert np.array_equal(first(0, 0.0), first(1, 0.0))


def test_terms_are_summed_to_the_reward():
    env = gymnasium.make("bekker/SoftGoal-v0", **QUICK)
    env.reset(seed=0)
    for action in actions_of(env, 10):
        _, reward, _, _, info = env.step(action)
        terms = [value for name, value in info.items() if name.startswith("reward_")]
        assert reward == pytest.approx(sum(terms), abs=1e-12)


def test_a_picture_of_all():
    env = BekkerVectorEnv("SlipSpeed", 2, render_mode="rgb_array", size=(32, 24), **QUICK)
    env.reset(seed=0)
    pictures = env.render()
    assert len(pictures) == 2 and pictures[0].shape == (24, 32, 3)
    assert env.montage(2).array.shape == (24, 64, 3)


def test_a_thousand_resets_take_no_memory():
    env = BekkerVectorEnv("SlipSpeed", 4, **QUICK)
    process = psutil.Process()

    def reset(times):
        for _ in range(times):
            env.reset()
            env.step(np.zeros((4, 2)))

    env.reset(seed=0)
    reset(50)
    before = process.memory_info().rss, process.num_threads(), process.num_fds()
    reset(250)
    grown = process.memory_info().rss - before[0]
    # allocators keep some freed memory; a leak of worlds would be 250 x 4 x 0.1 MB
    assert grown < 4e6, grown
    assert (process.num_threads(), process.num_fds()) == before[1:]


@pytest.mark.parametrize(
    ("task", "steps", "options"),
    [("SlipSpeed", 200, {}), ("SideSlope", 150, {}), ("Recover", 150, {}), ("Vertical", 150, {"difficulty": 0.2})],
)
def test_experts_are_better_than_nothing_and_than_chance(task, steps, options):
    env = BekkerVectorEnv(task, 2, **{**QUICK, "levels": 8, **options})

    def score(act):
        env.reset(seed=0)
        alive, total = np.ones(2, bool), 0.0
        for step in range(steps):
            _, rewards, terminated, truncated, _ = env.step(act(step))
            total += rewards[alive].sum()
            alive &= ~(terminated | truncated)
        return total

    random = actions_of(env, steps)
    expert = score(lambda step: env.experts())
    # a tenth of a meter, or of the speed error, per step
    assert expert > score(lambda step: np.zeros_like(random[0])) + 20
    assert expert > score(lambda step: random[step]) + 20


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_is_told():
    env = BekkerVectorEnv("SlipSpeed", 1, **QUICK)
    env.reset(seed=0)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            env.step(np.zeros((1, 2)))
        except RuntimeError as error:
            os.write(writer, str(error).encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writer)
    assert b"fork" in os.read(reader, 1000)


def test_the_planner_plans(monkeypatch):
    mppi = example("mppi")
    monkeypatch.setattr(mppi, "FUTURES", 6)
    env = gymnasium.make_vec("bekker/SoftGoal-v0", num_envs=1, autoreset_mode="Disabled", map=False, **QUICK)
    env.reset(seed=0)
    before = env.snapshot()
    planner = mppi.Planner(0)
    plans = [planner(env) for _ in range(2)]
    assert env.snapshot() == before, "rollouts do not change the environment"
    assert planner.mean.shape == (mppi.HORIZON, 2) and np.isfinite(plans).all()
    found = env.rollout(before, np.stack([planner.mean, np.tile(env.experts()[0], (mppi.HORIZON, 1))]))
    # a weighted mean of futures may score slightly below the best of them, the expert's
    assert found["rewards"][0].sum() > found["rewards"][1].sum() - 2


def test_a_scan_is_a_part_of_what_is_seen():
    vector = gymnasium.make_vec("bekker/SlipSpeed-v0", 2, lidar=32, **QUICK)
    seen, _ = vector.reset(seed=1)
    named = parts(vector.layout, seen)
    assert named["lidar"].shape == (2, 16, 32)
    # the lowest beam reaches the ground next to the vehicle, the highest reaches nothing
    assert (named["lidar"][:, 0, 8] < 0.5).all() and (named["lidar"][:, 15] == 1).all()
    with pytest.raises(bekker.InputError, match="8 to 1024"):
        gymnasium.make_vec("bekker/SlipSpeed-v0", 2, lidar=4, **QUICK)


def test_a_picture_is_a_part_of_what_is_seen():
    vector = gymnasium.make_vec("bekker/SoftGoal-v0", 2, image=16, **QUICK)
    seen, _ = vector.reset(seed=1)
    for _ in range(3):
        seen, *_ = vector.step(vector.experts())
    named = parts(vector.layout, seen)
    assert named["image"].shape == (2, 16, 16, 3) and named["depth"].shape == (2, 16, 16)
    assert named["map_height"].shape == (2, 32, 32) and named["velocity"].shape == (2, 3)
    assert sum(part[0].size for part in named.values()) == seen.shape[1]
    # sky in the first row, ground ahead of the vehicle in the last
    assert (named["depth"][:, 0] == 1).all() and (named["depth"][:, -1] < 0.4).all()
    single = parts(vector.layout, seen[0])
    assert np.array_equal(single["image"], named["image"][0])
    with pytest.raises(bekker.InputError, match="8 to 256"):
        gymnasium.make_vec("bekker/SoftGoal-v0", 2, image=4, **QUICK)


def test_ids_are_found_without_an_import():
    program = (
        "import gymnasium\n"
        "env = gymnasium.make('bekker:bekker/SlipSpeed-v0', levels=1)\n"
        "many = gymnasium.make_vec('bekker:bekker/SlipSpeed-v0', num_envs=1, levels=1)\n"
        "print(type(env.unwrapped).__name__, type(many).__name__)"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["BekkerEnv", "BekkerVectorEnv"]


def test_options_accept_soils_and_vehicles():
    named = BekkerVectorEnv("SlipSpeed", 1, soil="dry_sand_lll", vehicle="hmmwv", **QUICK)
    given = BekkerVectorEnv("SlipSpeed", 1, soil=bekker.Soil("dry_sand_lll"), vehicle=bekker.Vehicle("hmmwv"), **QUICK)
    assert np.array_equal(named.reset(seed=1)[0], given.reset(seed=1)[0])


def test_fidelity_fast_is_a_longer_step_and_coarser_nodes(capfd):
    spaces = sys.modules["bekker.envs.spaces"]
    spaces._is_fast_told = False
    fast = [BekkerVectorEnv("SlipSpeed", 1, fidelity="fast", levels=1) for _ in range(2)]
    assert capfd.readouterr().err == spaces.FAST + "\n", "once in a process"
    named = BekkerVectorEnv("SlipSpeed", 1, step=0.004, spacing=0.08, levels=1)
    assert np.array_equal(fast[0].reset(seed=1)[0], named.reset(seed=1)[0])
    actions = np.full((1, 2), 0.5, np.float32)
    assert np.array_equal(fast[0].step(actions)[0], named.step(actions)[0])
    # a snapshot of one continues in the other
    assert np.array_equal(pickle.loads(pickle.dumps(fast[0])).step(actions)[0], named.step(actions)[0])
    with pytest.raises(bekker.InputError, match="must be `full` or `fast`"):
        BekkerVectorEnv("SlipSpeed", 1, fidelity="quick")
    with pytest.raises(bekker.InputError, match="step = 0.002: must be omitted"):
        BekkerVectorEnv("SlipSpeed", 1, fidelity="fast", step=0.002)
    with pytest.raises(bekker.InputError, match="tracked"):
        BekkerVectorEnv("Vertical", 1, fidelity="fast", vehicle="m113")
    own = type("Fast", (bekker.envs.Task,), {"scenario": "examples/single_vehicle.toml", "options": {"fidelity": "fast"}})
    with pytest.raises(bekker.InputError, match="the scenario of an own task sets"):
        bekker.envs.TaskEnv(own)
