"""What comes of a server's box here: which kind, what it shows, how it is bounded, and why where there is none."""

from __future__ import annotations

from backend.registry.models import Server
from backend.registry.programs.responses import BoxJson
from backend.registry.programs.rules import stdio_rules
from backend.tools.box.folders import Declared, Folder, plain, trusted


def folders_of(server: Server) -> tuple[Folder, ...] | None:
    """The folders that were named for it; None = those that are plain in its arguments."""
    if server.folders is None:
        return None
    return tuple(Folder(str(folder["path"]), bool(folder.get("write"))) for folder in server.folders)


def declared(server: Server) -> Declared:
    """What its box shows besides the system, as far as it stands in what everybody may read."""
    named = folders_of(server)
    held: dict[str, str] = server.secrets.get("args", {})
    args = [arg for index, arg in enumerate(server.args) if str(index) not in held]
    visible = plain(server.command, args, server.env, server.cwd)
    return visible if named is None else Declared(named)


def box_json(server: Server) -> BoxJson | None:
    """What is shown of it; None where no program is started."""
    if server.transport != Server.Transport.STDIO:
        return None
    rules = stdio_rules()
    kind, reason = _kind(server, rules.box.kind)
    seen, limits, whole = declared(server), rules.limits, bool(rules.box.groups)
    return {
        "kind": kind,
        "reason": reason,
        "folders": [{"path": folder.path, "write": folder.write} for folder in seen.folders],
        "broad": list(seen.broad),
        "network": server.network or kind in ("open", "limits"),
        "memory_mb": limits.memory_mb,
        "processes": limits.box_processes if whole else limits.processes,
        "files": limits.files,
        "file_mb": limits.file_mb,
        "home_mb": limits.home_mb,
        "cpu_s": limits.cpu_s,
        "as_a_whole": whole,
    }


def lacking() -> str:
    """What is said at start where programs get less than a whole box; "" where nothing is to be said."""
    rules = stdio_rules()
    if not rules.allowed or rules.box.kind == "bwrap" or rules.box.namespaces:
        return ""
    if rules.box.kind == "launcher":
        return "Programs of stdio servers are boxed by Landlock only: no namespaces can be made here. Try bubblewrap."
    return (
        "Programs of stdio servers are not boxed here: neither bubblewrap nor Landlock works, or PATCHBAY_STDIO_BOX is "
        "off. They may do what Patchbay itself may; see Security in the docs."
    )


def _kind(server: Server, here: str) -> tuple[str, str]:
    """(kind, why there is no box)."""
    if trusted(server.command):
        return "open", "trusted_command"
    if server.box != Server.Box.BOXED:
        return "open", "undecided" if server.box == Server.Box.UNDECIDED else "decided"
    return here, "machine" if here == "limits" else ""
