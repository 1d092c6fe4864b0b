"""The user's documentation, `docs/<language>/<page>.md`, as pages of the product: the screen links to them."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererProtocol
from markdown_it.token import Token

from backend.project.environment import ROOT
from backend.project.web import built_file, content_security_policy
from backend.web.rest import language_of

PAGES = (
    *(
        "start",
        "servers",
        "providers",
        "workflows",
        "agents",
        "planner",
        "runs",
        "triggers",
        "sharing",
        "importing",
        "durability",
        "keeping",
        "audit",
    ),
    *("teams", "security", "api", "running", "scaled", "scaling", "glossary"),
)
_LATIN = "U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+2000-206F, U+20AC, U+2122"
_FONTS = (("Inter Variable", "inter"), ("JetBrains Mono Variable", "jetbrains-mono"))
_CHINESE_FROM, _STOPS = "\u2e80", "，。、；：！？）"
_PERCENT = re.compile(r"(?<=\d) %")
"""Would leave the sign alone in the next line of a narrow column."""
_FOLDERS = (ROOT / "docs", Path(__file__).with_name("docs_pages"))


@cache
def _page(language: str, name: str) -> tuple[str, str]:
    """(title, HTML) of one page. HTML in the sources is not let through."""
    folder = next(path for path in _FOLDERS if path.exists())
    source = (folder / language / f"{name}.md").read_text(encoding="utf-8")
    title = source.partition("\n")[0].removeprefix("# ")
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.add_render_rule("softbreak", _line_end)
    markdown.add_render_rule("code_inline", _code)
    return title, _PERCENT.sub("\u00a0%", markdown.render(source))


def _line_end(_renderer: RendererProtocol, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    """A line's end in the source is a space on the page, but Chinese has none between its characters."""
    before = next((token.content[-1] for token in reversed(tokens[:index]) if token.content), "")
    after = next((token.content[0] for token in tokens[index + 1 :] if token.content), "")
    wide = before >= _CHINESE_FROM and (after >= _CHINESE_FROM or before in _STOPS)
    return "" if wide else "\n"


def _code(_renderer: RendererProtocol, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    """A name that is longer than its column goes on in the next line after one of its words, not within one."""
    return f"<code>{escape(tokens[index].content).replace('_', '_<wbr>')}</code>"


def _fonts() -> list[dict[str, Any]]:
    """The product's fonts as they were built; none where they were not, then the system's stand in."""
    fonts = []
    for family, name in _FONTS:
        href = built_file(f"node_modules/@fontsource-variable/{name}/files/{name}-latin-wght-normal.woff2")
        if href is not None:
            fonts.append({"family": family, "href": href, "range": _LATIN, "first": name == "inter"})
    return fonts


@require_safe
def docs(request: HttpRequest, language: str = "", name: str = "start") -> HttpResponse:
    """One page, with the list of all; without a language the reader's own."""
    if not language:
        return redirect(f"/docs/{language_of(request)}/{name}")
    if language not in {"en", "zh"} or name not in PAGES:
        raise Http404
    title, html = _page(language, name)
    other = "zh" if language == "en" else "en"
    nonce = secrets.token_urlsafe(16)
    context: dict[str, Any] = {
        "nonce": nonce,
        "fonts": _fonts(),
        "title": title,
        "html": mark_safe(html),  # noqa: S308 - made from our own files, HTML in them escaped
        "language": language,
        "current": name,
        "pages": [(page, _page(language, page)[0]) for page in PAGES],
        "other": (other, "中文" if other == "zh" else "English"),
        "back": "Back to Patchbay" if language == "en" else "返回 Patchbay",
        "list": "All pages" if language == "en" else "全部页面",
    }
    response = render(request, "docs.html", context)
    response["Content-Security-Policy"] = content_security_policy(nonce)
    return response
