# A team's server: `docker compose up -d`, see docs/how-to/team.md.
FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml README.md CHANGELOG.md LICENSE ./
COPY src ./src
RUN python -m venv /opt/unbraid && /opt/unbraid/bin/pip install --no-cache-dir ".[ag-ui,fetch,nats,otel,redact]"

FROM python:3.13-slim
COPY --from=build /opt/unbraid /opt/unbraid
RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin unbraid \
    && install --directory --owner=unbraid --group=unbraid --mode=0700 /data
ENV PATH=/opt/unbraid/bin:$PATH UNBRAID_HOME=/data PYTHONDONTWRITEBYTECODE=1
USER 10001
VOLUME /data
EXPOSE 8420
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD \
    ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8420/healthz', timeout=4)"]
ENTRYPOINT ["unbraid"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8420"]
