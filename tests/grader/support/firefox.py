"""Control of Firefox in browser tests, through WebDriver BiDi, a protocol that Firefox understands without a
driver.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

from tornado.websocket import WebSocketClientConnection, websocket_connect

NAMES = ("firefox-esr", "firefox")
TIMEOUT_SECONDS = 180
"""Timeout in seconds for one command to Firefox, longer than any machine needs."""

PREFERENCES = """\
user_pref("network.proxy.type", 1);
user_pref("network.proxy.http", "127.0.0.1");
user_pref("network.proxy.http_port", 9);
user_pref("network.proxy.ssl", "127.0.0.1");
user_pref("network.proxy.ssl_port", 9);
"""
"""Preferences that send all requests to other machines, such as Mozilla's, to a port without a server."""


def executable() -> str | None:
    """Return the path of the system's Firefox; None if Firefox is not installed."""
    return next(filter(None, map(shutil.which, NAMES)), None)


Run = Callable[[Coroutine[Any, Any, Any]], Any]
"""Function that runs a coroutine to its end and returns the coroutine's result."""


class Firefox:
    """A window of Firefox."""

    def __init__(self, run: Run, connection: WebSocketClientConnection) -> None:
        self._run, self._connection, self._numbers = run, connection, itertools.count(1)
        self._send("session.new", capabilities={})
        self._context = self._send("browsingContext.getTree")["contexts"][0]["context"]

    def _send(self, method: str, **params: Any) -> Any:
        """Send a command and return the result. Raise RuntimeError if Firefox rejects the command."""
        return self._run(asyncio.wait_for(self._answer(method, params), TIMEOUT_SECONDS))

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
        """Open a page, and wait until the page is loaded."""
        self._send("browsingContext.navigate", context=self._context, url=address, wait="complete")

    def evaluate(self, expression: str) -> Any:
        """Evaluate JavaScript in the page, await the result if it is a promise, and return the text, number
        or boolean."""
        answer = self._send(
            "script.evaluate", expression=expression, target={"context": self._context}, awaitPromise=True
        )
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return answer["result"].get("value")

    def wait_for(self, condition: str) -> None:
        """Wait until a JavaScript condition is true in the page, even if the page loads another document in
        the meantime."""
        for _ in range(TIMEOUT_SECONDS * 5):
            with contextlib.suppress(RuntimeError):
                if self.evaluate(f"Boolean({condition})"):
                    return
            self._run(asyncio.sleep(0.2))
        raise TimeoutError(condition)


@contextlib.contextmanager
def launched() -> Iterator[Firefox]:
    """Start Firefox with an empty profile, and close it afterwards."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile, _other_thread() as run:
        options = ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0", "about:blank"]
        env = os.environ | {"HOME": profile}  # else it refuses a home of somebody else's
        Path(profile, "user.js").write_text(PREFERENCES, "utf-8")
        silence = subprocess.DEVNULL
        command = [executable() or NAMES[0], *options]
        with subprocess.Popen(command, stdout=silence, stderr=silence, env=env) as process:
            try:
                yield Firefox(run, run(_connection(Path(profile, "WebDriverBiDiServer.json"))))
            finally:
                process.kill()


@contextlib.contextmanager
def _other_thread() -> Iterator[Run]:
    """Yield a function that runs a coroutine in another thread, because Playwright may already run an event
    loop in this thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield lambda coroutine: asyncio.run_coroutine_threadsafe(coroutine, loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _connection(server: Path) -> WebSocketClientConnection:
    """Connect to Firefox as soon as it has written its address into a file, and return the connection."""
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while not server.is_file() or not (text := server.read_text("utf-8")):
            await asyncio.sleep(0.1)
        address = json.loads(text)
        url = f"ws://{address['ws_host']}:{address['ws_port']}/session"
        return await websocket_connect(url, max_message_size=1 << 26)
