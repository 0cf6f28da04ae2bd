"""A node that drives a vehicle in lockstep, without an installation of ROS 2.

Eclipse Cyclone DDS transports bytes; `rosbags` encodes and decodes them by the definitions of ROS 2 Jazzy.
`ros2_driver.py DOMAIN VEHICLE SENSORS` prints the received messages and responses as JSON after the clock has
stopped. `ros2_driver.py DOMAIN quit` ends a run.
"""

import json
import os
import struct
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
STORE.register(get_types_from_msg("float64 accel_cmd\nfloat64 brake_cmd\nfloat64 steer_cmd\n",
                                  "tier4_vehicle_msgs/msg/ActuationCommand"))
STORE.register(get_types_from_msg("std_msgs/Header header\ntier4_vehicle_msgs/ActuationCommand actuation\n",
                                  "tier4_vehicle_msgs/msg/ActuationCommandStamped"))
# `grid_map_msgs` 2 and `simulation_interfaces` 2
STORE.register(get_types_from_msg(
    "float64 resolution\nfloat64 length_x\nfloat64 length_y\ngeometry_msgs/Pose pose\n", "grid_map_msgs/msg/GridMapInfo"))
STORE.register(get_types_from_msg(
    "std_msgs/Header header\ngrid_map_msgs/GridMapInfo info\nstring[] layers\nstring[] basic_layers\n"
    "std_msgs/Float32MultiArray[] data\nuint16 outer_start_index\nuint16 inner_start_index\n", "grid_map_msgs/msg/GridMap"))
SI = "simulation_interfaces/msg/"
EMPTY = "uint8 structure_needs_at_least_one_member\n"
for name, fields in {
    "Result": "uint8 result\nstring error_message\n",
    "SimulationState": "uint8 state\n",
    "SimulatorFeatures": "uint16[] features\nstring[] spawn_formats\nstring custom_info\n",
    "EntityCategory": "uint8 category\n",
    "TagsFilter": "string[] tags\nuint8 filter_mode\n",
    "Bounds": "uint8 type\ngeometry_msgs/Vector3[] points\n",
    "EntityFilters": f"string filter\n{SI}EntityCategory[] categories\n{SI}TagsFilter tags\n{SI}Bounds bounds\n",
    "EntityInfo": f"{SI}EntityCategory category\nstring description\nstring[] tags\n",
    "EntityState": "std_msgs/Header header\ngeometry_msgs/Pose pose\ngeometry_msgs/Twist twist\n"
                   "geometry_msgs/Accel acceleration\n",
    "GetSimulatorFeatures_Request": EMPTY,
    "GetSimulatorFeatures_Response": f"{SI}SimulatorFeatures features\n",
    "GetSimulationState_Request": EMPTY,
    "GetSimulationState_Response": f"{SI}SimulationState state\n{SI}Result result\n",
    "SetSimulationState_Request": f"{SI}SimulationState state\n",
    "SetSimulationState_Response": f"{SI}Result result\n",
    "ResetSimulation_Request": "uint8 scope\n",
    "ResetSimulation_Response": f"{SI}Result result\n",
    "StepSimulation_Request": "uint64 steps\n",
    "StepSimulation_Response": f"{SI}Result result\n",
    "GetEntities_Request": f"{SI}EntityFilters filters\n",
    "GetEntities_Response": f"{SI}Result result\nstring[] entities\n",
    "GetEntitiesStates_Request": f"{SI}EntityFilters filters\n",
    "GetEntitiesStates_Response": f"{SI}Result result\nstring[] entities\n{SI}EntityState[] states\n",
    "GetEntityState_Request": "string entity\n",
    "GetEntityState_Response": f"{SI}Result result\n{SI}EntityState state\n",
    "GetEntityInfo_Request": "string entity\n",
    "GetEntityInfo_Response": f"{SI}Result result\n{SI}EntityInfo info\n",
    "SetEntityState_Request": f"string entity\n{SI}EntityState state\nbool set_pose\nbool set_twist\nbool set_acceleration\n",
    "SetEntityState_Response": f"{SI}Result result\n",
}.items():
    STORE.register(get_types_from_msg(fields, SI + name))
COMMAND, TWIST = "ackermann_msgs/msg/AckermannDriveStamped", "geometry_msgs/msg/TwistStamped"
BOOL, PEDALS = "std_msgs/msg/Bool", "tier4_vehicle_msgs/msg/ActuationCommandStamped"
KINDS = {"imu": "Imu", "gps": "NavSatFix", "magnetometer": "MagneticField", "lidar": "PointCloud2"}


def raw(of):
    """Returns a type of raw bytes for Cyclone DDS."""
    package, kind, name = of.split("/")

    @dataclass
    class Raw(IdlStruct, typename=f"{package}.{kind}.dds_.{name}_"):
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

    def topic(self, name, of, qos, prefix="rt"):
        return Topic(self.domain, f"{prefix}{name}", raw(of), qos=qos)

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
        # a sample without bytes means that a writer is gone
        samples = [own for own in reader.take(1000) if hasattr(own, "bytes")]
        return [STORE.deserialize_cdr(own.bytes, of) for own in samples]


class Clients:
    """Service clients with one request at a time.

    The encoding is that of ROS 2 with Cyclone DDS: client number and request number precede the body.
    """

    CLIENT = 0x1122334455667788

    def __init__(self, node, services):
        own = qos(Policy.Durability.Volatile)
        self.ends, self.number, self.waiting = {}, 0, None
        for name, of in services.items():
            topics = [node.topic(f"/bekker/{name}{end}", f"simulation_interfaces/srv/{of}_{kind}", own, prefix)
                      for prefix, end, kind in [("rq", "Request", "Request"), ("rr", "Reply", "Response")]]
            reader = DataReader(node.domain, topics[1], qos=own)
            self.ends[name] = of, topics[0], DataWriter(node.domain, topics[0], qos=own), reader

    def are_met(self):
        return all(writer.get_matched_subscriptions() and reader.get_matched_publications()
                   for _, _, writer, reader in self.ends.values())

    def ask(self, name, *fields):
        of, topic, writer, _ = self.ends[name]
        self.number += 1
        request = bytes(STORE.serialize_cdr(STORE.types[f"{SI}{of}_Request"](*fields), f"{SI}{of}_Request"))
        sample = topic.data_type(0)
        sample.bytes = request[:4] + struct.pack("<Qq", self.CLIENT, self.number) + request[4:]
        writer.write(sample)
        self.waiting = name

    def answer(self):
        """Returns the response to the last request; None until it arrives."""
        of, _, _, reader = self.ends[self.waiting]
        for own in reader.take(10):
            if hasattr(own, "bytes") and struct.unpack("<Qq", own.bytes[4:20]) == (self.CLIENT, self.number):
                self.waiting = None
                return STORE.deserialize_cdr(own.bytes[:4] + own.bytes[20:], f"{SI}{of}_Response")
        return None


SERVICES = {
    "get_simulator_features": "GetSimulatorFeatures", "get_simulation_state": "GetSimulationState",
    "set_simulation_state": "SetSimulationState", "reset_simulation": "ResetSimulation",
    "step_simulation": "StepSimulation", "get_entities": "GetEntities", "get_entities_states": "GetEntitiesStates",
    "get_entity_state": "GetEntityState", "get_entity_info": "GetEntityInfo", "set_entity_state": "SetEntityState"}


def told_by(answer):
    """Converts a message to plain data for JSON."""
    if hasattr(answer, "__dataclass_fields__"):
        return {name: told_by(getattr(answer, name)) for name in answer.__dataclass_fields__}
    if isinstance(answer, np.ndarray):
        return answer.tolist()
    return [told_by(own) for own in answer] if isinstance(answer, list) else answer


def script():
    """Yields the requests during the run, each with a name; a number is a time to wait, s."""
    of = STORE.types
    state = lambda own: of[SI + "SimulationState"](own)
    filters = lambda pattern, tags=(): of[SI + "EntityFilters"](
        pattern, [], of[SI + "TagsFilter"](list(tags), 0), of[SI + "Bounds"](0, []))
    vector = of["geometry_msgs/msg/Vector3"](0.0, 0.0, 0.0)
    pose = of["geometry_msgs/msg/Pose"](of["geometry_msgs/msg/Point"](0.0, 0.0, 0.0),
                                        of["geometry_msgs/msg/Quaternion"](0.0, 0.0, 0.0, 1.0))
    entity = of[SI + "EntityState"](of["std_msgs/msg/Header"](of["builtin_interfaces/msg/Time"](0, 0), ""), pose,
                                    of["geometry_msgs/msg/Twist"](vector, vector),
                                    of["geometry_msgs/msg/Accel"](vector, vector))
    yield "features", "get_simulator_features", 0
    yield "playing", "get_simulation_state", 0
    yield "entities", "get_entities", filters("^le.d [[:digit:]]$")
    yield "none", "get_entities", filters("^lead$")
    yield "tagged", "get_entities", filters("", ["tag"])
    yield "wrong", "get_entities", filters("(")
    yield "states", "get_entities_states", filters("")
    yield "info", "get_entity_info", "lead 1"
    yield "unknown", "get_entity_state", "nobody"
    yield "put", "set_entity_state", "lead 1", entity, True, False, False
    yield "reset", "reset_simulation", 0
    yield "stop", "set_simulation_state", state(0)
    yield "too_early", "step_simulation", 1
    yield "pause", "set_simulation_state", state(2)
    yield "again", "set_simulation_state", state(2)
    yield "paused", "get_simulation_state", 0
    yield "paused_at", 0.7
    yield "state", "get_entity_state", "lead 1"
    yield "step", "step_simulation", 5
    yield "stepped_at", 0.7
    yield "play", "set_simulation_state", state(1)


def map_of(own):
    """Returns the content of a grid map and the positions of its ruts.

    Cells begin at the greatest x and y, column by column.
    """
    info, (elevation, ruts) = own.info, [np.asarray(layer.data) for layer in own.data]
    dims = [[dim.label, dim.size, dim.stride] for dim in own.data[0].layout.dim]
    columns, rows = dims[0][1], dims[1][1]
    middle = info.pose.position
    x = middle.x + info.length_x / 2 - (np.arange(rows) + 0.5) * info.resolution
    y = middle.y + info.length_y / 2 - (np.arange(columns) + 0.5) * info.resolution
    rutted = ruts.reshape((rows, columns), order="F") > 0.001
    at = lambda places: [float(places.min()), float(places.mean()), float(places.max())] if places.size else []
    return {"stamp": own.header.stamp.sec, "frame": own.header.frame_id, "layers": list(own.layers), "dims": dims,
            "resolution": info.resolution, "middle": [middle.x, middle.y], "deepest": float(ruts.max()),
            # the ground is level at height 0
            "uneven": float(np.abs(elevation + ruts).max()),
            "x": at(x[np.nonzero(rutted)[0]]), "y": at(y[np.nonzero(rutted)[1]])}


def wait_until(happens, why):
    """Returns the result of `happens` once it is true. Exits after 120 s, so that a test fails instead of waiting."""
    begun = time.monotonic()
    while not (given := happens()):
        if time.monotonic() - begun > 120.0:
            sys.exit(why)
        time.sleep(0.01)
    return given


def quit_run(domain):
    node = Node(int(domain))
    clients = Clients(node, {"set_simulation_state": "SetSimulationState"})
    wait_until(clients.are_met, "the run's service was not found")
    clients.ask("set_simulation_state", STORE.types[SI + "SimulationState"](3))
    answer = wait_until(clients.answer, "the run's service did not answer")
    print(json.dumps(told_by(answer)))


def drive_by_twists(domain, twists):
    """Sends each vehicle its twist (name:speed:yaw rate) at every heartbeat."""
    node = Node(int(domain))
    node.read("/clock", "rosgraph_msgs/msg/Clock")
    of = STORE.types
    vector = of["geometry_msgs/msg/Vector3"]
    writers = []
    for name, speed, rate in (twist.split(":") for twist in twists.split(",")):
        twist = of["geometry_msgs/msg/Twist"](vector(float(speed), 0.0, 0.0), vector(0.0, 0.0, float(rate)))
        writers.append((node.write(f"/{name}/cmd_vel", TWIST), twist))
    heard, last = False, time.monotonic()
    while time.monotonic() - last < (3.0 if heard else 60.0):
        if clocks := node.take("/clock"):
            heard, last = True, time.monotonic()
            header = of["std_msgs/msg/Header"](stamp=clocks[-1].clock, frame_id="")
            for say, twist in writers:
                say(of[TWIST](header, twist))
        time.sleep(0.0002)


def main(domain, vehicle, sensors):
    node = Node(int(domain))
    clients = Clients(node, SERVICES)
    asked, answers, until = script(), {}, None
    key = None
    node.read(f"/{vehicle}/ground", "grid_map_msgs/msg/GridMap", Policy.Durability.TransientLocal)
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
    say_pedals = node.write(f"/{vehicle}/cmd_pedals", PEDALS)
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
        # sends one request after the other, after 0.2 s of the run
        if seen["/clock"] and seen["/clock"][-1].clock.nanosec >= 200_000_000 and key is None and clients.are_met():
            key, *request = next(asked, (None,))
            if key and isinstance(request[0], str):
                clients.ask(*request)
            elif key:
                until = time.monotonic() + request[0]
        elif key and until and time.monotonic() > until:
            answers[key] = seen["/clock"][-1].clock.nanosec // 1000
            key, until = None, None
        elif key and not until and (answer := clients.answer()):
            answers[key] = told_by(answer)
            key = None
        if clocks:
            last = time.monotonic()
            header = of["std_msgs/msg/Header"](stamp=clocks[-1].clock, frame_id="")
            if clocks[-1].clock.sec == 0 and clocks[-1].clock.nanosec < 500_000_000:
                drive = of["ackermann_msgs/msg/AckermannDrive"](0.1, 0.0, 3.0, 0.0, 0.0)
                say(of[COMMAND](header, drive))
            elif clocks[-1].clock.sec == 0 and clocks[-1].clock.nanosec < 600_000_000:
                pedals = of["tier4_vehicle_msgs/msg/ActuationCommand"](0.25, 0.0, 0.05)
                say_pedals(of[PEDALS](header, pedals))
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
        "answers": answers,
        "maps": [map_of(own) for own in seen[f"/{vehicle}/ground"]],
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
    if sys.argv[2:] == ["quit"]:
        quit_run(sys.argv[1])
    elif sys.argv[2] == "twist":
        drive_by_twists(sys.argv[1], sys.argv[3])
    else:
        main(sys.argv[1], sys.argv[2], sys.argv[3].split(","))
