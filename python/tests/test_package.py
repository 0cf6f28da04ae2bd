import subprocess
import sys
from pathlib import Path

import bekker


def bekker_command(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "bekker", *arguments], capture_output=True, text=True)


def test_the_command_is_that_of_the_library():
    told = bekker_command("--version")
    assert told.returncode == 0 and told.stdout.split() == ["bekker", bekker.__version__]
    assert "chrono_mid" in bekker_command("soils").stdout


def test_exit_codes_are_those_of_the_command(tmp_path):
    assert bekker_command("nonsense").returncode == 2
    assert bekker_command("validate", str(tmp_path / "none.toml")).returncode == 3


def test_other_ranks_run_in_the_same_environment(tmp_path):
    example = Path(__file__).parents[2] / "examples/single_vehicle.toml"
    words = ["run", str(example), "--set", "time.duration=0.1", "--processes", "2", "--out", str(tmp_path / "run")]
    told = bekker_command(*words)
    assert told.returncode == 0, told.stderr


def test_what_is_imported_is_light():
    """Importing bekker imports NumPy, but no packages for learning or pictures."""
    program = (
        "import sys, bekker; "
        "print(*{'gymnasium', 'PIL', 'matplotlib', 'torch'} & set(sys.modules))"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.split() == []
