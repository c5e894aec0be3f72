"""What is built from the checkout holds what the program needs: styles, the recorded demo, types."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STYLES = sorted(path.name for path in (ROOT / "styles").glob("*.tcss"))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(folder)],
        cwd=ROOT, capture_output=True, check=True, timeout=120,
    )  # fmt: skip
    return folder


def test_the_wheel_finds_its_styles_and_its_demo(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = (
        "import korg_tui.themes as t, korg_tui, sys\n"
        "from korg_tui.sources import DemoSource\n"
        "print(sorted(p.name for p in t.styles_folder().glob('*.tcss')))\n"
        "print(sum(1 for _ in DemoSource(whole=True).start()) > 1)\n"
        "print(korg_tui.__file__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    styles, demo, where = done.stdout.splitlines()
    assert (styles, demo) == (str(STYLES), "True")
    assert Path(where).is_relative_to(tmp_path)
    assert (tmp_path / "korg_tui" / "py.typed").is_file()
    web = tmp_path / "korg_tui" / "export" / "web"
    assert {path.name for path in web.iterdir()} == {"page.html", "page.css", "page.js"}


def test_the_sdist_holds_the_styles_and_the_tests(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert {f"styles/{name}" for name in STYLES} <= names
    assert {"README.md", "LICENSE", "constraints.txt", "tests/test_packaging.py"} <= names
    assert any(name.startswith("snapshots/") for name in names)


def test_every_extra_is_tested_pinned_and_named_as_it_is() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    others = ",".join(sorted(extras.keys() - {"test"}))
    assert f"korg-tui[{others}]" in extras["test"]
    wanted = [name for names in (project["dependencies"], *extras.values()) for name in names]
    pinned = {line.split("==")[0].lower() for line in (ROOT / "constraints.txt").read_text().splitlines()}
    assert {re.split(r"[\[<>=]", name)[0].lower() for name in wanted} - pinned <= {"korg-tui"}
    texts = [ROOT / "README.md", *(ROOT / "korg_tui").rglob("*.py")]
    named = [re.findall(r"(?:korg-tui|'\.)\[(\w+)\]", path.read_text("utf-8")) for path in texts]
    assert {name for names in named for name in names} == set(extras)
