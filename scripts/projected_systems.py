"""Writes crates/ground/src/terrain/projected_systems.txt and projected_factors.txt.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install pyproj==3.7.2
    /tmp/venv/bin/python scripts/projected_systems.py

The first file lists every projected system of the EPSG dataset in pyproj. If its scale is within 0.2 %
of 1 everywhere in its area of use, the entry is the length of its unit; otherwise the entry has the
constants of its projection in PROJ's format. The second file has scales by PROJ, to test the formulas.
"""

import math
import warnings
from pathlib import Path

from pyproj import CRS, Proj, Transformer
from pyproj.database import query_crs_info
from pyproj.enums import PJType

TRUE_TO_SCALE = 0.002
KEYS = ("proj zone south lat_0 lat_1 lat_2 lat_ts lon_0 lonc alpha gamma k k_0 x_0 y_0 R a b units "
        "to_meter axis pm").split()
# systems with projections that bekker implements, with points (longitude, latitude) to compare scales
FACTORS = {
    3395: [(10, 60), (-70, -35)], 3832: [(170, 40)], 3857: [(10, 60), (151, -33)],
    4087: [(10, 60), (100, 20)], 6933: [(10, 60), (-60, -20)], 3410: [(15, 45)],
    3035: [(10, 52), (-8, 40), (28, 65)], 5070: [(-120, 47), (-75, 27), (-96, 37)],
    3031: [(0, -65), (100, -80)], 3413: [(-45, 62), (80, 75)], 5041: [(20, 84)],
    3034: [(10, 50), (-8, 37), (30, 70)], 3347: [(-70, 50), (-120, 72)],
    3577: [(150, -35), (115, -20)], 3571: [(170, 60)], 3408: [(20, 50)],
    3978: [(-100, 75)], 5636: [(35, 39)], 2163: [(-100, 40), (-120, 48)],
}


def worst_scale(projection, area):
    """Returns the largest difference of a scale from 1 in the area of use."""
    if not area:
        return math.inf
    west, east = area.west, area.east
    if east < west:
        east += 360
    worst = 0
    for i in range(7):
        for j in range(7):
            longitude = (west + (east - west) * i / 6 + 180) % 360 - 180
            latitude = max(-89.9, min(89.9, area.south + (area.north - area.south) * j / 6))
            own = projection.get_factors(longitude, latitude)
            for scale in (own.tissot_semimajor, own.tissot_semiminor):
                worst = max(worst, abs(scale - 1) if math.isfinite(scale) else math.inf)
    return worst


def systems():
    rows = []
    found = query_crs_info(auth_name="EPSG", pj_types=[PJType.PROJECTED_CRS], allow_deprecated=True)
    for info in sorted(found, key=lambda own: int(own.code)):
        code = int(info.code)
        if code > 65535:
            continue
        crs = CRS.from_epsg(code)
        try:
            worst = worst_scale(Proj(crs), info.area_of_use)
        except Exception:  # a grid system without a projection
            continue
        if worst <= TRUE_TO_SCALE:
            rows.append((code, "%.15g" % crs.axis_info[0].unit_conversion_factor, None))
            continue
        words = crs.to_dict()
        text = " ".join(f"+{key}" if words[key] is True else f"+{key}={words[key]}"
                        for key in KEYS if key in words)
        rows.append((code, None, text))
    lines, run = [], None
    for code, length, text in rows:
        # a range has no missing codes
        if run and (text or run[2] != length or code != run[1] + 1):
            lines.append("%d %d %s" % tuple(run))
            run = None
        if text:
            lines.append(f"{code} {text}")
        elif run:
            run[1] = code
        else:
            run = [code, code, length]
    if run:
        lines.append("%d %d %s" % tuple(run))
    return lines


def factors():
    lines = []
    for code, places in FACTORS.items():
        crs = CRS.from_epsg(code)
        projection = Proj(crs)
        to_grid = Transformer.from_crs(crs.geodetic_crs, crs, always_xy=True)
        for longitude, latitude in places:
            x, y = to_grid.transform(longitude, latitude)
            own = projection.get_factors(longitude, latitude)
            # meters of easting and northing per meter on the ground to the east and to the north
            slopes = ((own.dx_dlam, own.dx_dphi), (own.dy_dlam, own.dy_dphi))
            a, e2 = 6378137.0, 0.0066943799901413
            phi = math.radians(latitude)
            w = math.sqrt(1 - e2 * math.sin(phi) ** 2)
            east, north = a * math.cos(phi) / w, a * (1 - e2) / w ** 3
            (ee, en), (ne, nn) = [(dlam * a / east, dphi * a / north) for dlam, dphi in slopes]
            det = ee * nn - en * ne
            easting, northing = (nn / det, -ne / det), (-en / det, ee / det)
            along = sum(p * q for p, q in zip(easting, northing))
            along /= math.hypot(*easting) * math.hypot(*northing)
            lines.append("%d %g %g %.3f %.3f %.6f %.6f %.6f" % (
                code, longitude, latitude, x, y, math.hypot(*easting), math.hypot(*northing),
                abs(math.asin(along))))
    return lines


warnings.filterwarnings("ignore")
folder = Path(__file__).parent.parent / "crates/ground/src/terrain"
head = """\
# Projected reference systems of the EPSG Geodetic Parameter Dataset in PROJ 9.5, by scripts/projected_systems.py.
# FIRST LAST LENGTH: systems whose scale is within 0.2 % of 1 in their area of use; LENGTH of one unit, m.
# CODE +proj=...: all other systems.
"""
(folder / "projected_factors.txt").write_text("\n".join(factors()) + "\n")
(folder / "projected_systems.txt").write_text(head + "\n".join(systems()) + "\n")
