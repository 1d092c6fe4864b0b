"""The browser that tests, benches and pictures drive: which program it is, and how it is started.

Debian's `chromium-headless-shell` is Chromium without the parts that only a window needs, and takes half the CPU.
"""

from __future__ import annotations

import os
import shutil

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""The same names, in the same order, as in `bootstrap.py`, which installs it."""

NOT_WANTED = (
    # The list of suggestions below the address bar is a page of its own in Chromium 156, drawn anew for each window.
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup"),
    # What Playwright switches off itself: of two such flags Chromium reads the last.
    *("AimEnabled", "AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync"),
    *("DestroyProfileOnBrowserClose", "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades", "LensOverlay"),
    *("MediaRouter", "NetworkTimeServiceQuerying", "OptimizationHints", "PaintHolding", "PreconnectToSearch"),
    *("TcpPortRandomizationWin", "ThirdPartyStoragePartitioning"),
)

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--disable-features={','.join(NOT_WANTED)}",
]
"""Without the sandbox that root may not use, and without connections of its own."""


def program() -> str:
    """The one that `PATCHBAY_CHROMIUM` names, else the first that is there."""
    there = (path for name in PROGRAMS if (path := shutil.which(name)))
    return os.environ.get("PATCHBAY_CHROMIUM") or next(there, "chromium")
