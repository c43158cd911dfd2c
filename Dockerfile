# The service and all commands, on Java 17. See docs/docker.md.
ARG PYTHON=python:3.11.13-slim-bookworm

# ---------------------------------------------------------------- the wheel, in the environment that it runs in
FROM ${PYTHON} AS build
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
# Debian removes old versions of its packages, so that a pinned one stops building; the base image is pinned.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends openjdk-17-jdk-headless \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src

# Dependencies with the hashes of the release; they change less often than the code.
COPY requirements requirements
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /opt/compiled-plan \
    && /opt/compiled-plan/bin/pip install --require-hashes --requirement requirements/service.txt
# The build backend and what it needs, in a folder that the image does not get.
RUN awk '/^[a-z]/ {keep = /^(hatchling|packaging|pathspec|pluggy|tomlkit|trove-classifiers)==/} keep' requirements/dev.txt \
      > build.txt \
    && /opt/compiled-plan/bin/pip install --require-hashes --requirement build.txt --target /opt/build-backend

COPY pyproject.toml README.md LICENSE NOTICE ./
COPY compiled_plan compiled_plan
COPY cli cli
COPY kernel kernel
COPY planner planner
COPY plans plans
COPY schemas schemas
COPY service service
COPY tools tools
RUN PYTHONPATH=/opt/build-backend /opt/compiled-plan/bin/pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . \
    && /opt/compiled-plan/bin/pip install --no-deps /wheels/compiled_plan-*.whl \
    && /opt/compiled-plan/bin/python -m compileall -q /opt/compiled-plan/lib

# ---------------------------------------------------------------- the image
FROM ${PYTHON}
# procps: Spark's scripts call `ps`.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends openjdk-17-jre-headless procps tini \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --user-group --create-home --shell /usr/sbin/nologin plan \
    && install --directory --owner plan --group plan /data /data/home /data/programs
COPY --from=build /opt/compiled-plan /opt/compiled-plan
ENV PATH=/opt/compiled-plan/bin:$PATH PYTHONUNBUFFERED=1
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8787

# Commands are arguments: `docker run IMAGE execute-plan plan.json`. tini reaps runs that the service started. It passes a
# signal to the command alone, which then ends its Java itself.
ENTRYPOINT ["tini", "--"]
CMD ["plan-service", "serve", "--home", "/data/home", "--host", "0.0.0.0", "--port", "8787", "--programs", "/data/programs", "--data", "/data/tables"]
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8787/api/v1/health', timeout=4)"]
