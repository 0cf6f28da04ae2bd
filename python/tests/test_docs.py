"""The Python blocks of the pages run without errors."""

import ast
import re
from pathlib import Path

import pytest
from conftest import ROOT

import bekker

PAGES = ["README.md", "docs/python.md", "docs/learning.md", "docs/tutorials/first_policy.md", "docs/howto/own_task.md"]


@pytest.mark.parametrize("page", PAGES)
def test_the_blocks_of_a_page_run(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)


def kinds():
    return [bekker.types.State, bekker.types.Contacts, *bekker.types.Reading.__args__]


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.__name__)
def test_the_page_lists_each_quantity(kind):
    page = (ROOT / "docs/python.md").read_text()
    quantities = page[page.index("### Quantities") : page.index("### Events")]
    for name in kind.__annotations__:
        assert f"`{name}`" in quantities, name


def test_each_quantity_is_described():
    """Each key of a type has a description, which has the unit."""
    tree = ast.parse(Path(bekker.types.__file__).read_text())
    for kind in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        for at, node in enumerate(kind.body):
            if isinstance(node, ast.AnnAssign):
                described = kind.body[at + 1]
                assert isinstance(described, ast.Expr) and isinstance(described.value, ast.Constant), (kind.name, node.target)
