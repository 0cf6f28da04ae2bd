"""External controller of `lead` in examples/outside.toml: drives around a bend in lockstep, without bekker.

    python3 examples/outside_controller.py 127.0.0.1:4711 TOKEN
"""

import json
import math
import socket
import struct
import sys

PATH = [(5 * k, 4 * (1 - math.cos(0.1 * k))) for k in range(40)]  # m, a bend to the left
SPEED, LOOK_AHEAD = 4.0, 6.0  # m/s, m


def say(stream, message):
    text = json.dumps(message).encode()
    stream.write(struct.pack("!I", len(text)) + text)
    stream.flush()


def hear(stream):
    prefix = stream.read(4)
    if len(prefix) < 4:
        raise SystemExit("the connection to the run is lost")
    return json.loads(stream.read(struct.unpack("!I", prefix)[0]))


def drive(vehicle, wheelbase):
    """Steers by pure pursuit; the run controls throttle and brake to hold the speed."""
    x, y, _ = vehicle["position"]
    w, i, j, k = vehicle["orientation"]
    heading = math.atan2(2 * (w * k + i * j), 1 - 2 * (j * j + k * k))
    ahead = [p for p in PATH if math.dist(p, (x, y)) > LOOK_AHEAD and p[0] > x]
    goal = ahead[0] if ahead else PATH[-1]
    bearing = math.atan2(goal[1] - y, goal[0] - x) - heading
    angle = math.atan2(2 * wheelbase * math.sin(bearing), math.dist(goal, (x, y)))
    return {"vehicle": vehicle["name"], "angle": angle, "speed": SPEED}


def main(address, token):
    host, port = address.rsplit(":", 1)
    connection = socket.create_connection((host, int(port)))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    stream = connection.makefile("rwb")
    say(stream, {"type": "hello", "protocol": 1, "token": token, "vehicles": ["lead"]})
    welcome = hear(stream)
    if welcome["type"] == "fault":
        raise SystemExit(welcome["text"])
    wheelbase = next(v["wheelbase"] for v in welcome["vehicles"] if v["name"] == "lead")
    while (beat := hear(stream))["type"] != "end":
        if beat["type"] == "fault":
            raise SystemExit(beat["text"])
        lead = next(v for v in beat["vehicles"] if v["name"] == "lead")
        say(stream, {"type": "act", "tick": beat["tick"], "controls": [drive(lead, wheelbase)]})


main(*sys.argv[1:])
