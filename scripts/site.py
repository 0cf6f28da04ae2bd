#!/usr/bin/env python3
"""Writes the source of the documentation site.

    scripts/site.py BEKKER FOLDER

Copies docs/ to FOLDER/docs and adds pages that are generated and not in the repository: keys by
section (`bekker schema --markdown`), options of commands (`--help`), and the Python interface (from
docstrings). Adds all decisions to the contents. Links to `keys.md#SECTION` lead to the page of the
section. BEKKER is the program.
"""

import ast
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FORMATS = {"scenario": "keys.md", "wheeled": "wheeled_keys.md", "tracked": "tracked_keys.md"}
# sections above this size are split by their subsections
LARGE = 20_000
MODULES = {
    "bekker": ["_core.pyi:Scenario", "simulation.py", "picture.py", "catalog.py", "errors.py"],
    "bekker.rig": ["rig.py"],
    "bekker.study": ["study.py"],
    "bekker.envs": ["envs/env.py", "envs/vector.py"],
    "bekker.envs.convoy_v0": ["envs/convoy_v0.py"],
    "bekker.sb3": ["sb3.py"],
    "bekker.link": ["link.py"],
}


def anchor(heading):
    """The anchor of a heading, as mdBook and GitHub make it."""
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return kept.replace(" ", "-")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Keys:
    """The keys of a format, split into pages by section."""

    def __init__(self, bekker, kind):
        self.page = FORMATS[kind]
        text = output(bekker, "schema", kind, "--markdown")
        head, *sections = re.split(r"^(?=## )", text, flags=re.M)
        self.title = head.split("\n", 1)[0].lstrip("# ")
        top, *sections = sections
        self.pages = {}  # path of the section: text
        groups = {}
        for section in sections:
            path = re.match(r"## `([^`]+)`", section)[1]
            groups.setdefault(path.split(".")[0], []).append((path, section))
        for name, members in groups.items():
            split = sum(len(text) for _, text in members) > LARGE
            for path, section in members:
                group = ".".join(path.split(".")[: 2 if split else 1])
                self.pages[group] = self.pages.get(group, "") + section.rstrip() + "\n\n"
        self.anchors = {}  # anchor: file of its page, from docs/
        self.files = {group: f"keys/{kind}/{group.replace('.', '_')}.md" for group in self.pages}
        for group, text in self.pages.items():
            for heading in re.findall(r"^#+ (.*)$", text, flags=re.M):
                self.anchors[anchor(heading)] = self.files[group]
        index = head + top.rstrip() + "\n\n## Sections\n\n"
        self.index = index + "".join(f"- [`{g}`]({file})\n" for g, file in self.files.items())

    def write(self, docs):
        (docs / self.page).write_text(self.linked(self.index, ""))
        for group, text in self.pages.items():
            file = docs / self.files[group]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"# {self.title}: `{group}`\n\n{self.linked(text, '../../')}")

    def linked(self, text, up):
        """Text whose links to sections lead to their pages; `up` leads to docs/."""
        target = lambda link: f"]({up}{self.anchors[link[1]]}#{link[1]})"
        return re.sub(r"\]\(#([^)]+)\)", target, text)

    def relinked(self, text):
        """Text of a page of docs/ whose links to `keys.md#SECTION` lead to the section's page."""
        link = rf"\]\(((?:\.\./)*){re.escape(self.page)}#([^)]+)\)"

        def target(found):
            up, name = found.groups()
            if name not in self.anchors:
                sys.exit(f"{self.page}#{name}: no such section in `bekker schema --markdown`")
            return f"]({up}{self.anchors[name]}#{name})"

        return re.sub(link, target, text)

    def summary(self):
        return [f"  - [`{group}`]({file})" for group, file in self.files.items()]


def commands(bekker, docs):
    """Writes a page for each command with the help of its subcommands; returns their summary."""
    folder = docs / "commands"
    folder.mkdir()

    def listed(help_text):
        found = re.search(r"^Commands:\n((?:  .*\n)+)", help_text, flags=re.M)
        names = re.findall(r"^  (\w[\w-]*)", found[1], flags=re.M) if found else []
        return [name for name in names if name != "help"]

    def pages(words, depth):
        text = output(bekker, *words, "--help")
        heading = "#" * depth + f" `bekker {' '.join(words)}`"
        inner = [pages([*words, name], 2) for name in listed(text)]
        return f"{heading}\n\n```text\n{text.rstrip()}\n```\n\n" + "".join(inner)

    names = listed(output(bekker, "--help"))
    for name in names:
        (folder / f"{name}.md").write_text(pages([name], 1))
    return [f"  - [`bekker {name}`](commands/{name}.md)" for name in names]


def signature(node):
    arguments = ast.unparse(node.args).removeprefix("self, ").removeprefix("self")
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}({arguments}){result}"


def documented(node, prefix=""):
    """Markdown of a public class or function, or nothing."""
    if node.name.startswith("_") and node.name != "__init__":
        return ""
    doc = ast.get_docstring(node) or ""
    if isinstance(node, ast.ClassDef):
        functions = (ast.FunctionDef, ast.AsyncFunctionDef)
        inner = [documented(own, f"{node.name}.") for own in node.body if isinstance(own, functions)]
        return f"### `{node.name}`\n\n{indented(doc)}\n\n" + "".join(inner)
    return f"```python\n{prefix}{signature(node)}\n```\n\n{indented(doc)}\n\n" if doc else ""


def indented(doc):
    """A docstring in Markdown: lists of arguments become items, examples become code."""
    doc = re.sub(r"^(?:Args|Attributes|Returns|Raises):$", lambda head: f"{head[0]}\n", doc, flags=re.M)
    doc = re.sub(r"^    (?! )(\w+)(?: \([^)]*\))?: ", r"- `\1`: ", doc, flags=re.M)
    doc = re.sub(r"^ {4,}(?=\S)", "  ", doc, flags=re.M)
    return re.sub(r"((?:^>>>.*\n?)+)", r"```python\n\1\n```\n", doc, flags=re.M)


def python_page():
    text = "# Python interface\n\nFor Python users: every public class and function. Begin with [Python](python.md).\n"
    for module, files in MODULES.items():
        text += f"\n## `{module}`\n\n"
        for file in files:
            path, _, only = file.partition(":")
            tree = ast.parse((ROOT / "python/bekker" / path).read_text())
            nodes = [n for n in tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))]
            text += "".join(documented(node) for node in nodes if only in ("", node.name))
    return text


def decisions(docs):
    """Entries of the contents, by number."""
    pages = sorted((docs / "decisions").glob("[0-9]*.md"))
    titles = [page.read_text().split("\n", 1)[0].lstrip("# ") for page in pages]
    return [f"  - [{title}](decisions/{page.name})" for title, page in zip(titles, pages)]


def main():
    bekker, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    docs = folder / "docs"
    shutil.copytree(ROOT / "docs", docs)
    shutil.copy(ROOT / "ARCHITECTURE.md", folder)
    keys = [Keys(bekker, kind) for kind in FORMATS]
    for page in docs.rglob("*.md"):
        text = page.read_text()
        for own in keys:
            text = own.relinked(text)
        page.write_text(text)
    more = {own.page: own.summary() for own in keys}
    for own in keys:
        own.write(docs)
    (docs / "python_api.md").write_text(python_page())
    more["commands.md"] = [*commands(bekker, docs), "- [Python interface](python_api.md)"]
    more["decisions/README.md"] = decisions(docs)
    summary = docs / "SUMMARY.md"
    lines = summary.read_text().split("\n")
    for page, added in more.items():
        at = next(n for n, line in enumerate(lines) if f"]({page})" in line)
        lines[at + 1 : at + 1] = added
    summary.write_text("\n".join(lines))


main()
