"""Projects pixels of the left camera of a stereo pair to the right one, with data of the MCAP only.

The projection uses K and P of both calibrations and the frames in `/tf`. Pixels of an obstacle must
project to pixels of the same obstacle.
"""

import sys

import numpy as np
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory

frames, first = {}, {}
with open(sys.argv[1], "rb") as file:
    reader = make_reader(file, decoder_factories=[DecoderFactory()])
    for _, channel, message, decoded in reader.iter_decoded_messages():
        if channel.topic == "/tf" and not frames:
            for own in decoded.transforms:
                frames[own.child_frame_id] = own
        first.setdefault(channel.topic, decoded)


def to_world(frame):
    """Returns the transform from a frame to the world, 4 x 4."""
    whole = np.eye(4)
    while frame != "world":
        own = frames[frame]
        q, t = own.rotation, own.translation
        x, y, z, w = q.x, q.y, q.z, q.w
        step = np.eye(4)
        step[:3, :3] = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
        step[:3, 3] = t.x, t.y, t.z
        whole, frame = step @ whole, own.parent_frame_id
    return whole


def channel_of(camera, name, kind):
    image = first[f"/car/{camera}/{name}"]
    return np.frombuffer(image.data, kind).reshape(image.height, image.width), image.frame_id


def check(left, right, by):
    """Returns the fraction of obstacle pixels of one camera that project to the same obstacle in the other.

    The projection uses P in the frame of the images, or K in the frame of the camera.
    """
    instance, frame = channel_of(left, "instance", "<u2")
    depth, _ = channel_of(left, "depth", "<f4")
    there, frame_there = channel_of(right, "instance", "<u2")
    matrices = []
    for camera, given in ((left, frame), (right, frame_there)):
        calibration = first[f"/car/{camera}/calibration"]
        assert calibration.frame_id == given, (camera, calibration.frame_id, given)
        if by == "P":
            matrices.append((np.array(calibration.P).reshape(3, 4), given))
        else:
            k = np.array(calibration.K).reshape(3, 3)
            matrices.append((np.hstack([k, np.zeros((3, 1))]), f"car/{camera}/optical"))
    (p, own), (p_there, own_there) = matrices
    v, u = np.nonzero(instance > 0)
    z = depth[v, u]
    points = np.ones((4, len(z)))
    points[2] = z
    points[0] = (u * z - p[0, 2] * z - p[0, 3]) / p[0, 0]
    points[1] = (v * z - p[1, 2] * z - p[1, 3]) / p[1, 1]
    projected = p_there @ np.linalg.inv(to_world(own_there)) @ to_world(own) @ points
    column, row = np.rint(projected[:2] / projected[2]).astype(int)
    inside = (column >= 0) & (column < there.shape[1]) & (row >= 0) & (row < there.shape[0])
    same = there[row[inside], column[inside]] == instance[v, u][inside]
    assert inside.sum() > 500, inside.sum()
    print(f"{left} to {right} by {by}: {same.mean():.4f} of {inside.sum()} pixels")
    return same.mean()


for pair in (("cam", "cam_right"), ("cam_right", "cam")):
    for by in "PK":
        assert check(*pair, by) > 0.97
left, right = (first[f"/car/{camera}/calibration"] for camera in ("cam", "cam_right"))
assert left.frame_id == right.frame_id == "car/cam/optical"
# baseline as computed by image_geometry
distance = -right.P[3] / right.P[0]
moved = to_world("car/cam_right/optical")[:3, 3] - to_world("car/cam/optical")[:3, 3]
assert left.P[3] == 0 and abs(distance - np.linalg.norm(moved)) < 1e-9, (distance, moved)
