"""Every page, dialog and state, and how a person comes to it; in either language."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from playwright.sync_api import Error, Locator, Page, Route

from tests.e2e.gallery.seeded import Gallery
from tests.e2e.seeded import SECTIONS

PATIENCE_MS = 10_000
APP = Path(__file__).parents[2] / "dify_apps" / "customer_care.yml"
View = Callable[[Page], None]


def word(page: Page, english: str, chinese: str, role: Any = "button", nth: int = 0) -> Locator:
    """What is called so in either language."""
    return page.get_by_role(role, name=re.compile(f"^({english}|{chinese})")).nth(nth)


def at(path: str, *steps: Callable[[Page], object]) -> View:
    """The page at an address, and what is done there."""

    def arrive(page: Page) -> None:
        page.goto(path)
        quiet(page)
        for step in steps:
            step(page)

    return arrive


def click(english: str, chinese: str, role: Any = "button", nth: int = 0) -> Callable[[Page], object]:
    """Press what is called so."""
    return lambda page: word(page, english, chinese, role, nth).click()


def press(*keys: str) -> Callable[[Page], object]:
    """Press keys, one after the other."""

    def all_of_them(page: Page) -> None:
        for key in keys:
            page.keyboard.press(key)

    return all_of_them


def card(title: str) -> Callable[[Page], object]:
    """Choose a node and open it."""

    def choose(page: Page) -> None:
        page.locator(".react-flow__node").filter(has_text=title).first.click()
        page.keyboard.press("Enter")

    return choose


def unanswered(path: str, pattern: str) -> View:
    """The page at an address while requests are on their way."""

    def hold(route: Route) -> None:
        del route  # it is never answered

    return routed(path, pattern, hold)


def refused(path: str, pattern: str) -> View:
    """The page at an address when the server fails."""
    return routed(path, pattern, lambda route: route.fulfill(status=500, body="{}"))


def bare(path: str, pattern: str) -> View:
    """The page at an address when there is nothing yet."""
    body = '{"results": [], "next": null, "counts": {"all": 0, "attention": 0, "mine": 0}, "total": 0}'
    return routed(path, pattern, lambda route: route.fulfill(status=200, body=body, content_type="application/json"))


def routed(path: str, pattern: str, answer: Callable[[Route], object]) -> View:
    """The page at an address, with requests that fit answered so."""

    def arrive(page: Page) -> None:
        page.route(re.compile(pattern), answer)
        page.goto(path, wait_until="domcontentloaded")
        page.wait_for_timeout(1500)

    return arrive


def quiet(page: Page) -> None:
    """Wait until what the page asks for is there."""
    with suppress(Error):
        page.wait_for_load_state("networkidle", timeout=PATIENCE_MS)
    page.evaluate("document.fonts.ready")


def triggers(seeded: Gallery) -> dict[str, View]:
    """The pages and dialogs of triggers."""
    new = ("New trigger", "新建触发器")
    more = click("More actions", "更多操作")
    webhook = f"/triggers/{seeded.webhook}"
    collection = f"/collections/{seeded.collection}"

    def kind(place: int) -> View:
        return at("/triggers", click(*new), lambda page: page.get_by_role("menuitem").nth(place).click())

    def item(path: str, place: int) -> View:
        return at(path, more, lambda page: page.get_by_role("menuitem").nth(place).click())

    def opened(page: Page) -> None:
        page.locator(".delivery summary").first.click()

    def show_new(page: Page) -> None:
        item(webhook, 1)(page)
        page.get_by_role("dialog").get_by_role("button").last.click()
        page.get_by_role("dialog").locator("code").first.wait_for()

    def shared(page: Page) -> None:
        page.locator(".share-main label", has=page.get_by_role("switch")).click()
        page.get_by_role("button", name=re.compile("New token|新建令牌")).click()
        page.locator("figure", has_text="pb_").wait_for()
        page.get_by_role("button", name=re.compile("^(Test|测试)$")).click()
        page.locator(".share-steps li").nth(1).wait_for()

    def gone_off(route: Route) -> None:
        reply = route.fetch()
        answer, reasons = reply.json(), ("failures", "role", "left", "restored")
        for row, reason in zip(answer["results"], reasons, strict=False):
            row.update(enabled=False, off_reason=reason, off_at=row["created_at"], next_at=None)
        route.fulfill(response=reply, json=answer)

    return {
        "triggers": at("/triggers"),
        "start-triggers-off": routed("/", r"/api/triggers(\?|$)", gone_off),
        "trigger-try": at(webhook, click("Try on the draft", "用草稿试运行")),
        "triggers-empty": bare("/triggers", r"/api/triggers(\?|$)"),
        "triggers-menu": at("/triggers", click(*new)),
        "trigger-webhook": at(webhook),
        "trigger-delivery": at(webhook, opened),
        "trigger-schedule": at(f"/triggers/{seeded.schedule}"),
        "trigger-event": at(f"/triggers/{seeded.event}"),
        "trigger-off": at(f"/triggers/{seeded.off}"),
        "trigger-gone": at("/triggers/trg_long_gone"),
        "trigger-new-webhook": kind(0),
        "trigger-new-schedule": kind(1),
        "trigger-new-event": kind(2),
        "trigger-edit": item(webhook, 0),
        "trigger-rotate": item(webhook, 1),
        "trigger-address": show_new,
        "trigger-delete": item(webhook, 2),
        "collections": at("/collections"),
        "collection": at(collection),
        "collection-tool": at(collection, lambda page: page.get_by_role("button", name="send_note").click()),
        "collection-add": at(collection, click("Add tools", "添加工具")),
        "collections-empty": bare("/collections", r"/api/collections(\?|$)"),
        "share": at(f"/workflows/{seeded.broken}/share"),
        "share-mcp": at(f"/workflows/{seeded.broken}/share/mcp"),
        "share-rest": at(f"/workflows/{seeded.broken}/share/rest"),
        "share-webhook": at(f"/workflows/{seeded.broken}/share/webhook"),
        "share-tested": at(f"/workflows/{seeded.broken}/share/mcp", shared),
        "share-failed": refused(f"/workflows/{seeded.broken}/share/mcp", r"/offer$"),
        "trigger-switch-on": at(
            f"/triggers/{seeded.off}", lambda page: page.get_by_role("switch").first.click(force=True)
        ),
    }


def editor(seeded: Gallery) -> dict[str, View]:
    """The editor and runs in it."""
    flow = f"/workflows/{seeded.workflow}"
    broken = f"/workflows/{seeded.problems}"

    def panel(english: str, chinese: str) -> Callable[[Page], object]:
        def open_it(page: Page) -> None:
            # the dock's code may still come: whichever of the two stands first
            word(page, english, chinese, "tab").or_(word(page, english, chinese)).first.click()

        return open_it

    return {
        "editor-empty": at(f"/workflows/{seeded.empty}"),
        "editor-idle": at(broken),
        "editor-node": at(f"{broken}?node=tool"),
        "editor-agent": at(f"{broken}?node=lone"),
        "editor-waits": at(flow),
        "editor-problems": at(broken, panel("Problems", "问题")),
        "editor-find": at(broken, press("Control+f"), lambda page: page.keyboard.type("text")),
        "editor-add": at(broken, press("n"), lambda page: page.keyboard.type("time")),
        "editor-versions": at(f"/workflows/{seeded.created[1]}", click("Versions|More", "版本|更多")),
        "editor-version": at(f"{flow}?version=1"),
        "editor-gone": at(f"{flow}?node=long-gone&version=9"),
        "editor-request": at(f"/workflows/{seeded.request}?node=call", press("Enter")),
        "editor-fitted": at(flow, press("f")),
        "editor-try-trigger": at(
            f"/workflows/{seeded.created[1]}",
            click("Versions|More", "版本|更多"),
            lambda page: word(page, "Try a trigger", "用草稿试运行触发器", "menuitem").click(),
        ),
        "workflow-gone": at("/workflows/wf_long_gone"),
        "run-done": at(f"/runs/{seeded.done}"),
        "run-failed": at(f"/runs/{seeded.ended}"),
        "run-failed-step": at(f"/runs/{seeded.ended}?node=text"),
        "run-waits": at(f"/runs/{seeded.asking}"),
        "run-risky": at(f"/runs/{seeded.risky}"),
        "run-form": at(f"/runs/{seeded.form}"),
        "run-timer": at(f"/runs/{seeded.long}"),
        "run-stopped": at(f"/runs/{seeded.stopped}"),
        "run-agent": at(f"/runs/{seeded.talk}"),
        "run-agent-step": at(f"/runs/{seeded.talk}?node=sky"),
        "run-log": at(f"/runs/{seeded.talk}", panel("Log", "日志")),
        "run-output": at(f"/runs/{seeded.talk}", panel("Output", "输出")),
        "run-gone": at("/runs/run_long_gone"),
    }


def lists(seeded: Gallery) -> dict[str, View]:
    """Everything else that a member comes to."""
    server = f"/registry/{seeded.server}"

    def tab(place: int) -> Callable[[Page], object]:
        return lambda page: page.get_by_role("dialog").get_by_role("tab").nth(place).click()

    return {
        "start": at("/"),
        "start-empty": bare("/", r"/api/workflows(\?|$)"),
        "workflows": at("/workflows"),
        "workflows-new": at("/workflows", click("New workflow", "新建工作流")),
        "workflows-template": at("/", press("Control+k"), lambda page: palette(page, "From a template", "从模板开始")),
        "workflows-import": at("/", press("Control+k"), lambda page: palette(page, "Import", "导入")),
        "workflows-import-report": at("/workflows", press("Control+k"), from_dify),
        "palette": at("/", press("Control+k"), lambda page: page.keyboard.type("time")),
        "shortcuts": at(f"/workflows/{seeded.empty}", press("?")),
        "runs": at("/runs"),
        "inbox": at("/inbox"),
        "inbox-approval": at(f"/inbox/{seeded.question}"),
        "inbox-form": at("/inbox", lambda page: page.get_by_text("What is released").first.click()),
        "inbox-risky": at("/inbox", lambda page: page.get_by_text("delete_record").first.click()),
        "inbox-gone": at("/inbox/int_long_gone"),
        "registry": at("/registry"),
        "registry-server": at(f"{server}/overview"),
        "registry-tools": at(f"{server}/tools"),
        "registry-used": at(f"{server}/used"),
        "registry-settings": at(f"{server}/settings"),
        "registry-failed": at("/registry/issues/overview"),
        "registry-declared": at(
            "/registry", lambda page: page.get_by_role("button", name=re.compile("declared|声明|wait")).first.click()
        ),
        "registry-gone": at("/registry/long-gone"),
        "add-preset": at("/registry?add=1"),
        "add-second": at("/registry?add=1", tab(1)),
        "add-third": at("/registry?add=1", tab(2)),
        "add-fourth": at("/registry?add=1", tab(3)),
        "usage": at("/usage"),
        **{f"settings-{section}": at(f"/settings/{section}") for section in SECTIONS},
        "settings-provider": at(f"/settings/providers/{seeded.provider}"),
        "settings-invite": at("/settings/team", click("Invite", "邀请")),
        "settings-token": at("/settings/tokens", click("New token", "新建令牌")),
        "settings-add-provider": at("/settings/providers", click("Add provider", "添加供应商")),
        "not-found": at("/nothing-here"),
        "docs": at("/docs/en/start"),
        "docs-zh": at("/docs/zh/start"),
        "docs-scaling": at("/docs/en/scaling"),
        "docs-scaling-zh": at("/docs/zh/scaling"),
    }


def palette(page: Page, english: str, chinese: str) -> None:
    """Choose by name in the open palette."""
    word(page, english, chinese, "option").click()


def from_dify(page: Page) -> None:
    """From the open palette to the report of a Dify app."""
    palette(page, "Import", "导入")
    page.locator("dialog input[type=file]").set_input_files(APP)
    page.locator("dialog .dialog-foot button").last.click()
    page.get_by_role("table").last.wait_for()


def states() -> dict[str, View]:
    """While it loads, when it fails, and when there is nothing."""
    question = {
        "start": ("/", r"/api/workflows(\?|$)"),
        "registry": ("/registry", r"/api/mcp/servers\?"),
        "runs": ("/runs", r"/api/runs(\?|$)"),
        "inbox": ("/inbox", r"/api/interactions"),
        "triggers": ("/triggers", r"/api/triggers(\?|$)"),
        "usage": ("/usage", r"/api/usage"),
        "team": ("/settings/team", r"/api/teams/"),
        "tokens": ("/settings/tokens", r"/api/tokens"),
        "secrets": ("/settings/secrets", r"/api/secrets"),
        "providers": ("/settings/providers", r"/api/providers"),
        "audit": ("/settings/audit", r"/api/audit"),
        "installation": ("/settings/installation", r"/api/(operator|installation)"),
        "security": ("/settings/security", r"/api/me/"),
    }
    shown: dict[str, View] = {}
    for name, (path, pattern) in question.items():
        shown[f"loading-{name}"] = unanswered(path, pattern)
        shown[f"error-{name}"] = refused(path, pattern)
    for name in ("runs", "inbox", "registry", "tokens", "secrets", "providers"):
        shown[f"empty-{name}"] = bare(*question[name])
    shown["loading-me"] = unanswered("/", r"/api/me$")
    shown["error-me"] = refused("/", r"/api/me$")
    return shown


def ways_in(seeded: Gallery) -> dict[str, View]:
    """What somebody sees who is not signed in."""
    invitation = seeded.ask("POST", "/api/teams/invitations", {"role": "editor"})["url"]
    return {
        "sign-in": at("/"),
        "join": at(invitation.removeprefix(seeded.patchbay.url)),
        "join-gone": at("/join#none"),
        "start-link-gone": at("/start/none"),
    }
