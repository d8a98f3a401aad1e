"""Firefox for the tests of pages, by WebDriver BiDi: the protocol that Firefox itself speaks, without a driver."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tornado.websocket import WebSocketClientConnection, websocket_connect

NAMES = ("firefox-esr", "firefox")
TIMEOUT_SECONDS = 180
"""Time for one command: no machine is so slow."""

PREFERENCES = """\
user_pref("network.proxy.type", 1);
user_pref("network.proxy.http", "127.0.0.1");
user_pref("network.proxy.http_port", 9);
user_pref("network.proxy.ssl", "127.0.0.1");
user_pref("network.proxy.ssl_port", 9);
"""
"""Send all that is for other machines to a port where nobody answers: Firefox asks its makers for settings."""


def executable() -> str | None:
    """Return the path of the system's Firefox; None where there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Firefox:
    """A window of Firefox."""

    def __init__(self, runner: asyncio.Runner, connection: WebSocketClientConnection) -> None:
        self._runner, self._connection, self._numbers = runner, connection, itertools.count(1)
        self._send("session.new", capabilities={})
        self._context = self._send("browsingContext.getTree")["contexts"][0]["context"]

    def _send(self, method: str, **params: Any) -> Any:
        """Send a command and return its result. Raise RuntimeError if Firefox refuses it."""
        return self._runner.run(asyncio.wait_for(self._answer(method, params), TIMEOUT_SECONDS))

    async def _answer(self, method: str, params: dict[str, Any]) -> Any:
        number = next(self._numbers)
        await self._connection.write_message(json.dumps({"id": number, "method": method, "params": params}))
        while (message := await self._connection.read_message()) is not None:
            answer = json.loads(message)
            if answer.get("id") == number:
                if answer["type"] == "error":
                    raise RuntimeError(f"{method}: {answer['message']}")
                return answer["result"]
        raise RuntimeError(f"Firefox ended during {method}")

    def open(self, address: str) -> None:
        """Open a page, and wait until it is loaded."""
        self._send("browsingContext.navigate", context=self._context, url=address, wait="complete")

    def evaluate(self, expression: str) -> Any:
        """Return the value of JavaScript in the page: text, a number, or True or False. A promise is awaited."""
        answer = self._send(
            "script.evaluate", expression=expression, target={"context": self._context}, awaitPromise=True
        )
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return answer["result"].get("value")

    def wait_for(self, condition: str) -> None:
        """Wait until JavaScript is true in the page, also if it loads another document meanwhile."""
        for _ in range(TIMEOUT_SECONDS * 5):
            with contextlib.suppress(RuntimeError):
                if self.evaluate(f"Boolean({condition})"):
                    return
            self._runner.run(asyncio.sleep(0.2))
        raise TimeoutError(condition)


@contextlib.contextmanager
def launched() -> Iterator[Firefox]:
    """Start Firefox with an empty profile, and end it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile, asyncio.Runner() as runner:
        options = ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0", "about:blank"]
        env = os.environ | {"HOME": profile}  # else it refuses a home of somebody else's
        Path(profile, "user.js").write_text(PREFERENCES, "utf-8")
        silence = subprocess.DEVNULL
        command = [executable() or NAMES[0], *options]
        with subprocess.Popen(command, stdout=silence, stderr=silence, env=env) as process:
            try:
                yield Firefox(runner, runner.run(_connection(Path(profile, "WebDriverBiDiServer.json"))))
            finally:
                process.kill()


async def _connection(server: Path) -> WebSocketClientConnection:
    """Return a connection, as soon as Firefox has written its address into a file."""
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while not server.is_file() or not (text := server.read_text("utf-8")):
            await asyncio.sleep(0.1)
        address = json.loads(text)
        url = f"ws://{address['ws_host']}:{address['ws_port']}/session"
        return await websocket_connect(url, max_message_size=1 << 26)
