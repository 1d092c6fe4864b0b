"""What publishers write about their server: `server.json` of the MCP registry, and the manifest of an MCP bundle.

`server.json` names packages (npm, PyPI, OCI, NuGet) and remotes with their inputs; a bundle's manifest a program inside
the bundle and a `user_config`. Both become entries as a client would write them, with the inputs as declared questions.
"""

from __future__ import annotations

import re
from typing import Any

from backend.registry.importing.formats.candidates import Question, text_of, words_of

Entry = tuple[str, dict[str, Any], dict[str, Question], bool]
"""(name, entry, questions by token, whether it is another way to the server before it)."""
_RUNTIMES = {"npm": "npx", "pypi": "uvx", "oci": "docker", "docker": "docker", "nuget": "dnx"}


def _get(value: Any, *names: str) -> Any:
    """The first that is there of `names`: the older form of the format wrote snake_case."""
    return next((value[name] for name in names if name in value), None) if isinstance(value, dict) else None


def is_published(document: dict[str, Any]) -> bool:
    """Whether this is a `server.json` (or the registry's answer around one)."""
    inner = document.get("server") if isinstance(document.get("server"), dict) else document
    if not isinstance(inner, dict) or not isinstance(inner.get("name"), str):
        return False
    ways = [inner.get("packages"), inner.get("remotes")]
    return any(isinstance(way, list) and way and all(isinstance(item, dict) for item in way) for way in ways)


def is_bundle(document: dict[str, Any]) -> bool:
    """Whether this is the manifest of an MCP bundle (MCPB, formerly DXT)."""
    server = document.get("server")
    return isinstance(server, dict) and isinstance(server.get("mcp_config"), dict) and "command" not in document


def published_entries(document: dict[str, Any]) -> list[Entry]:
    """One entry per remote and package: remotes first, streamable HTTP before SSE; all but the first alternatives."""
    wrapped = document.get("server")
    inner: dict[str, Any] = wrapped if isinstance(wrapped, dict) else document
    name = text_of(inner.get("title")) or text_of(inner.get("name")).rsplit("/", 1)[-1] or "server"
    about = {"description": text_of(inner.get("description"))}
    remotes = [remote for remote in inner.get("remotes") or [] if isinstance(remote, dict)]
    remotes.sort(key=lambda remote: _get(remote, "type", "transport_type") == "sse")
    entries = [_remote(remote) for remote in remotes[:20]]
    entries += [_package(package) for package in inner.get("packages") or [] if isinstance(package, dict)][:20]
    kinds = [text_of(_get(entry, "registry", "type")) or "stdio" for entry, _ in entries]
    return [
        (f"{name} ({kinds[index]})" if index else name, {**about, **entry}, questions, index > 0)
        for index, (entry, questions) in enumerate(entries)
    ]


def _question(name: str, spec: Any, token: str, where: str) -> Question:
    return Question(
        name[:80],
        name[:80],
        where,
        description=text_of(_get(spec, "description"))[:500],
        secret=_get(spec, "isSecret", "is_secret") is True,
        required=_get(spec, "isRequired", "is_required") is True,
        default=str(_get(spec, "default") or ""),
        choices=words_of(_get(spec, "choices"))[:100],
        multiple=_get(spec, "isRepeated", "is_repeated") is True,
        token=token,
    )


def _input(name: str, spec: Any, where: str, questions: dict[str, Question]) -> str:
    """The text of an input: fixed, with variables, or asked for as a whole."""
    value = _get(spec, "value")
    variables = _get(spec, "variables")
    if isinstance(value, str):
        for variable, about in list(variables.items())[:50] if isinstance(variables, dict) else []:
            token = f"{{{variable}}}"
            if token in value:
                questions[token] = _question(str(variable), about, token, where)
        return value
    token = f"${{ask:{name}}}"
    questions[token] = _question(name, spec, token, where)
    return token


def _named(listed: Any, where: str, questions: dict[str, Question]) -> dict[str, str]:
    return {
        value["name"]: _input(value["name"], value, where, questions)
        for value in (listed if isinstance(listed, list) else [])[:100]
        if isinstance(value, dict) and isinstance(value.get("name"), str)
    }


def _remote(remote: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Question]]:
    questions: dict[str, Question] = {}
    url = _input("url", {"value": text_of(remote.get("url")), "variables": remote.get("variables")}, "url", questions)
    headers = _named(remote.get("headers"), "headers", questions)
    kind = text_of(_get(remote, "type", "transport_type")) or "http"
    return {"type": kind, "url": url, "headers": headers}, questions


def _arguments(listed: Any, questions: dict[str, Question]) -> list[list[str]]:
    groups: list[list[str]] = []
    for number, item in enumerate((listed if isinstance(listed, list) else [])[:100], 1):
        if not isinstance(item, dict):
            continue
        name = text_of(item.get("name"))
        label = name or text_of(_get(item, "valueHint", "value_hint")) or f"argument {number}"
        if name and _get(item, "value") is None and not {"default", "choices", "format", "isRequired"} & set(item):
            groups.append([name])  # a switch
            continue
        value = _input(label, item, "args", questions)
        groups.append([name, value] if name else [value])
    return groups


def _package(published: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Question]]:
    questions: dict[str, Question] = {}
    registry = text_of(_get(published, "registryType", "registry_type", "registry_name")).lower()
    identifier = text_of(_get(published, "identifier", "name"))
    version = text_of(published.get("version"))
    before = _arguments(_get(published, "runtimeArguments", "runtime_arguments"), questions)
    after = _arguments(_get(published, "packageArguments", "package_arguments"), questions)
    env = _named(_get(published, "environmentVariables", "environment_variables"), "env", questions)
    runtime = text_of(_get(published, "runtimeHint", "runtime_hint")) or _RUNTIMES.get(registry, "")
    package, lead = _started(registry, identifier, version, before, env)
    transport = _get(published, "transport")
    kind = text_of(_get(transport, "type")) or "stdio"
    if not runtime or not identifier or registry == "mcpb":
        return {"registry": registry, "type": "stdio"}, {}
    entry: dict[str, Any] = {"registry": registry, "type": kind, "command": runtime, "env": env}
    entry["arg_groups"] = [*([word] for word in lead), *before, [package], *after]
    return entry, questions


def _started(
    registry: str, identifier: str, version: str, arguments: list[list[str]], env: dict[str, str]
) -> tuple[str, list[str]]:
    """(the package as its runtime wants it, what stands before it where nothing is said)."""
    exact = version if version not in {"", "latest"} else ""
    if registry == "npm":
        return f"{identifier}@{exact}" if exact else identifier, [] if ["-y"] in arguments else ["-y"]
    if registry == "pypi":
        return f"{identifier}@{exact}" if exact else identifier, []
    if registry == "nuget":
        return f"{identifier}@{exact}" if exact else identifier, ["--yes"]
    tagged = ":" in identifier.rsplit("/", 1)[-1] or "@" in identifier
    image = identifier if tagged or not exact else f"{identifier}:{exact}"
    passed = [word for name in env for word in ("-e", name)]
    return image, ["run", "-i", "--rm", *passed]


def bundle_entry(document: dict[str, Any]) -> Entry:
    """The program that a bundle's manifest starts, on Linux, with what `user_config` asks for."""
    server = document["server"]
    config = dict(server["mcp_config"])
    overrides = config.pop("platform_overrides", None)
    linux = overrides.get("linux") if isinstance(overrides, dict) else None
    config |= linux if isinstance(linux, dict) else {}
    questions: dict[str, Question] = {
        "${__dirname}": Question(
            "bundle folder",
            "Bundle folder",
            "args",
            description="Where the unpacked bundle lies on the machine of this installation.",
            token="${__dirname}",  # noqa: S106 - a placeholder, no credential
        )
    }
    user_config = document.get("user_config")
    for key, field in list(user_config.items())[:100] if isinstance(user_config, dict) else []:
        field = field if isinstance(field, dict) else {}
        token = f"${{user_config.{key}}}"
        default = field.get("default")
        questions[token] = Question(
            str(key)[:80],
            (text_of(field.get("title")) or str(key))[:80],
            "args",
            description=text_of(field.get("description"))[:500],
            secret=field.get("sensitive") is True,
            required=field.get("required") is True,
            default="\n".join(words_of(default)) if isinstance(default, list) else _plain(default),
            multiple=field.get("multiple") is True,
            token=token,
        )
    text = {key: _separated(value) for key, value in config.items()}
    text["arg_groups"] = [[word] for word in words_of(text.pop("args", None))]
    text["description"] = text_of(document.get("description"))
    name = text_of(document.get("display_name")) or text_of(document.get("name")) or "server"
    return name, text, questions, False


def _plain(value: Any) -> str:
    """A default as a person would write it; one that names places of the person's own machine is none."""
    if value is None or (isinstance(value, str) and "${" in value):
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _separated(value: Any) -> Any:
    if isinstance(value, list):
        return [_separated(item) for item in value]
    if isinstance(value, dict):
        return {key: _separated(item) for key, item in value.items()}
    return re.sub(r"\$\{(?:/|pathSeparator)\}", "/", value) if isinstance(value, str) else value
