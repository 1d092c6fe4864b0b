"""Settings (the only reader of the environment), urls, asgi, Celery app, start-up. Nothing here thinks."""
