# One image for all processes; what it is started as is its command: run (embedded), web, worker, migrate.
FROM python:3.12-slim
RUN apt-get update && apt-get install -y --no-install-recommends make git bubblewrap && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home patchbay
USER patchbay
WORKDIR /home/patchbay/app
COPY --chown=patchbay . .
RUN make build && mkdir /home/patchbay/data \
    && printf '#!/bin/sh\nexec /home/patchbay/app/.venv/bin/python -m backend.project.cli "$@"\n' > .venv/bin/patchbay \
    && chmod +x .venv/bin/patchbay
ENV PATH=/home/patchbay/app/.venv/bin:$PATH PYTHONUNBUFFERED=1 PATCHBAY_HOST=0.0.0.0 PATCHBAY_DATA_DIR=/home/patchbay/data
VOLUME /home/patchbay/data
EXPOSE 8000
ENTRYPOINT ["patchbay"]
CMD ["run"]
