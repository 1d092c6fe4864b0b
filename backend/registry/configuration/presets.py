"""Ready configurations: our `presets.json`, extended by an admin's `presets.json` in the data directory.

A preset names a program or URL and what is still missing: `secrets` (stored encrypted) and `inputs` (plain, placed into
`args` where `{NAME}` stands). ModelScope presets hold the id in the square and never a URL: that one is personal.
"""

from __future__ import annotations

import json
import logging
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from django.conf import settings
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from backend.errors import ValidationFailed
from backend.registry.models import Server

log = logging.getLogger(__name__)


class Words(BaseModel):
    """A text in both languages."""

    en: str
    zh: str


class PresetField(BaseModel):
    """A value that the preset asks for; `where` = env, header, url (secrets) or arg (plain)."""

    model_config = ConfigDict(populate_by_name=True)

    name: str
    label: Words
    where: Literal["env", "header", "url", "arg"] = Field(alias="in")
    required: bool = True
    placeholder: str = ""
    format: str = "{}"  # of a header: "Bearer {}"


class Preset(BaseModel):
    """One ready configuration."""

    id: str
    kind: Literal["modelscope", "reference", "custom"] = "custom"
    name: Words
    description: Words
    transport: Literal["stdio", "http", "sse"]
    url: str = ""
    command: str = ""
    args: list[str] = []
    env: dict[str, str] = {}
    modelscope_id: str = ""
    page: str = ""
    secrets: list[PresetField] = []
    inputs: list[PresetField] = []
    tools: list[str] = []

    def as_json(self) -> dict[str, Any]:
        """The contract's shape."""
        shape = self.model_dump(by_alias=True, exclude={"env"})
        shape["secrets"] = [_field_json(field) for field in self.secrets]
        shape["inputs"] = [_field_json(field) for field in self.inputs]
        for optional in ("url", "command", "args", "modelscope_id", "page"):
            if not shape[optional]:
                del shape[optional]
        return shape | {"available": self.transport != "stdio" or settings.PATCHBAY.stdio_allowed}


def _field_json(field: PresetField) -> dict[str, Any]:
    return field.model_dump(by_alias=True, exclude={"format"}, exclude_defaults=False)


_LIST = TypeAdapter(list[Preset])


@lru_cache(maxsize=8)
def _read(path: Path, changed: float) -> tuple[Preset, ...]:
    """The presets of a file; an admin's broken file is logged and left out."""
    try:
        entries = _LIST.validate_python(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, ValidationError) as error:
        log.error("the presets in %s cannot be read: %s", path, error)
        return ()
    return tuple(
        preset.model_copy(update={"command": sys.executable}) if preset.command == "{python}" else preset
        for preset in entries
    )


def presets() -> list[Preset]:
    """Ours, then the installation's own; one of the same id replaces ours."""
    by_id: dict[str, Preset] = {}
    for path in (Path(__file__).with_name("presets.json"), settings.PATCHBAY.data / "presets.json"):
        if path.exists():
            by_id.update({preset.id: preset for preset in _read(path, path.stat().st_mtime)})
    return list(by_id.values())


def fill(preset_id: str, values: dict[str, str]) -> dict[str, Any]:
    """The fields of a server from a preset and its values. Raises ValidationFailed naming what is missing."""
    preset = next((preset for preset in presets() if preset.id == preset_id), None)
    if preset is None:
        raise ValidationFailed(fields={"preset": ["there is no preset of this id"]})
    questions = [*preset.secrets, *preset.inputs]
    unknown = {
        f"values.{name}": ["is not asked for by this preset"]
        for name in values
        if name not in {f.name for f in questions}
    }
    missing = {
        f"values.{f.name}": ["is required"] for f in questions if f.required and not values.get(f.name, "").strip()
    }
    if unknown or missing:
        raise ValidationFailed(fields={**unknown, **missing})
    return _filled(preset, {name: value.strip() for name, value in values.items() if value.strip()})


def _filled(preset: Preset, values: dict[str, str]) -> dict[str, Any]:
    data: dict[str, Any] = {
        "preset": preset.id,
        "name": preset.name.en,
        "description": preset.description.en,
        "transport": preset.transport,
        "modelscope_id": preset.modelscope_id,
        "env": dict(preset.env),
        "secret_env": {},
        "secret_headers": {},
    }
    if preset.transport == "stdio":
        data |= {"command": preset.command, "args": _arguments(preset, values)}
    else:
        data["url"] = preset.url
    for field in preset.secrets:
        value = values.get(field.name)
        if value is None:
            continue
        if field.where == "env":
            data["secret_env"][field.name] = value
        elif field.where == "header":
            data["secret_headers"][field.name] = field.format.replace("{}", value)
        else:
            url = preset.url.replace(f"{{{field.name}}}", value) if preset.url else value
            data |= {"url": url, "url_secret": True}
            if not preset.url and url.rstrip("/").endswith("/sse"):
                data["transport"] = "sse"
    return data


def _arguments(preset: Preset, values: dict[str, str]) -> list[str]:
    """`args` with the plain values in; an argument whose optional value is missing is left out."""
    done = []
    for argument in preset.args:
        for field in preset.inputs:
            argument = argument.replace(f"{{{field.name}}}", values.get(field.name, "\0"))
        if "\0" not in argument:
            done.append(argument)
    return done


def filled_with(server: Server) -> dict[str, str]:
    """The plain values that a server's preset was filled with, read from its arguments as they are now."""
    preset = next((preset for preset in presets() if preset.id == server.preset), None)
    if preset is None:
        return {}
    placed = {f"{{{field.name}}}": field.name for field in preset.inputs}
    return {placed[arg]: value for arg, value in zip(preset.args, server.args, strict=False) if arg in placed}
