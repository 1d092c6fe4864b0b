"""What axe finds on a page."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

from tests.instance import ROOT

AXE = ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js"


def faults(page: Page) -> list[str]:
    """What axe finds against WCAG A and AA."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    result: dict[str, Any] = page.evaluate(
        "() => axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']})"
    )
    return [
        f"{fault['id']}: {node['html'][:160]} {node['failureSummary']}"
        for fault in result["violations"]
        for node in fault["nodes"]
    ]


def dress(page: Page, theme: str, language: str = "en") -> None:
    """Choose theme and language as the settings do."""
    page.goto("/")
    page.evaluate(
        """async ([theme, language]) => {
          const token = document.cookie.match(/patchbay_csrf=([^;]+)/)[1]
          await fetch('/api/me', {method: 'PATCH', headers: {'content-type': 'application/json', 'x-csrftoken': token},
            body: JSON.stringify({theme, language})})
          localStorage.clear()
        }""",
        [theme, language],
    )
