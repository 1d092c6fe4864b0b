"""The servers that come with an installation, as far as the registry's tests use them: with a file the demo, or time.

Written by hand, of the handshake era: it starts in 30 ms of CPU, those on the SDK in more than a second, and dozens of
tests start one. The demo's tools are those of its file, which `test_demo.py` holds against what the program lists.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

TEXT = {"type": "string"}


def of_time(name: str, *arguments: str) -> dict[str, Any]:
    """One tool of the time server, which only reads."""
    schema = {"type": "object", "properties": dict.fromkeys(arguments, TEXT), "required": list(arguments)}
    return {"name": name, "description": name, "inputSchema": schema, "annotations": {"readOnlyHint": True}}


def of_demo(row: dict[str, Any]) -> dict[str, Any]:
    """One tool of the demo in the protocol's words."""
    schemas = {"inputSchema": row["input_schema"], "outputSchema": row["output_schema"]}
    about = {name: row[name] for name in ("name", "title", "description", "annotations")}
    return {**about, **{name: schema for name, schema in schemas.items() if schema is not None}}


TIME = [of_time("get_current_time", "timezone"), of_time("convert_time", "source_timezone", "time", "target_timezone")]


def weather(city: str) -> dict[str, Any]:
    """The row of the demo's table."""
    return {"city": city, "country": "Norway", "latitude": 59.91, "longitude": 10.75, "celsius": 7, "sky": "cloudy"}


def called(tool: str, given: dict[str, Any]) -> dict[str, Any]:
    """The result of a call."""
    failed, structured = tool == "fail", None
    match tool:
        case "city_weather":
            structured = weather(given["city"])
            text = json.dumps(structured)
        case "delete_record":
            text = f"Record {given['record']} deleted."
        case "send_note":
            text = f"Note to {given['to']} sent."
        case "slow":
            time.sleep(given.get("seconds", 10))
            text = "waited"
        case "fail":
            text = given.get("message", "This tool always fails.")
        case "get_current_time":
            text = json.dumps({"timezone": given["timezone"], "datetime": "2026-01-01T00:00:00+00:00"})
        case _:
            text = str(given.get("text", ""))
    result = {"content": [{"type": "text", "text": text}], "isError": failed}
    if structured is None and not failed and tool in {"echo", "delete_record", "send_note", "slow"}:
        structured = {"result": text}
    return result if structured is None else {**result, "structuredContent": structured}


def answer(tools: list[dict[str, Any]], method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """The result of a request; None where there is no such method."""
    demo = tools is not TIME
    match method:
        case "initialize":
            capabilities: dict[str, Any] = {"tools": {}, **({"resources": {}, "prompts": {}} if demo else {})}
            about = {"name": "Patchbay demo" if demo else "mcp-time", "version": "1.0.0"}
            return {"protocolVersion": params["protocolVersion"], "capabilities": capabilities, "serverInfo": about}
        case "tools/list":
            return {"tools": tools}
        case "tools/call":
            return called(params["name"], params.get("arguments") or {})
        case "resources/list" if demo:
            return {"resources": [{"uri": "demo://cities", "name": "cities", "mimeType": "text/plain"}]}
        case "resources/templates/list" if demo:
            return {"resourceTemplates": []}
        case "prompts/list" if demo:
            return {"prompts": [{"name": "trip_plan", "arguments": [{"name": "city", "required": True}]}]}
        case "ping":
            return {}
    return None


def main(*file: str) -> None:
    """Answer one request after the other until stdin ends."""
    tools = [of_demo(row) for row in json.loads(Path(file[0]).read_text(encoding="utf-8"))] if file else TIME
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        result = answer(tools, message["method"], message.get("params") or {})
        body = {"error": {"code": -32601, "message": "Method not found"}} if result is None else {"result": result}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **body}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
