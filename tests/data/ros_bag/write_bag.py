"""Writes drive.mcap, a bag of ROS 2, from drive.csv, with another writer than bekker's.

pip install mcap-ros2-support; python write_bag.py

drive.csv has columns of states.csv of a run of bekker, in six decimals.
"""

import csv
import math

from mcap.writer import CompressionType
from mcap_ros2.writer import Writer

HEADER = """
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
"""
VECTOR = """
================================================================================
MSG: geometry_msgs/Vector3
float64 x
float64 y
float64 z
"""
QUATERNION = """
================================================================================
MSG: geometry_msgs/Quaternion
float64 x
float64 y
float64 z
float64 w
"""
TYPES = {
    "sensor_msgs/msg/JointState": "std_msgs/Header header\nstring[] name\nfloat64[] position\n"
    "float64[] velocity\nfloat64[] effort" + HEADER,
    "nav_msgs/msg/Odometry": "std_msgs/Header header\nstring child_frame_id\n"
    "geometry_msgs/PoseWithCovariance pose\ngeometry_msgs/TwistWithCovariance twist"
    + HEADER + VECTOR + QUATERNION + """
================================================================================
MSG: geometry_msgs/PoseWithCovariance
geometry_msgs/Pose pose
float64[36] covariance
================================================================================
MSG: geometry_msgs/Pose
geometry_msgs/Point position
geometry_msgs/Quaternion orientation
================================================================================
MSG: geometry_msgs/Point
float64 x
float64 y
float64 z
================================================================================
MSG: geometry_msgs/TwistWithCovariance
geometry_msgs/Twist twist
float64[36] covariance
================================================================================
MSG: geometry_msgs/Twist
geometry_msgs/Vector3 linear
geometry_msgs/Vector3 angular
""",
    "sensor_msgs/msg/Imu": "std_msgs/Header header\ngeometry_msgs/Quaternion orientation\n"
    "float64[9] orientation_covariance\ngeometry_msgs/Vector3 angular_velocity\n"
    "float64[9] angular_velocity_covariance\ngeometry_msgs/Vector3 linear_acceleration\n"
    "float64[9] linear_acceleration_covariance" + HEADER + VECTOR + QUATERNION,
    "sensor_msgs/msg/NavSatFix": "std_msgs/Header header\nsensor_msgs/NavSatStatus status\n"
    "float64 latitude\nfloat64 longitude\nfloat64 altitude\nfloat64[9] position_covariance\n"
    "uint8 position_covariance_type" + HEADER + """
================================================================================
MSG: sensor_msgs/NavSatStatus
int8 status
uint16 service
""",
    "tier4_vehicle_msgs/msg/ActuationCommandStamped": "std_msgs/Header header\n"
    "tier4_vehicle_msgs/ActuationCommand actuation" + HEADER + """
================================================================================
MSG: tier4_vehicle_msgs/ActuationCommand
float64 accel_cmd
float64 brake_cmd
float64 steer_cmd
""",
    "std_msgs/msg/String": "string data",
}
WHEELS = [(2, "rear_left"), (3, "rear_right"), (0, "front_left"), (1, "front_right")]
# start of the clock, s, and origin of the fixes
START, LATITUDE, LONGITUDE = 1_700_000_000, 47.0, -88.0
# of the meridian at that latitude, m (WGS 84)
RADIUS = 6_369_625.0


def messages(row, distance):
    micros = round(float(row["time_s"]) * 1e6)
    header = {
        "stamp": {"sec": START + micros // 1_000_000, "nanosec": micros % 1_000_000 * 1000},
        "frame_id": "base_link",
    }
    half = 0.5 * float(row["pitch_rad"])
    still = {"x": 0.0, "y": 0.0, "z": 0.0}
    wheel = {n: [float(row[f"wheel{n}_{e}"]) for e in ("spin_radps", "torque_nm")] for n in range(4)}
    yield "/joint_states", "sensor_msgs/msg/JointState", {
        "header": header,
        "name": [f"{name}_wheel_joint" for _, name in WHEELS] + ["arm_joint"],
        "position": [],
        "velocity": [wheel[n][0] for n, _ in WHEELS] + [0.5],
        "effort": [wheel[n][1] for n, _ in WHEELS] + [7.0],
    }
    yield "/odometry/filtered", "nav_msgs/msg/Odometry", {
        "header": header,
        "child_frame_id": "base_link",
        "pose": {
            "pose": {
                "position": {"x": distance, "y": 0.0, "z": 0.0},
                "orientation": {"x": 0.0, "y": math.sin(half), "z": 0.0, "w": math.cos(half)},
            },
            "covariance": [0.0] * 36,
        },
        "twist": {
            "twist": {"linear": {**still, "x": float(row["speed_mps"])}, "angular": still},
            "covariance": [0.0] * 36,
        },
    }
    # an IMU without orientation
    yield "/imu", "sensor_msgs/msg/Imu", {
        "header": header,
        "orientation": {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0},
        "orientation_covariance": [-1.0] + [0.0] * 8,
        "angular_velocity": still,
        "angular_velocity_covariance": [0.0] * 9,
        "linear_acceleration": still,
        "linear_acceleration_covariance": [0.0] * 9,
    }
    # the vehicle drives to the north
    yield "/fix", "sensor_msgs/msg/NavSatFix", {
        "header": header,
        "status": {"status": 0, "service": 1},
        "latitude": LATITUDE + math.degrees(distance / RADIUS),
        "longitude": LONGITUDE,
        "altitude": 200.0,
        "position_covariance": [0.0] * 9,
        "position_covariance_type": 0,
    }
    controls = {f"{own}_cmd": float(row[key]) for own, key in
                (("accel", "throttle"), ("brake", "brake"), ("steer", "steering"))}
    yield "/actuation", "tier4_vehicle_msgs/msg/ActuationCommandStamped", {
        "header": header, "actuation": controls,
    }
    yield "/log", "std_msgs/msg/String", {"data": "driving"}


def main():
    with open("drive.csv", newline="") as table:
        rows = list(csv.DictReader(table))
    with open("drive.mcap", "wb") as file:
        writer = Writer(file, chunk_size=16 << 10, compression=CompressionType.ZSTD)
        schemas = {name: writer.register_msgdef(name, text) for name, text in TYPES.items()}
        distance = 0.0
        for number, row in enumerate(rows):
            if number:
                before = rows[number - 1]
                span = float(row["time_s"]) - float(before["time_s"])
                distance += span * 0.5 * (float(row["speed_mps"]) + float(before["speed_mps"]))
            time = round((START + float(row["time_s"])) * 1e9)
            for topic, name, message in messages(row, distance):
                # recorded some milliseconds after its stamp
                writer.write_message(topic, schemas[name], message, time + 3_000_000, time, number)
        writer.finish()


main()
