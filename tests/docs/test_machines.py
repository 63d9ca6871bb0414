"""The page about many machines can be followed to the letter."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.docs.machines_page import MODULE
from tests.namespaces import has_namespaces, in_own_network

pytestmark = pytest.mark.xdist_group("nats")


def test_the_page_leads_to_three_nodes_and_two_servers() -> None:
    if not has_namespaces():
        pytest.skip("this machine makes no network namespaces")
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    # What is in there ends with it, also when it is killed.
    done = subprocess.run(in_own_network(MODULE), capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
