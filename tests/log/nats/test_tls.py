"""The way to the nodes is encrypted, and only nodes that the authority has signed are believed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.nats_servers import NatsCluster
from unbraid.log import LogUnusable, open_log, opened_log
from unbraid.testing.log_contract import sample_run

pytestmark = pytest.mark.xdist_group("nats")


def certificate(folder: Path, name: str) -> tuple[Path, Path]:
    """Returns a new certificate for this machine, signed by itself, and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    cert, key = folder / f"{name}.pem", folder / f"{name}.key"
    kind = ["-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    where = ["-keyout", str(key), "-out", str(cert)]
    subprocess.run(
        ["openssl", "req", "-x509", *kind, *names, *where], capture_output=True, check=True
    )
    return cert, key


async def test_nodes_are_reached_over_tls_and_strangers_are_not_believed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cert, key = certificate(tmp_path, "node")
    other, _ = certificate(tmp_path, "other")
    more = f"""
        tls {{ cert_file: "{cert}", key_file: "{key}" }}
        authorization {{ users: [ {{ user: server, password: "s3cret" }} ] }}
    """
    with NatsCluster(tmp_path / "nats", more=more) as cluster:
        place = f"server:s3cret@{cluster.hosts}/S?view={tmp_path / 'view.db'}"
        async with opened_log(f"tls://{place}&tls_ca={cert}") as log:
            await log.append("r", sample_run(["x"]))
            assert len(await log.read("r")) == len(sample_run(["x"]))
        # Whatever is logged, a person reads after every command.
        assert caplog.messages == []
        for url in (f"tls://{place}&tls_ca={other}", f"tls://{place}"):
            with pytest.raises(LogUnusable) as caught:
                await open_log(url)
            assert caught.value.reason == "refused"
            assert "certificate" in str(caught.value)
            assert "s3cret" not in str(caught.value)
