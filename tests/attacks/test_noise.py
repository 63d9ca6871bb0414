"""Attack: whoever can reach the server fills its terminal, or its journal, with lines.

Each request that was none made a line in the server's output, without a token, as often as one
liked: the printed address scrolled away, and a disk could be filled. Now what others send is
answered, and not noted.
"""

from __future__ import annotations

import asyncio

import pytest

from unbraid.serve import Server

NOISE = (
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    b"GET / HTTP/1.1\nhost: localhost\n\n",
    b"GET / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
    b"GET / HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n",
    b"GET / HTTP/1.1\r\nhost: localhost\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n",
    b"GET /?\x1b[2J HTTP/1.1\r\nhost: localhost\r\n\r\n",
)


@pytest.mark.parametrize("request_bytes", NOISE)
async def test_what_others_send_is_not_noted(
    server: Server, request_bytes: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(request_bytes)
    assert await reader.readuntil(b"\r\n"), "it is answered"
    writer.close()
    assert caplog.records == []
