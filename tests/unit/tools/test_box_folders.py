"""Which folders a configuration declares, and what a box shows of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from backend.tools.box.filters import program
from backend.tools.box.folders import Folder, plain, trusted
from backend.tools.box.programs import too_much
from backend.tools.box.view import view_of


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Folders and files of somebody's work."""
    for name in ("docs", "code"):
        (tmp_path / name).mkdir()
    (tmp_path / "code" / "run.py").write_text("")
    (tmp_path / "docs" / "data.db").write_text("")
    (tmp_path / "docs" / "data.db").chmod(0o777)  # as every file is on some disks
    (tmp_path / "code" / "tool").write_text("#!/bin/sh\n")
    (tmp_path / "code" / "tool").chmod(0o755)
    return tmp_path


@pytest.mark.parametrize(
    ("args", "seen"),
    [
        (["{0}/docs"], [("docs", True)]),
        (["--dir={0}/docs"], [("docs", True)]),
        (["{0}/code/run.py"], [("code", False)]),
        (["{0}/code/tool"], [("code", False)]),
        (["{0}/code/run.py", "{0}/code"], [("code", True)]),
        (["--db-path", "{0}/docs/data.db"], [("docs", True)]),
        (["{0}/docs/new.db"], [("docs", True)]),
        (["file://{0}/docs"], [("docs", True)]),
        (["sqlite:///{0}/docs/data.db"], [("docs", True)]),
        (["-c", "cd '{0}/docs' && exec x"], [("docs", True)]),
        (["type=bind,src={0}/docs,dst=/x"], [("docs", True)]),
        (["-y", "@scope/package", "https://example.org/docs", "relative/docs", "//double"], []),
        (["/nowhere/at/all"], []),
    ],
)
def test_folders_are_taken_from_plain_arguments(place: Path, args: list[str], seen: list[tuple[str, bool]]) -> None:
    result = plain("python", [arg.format(place) for arg in args], {})
    assert [(folder.path, folder.write) for folder in result.folders] == [
        (str(place / name), write) for name, write in seen
    ]
    assert result.broad == ()


def test_variables_and_the_working_directory_count_too(place: Path) -> None:
    result = plain("x", [], {"NOTES": str(place / "docs"), "PATH": str(place / "code")}, str(place / "code"))
    assert [folder.path for folder in result.folders] == [str(place / "docs"), str(place / "code")]


@pytest.mark.parametrize("path", ["/", "/home", "/home/somebody", "/root", "/etc", "/tmp", "/var", "/usr/lib"])
def test_what_holds_far_more_is_never_taken_from_an_argument(path: str) -> None:
    assert too_much(path) and plain("x", [path], {}).folders == ()


def test_whoever_starts_containers_is_trusted() -> None:
    assert trusted("docker") and trusted("/usr/bin/podman") and not trusted("npx")


def test_what_is_hidden_stays_hidden_whatever_is_declared(place: Path) -> None:
    home = place / "data" / "homes" / "own"
    home.mkdir(parents=True)
    named = [Folder(str(place), write=True), Folder(str(place / "data")), Folder(str(place / "data" / "homes"))]
    view = view_of("/bin/sh", {}, home, named, shared=(), hidden=(place / "data",), network=False)
    assert view.write == (place,) and view.covered() == [place / "data"]
    assert not any(place / "data" in (path, *path.parents) for path in view.read)


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("families", [None, (), (2, 10)])
def test_the_filter_is_whole_instructions_and_jumps_stay_inside(machine: str, families: tuple[int, ...] | None) -> None:
    created = program(families, machine)
    assert created is not None and len(created) % 8 == 0
    steps = len(created) // 8
    for index in range(steps):
        code, yes, no = (
            int.from_bytes(created[index * 8 : index * 8 + 2], "little"),
            created[index * 8 + 2],
            created[index * 8 + 3],
        )
        assert code & 7 != 5 or index + 1 + max(yes, no) < steps
    assert program(None, "riscv64") is None
