"""Everything that Apprise reaches: Slack, ntfy, Telegram, e-mail and many more. The extra
`unbraid[notify]` brings it.
"""

from __future__ import annotations

import asyncio
import logging
import warnings
from typing import Any

from unbraid.alerts.messages import AlertMessage
from unbraid.notify.senders import DeliveryError

MISSING = "Apprise is not installed: `pip install 'unbraid[notify]'`"


class AppriseSender:
    """One address that Apprise knows. Importing Apprise and sending take a thread of their own."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._service: Any = None

    async def send(self, message: AlertMessage) -> None:
        """Sends the message."""
        await asyncio.to_thread(self._send, message)

    def _send(self, message: AlertMessage) -> None:
        if self._service is None:
            self._service = _service(self._url)
        try:
            is_sent = self._service.notify(
                body=message.body, title=message.title, body_format="text"
            )
        except Exception as error:  # any of a hundred plugins of another package
            raise DeliveryError(f"Apprise failed: {type(error).__name__}") from None
        if not is_sent:
            raise DeliveryError("the service rejected it")


def _service(url: str) -> Any:
    with warnings.catch_warnings():
        # We cannot change how it uses its own dependencies.
        warnings.simplefilter("ignore")
        try:
            import apprise
        except ImportError:
            raise DeliveryError(MISSING, is_final=True) from None
        # It reports failures with addresses in them, tokens and all.
        logger = logging.getLogger("apprise")
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
        asset = apprise.AppriseAsset(app_id="unbraid", app_desc="unbraid", app_url="")
        service = apprise.Apprise(asset=asset)
        if not service.add(url):
            raise DeliveryError("Apprise does not know this address", is_final=True)
        return service
