from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import bekker
from bekker import study

SCENARIO = """
format = 1
name = "short"
time = { duration = 0.5 }
soil = { default = "mud" }
[[vehicle]]
name = "scout"
model = "hmmwv"
position = [0, 0]
driver = { kind = "path", speed = 3, waypoints = [[0, 0], [1, 0]] }
"""

STUDY = """
format = 1
scenario = "short.toml"
design = "full_factorial"
responses = ["go", "distance", "outcome"]
[[factor]]
name = "soil"
key = "soil.default"
values = ["mud", "rigid"]
[[factor]]
name = "speed"
key = "vehicle[0].driver.speed"
values = [2, 4]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "short.toml").write_text(SCENARIO)
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return path


def test_a_study_is_planned_driven_and_read(file: Path) -> None:
    assert study.plan(file)["trials"] == 4
    done = study.run(file, file.parent / "out", threads=1)
    trials = done.trials
    assert trials["trial"].tolist() == [0, 1, 2, 3]
    assert trials["soil"].tolist() == ["mud", "mud", "rigid", "rigid"]
    assert trials["speed"].tolist() == [2, 4, 2, 4]
    assert trials["distance"].dtype == np.float64 and (trials["distance"] > 0).all()
    assert done.factors == ["soil", "speed"] and done.responses["distance"] == "m"
    assert done.status()["left"] == 0
    assert len(done.report()["points"]) == 4


def test_parts_driven_side_by_side_make_the_same_whole(file: Path) -> None:
    whole = study.run(file, file.parent / "whole", threads=1)

    def part(index: int) -> study.Study:
        return study.run(file, file.parent / f"part_{index}", shard=(index, 2), threads=1)

    with ThreadPoolExecutor(2) as pool:
        merged = study.merge(pool.map(part, (1, 2)), file.parent / "merged")
    [one, other] = [(each.folder / "trials.parquet").read_bytes() for each in (whole, merged)]
    assert one == other


def test_what_is_wrong_says_where(file: Path) -> None:
    file.write_text(STUDY.replace("full_factorial", "guessing"))
    with pytest.raises(bekker.InputError, match="design"):
        study.plan(file)
    with pytest.raises(bekker.InputError, match="study.json"):
        study.Study(file.parent)


def test_intervals_and_draws_are_those_of_scipy(file: Path) -> None:
    stats = pytest.importorskip("scipy.stats")
    drawn = STUDY.replace("full_factorial", "latin_hypercube\"\npoints = 12\nseed = 3 #")
    drawn = drawn.replace(
        "values = [2, 4]", 'distribution = { kind = "lognormal", median = 4, sigma_ln = 0.3 }'
    ).replace('values = ["mud", "rigid"]', 'values = ["rigid"]')
    file.write_text(drawn)
    (file.parent / "short.toml").write_text(SCENARIO.replace("[1, 0]", "[0.9, 0]"))
    done = study.run(file, file.parent / "out", threads=2)
    # one sample in each of twelve equally likely strata, by SciPy's distribution function
    shares = stats.lognorm.cdf(done.trials["speed"], s=0.3, scale=4)
    assert sorted(np.floor(12 * shares).astype(int)) == list(range(12))
    gone = np.asarray(done.trials["go"])
    told = done.report()["points"]
    for point, go in zip(told, gone, strict=True):
        own = point["responses"][0]["proportion"]["interval"]
        other = stats.binomtest(int(go), 1).proportion_ci(method="wilson")
        assert own == pytest.approx([other.low, other.high], abs=1e-9)


def test_indices_are_those_of_salib(file: Path) -> None:
    sobol = pytest.importorskip("SALib.analyze.sobol")
    drawn = STUDY.replace("full_factorial", 'saltelli"\npoints = 8\nsecond_order = true\nseed = 3 #')
    drawn = drawn.replace("values = [2, 4]", "range = [2, 4]").replace(
        'key = "soil.default"\nvalues = ["mud", "rigid"]',
        'key = "vehicle[0].inflation_kpa"\nrange = [60, 240]',
    )
    file.write_text(drawn)
    done = study.run(file, file.parent / "out", threads=2)
    told = {own["response"]: own["found"] for own in done.report()["indices"] if "found" in own}
    own = told["distance"]
    # SALib takes a column of the results in the same order of rows
    values = np.asarray(done.trials["distance"]).reshape(8, 6)
    a, b = values[:, 0], values[:, 5]
    found = sobol.analyze(
        {"num_vars": 2, "names": done.factors}, values.ravel(), num_resamples=2, seed=1
    )
    # SALib subtracts the mean of all points, bekker the mean of A and B
    center, spread = values[:, [0, 5]].mean(), values[:, [0, 5]].var()
    assert own["variance"] == pytest.approx(spread, rel=1e-9)
    for n in range(2):
        assert own["total"][n]["value"] == pytest.approx(found["ST"][n], rel=1e-9)
        first = sobol.first_order(a - center, values[:, 1 + n] - center, b - center)
        assert own["first"][n]["value"] == pytest.approx(first, rel=1e-9)
    [pair] = own["second"]
    columns = [values[:, n] - center for n in (1, 2, 3)]
    second = sobol.second_order(a - center, *columns, b - center)
    assert pair[1]["value"] == pytest.approx(second, rel=1e-9)


@pytest.mark.parametrize("second_order", [False, True])
def test_rows_are_in_the_order_of_salib(
    file: Path, monkeypatch: pytest.MonkeyPatch, second_order: bool
) -> None:
    sample = pytest.importorskip("SALib.sample.sobol")
    drawn = STUDY.replace(
        "full_factorial", f'saltelli"\npoints = 4\nsecond_order = {str(second_order).lower()}\nseed = 3 #'
    )
    drawn = drawn.replace("values = [2, 4]", "range = [2, 4]").replace(
        'key = "soil.default"\nvalues = ["mud", "rigid"]',
        'key = "vehicle[0].inflation_kpa"\nrange = [60, 240]',
    )
    file.write_text(drawn)
    done = study.run(file, file.parent / "out", threads=2)
    names = done.factors
    rows = 6 if second_order else 4
    points = np.column_stack([np.asarray(done.trials[name]) for name in names]).reshape(4, rows, 2)
    bounds = np.array([[60.0, 240.0], [2.0, 4.0]])
    base = np.column_stack([points[:, 0], points[:, -1]])
    base = (base - np.tile(bounds[:, 0], 2)) / np.tile(bounds[:, 1] - bounds[:, 0], 2)

    class Sequence:
        """Replaces SciPy's sequence with A and B of the study."""

        def __init__(self, **_: object) -> None: ...

        def random(self, count: int) -> np.ndarray:
            return base[:count]

    monkeypatch.setattr(sample.qmc, "Sobol", Sequence)
    problem = {"num_vars": 2, "names": names, "bounds": bounds.tolist()}
    theirs = sample.sample(problem, 4, calc_second_order=second_order)
    assert points.reshape(-1, 2) == pytest.approx(theirs, rel=1e-12)


def test_levels_whose_names_look_like_numbers_stay_names(file: Path) -> None:
    text = STUDY[: STUDY.index("[[factor]]")]
    levels = ", ".join(f'{{ name = "{name}", set = {{ "soil.default" = "{soil}" }} }}' for name, soil in [("1e3", "mud"), ("inf", "rigid")])
    file.write_text(f'{text}[[factor]]\nname = "ground"\nlevels = [{levels}]\n')
    trials = study.run(file, file.parent / "out", threads=1).trials
    assert trials["ground"].tolist() == ["1e3", "inf"]
    assert trials["reason"].tolist() == ["", ""] and trials["state_hash"].dtype.kind == "U"


def test_arguments_that_cannot_be_are_told_by_key(tmp_path):
    for shard in ("a", (1,), (1.5, 2), 3, (0, 2), (3, 2), (1, 10**7)):
        with pytest.raises(bekker.InputError, match="shard = ") as raised:
            study.run(tmp_path / "none.toml", tmp_path / "out", shard=shard)
        assert raised.value.key == "shard" and raised.value.allowed
    with pytest.raises(bekker.InputError, match="parts = 'p1': must be a list of folders") as raised:
        study.merge("p1", tmp_path / "whole")
    assert raised.value.key == "parts"
    for threads in (0, -1, 1.5, 4096):
        with pytest.raises(bekker.InputError, match="threads = .*: must be a whole number from 1 to 1024") as raised:
            study.run(tmp_path / "none.toml", tmp_path / "out", threads=threads)
        assert raised.value.key == "threads"


def test_errors_speak_of_arguments_as_they_are_called_here(tmp_path: Path) -> None:
    for call in (
        lambda: study.plan("--help"),
        lambda: study.run("--none", tmp_path / "out"),
        lambda: study.merge([], tmp_path / "out"),
        lambda: study.merge(["--none"], "--out"),
    ):
        with pytest.raises(bekker.InputError) as raised:
            call()
        told = str(raised.value)
        assert "try '--help'" not in told and "Usage" not in told, told
