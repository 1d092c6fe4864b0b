"""What a boxed program sees of the disk: the system, its own program, its home, what is declared. Nothing else.

What is hidden (the data directory, a key file) stays hidden whatever is declared, also below a declared folder.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from backend.tools.box.folders import Folder
from backend.tools.box.programs import program_folders

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store", "/snap")
ETC = (
    *("alternatives", "fonts", "gai.conf", "gitconfig", "group", "hosts", "ld.so.cache", "localtime", "mime.types"),
    *("npmrc", "nsswitch.conf", "os-release", "passwd", "pip.conf", "pki/ca-trust", "pki/tls/cert.pem"),
    *("pki/tls/certs", "protocols", "resolv.conf", "services", "ssl/cert.pem", "ssl/certs", "ssl/openssl.cnf"),
    *("timezone", "uv"),
)
"""Of /etc what programs read and everybody may: names, certificates, where packages come from. Each costs a mount, and
the start of a program is waited for: what is seldom read is not here."""
_READABLE_BY_ALL = 0o004
_CERTIFICATES = ("_CERT_FILE", "_CERT_DIR", "_CA_BUNDLE", "_CA_CERTS")


@dataclass(frozen=True, slots=True)
class View:
    """Paths, each resolved. `links` = paths that lead to one of them: (path, where to). `limits` of it are elsewhere.

    `private` is the program's own HOME, the only place below `hidden` that is seen with what `read` names there.
    """

    private: Path
    read: tuple[Path, ...]
    write: tuple[Path, ...]
    hidden: tuple[Path, ...]
    links: tuple[tuple[Path, Path], ...]
    network: bool

    def covered(self) -> list[Path]:
        """What of the hidden would be seen, as something that is shown holds it."""
        shown = [*self.read, *self.write]
        return [path for path in self.hidden if any(path == top or top in path.parents for top in shown)]


def view_of(
    command: str,
    environment: Mapping[str, str],
    home: Path,
    folders: Iterable[Folder],
    *,
    shared: Iterable[str],
    hidden: Iterable[Path],
    network: bool,
    kept: Iterable[Path] = (),
) -> View:
    """What one program sees. `shared` = places of the installation that every program may read (Node.js, uv); `kept` =
    places of the installation that this one writes, wherever they lie."""
    dark = tuple(path.resolve() for path in hidden)
    links: dict[Path, Path] = {}
    read: dict[Path, None] = {}
    write: dict[Path, None] = {}
    together: set[Path] = set()  # where the shared places really lie

    def show(path: Path, into: dict[Path, None]) -> Path | None:
        if not path.exists():
            return None
        real, on_the_way = _followed(path)
        into[real] = None
        links.update(on_the_way)
        return real

    for name in SYSTEM:
        show(Path(name), read)
    for name in ETC:
        path = Path("/etc", name)
        if path.exists() and path.stat().st_mode & _READABLE_BY_ALL:
            show(path, read)
    for variable, value in environment.items():
        if variable.endswith(_CERTIFICATES) and value.startswith("/"):
            show(Path(value), read)
    for path in map(Path, shared):
        if (real := show(path, read)) is not None:
            together.add(real)
    for path in program_folders(Path(command)):
        show(path, read)
    for folder in folders:
        path = Path(os.path.normpath(folder.path))
        if not _inside(path.resolve(), dark):
            show(path, write if folder.write else read)
    for path in kept:
        show(path, write)
    for path in list(read):
        if path not in together and _inside(path, dark):
            del read[path]
    return View(
        private=home.resolve(),
        read=tuple(path for path in read if path not in write and not _within(path, read, [*write, *dark])),
        write=tuple(write),
        hidden=dark,
        links=tuple(links.items()),
        network=network,
    )


def _followed(path: Path) -> tuple[Path, dict[Path, Path]]:
    """Where a path really leads, and every link on the way: {where it lies: where it leads}, both without links above.

    Each step is looked at once: the start of a program is waited for, and most paths share their beginning.
    """
    links: dict[Path, Path] = {}
    current = path.anchor
    for part in path.parts[1:]:
        step = os.path.join(current, part)
        if part == os.pardir:
            current = os.path.dirname(current)
        elif os.path.islink(step):
            current = os.path.realpath(step)
            links[Path(step)] = Path(current)
        else:
            current = step
    return Path(current), links


def _inside(path: Path, tops: Iterable[Path]) -> bool:
    above = {path, *path.parents}
    return any(top in above for top in tops)


def _within(path: Path, tops: Collection[Path], between: Iterable[Path]) -> bool:
    """Whether one of `tops` shows this path already, with nothing between that would show it otherwise."""
    above = [top for top in path.parents if top in tops]
    others = [item for item in between if item in path.parents] if above else []
    return any(not any(top in (other, *other.parents) for other in others) for top in above)
