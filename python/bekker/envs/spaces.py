"""Spaces, options and infos shared by single and vector environments."""

from __future__ import annotations

import operator
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.error import ClosedEnvironmentError
from gymnasium.spaces import Box, Space
from numpy.typing import NDArray

from .. import _core
from ..errors import InputError

CAMERAS = ("chase", "front", "side", "driver", "top", "bird")
SEEDS = 2**63
RESET_OPTIONS = ("level", "reset_mask")
FAST = "fidelity = fast: steps of 4 ms and nodes 8 cm apart; docs/performance.md has the errors"
_is_fast_told = False


def check_camera(camera: str) -> str:
    """Checks the name of a camera."""
    if camera not in CAMERAS:
        allowed = ", ".join(CAMERAS)
        raise InputError(f"camera = {camera!r}: must be one of {allowed}", "camera", camera, allowed)
    return camera


def check_render_mode(render_mode: str | None) -> str | None:
    """Checks a render mode."""
    if render_mode not in (None, "rgb_array"):
        told = f"render_mode = {render_mode!r}: must be None or rgb_array"
        raise InputError(told, "render_mode", str(render_mode), "None, rgb_array")
    return render_mode


def numbers_of(key: str, given: Any) -> NDArray[np.float32]:
    """Converts actions to an array of 32-bit floats. Raises `InputError` unless they are real numbers."""
    try:
        found = np.asarray(given)
        # a cast would drop imaginary parts, and convert text and dates to numbers
        if found.dtype.kind not in "cSUmM":
            return np.asarray(found, np.float32)
    except (TypeError, ValueError):
        pass
    allowed = "an array of real numbers"
    raise InputError(f"{key} = {given!r}: must be {allowed}", key, str(given), allowed)


def check_limit(key: str, steps: int | None) -> int | None:
    """Checks the number of steps after which episodes are truncated."""
    if steps is not None and not 1 <= steps < 2**32:
        allowed = "from 1 to 2^32 - 1, or None"
        raise InputError(f"{key} = {steps!r}: must be {allowed}", key, str(steps), allowed)
    return steps


def action_space(core: _core.Envs) -> Space[Any]:
    """Returns the space of actions, each value -1 to 1.

    The values are steering (positive left), drive (negative brakes), and, if a task can reverse, direction.
    """
    return Box(-1.0, 1.0, (core.actions,), np.float32)


def observation_space(core: _core.Envs) -> Space[Any]:
    """Returns the space of observations: values within -1 to 1, listed in `layout`."""
    return Box(-1.0, 1.0, (core.observations,), np.float32)


def level_of(options: dict[str, Any] | None) -> int | None:
    """Returns the level in the options of `reset`; None if they set none."""
    for key in options or {}:
        if key not in RESET_OPTIONS:
            allowed = ", ".join(RESET_OPTIONS)
            raise InputError(f"options[{key!r}]: must be one of {allowed}", "options", key, allowed)
    level = (options or {}).get("level")
    if level is None:
        return None
    try:
        number = operator.index(level)
    except TypeError:
        number = -1
    if not 0 <= number < SEEDS:
        allowed = "a whole number from 0 to 2^63 - 1"
        raise InputError(f"level = {level!r}: must be {allowed}", "level", str(level), allowed)
    return number


def seeds_of(seed: int | Sequence[int | None] | None, count: int) -> list[int | None]:
    """Returns a seed for each of `count` environments: seed, seed + 1 and so on, or those of a list."""
    if seed is None:
        return [None] * count
    if isinstance(seed, (int, np.integer)):
        first = _seed(seed)
        return [_seed(first + n) for n in range(count)]
    try:
        several = list(seed)
    except TypeError:
        several = [_seed(seed)]
    seeds = [None if one is None else _seed(one) for one in several]
    if len(seeds) != count:
        allowed = f"one number, or {count} numbers, one per environment"
        told = f"seed has {len(seeds)} numbers: must be {allowed}"
        raise InputError(told, "seed", str(several), allowed)
    return seeds


def _seed(seed: Any) -> int:
    try:
        number = operator.index(seed)
    except TypeError:
        number = -1
    if not 0 <= number < 2 * SEEDS:
        allowed = "a whole number from 0 to 2^64 - 1"
        raise InputError(f"seed = {seed!r}: must be {allowed}", "seed", str(seed), allowed)
    return number


Layout = list[tuple[str, int, float, str, tuple[int, ...]]]


def parts(layout: Layout, observations: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
    """Splits observations into their parts by name.

    Args:
        layout: `layout` of the environment.
        observations: Observations, shape (..., size of an observation).

    Returns arrays with the same leading axes. Maps and images have axes rows and columns, images of colors or
    normals a last axis of channels; a lidar scan has axes beams and firings.
    """
    named: dict[str, NDArray[np.float32]] = {}
    place = 0
    for name, size, _, _, shape in layout:
        part = observations[..., place : place + size]
        place += size
        axes = shape[:-1] if len(shape) == 3 and shape[-1] == 1 else shape
        named[name] = part.reshape(*part.shape[:-1], *axes)
    return named


def check_open(closed: bool) -> None:
    """Raises `ClosedEnvironmentError` if the environment is closed."""
    if closed:
        raise ClosedEnvironmentError("the environment is closed; create another one")


def tell_fidelity(options: dict[str, Any]) -> None:
    """Prints the assumptions of `fidelity = fast` once, if that option is given."""
    global _is_fast_told
    if options.get("fidelity") == "fast" and not _is_fast_told:
        print(FAST, file=sys.stderr)
        _is_fast_told = True


def check_alone(core: _core.Envs, task: str) -> None:
    """Raises `InputError` for a task of several vehicles, which needs the PettingZoo interface."""
    if core.agents > 1:
        allowed = "a task for one vehicle; use bekker.envs.convoy_v0.parallel_env for this one"
        raise InputError(f"task = {task!r}: must be {allowed}", "task", task, allowed)


class Infos:
    """Converter from rows of numbers to infos."""

    def __init__(self, core: _core.Envs) -> None:
        self.names = core.info_names()
        self.endings = _core.endings()

    def single(self, row: NDArray[np.float64], level: int) -> dict[str, Any]:
        """Returns reward terms, quantities, and `ending`, which is empty until the episode ends."""
        info: dict[str, Any] = dict(zip(self.names, row.tolist()))
        info["level"] = int(level)
        info["ending"] = self.endings[int(info["ending"])]
        info["is_success"] = info["ending"] == "goal"
        return info
