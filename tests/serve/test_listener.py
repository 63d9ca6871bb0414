"""The listening socket: what the system holds for a viewer that does not read."""

from __future__ import annotations

import socket

import pytest

from unbraid.serve import ServeConfig
from unbraid.serve.connection import UNSENT_BYTES, open_listener


@pytest.mark.skipif(
    not hasattr(socket, "TCP_NOTSENT_LOWAT"), reason="this system knows no such limit"
)
def test_little_is_taken_for_a_viewer_that_does_not_read() -> None:
    with open_listener(ServeConfig(port=0)) as listener, socket.socket() as viewer:
        viewer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        viewer.connect(listener.getsockname())
        with listener.accept()[0] as accepted:
            accepted.setblocking(False)
            taken = 0
            with pytest.raises(BlockingIOError):
                while True:
                    taken += accepted.send(bytes(4096))
            # And what is on its way: a window of the viewer's.
            assert taken < 4 * UNSENT_BYTES
