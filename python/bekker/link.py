"""Client of the link of ``bekker run --serve``: drives or observes a run in another process.

This module needs only the standard library, neither NumPy nor the compiled part of the package.
The file can be copied to another machine. ``docs/link.md`` specifies the protocol.
"""

from __future__ import annotations

import base64
import json
import socket
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

__all__ = ["Link", "LinkFault", "array_of"]

PROTOCOL = 1


class LinkFault(Exception):
    """The run reports a fault: ``code`` is for programs, the message for people."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"{text} ({code})")
        self.code = code


class Link:
    """A session with a run: iterate over its beats and reply to each with :meth:`act`.

    Args:
        address: ``HOST:PORT`` or ``unix:PATH``, as printed by the run.
        token: Token printed by the run.
        vehicles: Names of the vehicles to drive; without any, the session only observes.
        mode: ``lockstep`` or another mode listed in ``docs/link.md``.
        every: Number of heartbeats between two beats.
        sensors: Sensors whose readings to receive.
        radios: Vehicles whose received radio messages to receive.
        name: Name of the session.
        timeout: Timeout of the socket, s; None for none.

    Raises ``LinkFault`` if the run refuses the session, ``ConnectionError`` if the connection is lost.
    """

    def __init__(
        self,
        address: str,
        token: str,
        vehicles: Sequence[str] = (),
        *,
        mode: str = "lockstep",
        every: int = 1,
        sensors: Sequence[str] = (),
        radios: Sequence[str] = (),
        name: str = "",
        timeout: float | None = None,
    ) -> None:
        if address.startswith("unix:"):
            if not hasattr(socket, "AF_UNIX"):
                raise ValueError(f"address = {address!r}: must be HOST:PORT, because this system has no Unix sockets")
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self._socket.settimeout(timeout)
            self._socket.connect(address.removeprefix("unix:"))
        else:
            host, _, port = address.rpartition(":")
            self._socket = socket.create_connection((host.strip("[]"), int(port)), timeout)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._stream = self._socket.makefile("rwb")
        self._tick: int | None = None
        self._send({
            "type": "hello",
            "protocol": PROTOCOL,
            "token": token,
            "role": "driver" if vehicles else "observer",
            "name": name,
            "vehicles": list(vehicles),
            "mode": mode,
            "every": every,
            "sensors": list(sensors),
            "radios": list(radios),
        })
        welcome = self._receive()
        if welcome is None:
            raise ConnectionError("the connection to the run was lost")
        #: Description of the run: its vehicles, sensors, step and heartbeat.
        self.welcome: dict[str, Any] = welcome

    def __enter__(self) -> Link:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while (beat := self.beat()) is not None:
            yield beat

    def beat(self) -> dict[str, Any] | None:
        """Waits for the next beat and returns its message; ``None`` after the end of the run."""
        message = self._receive()
        if message is None or message["type"] == "end":
            return None
        self._tick = message["tick"]
        return message

    def act(
        self,
        controls: Mapping[str, Mapping[str, Any]],
        echo: Any = None,
        says: Mapping[str, bytes] | None = None,
    ) -> None:
        """Sends the commands for the heartbeats until the next beat.

        Args:
            controls: Commands by the names of vehicles; keys as in ``docs/link.md``.
            echo: Value that the next beat returns, to measure delays.
            says: Radio messages to send, by the names of vehicles; at most 4,096 bytes each.
        """
        rows = [{"vehicle": vehicle, **own} for vehicle, own in controls.items()]
        message: dict[str, Any] = {"type": "act", "tick": self._tick, "controls": rows}
        if echo is not None:
            message["echo"] = echo
        if says:
            coded = {vehicle: base64.b64encode(own).decode() for vehicle, own in says.items()}
            message["says"] = [{"vehicle": name, "bytes": own} for name, own in coded.items()]
        self._send(message)

    def pause(self) -> None:
        """Pauses the run before its next heartbeat."""
        self._send({"type": "pause"})

    def resume(self) -> None:
        """Resumes the run."""
        self._send({"type": "resume"})

    def step(self, count: int = 1) -> None:
        """Advances a paused run by ``count`` heartbeats."""
        self._send({"type": "step", "count": count})

    def quit(self) -> None:
        """Ends the run. Its record is complete."""
        self._send({"type": "quit"})

    def close(self) -> None:
        """Ends the session. The vehicles that it drove then have no driver."""
        try:
            self._stream.close()
        except OSError:
            pass
        self._socket.close()

    def _send(self, message: Mapping[str, Any]) -> None:
        text = json.dumps(message, allow_nan=False).encode()
        self._stream.write(struct.pack("!I", len(text)) + text)
        self._stream.flush()

    def _receive(self) -> dict[str, Any] | None:
        try:
            prefix = self._stream.read(4)
            if len(prefix) < 4:
                return None
            length = struct.unpack("!I", prefix)[0]
            text = self._stream.read(length)
        except ConnectionError:
            return None
        if len(text) < length:
            return None
        message: dict[str, Any] = json.loads(text)
        if message["type"] == "fault":
            raise LinkFault(message["code"], message["text"])
        return message


def array_of(value: Mapping[str, Any]) -> tuple[str, list[int], bytes]:
    """Returns the type (as named by NumPy), the shape and the bytes of an array in a reading.

    ``numpy.frombuffer(data, kind).reshape(shape)`` creates the array.
    """
    return value["type"], list(value["shape"]), base64.b64decode(value["base64"])
