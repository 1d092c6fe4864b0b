"""Packages that servers are started from by `npx` and `uvx`: installed in a step of their own, started by themselves.

`requests` reads a command line, `store` is the one place where what is installed lies, `installing` puts it there (the
only one that writes it), `programs` runs npm and uv for that in a box. A box then sees the installed package read-only
and starts its own entry point: neither npx nor uvx runs again, nothing is fetched, no version changes by itself.
"""
