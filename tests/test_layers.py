"""The order of the house: every floor knows only the floors below it, and rooms only by their face."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "korg_tui"

FLOORS = (
    ("text", "faults", "colours"),
    ("shelf",),
    ("remembered",),
    ("event",),
    ("formats",),
    ("sources",),
    ("causal", "recorder"),
    ("reading",),
    ("families",),
    ("trust",),
    ("views",),
    ("export",),
    ("commands",),
    ("config",),
    ("reports",),
    ("plain",),
    ("messages", "themes", "palette", "widgets", "screens", "arrivals", "watching", "app", "opening"),
    ("cli",),
    ("__main__",),
)
"""From the ground up. Modules of one floor know each other."""

ROOMS = {name for floor in FLOORS for name in floor if (PACKAGE / name).is_dir()}
HEIGHT = {name: height for height, floor in enumerate(FLOORS) for name in floor}
SCREEN = HEIGHT["app"]

MODULES = sorted(path for path in PACKAGE.rglob("*.py"))


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Every module name that a file imports, and the line, also inside functions."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            if node.module == "korg_tui":
                yield from ((f"korg_tui.{alias.name}", node.lineno) for alias in node.names)
            else:
                yield node.module or "", node.lineno


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_knows_only_the_floors_below_it(path: Path) -> None:
    room = room_of(path)
    if room == "__init__":
        assert not [name for name, _ in imports(path) if name.startswith("korg_tui")]
        return
    for name, line in imports(path):
        parts = name.split(".")
        if parts[0] != "korg_tui" or parts[1:2] in ([], ["__version__"]):
            continue
        other = parts[1]
        where = f"{path.name}:{line} imports {name}"
        assert other in HEIGHT, f"{where}: it stands on no floor"
        assert HEIGHT[other] <= HEIGHT[room], f"{where}: that is a floor above"
        assert other == room or HEIGHT[other] < HEIGHT[room] or HEIGHT[room] == SCREEN, f"{where}: next door"
        if other in ROOMS and HEIGHT[other] < HEIGHT[room]:
            assert len(parts) == 2, f"{where}: another room is entered by its face"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_heavy_libraries_stay_where_they_belong(path: Path) -> None:
    height = HEIGHT.get(room_of(path), 0)
    for name, line in imports(path):
        library = name.split(".")[0]
        where = f"{path.name}:{line} imports {name}"
        assert library != "textual" or height == SCREEN, f"{where}: Textual is for the screen"
        assert library != "networkx" or path.name == "graph.py", f"{where}: graphs are for graph.py"
        drawing = library in ("PIL", "textual_image")
        assert not drawing or path.name == "picture.py", f"{where}: images are for picture.py"
        signing = path.relative_to(PACKAGE).as_posix() == "trust/signatures.py"
        assert library != "cryptography" or signing, f"{where}: signatures are for trust/signatures.py"
        serving = library in ("starlette", "uvicorn", "anyio", "h11")
        assert not serving or room_of(path) == "recorder", f"{where}: serving is for the recorder"


HEAVY = {
    "argcomplete", "textual", "networkx", "httpx", "rich.console", "watchfiles", "starlette", "uvicorn",
    "asyncio", "PIL", "textual_image", "cryptography",
}  # fmt: skip


@pytest.mark.parametrize("words", [["rewind", "--help"], ["sessions", "--json", "-"], ["--version"]])
def test_a_command_starts_without_what_it_does_not_need(words: list[str]) -> None:
    code = (
        "import sys; from korg_tui.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        f"heavy = {HEAVY!r} & set(sys.modules)\n"
        "print('HEAVY', sorted(heavy))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words], input=b"", capture_output=True, timeout=60, check=True
    )
    assert done.stdout.decode().splitlines()[-1] == "HEAVY []"


@pytest.mark.parametrize("module", ["korg_tui.recorder", "korg_tui.recorder.references"])
def test_the_recorder_starts_without_what_only_its_server_needs(module: str) -> None:
    code = f"import sys, {module}; print(sorted({HEAVY!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=True)
    assert done.stdout.decode() == "[]\n"
