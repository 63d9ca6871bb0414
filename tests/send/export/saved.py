"""What a saved page has in it."""

from __future__ import annotations

import base64
import re
import zlib


def events_in(page: str) -> str:
    """The events of a saved page, unpacked as the page does it."""
    (packed,) = re.findall(
        r'<script type="text/plain" id="unbraid-events">(.*?)</script>', page, re.S
    )
    return zlib.decompress(b"".join(map(base64.b64decode, packed.split()))).decode()
