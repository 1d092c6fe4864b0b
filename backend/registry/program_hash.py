"""What a stdio server starts, as one value: the form that people decide about, and the hash of all of it.

The hash covers command, arguments, variables, folder and what was decided about its box. Of a hidden argument, and of
a secret variable that others than the server itself read (`own_variables`), it covers the value, slowly digested, so
that it cannot be guessed; of other secret variables only that they are there: a key may be changed without asking.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from backend.tools.programs.own_variables import is_own

if TYPE_CHECKING:
    from backend.registry.models import Server

_ROUNDS = 50_000


@dataclass(frozen=True, slots=True)
class Program:
    """`shown` = {command, args, env: names, cwd, box: what was decided about it} without a secret value."""

    hash: str
    shown: dict[str, Any]


def _digest(value: str, team_id: str) -> str:
    return hashlib.pbkdf2_hmac("sha256", value.encode("utf-8", "surrogatepass"), team_id.encode(), _ROUNDS).hex()


def _program(form: dict[str, Any], names: list[str]) -> Program:
    text = json.dumps({"v": 1, **form}, sort_keys=True, separators=(",", ":"))
    shown = {"command": form["command"], "args": form["args"], "env": names, "cwd": form["cwd"]}
    if box := {name: form[name] for name in ("box", "folders", "network") if name in form}:
        shown["box"] = box
    return Program(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(), shown)


def program_of(server: Server) -> Program:
    """What a server of the registry starts, saved or not."""
    hidden: dict[str, str] = server.secrets.get("args", {})
    secret: dict[str, str] = server.secrets.get("env", {})
    form = {
        "command": server.command,
        "args": list(server.args),
        "hidden": {place: _digest(value, server.team_id) for place, value in hidden.items()},
        "env": dict(server.env),
        "secret_env": {name: "" if is_own(name) else _digest(value, server.team_id) for name, value in secret.items()},
        "cwd": server.cwd,
        **_box(server),
    }
    return _program(form, sorted({*server.env, *secret}))


def _box(server: Server) -> dict[str, Any]:
    """What was decided about its box, where that differs from what every program gets. (A migration's rows of before
    there were boxes have no such fields.)"""
    decided: dict[str, Any] = {}
    if getattr(server, "box", "boxed") == "open":
        decided["box"] = "open"
    if (folders := getattr(server, "folders", None)) is not None:
        decided["folders"] = folders
    if not getattr(server, "network", True):
        decided["network"] = False
    return decided


def program_declared(config: dict[str, Any]) -> Program:
    """What a server declared in a document starts, by the declaration's normal form. Secrets stand in it by name."""
    form = {
        "command": config["command"],
        "args": list(config["args"]),
        "hidden": {},
        "env": dict(config["env"]),
        "secret_env": {},
        "cwd": config["cwd"],
    }
    return _program(form, sorted(config["env"]))


def program_updated(program: Program, package: str, version: str) -> Program:
    """The same, started from another version of its package: that is other code, so it has a hash of its own."""
    text = json.dumps({"v": 1, "program": program.hash, "package": package, "version": version}, sort_keys=True)
    return Program(hashlib.sha256(text.encode()).hexdigest(), {**program.shown, "package": f"{package} {version}"})
