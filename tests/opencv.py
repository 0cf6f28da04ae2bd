"""Projects points written by tests/opencv.rs with OpenCV, and compares the results."""

import json
import sys

import cv2
import numpy as np

# pixels, of 1280: both use double precision, with about ten roundings of 1e-16
PROJECTED = 1e-9
# pixels, of rays by Newton's method to 1e-14, magnified by the focal length
RETURNED = 1e-8


def field_of_view(points, omega):
    """Projects by Devernay and Faugeras 2001, equation 13."""
    x, y = points[:, 0] / points[:, 2], points[:, 1] / points[:, 2]
    r = np.hypot(x, y)
    with np.errstate(invalid="ignore"):
        scale = np.where(r > 0, np.arctan(2 * r * np.tan(omega / 2)) / omega / r, 1)
    return np.stack([x * scale, y * scale], axis=1)


def projected(lens, points):
    k = np.array(lens["coefficients"], dtype=float)
    (fx, fy), (cx, cy) = lens["focal"], lens["middle"]
    matrix = np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1]])
    still = np.zeros((3, 1))
    if lens["name"] == "kannala_brandt":
        return cv2.fisheye.projectPoints(points[:, None], still, still, matrix, k)[0][:, 0]
    if lens["name"] == "field_of_view":
        return field_of_view(points, k[0]) * [fx, fy] + [cx, cy]
    return cv2.projectPoints(points, still, still, matrix, k if k.size else None)[0][:, 0]


for lens in json.load(open(sys.argv[1])):
    points = np.array([point for point, _ in lens["seen"]])
    pixels = np.array([pixel for _, pixel in lens["seen"]])
    there = np.abs(projected(lens, points) - pixels).max()
    rays = np.array([ray for _, ray in lens["rays"]])
    came_from = np.array([pixel for pixel, _ in lens["rays"]])
    back = np.abs(projected(lens, rays) - came_from).max()
    by = "numpy" if lens["name"] == "field_of_view" else f"OpenCV {cv2.__version__}"
    print(f"{lens['name']}: {len(points)} points within {there:.1e} pixels of {by}, "
          f"{len(rays)} rays back within {back:.1e}")
    assert there < PROJECTED, lens["name"]
    assert back < RETURNED, lens["name"]
