"""The wheel carries the built pages and starts where there is no Node and no checkout."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import urllib.request
import venv
from pathlib import Path

import pytest

from tests.instance import ROOT
from tests.services import free_port

pytestmark = pytest.mark.wide


def test_the_wheel_starts_without_node(tmp_path: Path) -> None:
    built = subprocess.run(
        [
            str(Path(sys.executable).with_name("uv")),
            "build",
            "--wheel",
            "--no-build-isolation",
            "--quiet",
            "--out-dir",
            str(tmp_path),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("patchbay-*.whl")
    home = tmp_path / "home"
    home.mkdir()
    # The dependencies are those of this environment; the package itself comes from the wheel alone.
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    (site,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    here = Path(sys.executable).parent.parent
    (ours,) = here.glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(f"{ours}\n")
    unpacked = subprocess.run([sys.executable, "-m", "zipfile", "-e", str(wheel), str(site)], check=True)
    assert unpacked.returncode == 0

    port = free_port()
    process = subprocess.Popen(
        [str(tmp_path / "venv" / "bin" / "python"), "-m", "backend.project.cli", "run"],
        cwd=home,
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(home),
            "PATCHBAY_PORT": str(port),
            "LANG": os.environ.get("LANG", "C"),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    killer = threading.Timer(90, process.kill)
    killer.start()
    try:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if "/start/" in line:
                break
        assert process.poll() is None, "".join(lines)
        with urllib.request.urlopen(f"http://localhost:{port}/", timeout=10) as answer:
            page = answer.read().decode()
        script = re.search(r'<script type="module" src="([^"]+)"', page)
        assert script is not None, page
        with urllib.request.urlopen(f"http://localhost:{port}{script.group(1)}", timeout=10) as answer:
            assert answer.headers["Cache-Control"] == "max-age=315360000, public, immutable"
        assert (home / "var" / "patchbay.sqlite3").exists()
    finally:
        killer.cancel()
        process.terminate()
        process.communicate(timeout=20)
    assert process.returncode == 0
