"""The demo server that comes with the installation. `server.py` is started as a script; nothing imports it."""
