"""Own tasks: equality with the shipped ones, autoreset, randomization, refusals."""

import time

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import bekker
from bekker.envs import BekkerEnv, BekkerVectorEnv, Range, Task, TaskEnv, TaskVectorEnv
from bekker.envs.task import ENDINGS, REWARDS

QUICK = {"flexible_tires": False, "spacing": 0.1, "step": 0.005, "levels": 3}
SPEEDS = (3.0, 2.0, 4.0)


class SlipSpeed(Task):
    """The shipped task of this name, written as a subclass."""

    levels = QUICK["levels"]
    max_episode_steps = 200
    observations = dict.fromkeys(
        ["velocity", "angular_velocity", "gravity", "specific_force", "rim_speed", "engine_speed", "gear", "controls",
         "last_action", "wanted_speed", "goal_distance", "goal_bearing"]
    )
    rewards = {
        "speed": (1.0, lambda states: 1.0 - np.minimum(np.abs(states["speed"] - states["wanted_speed"]) / 2.0, 1.0)),
        "slip": (-1.0, "slip_beyond"),
        "action": (-0.05, "action_change"),
    }
    endings = ("overturned", "stuck")

    def __init__(self):
        self.shipped = BekkerEnv("SlipSpeed", **QUICK)

    def level(self, number, random):
        self.shipped.reset(seed=0, options={"level": number})
        return bekker.Scenario.from_dict(self.shipped.scenario)

    def speeds(self, number, random):
        return SPEEDS


def test_a_task_written_anew_gives_the_bits_of_the_shipped_one():
    own, shipped = TaskEnv(SlipSpeed), BekkerEnv("SlipSpeed", **QUICK)
    wanted = slice(*np.cumsum([0] + [size for name, size, *_ in shipped.layout])[[9, 10]])
    random = np.random.default_rng(1)
    for level in range(2):
        mine, _ = own.reset(seed=3, options={"level": level})
        theirs, _ = shipped.reset(seed=3, options={"level": level})
        for _ in range(15):
            action = random.uniform(-1, 1, 2).astype(np.float32)
            mine[wanted], theirs[wanted] = 0, 0
            assert np.array_equal(mine, theirs)
            mine, _, _, _, info = own.step(action)
            theirs, _, _, _, told = shipped.step(action)
            for term in ("reward_slip", "reward_action"):
                assert info[term] == pytest.approx(told[term], abs=1e-12)
            speed = own.states()["speed"][0]
            assert info["reward_speed"] == pytest.approx(1 - min(abs(speed - 3.0) / 2, 1), abs=1e-12)


SLOPE = {
    "format": 1,
    "name": "slope",
    "time": {"duration": 10, "step": 0.005},
    "soil": {"default": "own", "custom": [{"name": "own", "based_on": "firm", "cohesion": 5000}]},
    "ground": {"spacing": 0.1},
    "terrain": {"surface": {"kind": "slope", "grade": 0.05}},
    "vehicle": [{"name": "own", "model": "hmmwv", "position": [0, 0], "tire": "rigid"}],
}


class Reach(Task):
    """Reach a goal 4.5 m ahead on a random slope of random soil."""

    scenario = SLOPE
    levels = 4
    max_episode_steps = 40
    randomization = {
        "terrain.surface.grade": Range(0.0, 0.1),
        "soil.custom[0].cohesion": Range(2e3, 8e3, log=True),
        "vehicle[0].mass": Range(2200, 3200),
        "vehicle[0].model": ["hmmwv", "hmmwv_torsen"],
    }
    observations = {
        "velocity": None,
        "goal_bearing": None,
        "slip": lambda states: states["slip"],
        "speed": lambda states: states["speed"] / 10,
    }
    rewards = {"progress": (1.0, "progress"), "time": (-0.1, "one")}
    endings = ("goal", "stuck", "overturned")

    def goal(self, number, random):
        return (4.5, 0.0)


def test_levels_are_drawn_from_the_ranges():
    task = Reach()
    levels = [task.level(number, np.random.default_rng(number)).to_dict() for number in range(4)]
    grades = [level["terrain"]["surface"]["grade"] for level in levels]
    assert len(set(grades)) == 4 and all(0 <= grade <= 0.1 for grade in grades)
    assert all(2e3 <= level["soil"]["custom"][0]["cohesion"] <= 8e3 for level in levels)
    assert task.level(0, np.random.default_rng(0)).to_dict() == levels[0]
    assert Reach.scenario["terrain"]["surface"]["grade"] == 0.05, "the template does not change"


def test_the_checker_of_gymnasium_accepts_an_own_task():
    Reach.register("tests/Reach-v0")
    env = gymnasium.make("tests/Reach-v0")
    check_env(env.unwrapped, skip_render_check=True)
    assert env.observation_space.shape == (3 + 2 + 4 + 1,)
    many = gymnasium.make_vec("tests/Reach-v0", num_envs=2)
    assert isinstance(many, TaskVectorEnv)


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_single_and_vector_environments_agree_over_ends(mode):
    many = TaskVectorEnv(Reach, 3, max_episode_steps=40, autoreset_mode=mode)
    alone = [TaskEnv(Reach) for _ in range(3)]
    seen, _ = many.reset(seed=5)
    expected = [env.reset(seed=5 + n)[0] for n, env in enumerate(alone)]
    assert np.array_equal(seen, expected)
    elapsed, over, ends = [0] * 3, [False] * 3, []
    for _ in range(60):
        actions = many.experts()
        actions[:, 1] = 0.6
        seen, rewards, ended, cut, infos = many.step(actions)
        for n, env in enumerate(alone):
            if over[n] and mode == AutoresetMode.NEXT_STEP:
                mine, reward, end, over[n], elapsed[n] = env.reset()[0], 0.0, False, False, 0
            else:
                mine, reward, end, _, info = env.step(actions[n])
                elapsed[n] += 1
                over[n] = end or elapsed[n] == 40
                assert cut[n] == (elapsed[n] == 40)
                if over[n]:
                    ends.append(info["ending"])
                    if mode == AutoresetMode.SAME_STEP:
                        assert np.array_equal(infos["final_obs"][n], mine) and infos["_final_obs"][n]
                        mine, elapsed[n], over[n] = env.reset()[0], 0, False
            assert np.array_equal(seen[n], mine) and rewards[n] == reward and ended[n] == end
        if mode == AutoresetMode.DISABLED and any(over):
            with pytest.raises(bekker.RunError, match="reset"):
                many.step(actions)
            seen, _ = many.reset(options={"reset_mask": np.array(over)})
            for n in np.flatnonzero(over):
                assert np.array_equal(seen[n], alone[n].reset()[0])
                elapsed[n], over[n] = 0, False
    assert "goal" in ends


def test_threads_do_not_change_the_bits():
    def run(threads):
        many = TaskVectorEnv(Reach, 4, num_threads=threads)
        many.reset(seed=1)
        return [many.step(many.experts())[0] for _ in range(5)]

    assert np.array_equal(run(1), run(3))


@pytest.mark.parametrize(
    ("attributes", "key"),
    [
        ({"scenario": None}, "scenario"),
        ({"observations": {"nothing": None}}, "observations"),
        ({"observations": {"all": lambda states: states["speed"].sum()}}, "observations"),
        ({"rewards": {"own": (1.0, "nothing")}}, "rewards"),
        ({"endings": ("nothing",)}, "endings"),
        ({"options": {"nothing": 1}}, "nothing"),
        ({"levels": 0}, "levels"),
    ],
)
def test_what_cannot_be_is_refused_by_name(attributes, key):
    with pytest.raises(bekker.InputError) as refused:
        TaskVectorEnv(type("Own", (Reach,), attributes), 1)
    assert refused.value.key == key and refused.value.allowed


def test_terms_have_the_values_of_their_definitions():
    env = TaskEnv(Reach)
    env.reset(seed=1)
    # the wheels turn from the second step on
    for _ in range(3):
        env.step(np.array([0, 0.5], np.float32))
    states = env.states()
    assert set(REWARDS["one"](states)) == {1.0}
    away = np.linalg.norm(states["position"][0, :2] - [4.5, 0.0])
    before = np.linalg.norm(states["previous_position"][0] - [4.5, 0.0])
    assert REWARDS["progress"](states)[0] == pytest.approx(before - away)
    assert not ENDINGS["goal"](states)[0] and states["energy"][0] > 0
    # the tilt on a slope is that of the slope
    grade = env.many._core.scenario(0)["terrain"]["surface"]["grade"]
    assert REWARDS["tilt"](states)[0] == pytest.approx(np.arctan(grade), abs=0.05)


class Steeper(Reach):
    """A curriculum: one more level after each success."""

    randomization = {}
    hardest = 1

    def goal(self, number, random):
        return (0.5, 0.0) if number == 0 else (100.0, 0.0)

    def next_levels(self, success_rate, episodes):
        self.seen = (success_rate, episodes)
        if success_rate > 0.4:
            self.hardest = 3
        return range(self.hardest)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_a_curriculum_chooses_the_levels_of_the_next_episodes(mode):
    many = TaskVectorEnv(Steeper, 3, autoreset_mode=mode, max_episode_steps=20)
    _, infos = many.reset(seed=5)
    assert many.task.seen == (0.0, 0) and infos["level"].tolist() == [0, 0, 0]
    levels = set()
    for _ in range(50):
        *_, infos = many.step(many.experts())
        levels |= set(infos["level"].tolist())
    # the goal of level 0 is reached at the first step, those of the others never
    assert levels == {0, 1, 2}
    rate, episodes = many.task.seen
    assert episodes > 6 and 0.0 < rate < 1.0


def test_a_curriculum_without_levels_is_refused():
    class Nothing(Reach):
        def next_levels(self, success_rate, episodes):
            return range(2, 9)

    with pytest.raises(bekker.InputError, match="levels = 2 to 8: must be at least one of 0 to 3"):
        TaskVectorEnv(Nothing, 1)
    Nothing.next_levels = lambda self, success_rate, episodes: range(0)
    with pytest.raises(bekker.InputError, match="must be a range of at least one level"):
        TaskVectorEnv(Nothing, 1)
