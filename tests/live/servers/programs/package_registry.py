"""A package registry, as npm and uv ask one: `package_registry.py PORT`. Every package is an MCP server of one tool.

`POST /publish {"kind", "name", "version", "script", "twist"}` adds a version (`script` = JavaScript that npm runs when
it installs it, `twist` = something else in its files, `more` = further files of a wheel), `GET /asked`
lists the paths that were asked for.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import sys
import tarfile
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NPM_SERVER = """#!/usr/bin/env node
const fs = require('fs'), path = require('path')
const at = path.dirname(fs.realpathSync(process.argv[1]))
const tried = (what) => { try { return what() } catch (error) { return error.code } }
const look = () => ({
  version: VERSION, twist: TWIST, entry: process.argv[1], args: process.argv.slice(2),
  changed: tried(() => { fs.writeFileSync(path.join(at, 'planted'), 'x'); return 'written' }),
  told: process.env.MEMORY_FILE_PATH, home: process.env.HOME,
  script: tried(() => fs.readFileSync(path.join(at, 'script.json'), 'utf8')),
})
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const asked = JSON.parse(line)
  if (asked.id === undefined) return
  const answers = {
    'initialize': () => ({ protocolVersion: '2025-06-18', capabilities: { tools: {} },
      serverInfo: { name: 'packaged', version: VERSION } }),
    'tools/list': () => ({ tools: [{ name: 'look', inputSchema: { type: 'object' } }] }),
    'tools/call': () => ({ content: [{ type: 'text', text: JSON.stringify(look()) }] }),
  }
  const found = answers[asked.method]
  const said = found ? { result: found() } : { error: { code: -32601, message: 'unknown method' } }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: asked.id, ...said }) + '\\n')
})
"""
PYPI_SERVER = """
import json, os, sys
def look():
    try:
        open(os.path.join(os.path.dirname(__file__), "planted"), "w").close()
        changed = "written"
    except OSError as error:
        changed = error.strerror
    needs = os.path.join(os.path.dirname(__file__), "readabilipy", "javascript", "node_modules")
    needed = sorted(os.listdir(needs)) if os.path.isdir(needs) else []
    said = {"needed": needed}
    said |= {"version": VERSION, "twist": TWIST, "entry": sys.argv[0], "args": sys.argv[1:], "changed": changed}
    return {"content": [{"type": "text", "text": json.dumps(said)}]}
def main():
    answers = {
        "initialize": lambda: {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
            "serverInfo": {"name": "packaged", "version": VERSION}},
        "tools/list": lambda: {"tools": [{"name": "look", "inputSchema": {"type": "object"}}]},
        "tools/call": look,
    }
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" not in asked:
            continue
        found = answers.get(asked["method"])
        said = {"result": found()} if found else {"error": {"code": -32601, "message": "unknown method"}}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **said}), flush=True)
"""

packages: dict[tuple[str, str], dict[str, bytes]] = {}
"""By kind and name: the files of every version."""
manifests: dict[tuple[str, str], dict[str, Any]] = {}
asked: list[str] = []


def filled(source: str, body: dict[str, Any]) -> bytes:
    """The server's source for one version."""
    twist = json.dumps(body.get("twist", ""))
    return source.replace("VERSION", json.dumps(body["version"])).replace("TWIST", twist).encode()


def npm_archive(body: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    """(package.json, archive)."""
    name = body["name"].rpartition("/")[2]
    manifest: dict[str, Any] = {"name": body["name"], "version": body["version"], "bin": {name: "server.js"}}
    files = {"server.js": filled(NPM_SERVER, body)}
    if body.get("script"):
        manifest["scripts"] = {"postinstall": "node script.js"}
        files["script.js"] = body["script"].encode()
    files["package.json"] = json.dumps(manifest).encode()
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as archive:
        for path, content in files.items():
            info = tarfile.TarInfo(f"package/{path}")
            info.size, info.mode = len(content), 0o755
            archive.addfile(info, io.BytesIO(content))
    return manifest, raw.getvalue()


def metadata(body: dict[str, Any]) -> bytes:
    """What a wheel says of itself."""
    return f"Metadata-Version: 2.1\nName: {body['name']}\nVersion: {body['version']}\n".encode()


def wheel(body: dict[str, Any]) -> bytes:
    """A wheel with one module and one program."""
    name, version = body["name"].replace("-", "_"), body["version"]
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": filled(PYPI_SERVER, body),
        **{path: text.encode() for path, text in body.get("more", {}).items()},
        f"{info}/METADATA": metadata(body),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[console_scripts]\n{body['name']} = {name}:main\n".encode(),
    }
    rows = []
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(content)}\n")
    files[f"{info}/RECORD"] = "".join([*rows, f"{info}/RECORD,,\n"]).encode()
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return raw.getvalue()


def publish(body: dict[str, Any], address: str) -> None:
    """Offer a version from now on."""
    key = (body["kind"], body["name"])
    files = packages.setdefault(key, {})
    if body["kind"] == "pypi":
        file = f"{body['name'].replace('-', '_')}-{body['version']}-py3-none-any.whl"
        files[file], files[f"{file}.metadata"] = wheel(body), metadata(body)
        return
    manifest, archive = npm_archive(body)
    file = f"{body['name'].rpartition('/')[2]}-{body['version']}.tgz"
    files[file] = archive
    integrity = f"sha512-{base64.b64encode(hashlib.sha512(archive).digest()).decode()}"
    manifest["dist"] = {"tarball": f"{address}/npm/files/{body['name']}/{file}", "integrity": integrity}
    if body.get("script"):
        manifest["hasInstallScript"] = True
    packument = manifests.setdefault(key, {"name": body["name"], "versions": {}, "dist-tags": {}})
    packument["versions"][body["version"]] = manifest
    packument["dist-tags"]["latest"] = body["version"]


class Registry(BaseHTTPRequestHandler):
    """Answers npm below /npm, uv below /simple."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.command == "GET":
            asked.append(self.path)
        path = self.path.partition("?")[0].replace("%2f", "/").replace("%2F", "/").strip("/")
        if path == "asked":
            self.say(200, "application/json", json.dumps(asked).encode())
        elif path.startswith("npm/files/"):
            name, _, file = path.removeprefix("npm/files/").rpartition("/")
            self.file("npm", name, file)
        elif path.startswith("npm/"):
            result = manifests.get(("npm", path.removeprefix("npm/")))
            self.say(200 if result else 404, "application/json", json.dumps(result or {"error": "Not found"}).encode())
        elif path.startswith("files/"):
            name, _, file = path.removeprefix("files/").rpartition("/")
            self.file("pypi", name, file)
        elif path.startswith("simple/"):
            name = path.removeprefix("simple/")
            files = packages.get(("pypi", name))
            rows = [
                f'<a href="/files/{name}/{file}#sha256={hashlib.sha256(content).hexdigest()}"'
                f' data-core-metadata="true">{file}</a>'
                for file, content in (files or {}).items()
                if file.endswith(".whl")
            ]
            page = f"<!DOCTYPE html><html><body>{''.join(rows)}</body></html>"
            self.say(200 if files else 404, "text/html", page.encode())
        else:
            self.say(404, "text/plain", b"nothing here")

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path == "/publish":
            publish(json.loads(body), f"http://{self.headers['host']}")
        self.say(200 if self.path == "/publish" else 404, "application/json", b"{}")

    def file(self, kind: str, name: str, file: str) -> None:
        content = packages.get((kind, name), {}).get(file)
        self.say(200 if content else 404, "application/octet-stream", content or b"")

    def say(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Registry)
    print("ready", flush=True)
    server.serve_forever()
