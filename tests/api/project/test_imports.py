"""What a start costs: libraries that only a used server needs are not imported before one is used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.instance import clean_environment

ROOT = Path(__file__).resolve().parents[3]
START = """
import sys
from backend.project.processes import embedded
from django.urls import get_resolver
from backend.runs.worker.worker import Worker
get_resolver().url_patterns
print(sorted({"ag_ui", "mcp", "mcp_types", "openai", "starlette", "uvicorn", "redis"} & set(sys.modules)))
"""


def test_a_start_imports_no_sdk(tmp_path: Path) -> None:
    ours = {
        **clean_environment(),
        "PATCHBAY_DATA_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "backend.project.settings",
    }
    done = subprocess.run([sys.executable, "-c", START], cwd=ROOT, env=ours, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
