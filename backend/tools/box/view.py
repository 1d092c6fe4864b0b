"""What a boxed program sees of the disk: the system, its own program, its home, what is declared. Nothing else.

What is hidden (the data directory, a key file) stays hidden whatever is declared, also below a declared folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
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

    def show(path: Path, into: dict[Path, None]) -> None:
        if not path.exists():
            return
        into[path.resolve()] = None
        links.update(_links(path))

    for name in SYSTEM:
        show(Path(name), read)
    for name in ETC:
        path = Path("/etc", name)
        if path.exists() and path.stat().st_mode & _READABLE_BY_ALL:
            show(path, read)
    for variable, value in environment.items():
        if variable.endswith(_CERTIFICATES) and value.startswith("/"):
            show(Path(value), read)
    for path in [*map(Path, shared), *program_folders(Path(command))]:
        show(path, read)
    for folder in folders:
        path = Path(os.path.normpath(folder.path))
        if not _inside(path.resolve(), dark):
            show(path, write if folder.write else read)
    for path in kept:
        show(path, write)
    for path in list(read):
        if _inside(path, dark) and not _is_shared(path, shared):
            del read[path]
    return View(
        private=home.resolve(),
        read=tuple(path for path in read if path not in write and not _within(path, read, [*write, *dark])),
        write=tuple(write),
        hidden=dark,
        links=tuple(links.items()),
        network=network,
    )


def _links(path: Path) -> Iterator[tuple[Path, Path]]:
    """Every link on the way along a path: (where it lies, where it leads), both without links above them."""
    at = Path(path.anchor)
    for part in path.parts[1:]:
        real = (at / part).resolve()
        if (at / part).is_symlink():
            yield at / part, real
        at = real


def _inside(path: Path, tops: Iterable[Path]) -> bool:
    return any(path == top or top in path.parents for top in tops)


def _within(path: Path, tops: Iterable[Path], between: Iterable[Path]) -> bool:
    """Whether one of `tops` shows this path already, with nothing between that would show it otherwise."""
    return any(
        top in path.parents and not any(top in (one, *one.parents) and one in path.parents for one in between)
        for top in tops
    )


def _is_shared(path: Path, shared: Iterable[str]) -> bool:
    return any(path == Path(one).resolve() for one in shared)
