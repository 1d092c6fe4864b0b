# One process, one volume: the embedded mode in a container.
FROM python:3.12-slim
RUN apt-get update && apt-get install -y --no-install-recommends make git && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home patchbay
USER patchbay
WORKDIR /home/patchbay/app
COPY --chown=patchbay . .
RUN make build
ENV PATCHBAY_HOST=0.0.0.0 PATCHBAY_DATA_DIR=/home/patchbay/data
VOLUME /home/patchbay/data
EXPOSE 8000
CMD ["make", "run"]
