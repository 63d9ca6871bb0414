"""Follows docs/how-to/machines.md from nothing: three nodes and two servers, each a host of its own
network. Only folders, the private address and the password are other than on the page.
"""

from __future__ import annotations

import configparser
import operator
import os
import re
import shlex
import ssl
import subprocess
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.namespaces import Network, NetworkHost
from tests.nats_servers import SERVER
from tests.polling import blocked_until
from tests.record.run.agents import UNBRAID

MODULE = "tests.docs.machines_page"
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "machines.md"
PASSWORD = "s3cret"
NODES, SITE = ("a", "b", "c"), "agents.example.org"


def blocks(language: str) -> list[str]:
    """Returns the page's blocks of a language."""
    found = re.findall(r"^```(\w*)\n(.*?)^```\n", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return [text for name, text in found if name == language]


def unit(text: str) -> configparser.SectionProxy:
    """Returns the service of a unit; a name may be there more than once."""
    parsed = configparser.ConfigParser(strict=False, interpolation=None)
    parsed.optionxform = str  # type: ignore[assignment,method-assign]
    parsed.read_string(text)
    return parsed["Service"]


class Follower:
    """Who does what the page says, in a folder instead of `/etc` and `/var/lib`."""

    def __init__(self, folder: Path, hosts: dict[str, NetworkHost], stack: ExitStack) -> None:
        self.folder, self.hosts, self.stack = folder, hosts, stack

    def placed(self, text: str, node: str = "a") -> str:
        """Returns a text with places of ours."""
        for place in ("/etc/nats", "/etc/unbraid"):
            text = text.replace(place, f"{self.folder}{place}")
        own = f"{self.folder}/var/lib/{node}"
        return text.replace("/var/lib", own).replace("10.0.0.1", self.hosts[node].address)

    def configured(self, text: str, node: str) -> str:
        """Returns the file of one node, made of that of `a`."""
        others = ", ".join(f"tls://{each}:6222" for each in NODES if each != node)
        text = text.replace("routes: [tls://b:6222, tls://c:6222]", f"routes: [{others}]")
        text = text.replace("server_name: a", f"server_name: {node}").replace("/a.", f"/{node}.")
        return self.placed(text.replace("$2a$11$…", PASSWORD), node)

    def start(self, host: str, argv: list[str], env: dict[str, str], cwd: Path) -> None:
        """Starts a program on a host."""
        output = self.stack.enter_context((self.folder / f"{host}.log").open("wb"))
        process = subprocess.Popen(
            [*self.hosts[host].command, *argv], env=env, cwd=cwd, stdout=output, stderr=output
        )
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)

    def call(self, host: str, script: str, env: dict[str, str], cwd: Path) -> str:
        """Runs the lines of a shell on a host; returns what they print."""
        path = f"{Path(UNBRAID).parent}:{os.environ['PATH']}"
        done = subprocess.run(
            [*self.hosts[host].command, "sh", "-euc", script],
            env=env | {"PATH": path}, cwd=cwd, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        assert PASSWORD not in done.stdout + done.stderr
        return done.stdout

    def wait(self, url: str, host: str, trusted: str | None = None) -> None:
        """Waits until an address answers that all is well."""
        context = None if trusted is None else ssl.create_default_context(cafile=trusted)

        def problem() -> str:
            try:
                with urllib.request.urlopen(url, timeout=2, context=context):
                    return ""
            except OSError as error:
                return f"{error}\n{(self.folder / f'{host}.log').read_text()}"

        blocked_until(problem, operator.not_)


@contextmanager
def named_hosts(folder: Path, hosts: dict[str, NetworkHost]) -> Iterator[None]:
    """The names of the hosts are known while the block runs, in here."""
    names = folder / "hosts"
    lines = [f"{host.address} {name}" for name, host in hosts.items()]
    names.write_text("\n".join(["127.0.0.1 localhost", *lines, ""]))
    subprocess.run(["mount", "--bind", names, "/etc/hosts"], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "/etc/hosts"], check=True)


def follow(folder: Path, network: Network, stack: ExitStack) -> None:
    """Does all of it, in the order of the page."""
    hosts = {name: network.add() for name in (*NODES, "s1", "s2")}
    stack.enter_context(named_hosts(folder, hosts | {SITE: hosts["s1"]}))
    here = Follower(folder, hosts, stack)
    nats, own = folder / "etc" / "nats", folder / "etc" / "unbraid"
    nats.mkdir(parents=True)
    own.mkdir()
    certificates, install, *_ = blocks("sh")
    nodes_unit, server_unit = map(unit, blocks("ini"))
    _, config = blocks("")
    here.call("a", certificates, {}, nats)
    for node in NODES:
        (nats / f"{node}.conf").write_text(here.configured(config, node))
        command = here.placed(nodes_unit["ExecStart"]).replace("nats.conf", f"{node}.conf")
        argv = [str(SERVER), *shlex.split(command)[1:]]
        here.start(node, argv, {}, nats)
    for node in NODES:
        here.wait(f"http://{hosts[node].address}:8222/healthz", node)

    kind = ["-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={SITE}"]
    names = ["-addext", f"subjectAltName=DNS:{SITE}", "-keyout", str(own / "key.pem")]
    openssl = ["openssl", "req", "-x509", *kind, *names, "-out", str(own / "cert.pem")]
    subprocess.run(openssl, check=True, capture_output=True)
    (own / "password").write_text(PASSWORD + "\n")
    (own / "password").chmod(0o600)
    env = {"HOME": str(folder), "UNBRAID_HOME": str(folder / "s1")}
    assert install.startswith("pip install 'unbraid[nats]'\n")
    *lines, last = here.placed(install).splitlines()[1:]
    said = here.call("s1", "\n".join(lines), env, own)
    assert "3 of 3 current" in said and "on disk before it is acknowledged" in said, said
    assert "\n!" not in said.partition("nats-server")[2], said
    token = re.search(r"unbraid_\S+", said)
    assert token is not None, said
    argv = shlex.split(here.placed(server_unit["ExecStart"]))
    # The command and the unit say the same.
    assert [Path(word).name for word in argv] == [Path(word).name for word in shlex.split(last)]
    environment = re.findall(r'^Environment="?(\w+)=([^"\n]+)', blocks("ini")[1], re.MULTILINE)
    for name in ("s1", "s2"):
        home = folder / name
        home.mkdir(mode=0o700, exist_ok=True)
        if name == "s2":
            (home / "tokens.json").write_bytes((folder / "s1" / "tokens.json").read_bytes())
            (home / "tokens.json").chmod(0o600)
        events = {key: here.placed(value) for key, value in environment}
        events |= {"HOME": str(home), "UNBRAID_HOME": str(home)}
        here.start(name, [str(UNBRAID), *argv[1:]], events, home)
    here.wait(f"https://{SITE}:8420/readyz", "s1", str(own / "cert.pem"))

    sent = 'echo \'{"type":"system","subtype":"init","session_id":"from-laptop","model":"m"}\''
    laptop = {"HOME": str(folder / "laptop"), "UNBRAID_TOKEN": token[0]}
    laptop |= {"SSL_CERT_FILE": str(own / "cert.pem")}
    (folder / "laptop").mkdir()
    here.call("c", f"{sent} | unbraid pipe --to https://{SITE}:8420", laptop, folder)
    machine = {"HOME": str(folder / "s2"), "UNBRAID_HOME": str(folder / "s2")}
    log = dict(environment)["UNBRAID_LOG"]
    shown = here.call("s2", "unbraid ps --all", machine | {"UNBRAID_LOG": here.placed(log)}, folder)
    assert "from-laptop" in shown, shown
    for name in (*NODES, "s1", "s2"):
        assert PASSWORD not in (folder / f"{name}.log").read_text()


def main() -> None:
    """Makes the network, and follows the page in it."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Network() as network,
        ExitStack() as stack,
    ):
        follow(Path(folder), network, stack)
    print("done")


if __name__ == "__main__":
    main()
