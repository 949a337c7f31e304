# syntax=docker/dockerfile:1
# Citator with a Chromium beside it. Build: docker build -t citator .
ARG BASE=debian:trixie-slim

# --- the environment, made where compilers and caches may lie about -----------------------------
FROM ${BASE} AS build
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates python3 python3-venv \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# The dependencies first: they change less often than the code.
COPY requirements/run.txt requirements/run.txt
# hadolint ignore=DL3042
RUN python3 -m venv /opt/citator && python3 -m venv /opt/uv && /opt/uv/bin/pip install -q --no-cache-dir 'uv>=0.13,<0.14' \
 && VIRTUAL_ENV=/opt/citator /opt/uv/bin/uv pip sync -q --no-cache --compile-bytecode requirements/run.txt
COPY pyproject.toml README.md LICENSE ./
COPY service service
COPY crawler crawler
COPY index index
COPY snapshots snapshots
RUN VIRTUAL_ENV=/opt/citator /opt/uv/bin/uv pip install -q --no-cache --no-deps --compile-bytecode .

# --- what runs ----------------------------------------------------------------------------------
# hadolint ignore=DL3006
FROM ${BASE}
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates chromium-headless-shell fonts-dejavu-core python3 tini \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --user-group --home-dir /data --no-create-home citator \
 && install -d -o citator -g citator -m 0700 /data
COPY --from=build /opt/citator /opt/citator
ENV PATH=/opt/citator/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    CITATOR_DATA=/data \
    CITATOR_LISTEN=0.0.0.0:8787
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8787
# `ready` and not `alive`: what cannot reach its bucket should get no traffic.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["python3", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8787/readyz', timeout=4).read()"]
# tini reaps the worker processes that read pages, and hands on SIGTERM for a graceful stop.
ENTRYPOINT ["tini", "--", "citator"]
CMD ["serve"]
