"""Types of states, contacts and readings: dicts with one entry per quantity.

Values are in SI units and radians. Keys that end in `_deg` are in degrees, those in `_kpa` in kPa.
`docs/python.md` lists all quantities.
"""

from __future__ import annotations

from typing import Literal, TypedDict, Union

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CameraReading",
    "Contacts",
    "EncoderReading",
    "GpsReading",
    "ImuReading",
    "LidarReading",
    "MagnetometerReading",
    "OdometryReading",
    "Reading",
    "State",
    "TerramechanicsReading",
]

_Floats = NDArray[np.float64]
_Singles = NDArray[np.float32]


class _TrailerState(TypedDict, total=False):
    """Quantities of a vehicle with a trailer."""

    trailer_position: _Floats
    """Trailer's end of the coupling in the world, (3), m."""
    trailer_articulation: _Floats
    """Yaw of the trailer relative to the vehicle, rad, positive to the left."""
    trailer_pitch: _Floats
    """Pitch of the trailer relative to the vehicle, rad, positive nose down."""
    hitch_force: _Floats
    """Force of the trailer on the vehicle in chassis axes, (3), N."""


class _ArticulatedState(TypedDict, total=False):
    """Quantities of a vehicle with an articulated frame."""

    articulation: _Floats
    """Angle of the frame, rad, positive with the front turned to the left."""


class _MotorState(TypedDict, total=False):
    """Quantities of a vehicle with electric motors."""

    motor_current: _Floats
    """Current of the left and the right motors, (2), A, positive for a forward torque."""
    wheel_motor_current: _Floats
    """With a motor for each wheel, its current, (wheels), A."""
    wheel_motor_energy: _Floats
    """Energy that each of these drew from the battery, (wheels), J."""
    battery_power: _Floats
    """Power from the battery, W, negative while the motors charge it."""
    battery_charge: _Floats
    """State of charge of the battery, 1 full at the start, 0 empty."""


class State(_TrailerState, _ArticulatedState, _MotorState):
    """State of a vehicle. In a history each array has time as an additional first axis."""

    time: _Floats
    """Simulated time, s."""
    position: _Floats
    """Origin of the chassis in the world, (3), m."""
    orientation: _Floats
    """Quaternion from chassis axes to world axes, (4): w, x, y, z."""
    velocity: _Floats
    """Velocity of the origin in the world, (3), m/s."""
    angular_velocity: _Floats
    """Angular velocity in chassis axes, (3), rad/s."""
    speed: _Floats
    """Speed along the chassis' x axis, m/s."""
    throttle: _Floats
    """Throttle, 0 to 1."""
    steering: _Floats
    """Steering, -1 (right) to 1 (left)."""
    brake: _Floats
    """Brake, 0 to 1."""
    engine_speed: _Floats
    """Engine speed, rad/s."""
    gear: NDArray[np.int32]
    """Gear: 1 first, 0 neutral, negative reverse."""
    spin: _Floats
    """Spin of each wheel, rad/s, positive forward."""
    slip: _Floats
    """Slip of each wheel, -1 to 1, positive when driving."""
    sinkage: _Floats
    """Depth of each wheel's lowest point below the undisturbed ground, m."""
    load: _Floats
    """Vertical force of the ground on each wheel, N."""
    traction: _Floats
    """Force of the ground on each wheel along its heading, N."""
    lateral: _Floats
    """Force of the ground on each wheel to its left, N."""
    torque: _Floats
    """Torque of driveline and brake on each wheel, N m, positive forward."""
    area: _Floats
    """Contact area of each wheel, m²; of a rigid tire only with deformable ground."""
    inflation_kpa: _Floats
    """Inflation of each flexible tire, kPa; 0 for rigid ones."""
    deflection: _Floats
    """Deflection of each flexible tire, m."""
    contact_length: _Floats
    """Length of each flexible tire's contact, m."""


class Contacts(TypedDict):
    """Contacts of a vehicle with the ground in the last step: n wheels or shoes, zero without contact."""

    force: _Floats
    """Force of the ground, (n, 3), world axes, N."""
    torque: _Floats
    """Torque of the ground about the center of the wheel or shoe, (n, 3), world axes, N m."""
    normal_force: _Floats
    """Sum of the normal forces, (n), N."""
    sinkage: _Floats
    """Depth below the undisturbed ground, (n), m."""
    area: _Floats
    """Contact area, (n), m²."""
    nodes: NDArray[np.uint32]
    """Number of soil nodes that carry load, (n)."""


class _Reading(TypedDict):
    """Quantities of all readings."""

    sensor: str
    """Name of the sensor."""
    frame: int
    """Number of the frame, from 1."""
    taken: float
    """Time of measurement, s: the end of its window."""
    delivered: float
    """Time of delivery, s."""
    position: _Floats
    """Position of the sensor in the world, (3), m."""
    orientation: _Floats
    """Quaternion from sensor axes to world axes, (4): w, x, y, z."""


class ImuReading(_Reading):
    """Reading of an inertial measurement unit, in sensor axes."""

    kind: Literal["imu"]
    """Kind of the sensor."""
    specific_force: _Floats
    """Specific force, (3), m/s²."""
    angular_rate: _Floats
    """Angular rate, (3), rad/s."""


class GpsReading(_Reading):
    """Fix of satellite navigation on WGS 84."""

    kind: Literal["gps"]
    """Kind of the sensor."""
    valid: bool
    """False in an outage: the other values are then invalid."""
    latitude_deg: float
    """Latitude, degrees, north positive."""
    longitude_deg: float
    """Longitude, degrees, east positive."""
    altitude: float
    """Height above the ellipsoid, m."""
    velocity: _Floats
    """Velocity east, north and up, (3), m/s."""
    variance: _Floats
    """Variance of the position east, north and up, (3), m²."""


class MagnetometerReading(_Reading):
    """Reading of a magnetometer."""

    kind: Literal["magnetometer"]
    """Kind of the sensor."""
    field: _Floats
    """Magnetic field in sensor axes, (3), T."""


class EncoderReading(_Reading):
    """Reading of wheel encoders."""

    kind: Literal["encoder"]
    """Kind of the sensor."""
    ticks: NDArray[np.int64]
    """Ticks of each wheel since the start."""


class OdometryReading(_Reading):
    """Motion of the sensor frame; `position` and `orientation` are the measured ones."""

    kind: Literal["odometry"]
    """Kind of the sensor."""
    velocity: _Floats
    """Velocity in sensor axes, (3), m/s."""
    angular_velocity: _Floats
    """Angular velocity in sensor axes, (3), rad/s."""


class TerramechanicsReading(_Reading):
    """Contact of each wheel with the ground."""

    kind: Literal["terramechanics"]
    """Kind of the sensor."""
    sinkage: _Floats
    """Depth of each wheel's lowest point below the undisturbed ground, m."""
    slip: _Floats
    """Slip of each wheel, -1 to 1, positive when driving."""
    force: _Floats
    """Force of the ground on each wheel: along its heading, to its left, up, (n, 3), N."""
    pressure: _Floats
    """Mean contact pressure of each wheel, Pa; 0 without contact."""


class _CameraChannels(TypedDict, total=False):
    """Channels of a camera; those that the scenario does not enable are absent."""

    color: _Singles
    """Linear red, green, blue, (rows, columns, 3); 1 where the sensor saturates."""
    depth: _Singles
    """Distance along the optical axis, (rows, columns), m; infinite for the sky."""
    normal: _Singles
    """Unit normal in world axes, (rows, columns, 3); zero for the sky."""
    instance: NDArray[np.uint16]
    """Vehicle of each pixel, (rows, columns): a number of `labels["instance"]`, or 0."""
    soil: NDArray[np.uint8]
    """Soil of each pixel, (rows, columns): a number of `labels["soil"]`, or 255."""
    sinkage: _Singles
    """Plastic sinkage of the ground, (rows, columns), m."""
    slip: _Singles
    """Remaining shear displacement of the ground, (rows, columns), m."""
    passes: NDArray[np.uint16]
    """Number of wheel passes, (rows, columns)."""
    agent: NDArray[np.uint16]
    """Vehicle that last deformed the ground, (rows, columns): as `instance`."""


# `class` is not an identifier
_CameraClass = TypedDict("_CameraClass", {"class": NDArray[np.uint8]}, total=False)


class CameraReading(_Reading, _CameraChannels, _CameraClass):
    """Image of a camera. `class` has the class of each pixel, a number of `labels["class"]`."""

    kind: Literal["camera"]
    """Kind of the sensor."""


# `class` is not an identifier
_LidarClass = TypedDict("_LidarClass", {"class": NDArray[np.uint8]})


class LidarReading(_Reading, _LidarClass):
    """Scan of a lidar with n returns. `class` has the class of each, a number of `labels["class"]`."""

    kind: Literal["lidar"]
    """Kind of the sensor."""
    points: _Singles
    """Points in sensor axes, (n, 3), m."""
    intensity: _Singles
    """Received light, (n): 1 from a white surface at 1 m."""
    time_offset: _Singles
    """Firing time relative to the end of the scan, (n), s, negative or 0."""
    ring: NDArray[np.uint16]
    """Number of the beam, (n), 0 for the lowest."""
    column: NDArray[np.uint16]
    """Number of the firing, (n)."""
    order: NDArray[np.uint8]
    """0 for the first return of a firing, 1 for the second, (n)."""
    instance: NDArray[np.uint16]
    """Vehicle that was hit, (n): a number of `labels["instance"]`, or 0."""


Reading = Union[
    ImuReading,
    GpsReading,
    MagnetometerReading,
    EncoderReading,
    OdometryReading,
    TerramechanicsReading,
    CameraReading,
    LidarReading,
]
"""Reading of a sensor; `kind` tells which."""
