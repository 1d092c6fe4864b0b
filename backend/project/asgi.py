"""The ASGI application: HTTP to Django, websockets to the hub."""
