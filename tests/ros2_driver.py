"""A node that drives a vehicle in lock-step, with nothing of ROS 2 installed: Eclipse Cyclone DDS carries bytes,
and `rosbags` reads and writes them by the definitions of ROS 2 Jazzy. `ros2_driver.py DOMAIN VEHICLE SENSORS` says
in JSON what it saw until the clock has stood still."""

import json
import os
import sys
import time
from dataclasses import dataclass

os.environ["CYCLONEDDS_URI"] = """<CycloneDDS><Domain>
  <General><Interfaces><NetworkInterface name="lo"/></Interfaces>
    <AllowMulticast>false</AllowMulticast></General>
  <Discovery><ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>12</MaxAutoParticipantIndex>
    <Peers><Peer address="127.0.0.1"/></Peers></Discovery>
</Domain></CycloneDDS>"""

import numpy as np
from cyclonedds.core import Policy, Qos
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.types import uint8
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

STORE = get_typestore(Stores.ROS2_JAZZY)
ACKERMANN = "float32 steering_angle\nfloat32 steering_angle_velocity\nfloat32 speed\nfloat32 acceleration\nfloat32 jerk\n"
STORE.register(get_types_from_msg(ACKERMANN, "ackermann_msgs/msg/AckermannDrive"))
STORE.register(get_types_from_msg("std_msgs/Header header\nackermann_msgs/AckermannDrive drive\n",
                                  "ackermann_msgs/msg/AckermannDriveStamped"))
COMMAND, TWIST = "ackermann_msgs/msg/AckermannDriveStamped", "geometry_msgs/msg/TwistStamped"
BOOL = "std_msgs/msg/Bool"
KINDS = {"imu": "Imu", "gps": "NavSatFix", "magnetometer": "MagneticField", "lidar": "PointCloud2"}


def raw(of):
    """A type that Cyclone carries as it is."""
    package, _, name = of.split("/")

    @dataclass
    class Raw(IdlStruct, typename=f"{package}.msg.dds_.{name}_"):
        data: uint8

        def serialize(self, **_):
            return self.bytes

        @classmethod
        def deserialize(cls, data, **_):
            own = cls(0)
            own.bytes = bytes(data)
            return own
    return Raw


def qos(durability):
    cdr = Policy.DataRepresentation(use_cdrv0_representation=True)
    return Qos(Policy.Reliability.Reliable(10**10), durability, Policy.History.KeepAll, cdr)


class Node:
    def __init__(self, domain):
        self.domain = DomainParticipant(domain)
        self.topics = {}

    def topic(self, name, of, qos):
        return Topic(self.domain, f"rt{name}", raw(of), qos=qos)

    def read(self, name, of, durability=Policy.Durability.Volatile):
        own = qos(durability)
        self.topics[name] = (DataReader(self.domain, self.topic(name, of, own), qos=own), of)

    def write(self, name, of):
        own = qos(Policy.Durability.Volatile)
        topic = self.topic(name, of, own)
        writer = DataWriter(self.domain, topic, qos=own)

        def say(message):
            sample = topic.data_type(0)
            sample.bytes = bytes(STORE.serialize_cdr(message, of))
            writer.write(sample)
        return say

    def take(self, name):
        reader, of = self.topics[name]
        # that a writer is gone comes as a sample without bytes
        samples = [own for own in reader.take(1000) if hasattr(own, "bytes")]
        return [STORE.deserialize_cdr(own.bytes, of) for own in samples]


def main(domain, vehicle, sensors):
    node = Node(int(domain))
    node.read("/clock", "rosgraph_msgs/msg/Clock")
    node.read("/tf", "tf2_msgs/msg/TFMessage")
    node.read("/tf_static", "tf2_msgs/msg/TFMessage", Policy.Durability.TransientLocal)
    node.read(f"/{vehicle}/odom", "nav_msgs/msg/Odometry")
    node.read(f"/{vehicle}/joint_states", "sensor_msgs/msg/JointState")
    for sensor in sensors:
        topic = f"/{vehicle}/{sensor}"
        if sensor == "camera":
            node.read(f"{topic}/image", "sensor_msgs/msg/Image")
            node.read(f"{topic}/depth", "sensor_msgs/msg/Image")
            node.read(f"{topic}/camera_info", "sensor_msgs/msg/CameraInfo")
        else:
            name = f"{topic}/points" if sensor == "lidar" else topic
            node.read(name, f"sensor_msgs/msg/{KINDS[sensor]}")
    say = node.write(f"/{vehicle}/cmd", COMMAND)
    say_twist = node.write(f"/{vehicle}/cmd_vel", TWIST)
    uncouple = node.write(f"/{vehicle}/uncouple", BOOL)
    of = STORE.types
    seen = {name: [] for name in node.topics}
    last = time.monotonic()
    while time.monotonic() - last < (3.0 if seen["/clock"] else 60.0):
        for name in node.topics:
            if name != "/clock":
                seen[name] += node.take(name)
        clocks = node.take("/clock")
        seen["/clock"] += clocks
        if clocks:
            last = time.monotonic()
            header = of["std_msgs/msg/Header"](stamp=clocks[-1].clock, frame_id="")
            if clocks[-1].clock.nanosec < 500_000_000:
                drive = of["ackermann_msgs/msg/AckermannDrive"](0.1, 0.0, 3.0, 0.0, 0.0)
                say(of[COMMAND](header, drive))
            else:
                uncouple(of[BOOL](True))
                vector = of["geometry_msgs/msg/Vector3"]
                twist = of["geometry_msgs/msg/Twist"](vector(3.0, 0.0, 0.0), vector(0.0, 0.0, -0.2))
                say_twist(of[TWIST](header, twist))
        time.sleep(0.0002)
    micros = lambda stamp: stamp.sec * 1_000_000 + stamp.nanosec // 1000
    plain = lambda own: [own.x, own.y, own.z] + ([own.w] if hasattr(own, "w") else [])
    end = seen[f"/{vehicle}/odom"][-1]
    told = {
        "counts": {name: len(messages) for name, messages in seen.items()},
        "times": sorted({micros(own.clock) for own in seen["/clock"]}),
        "frames": [[own.header.frame_id, own.child_frame_id, plain(own.transform.rotation)]
                   for message in seen["/tf_static"][-1:] for own in message.transforms],
        "tf": [[own.header.frame_id, own.child_frame_id] for own in seen["/tf"][-1].transforms],
        "odom": {"frame": end.header.frame_id, "child": end.child_frame_id,
                 "position": plain(end.pose.pose.position), "velocity": plain(end.twist.twist.linear)},
        "joints": list(seen[f"/{vehicle}/joint_states"][-1].name),
    }
    for sensor in sensors:
        topic = f"/{vehicle}/{sensor}"
        if sensor == "imu":
            own = seen[topic][-1]
            told["imu"] = {"force": plain(own.linear_acceleration), "frame": own.header.frame_id,
                           "covariance": own.orientation_covariance[0]}
        elif sensor == "gps":
            own = seen[topic][-1]
            told["gps"] = [own.status.status, own.latitude, own.longitude]
        elif sensor == "camera":
            own, info = seen[f"{topic}/image"][-1], seen[f"{topic}/camera_info"][-1]
            told["camera"] = [own.width, own.height, own.encoding, len(own.data), info.width,
                              info.distortion_model, own.header.frame_id]
            own = seen[f"{topic}/depth"][-1]
            depth = np.frombuffer(own.data, "<f4").reshape(own.height, own.width)
            told["depth"] = [own.encoding, own.step, depth[-1].tolist()]
        elif sensor == "magnetometer":
            own = seen[topic][-1]
            told["field"] = plain(own.magnetic_field)
        elif sensor == "lidar":
            own = seen[f"{topic}/points"][-1]
            kinds = {4: "<u2", 6: "<u4", 7: "<f4"}
            point = np.dtype({"names": [f.name for f in own.fields], "formats": [kinds[f.datatype] for f in own.fields],
                              "offsets": [f.offset for f in own.fields], "itemsize": own.point_step})
            points = np.frombuffer(own.data, point)
            told["lidar"] = {"width": own.width, "frame": own.header.frame_id, "names": list(point.names),
                             "rings": sorted({int(ring) for ring in points["ring"]}),
                             "heights": [float(z) for z in points["z"]],
                             "ranges": np.hypot(points["x"], points["y"]).tolist()}
    print(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3].split(","))
