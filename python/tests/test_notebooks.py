"""Notebooks run from the first to the last cell, and their stored outputs are small."""

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
    # only kinds of outputs are compared: plots and floats vary with versions
    assert [kinds_of(cell) for cell in ran.cells] == kept, "execute the notebook again and store its outputs"


def kinds_of(cell):
    """Returns the kinds of outputs of a cell, such as text and pictures, each once: streams may have several parts."""
    shown = [(output.output_type, *sorted(output.get("data", ()))) for output in cell.get("outputs", ())]
    return sorted(set(shown))
