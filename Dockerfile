# The server in a container: `docker build -t clawbrain .`, then
# `docker run -i --rm -v ~/clawbrain:/memory clawbrain` as the command of an MCP program.
FROM python:3.12-slim
COPY pyproject.toml README.md LICENSE /src/
COPY clawbrain /src/clawbrain
RUN pip install --no-cache-dir /src && useradd --create-home person && install -d -o person /memory
USER person
ENV CLAWBRAIN_HOME=/memory
VOLUME /memory
ENTRYPOINT ["clawbrain"]
CMD ["serve"]
