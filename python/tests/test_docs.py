"""The Python blocks of the pages run without errors."""

import re

import pytest
from conftest import ROOT


PAGES = ["README.md", "docs/python.md", "docs/learning.md", "docs/tutorials/first_policy.md"]


@pytest.mark.parametrize("page", PAGES)
def test_the_blocks_of_a_page_run(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
