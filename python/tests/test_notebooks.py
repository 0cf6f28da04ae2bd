"""Notebooks run from first to last cell, and keep what they showed small."""

import pytest
from conftest import ROOT

nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")
nbformat = pytest.importorskip("nbformat")

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path):
    assert path.stat().st_size < 300_000
    notebook = nbformat.read(path, as_version=4)
    kept = [kinds_of(cell) for cell in notebook.cells]
    resources = {"metadata": {"path": str(path.parent)}}
    ran = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()
    # to the last bit it need not be: figures and floats vary with versions
    assert [kinds_of(cell) for cell in ran.cells] == kept, "execute it again and keep what it shows"


def kinds_of(cell):
    """What a cell shows: text, pictures; streams may come in any number of parts."""
    shown = [(output.output_type, *sorted(output.get("data", ()))) for output in cell.get("outputs", ())]
    return sorted(set(shown))
