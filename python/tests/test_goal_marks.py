"""Goals in pictures of environments."""

import numpy as np
import pytest

from bekker.envs import BekkerEnv


@pytest.mark.parametrize(("task", "has_goal"), [("SoftGoal", True), ("SlipSpeed", False)])
def test_a_goal_is_marked_where_it_is(task: str, has_goal: bool) -> None:
    options = {"difficulty": 0.0} if has_goal else {}
    env = BekkerEnv(task, render_mode="rgb_array", camera="driver", size=(160, 120), **options)
    env.reset(seed=3)
    picture = env.render()
    assert picture is not None
    # vermilion, which no soil and no vehicle has
    red, green, blue = (picture[..., channel].astype(int) for channel in range(3))
    marked = (red > 150) & (red - green > 70) & (red - blue > 70)
    assert bool(marked.any()) == has_goal
    if has_goal:
        # the goal is at least 20 m away
        assert np.count_nonzero(marked) < 0.1 * marked.size
