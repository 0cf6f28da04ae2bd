"""Writes jacksboro_fault.tif from the data set inside the matplotlib package.

    pip download --no-deps matplotlib -d wheel
    python make_jacksboro.py wheel/matplotlib-*.whl

Needs nothing but Python: the arrays of the .npz are read and the GeoTIFF is
written by hand (one deflated strip of signed 16-bit heights, as surveyed).
"""
import ast
import io
import struct
import sys
import zipfile
import zlib

ENTRY = "matplotlib/mpl-data/sample_data/jacksboro_fault_dem.npz"


def array(archive, name):
    """Shape, type code and bytes of one array of an .npz file."""
    data = archive.read(name + ".npy")
    length = struct.unpack("<H", data[8:10])[0]
    head = ast.literal_eval(data[10:10 + length].decode())
    assert not head["fortran_order"]
    return head["shape"], head["descr"], data[10 + length:]


def number(archive, name):
    return struct.unpack("<d", array(archive, name)[2])[0]


with zipfile.ZipFile(sys.argv[1]) as wheel:
    archive = zipfile.ZipFile(io.BytesIO(wheel.read(ENTRY)))
(rows, columns), kind, heights = array(archive, "elevation")
assert kind == "<i2"
cell = number(archive, "dx")
west, north = number(archive, "xmin"), number(archive, "ymin")  # ymin is the north edge

strip = zlib.compress(heights, 9)
SHORT, LONG, ASCII, DOUBLE = 3, 4, 2, 12
geo_keys = [1, 1, 0, 4, 1024, 0, 1, 2, 1025, 0, 1, 1, 2048, 0, 1, 4326, 2054, 0, 1, 9102]
fields = [
    (256, LONG, [columns]), (257, LONG, [rows]), (258, SHORT, [16]),
    (259, SHORT, [8]), (262, SHORT, [1]), (273, LONG, [8]), (277, SHORT, [1]),
    (278, LONG, [rows]), (279, LONG, [len(strip)]), (339, SHORT, [2]),
    (33550, DOUBLE, [cell, cell, 0.0]),
    (33922, DOUBLE, [0.0, 0.0, 0.0, west, north, 0.0]),
    (34735, SHORT, geo_keys), (42113, ASCII, b"-32768\0"),
]
directory = 8 + len(strip) + len(strip) % 2
extra_at = directory + 2 + 12 * len(fields) + 4
entries, extra = b"", b""
for tag, code, values in fields:
    data = values if code == ASCII else struct.pack(
        "<%d%s" % (len(values), {SHORT: "H", LONG: "I", DOUBLE: "d"}[code]), *values)
    if len(data) > 4:
        place = struct.pack("<I", extra_at + len(extra))
        extra += data + b"\0" * (len(data) % 2)
    else:
        place = data.ljust(4, b"\0")
    entries += struct.pack("<HHI", tag, code, len(values)) + place
with open("jacksboro_fault.tif", "wb") as out:
    out.write(struct.pack("<2sHI", b"II", 42, directory) + strip + b"\0" * (len(strip) % 2))
    out.write(struct.pack("<H", len(fields)) + entries + b"\0\0\0\0" + extra)
