"""Takes the gallery: what the tests of runs share knows Django."""

from __future__ import annotations

import os


def main() -> None:
    """Set Django up, then take what the command line asks for."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backend.project.settings")
    django.setup()
    from tests.e2e.gallery import taking

    taking.main()


if __name__ == "__main__":
    main()
