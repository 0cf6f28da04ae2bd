import subprocess
import sys

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


def test_what_is_imported_is_light():
    """Importing bekker imports NumPy, but no packages for learning or pictures."""
    program = (
        "import sys, bekker; "
        "print(*{'gymnasium', 'PIL', 'matplotlib', 'torch'} & set(sys.modules))"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.split() == []
