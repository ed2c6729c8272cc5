# Suture's MCP server as a container. The client talks to it over standard input and output:
#     docker build -t suture . && docker run -i --rm -v "$PWD":/workspace suture
# To write files as yourself on Linux, build it with --build-arg UID=$(id -u). Other bases with Python 3.11 or later work too.
ARG BASE=python:3.13-slim

FROM ${BASE} AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN python3 -m venv /opt/suture \
    && /opt/suture/bin/python -m pip install --no-cache-dir .

FROM ${BASE}
ARG UID=1000
COPY --from=build /opt/suture /opt/suture
# The state directory must belong to the user alone. As a volume it keeps the history when the container ends.
RUN useradd --create-home --uid "${UID}" suture \
    && mkdir --mode=700 /state \
    && mkdir /workspace \
    && chown suture:suture /state /workspace
USER ${UID}
WORKDIR /workspace
ENV PATH=/opt/suture/bin:$PATH SUTURE_STATE_DIR=/state
VOLUME /state
ENTRYPOINT ["suture", "mcp"]
