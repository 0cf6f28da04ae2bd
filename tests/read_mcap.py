"""Reads an MCAP with the project's Python packages, which are independent of bekker's writer.

Reads checksums, index and summary (`mcap`), messages by the descriptors in the file
(`mcap-protobuf-support`) and, if installed, by Foxglove's classes (`foxglove-schemas-protobuf`).
Prints the results as JSON.
"""

import importlib
import json
import pathlib
import struct
import sys

from google.protobuf.json_format import MessageToDict
from mcap.reader import SeekingReader, make_reader
from mcap.stream_reader import StreamReader
from mcap_protobuf.decoder import DecoderFactory

path = sys.argv[1]
topics = {}
own_classes = 0

# reads record by record and verifies every checksum
for record in StreamReader(open(path, "rb"), validate_crcs=True).records:
    pass

with open(path, "rb") as file:
    reader = make_reader(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
    assert isinstance(reader, SeekingReader)
    summary = reader.get_summary()
    last = -1
    for schema, channel, message, decoded in reader.iter_decoded_messages():
        assert message.log_time >= last, "messages in the order of their log times"
        last = message.log_time
        topic = topics.setdefault(
            channel.topic, {"schema": schema.name, "count": 0, "log_times": [], "messages": []}
        )
        topic["count"] += 1
        topic["log_times"].append(message.log_time)
        package, name = schema.name.rsplit(".", 1)
        fields = MessageToDict(decoded, preserving_proto_field_name=True)
        if package == "foxglove":
            try:
                module = importlib.import_module(f"foxglove_schemas_protobuf.{name}_pb2")
            except ImportError:
                module = None
            if module is not None:
                theirs = getattr(module, name)()
                theirs.ParseFromString(message.data)
                assert MessageToDict(theirs, preserving_proto_field_name=True) == fields, schema.name
                own_classes += 1
        if "data" in fields:
            fields["data"] = len(decoded.data)
        if topic["count"] <= 3:
            topic["messages"].append(fields)
    statistics = summary.statistics
    counts = {summary.channels[k].topic: n for k, n in statistics.channel_message_counts.items()}
    assert counts == {name: topic["count"] for name, topic in topics.items()}, "statistics"
    assert statistics.message_count == sum(counts.values())
    assert statistics.chunk_count == len(summary.chunk_indexes)

# reads images with OpenEXR, if installed
try:
    import OpenEXR
except ImportError:
    OpenEXR = None
    print("EXR NOT READ: no `OpenEXR`", file=sys.stderr)
pictures = 0
for exr_path in sorted(pathlib.Path(path).parent.glob("sensors/*/*/*.exr")) if OpenEXR else []:
    with OpenEXR.File(str(exr_path), separate_channels=True) as exr:
        channels = {name: channel.pixels for name, channel in exr.channels().items()}
    assert {"R", "G", "B", "Z", "class", "sinkage"} <= set(channels), set(channels)
    shapes = {pixels.shape for pixels in channels.values()}
    assert len(shapes) == 1, shapes
    ground = channels["class"] == 1
    assert ground.any() and (channels["Z"][ground] > 0).all()
    pictures += 1

# reads point clouds with laspy, if installed, and compares LAS (in the world) with PCD (in the sensor frame)
try:
    import laspy
except ImportError:
    laspy = None
    print("LAS NOT READ: no `laspy`", file=sys.stderr)
clouds = 0
for las_path in sorted(pathlib.Path(path).parent.glob("sensors/*/*/*.las")) if laspy else []:
    las = laspy.read(las_path)
    header, _, body = las_path.with_suffix(".pcd").read_bytes().partition(b"DATA binary\n")
    keys = dict(line.split(" ", 1) for line in header.decode().splitlines() if line[0] != "#")
    count = int(keys["POINTS"])
    assert len(body) == 26 * count and len(las.points) == count == las.header.point_count
    # format 6 has its reference system in WKT; the header has the bounds of all points
    assert las.header.global_encoding.wkt and las.header.point_format.id == 6
    (reference,) = [vlr for vlr in las.header.vlrs if vlr.record_id == 2112]
    assert reference.string.startswith("PROJCS["), reference.string
    for axis, values in enumerate((las.x, las.y, las.z)):
        low, high = las.header.mins[axis], las.header.maxs[axis]
        assert (low, high) == (values.min(), values.max()), (las_path, axis)
    assert all(a <= b for a, b in zip(las.return_number, las.number_of_returns))
    try:
        import pyproj
    except ImportError:
        pyproj = None
    if pyproj:
        to_earth = pyproj.Transformer.from_crs(las.header.parse_crs(), 4326, always_xy=True)
        # the world's origin, as given by [site]
        longitude, latitude = to_earth.transform(0, 0)
        assert abs(longitude - 11) < 1e-9 and abs(latitude - 47) < 1e-9, (longitude, latitude)
    px, py, pz, w, i, j, k = map(float, keys["VIEWPOINT"].split())
    for n in range(0, count, 37):
        x, y, z, intensity, time = struct.unpack_from("<5f", body, 26 * n)
        # the quaternion of the viewpoint rotates from sensor to world axes
        cx, cy, cz = (j * z - k * y, k * x - i * z, i * y - j * x)
        world = (
            px + x + 2 * (w * cx + j * cz - k * cy),
            py + y + 2 * (w * cy + k * cx - i * cz),
            pz + z + 2 * (w * cz + i * cy - j * cx),
        )
        for mine, theirs in zip(world, (las.x[n], las.y[n], las.z[n])):
            assert abs(mine - theirs) < 1e-3, (las_path, n, world)
        assert abs(las.intensity[n] / 65535 - min(max(intensity, 0), 1)) < 1e-4
    clouds += 1

print(json.dumps({"pictures_checked": pictures, "clouds_checked": clouds, "topics": topics, "checked_by_foxglove_classes": own_classes}))
