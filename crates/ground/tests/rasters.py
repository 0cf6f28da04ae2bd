"""Writes rasters in many variants with rasterio (GDAL), and what rasterio reads of each.

    python rasters.py FOLDER

For each `NAME` there is `NAME.f64` with heights in meters, row by row from the north, NaN where
there is no data, and a line in `variants.tsv`: NAME, columns, rows, length on the ground of a cell
east and north (m), the relative tolerance of both, longitude and latitude of the middle (NaN if
not judged), tolerance of heights. `refused.tsv` lists files that must be refused, with a word that
the message must hold.
"""

import itertools
import math
import os
import sys
import warnings

import numpy as np
import rasterio
from rasterio.crs import CRS
from rasterio.transform import Affine
from rasterio.warp import transform as warp

warnings.filterwarnings("ignore")
folder = sys.argv[1]
os.chdir(folder)
UTM = "EPSG:32632"
COLUMNS, ROWS = 37, 29
METERS = {"": 1.0, "m": 1.0, "metre": 1.0, "ft": 0.3048, "foot": 0.3048, "us-ft": 1200 / 3937,
          "US survey foot": 1200 / 3937, "cm": 0.01, "mm": 0.001, "km": 1000.0, "yd": 0.9144}
variants, refused = [], []


def heights(dtype, columns=COLUMNS, rows=ROWS):
    """Rough heights that fill a good part of the type's range, the same in every run."""
    x, y = np.meshgrid(np.arange(columns), np.arange(rows))
    rough = (x * 7919 + y * 104729) % 101
    if np.issubdtype(np.dtype(dtype), np.floating):
        return (300 + 0.37 * rough + 0.25 * x).astype(dtype)
    return (20 + rough + x).astype(dtype)


def ground_lengths(dataset, crs, rows, columns):
    """Lengths on the ground of a cell along its row and its column at the middle, by the places
    of points nearby on the ellipsoid of WGS 84; and the middle's longitude and latitude."""
    t = dataset.transform
    column, row = columns / 2, rows / 2
    points = [(column, row), (column - 0.5, row), (column + 0.5, row), (column, row - 0.5),
              (column, row + 0.5)]
    xs, ys = zip(*(t * point for point in points))
    if crs is None or crs.to_wkt().startswith(("LOCAL_CS", "ENGCRS")):
        return abs(t.a), abs(t.e), math.nan, math.nan
    longitude, latitude = warp(crs, "EPSG:4326", xs, ys)
    a, e2 = 6378137.0, 0.0066943799901413
    phi = math.radians(latitude[0])
    w = math.sqrt(1 - e2 * math.sin(phi) ** 2)
    east, north = a * math.cos(phi) / w, a * (1 - e2) / w**3

    def apart(i, j):
        step = math.radians((longitude[j] - longitude[i] + 180) % 360 - 180)
        return math.hypot(step * east, math.radians(latitude[j] - latitude[i]) * north)

    return apart(1, 2), apart(3, 4), longitude[0], latitude[0]


def expect(name, unit=None, tolerance=1e-9, exact=True, path=None, values=1e-12, system=None):
    """Has rasterio read a file; `exact`: coordinates are lengths on the ground; `system`: the reference system
    that was written, where GDAL does not read all of it."""
    path = path or name
    with rasterio.open(path) as dataset:
        band = dataset.read(1, masked=True)
        data = band.astype("float64").filled(np.nan)
        data = data * dataset.scales[0] + dataset.offsets[0]
        word = dataset.units[0] or ""
        data = data * (METERS[word] if unit is None else unit)
        if dataset.transform.e > 0:
            data = data[::-1]
        rows, columns = data.shape
        dx, dy, longitude, latitude = ground_lengths(dataset, system or dataset.crs, rows, columns)
        if exact:
            dx, dy = abs(dataset.transform.a), abs(dataset.transform.e)
        if (system or dataset.crs) is None:
            longitude = latitude = math.nan
    np.ascontiguousarray(data, dtype="<f8").tofile(name + ".f64")
    variants.append("\t".join(map(str, (path, name + ".f64", columns, rows, repr(dx), repr(dy),
                                        tolerance, longitude, latitude, values))))


def write(name, data, crs=UTM, transform=Affine(10, 0, 600000, 0, -10, 5200000), masked=None,
          scale=None, offset=None, unit=None, skip=None, internal=True, tags=None, **profile):
    rows, columns = data.shape
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=internal, GDAL_NUM_THREADS=1):
        with rasterio.open(name, "w", driver="GTiff", width=columns, height=rows, count=1,
                           dtype=data.dtype, crs=crs, transform=transform, **profile) as dataset:
            if scale is not None:
                dataset.scales = (scale,)
            if offset is not None:
                dataset.offsets = (offset,)
            if unit is not None:
                dataset.units = (unit,)
            if tags:
                dataset.update_tags(**tags)
            if skip is None:
                dataset.write(data, 1)
            else:
                height, width = dataset.block_shapes[0]
                for _, window in dataset.block_windows(1):
                    block = (window.row_off // height, window.col_off // width)
                    if not skip(*block):
                        part = data[window.row_off:window.row_off + window.height,
                                    window.col_off:window.col_off + window.width]
                        dataset.write(part, 1, window=window)
            if masked is not None:
                dataset.write_mask(np.where(masked, 0, 255).astype("uint8"))


LAYOUTS = {
    "rows": dict(blockysize=1), "strips": dict(blockysize=7), "whole": dict(blockysize=ROWS),
    "tiles": dict(tiled=True, blockxsize=16, blockysize=16),
    "wide": dict(tiled=True, blockxsize=32, blockysize=16),
}
TYPES = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32",
         "float64"]
CODECS = {"none": {}, "lzw": dict(compress="lzw"), "deflate": dict(compress="deflate"),
          "packbits": dict(compress="packbits")}


def predictors(dtype, codec):
    if codec not in ("lzw", "deflate"):
        return [1]
    return [1, 2, 3] if dtype.startswith("float") else [1, 2]


# types, layouts, codecs, predictors
for dtype, (layout, block), (codec, options) in itertools.product(TYPES, LAYOUTS.items(),
                                                                 CODECS.items()):
    for predictor in predictors(dtype, codec):
        name = f"t_{dtype}_{layout}_{codec}_{predictor}.tif"
        extra = dict(predictor=predictor) if predictor > 1 else {}
        write(name, heights(dtype), **block, **options, **extra)
        expect(name)

# a tile larger than the image, half floats, bytes in the other order, offsets of 64 bits
for (codec, options), predictor in itertools.product(CODECS.items(), (1, 3)):
    if predictor in predictors("float32", codec):
        extra = dict(predictor=predictor) if predictor > 1 else {}
        name = f"large_{codec}_{predictor}.tif"
        write(name, heights("float32"), tiled=True, blockxsize=256, blockysize=256, **options, **extra)
        expect(name)
        name = f"half_{codec}_{predictor}.tif"
        write(name, heights("float32"), nbits=16, **options, **extra)
        expect(name)
for dtype, (codec, options) in itertools.product(("int16", "float32", "float64"), CODECS.items()):
    for predictor in predictors(dtype, codec):
        extra = dict(predictor=predictor) if predictor > 1 else {}
        name = f"big_{dtype}_{codec}_{predictor}.tif"
        write(name, heights(dtype), endianness="big", bigtiff="yes", **options, **extra)
        expect(name)

# chunks that were never written
for dtype, (codec, options), layout, gap in itertools.product(
        ("uint8", "int16", "float32", "float64"), CODECS.items(), ("strips", "tiles"), (None, 0, 99)):
    name = f"sparse_{dtype}_{codec}_{layout}_{gap}.tif"
    write(name, heights(dtype), sparse_ok=True, nodata=gap, skip=lambda row, column: (row + column) % 2,
          **LAYOUTS[layout], **options)
    expect(name)

# internal and external masks, with and without a value for gaps, in other chunks than the heights
x, y = np.meshgrid(np.arange(COLUMNS), np.arange(ROWS))
hole = (x - 15) ** 2 + (y - 12) ** 2 < 60
for dtype, (codec, options), layout, internal in itertools.product(
        ("uint8", "int16", "float32"), CODECS.items(), ("strips", "tiles"), (True, False)):
    name = f"mask_{dtype}_{codec}_{layout}_{'in' if internal else 'beside'}.tif"
    write(name, heights(dtype), masked=hole, internal=internal, **LAYOUTS[layout], **options)
    expect(name)
for south_up in (False, True):
    name = f"mask_south_up_{south_up}.tif"
    step = 10 if south_up else -10
    write(name, heights("int16"), masked=hole, transform=Affine(10, 0, 600000, 0, step, 5200000),
          **LAYOUTS["strips"])
    expect(name)
# overviews, of the heights and of the mask
write("overviews.tif", heights("float32"), masked=hole, tiled=True, blockxsize=16, blockysize=16)
with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True):
    with rasterio.open("overviews.tif", "r+") as dataset:
        dataset.build_overviews([2, 4])
expect("overviews.tif")

# values for gaps, as text with more or fewer digits
largest = float(np.finfo("float32").max)
for k, (dtype, gap, stored) in enumerate([
        ("float32", -largest, -largest), ("float32", -9999, -9999), ("float32", 0.1, 0.1),
        ("float32", math.nan, math.nan), ("float64", -1.7976931348623157e308, -1.7976931348623157e308),
        ("int16", -32768, -32768), ("uint8", 255, 255), ("uint16", 65535, 65535),
        ("int32", -2147483647, -2147483647), ("float64", 1e-3, 1e-3)]):
    data = heights(dtype)
    data[hole] = stored
    write(f"gap_{k}.tif", data, nodata=gap)
    expect(f"gap_{k}.tif")
    if dtype == "float32" and gap == -largest:
        # the text that other software writes for it
        content = open(f"gap_{k}.tif", "rb").read()
        text = b"-3.4028234663852886e+38"
        assert text in content
        for digits in (b"-3.40282e+38", b"-3.4028235e+38", b"-3.40282346639e+038"):
            name = f"gap_{k}_{len(digits)}.tif"
            open(name, "wb").write(content.replace(text, digits.ljust(len(text), b"\0")))
            expect(name)

# white is zero; a palette
for dtype, codec in itertools.product(("uint8", "uint16"), CODECS):
    name = f"white_{dtype}_{codec}.tif"
    write(name, heights(dtype), photometric="miniswhite", **CODECS[codec])
    expect(name)
write("palette.tif", heights("uint8"), photometric="palette")
expect("palette.tif")

# units, scales and offsets, with and without a vertical system
for k, (unit, crs) in enumerate(itertools.product(
        METERS, (UTM, "EPSG:32632+5703", "EPSG:32613+6360", "EPSG:26913+8228"))):
    name = f"unit_{k}.tif"
    # no height is above 100 km
    data = heights("float32") / np.float32(1000 if unit == "km" else 1)
    write(name, data, crs=crs, unit=unit)
    expect(name)
for k, (scale, offset, crs, dtype) in enumerate(itertools.product(
        (None, 0.1, -2.0), (None, 0.0, 550.25), (UTM, "EPSG:32632+5703", "EPSG:4326+5703"),
        ("int16", "float32"))):
    name = f"scale_{k}.tif"
    place = (Affine(1e-4, 0, 9, 0, -1e-4, 47) if crs.startswith("EPSG:4326")
             else Affine(10, 0, 600000, 0, -10, 5200000))
    write(name, heights(dtype), crs=crs, transform=place, scale=scale, offset=offset, unit="ft")
    expect(name, exact=not crs.startswith("EPSG:4326"), tolerance=1e-6)

# reference systems at several places: coordinates are no lengths on the ground
ESRI_WEB = "ESRI:102100"
GOOGLE = ('PROJCS["Google Maps Global Mercator",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",'
          '6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.01745329251994328]],'
          'PROJECTION["Mercator_2SP"],PARAMETER["standard_parallel_1",0],PARAMETER["latitude_of_origin",0],'
          'PARAMETER["central_meridian",0],PARAMETER["false_easting",0],PARAMETER["false_northing",0],'
          'UNIT["Meter",1],EXTENSION["PROJ4","+proj=merc +a=6378137 +b=6378137 +lat_ts=0.0 +lon_0=0.0 '
          '+x_0=0.0 +y_0=0 +k=1.0 +units=m +nadgrids=@null +wktext +no_defs"],AUTHORITY["EPSG","900913"]]')
WEB = ("+proj=merc +a=6378137 +b=6378137 +lat_ts=0 +lon_0=0 +x_0=0 +y_0=0 +k=1 +units=m "
       "+nadgrids=@null +wktext +no_defs")
SYSTEMS = {
    "EPSG:3857": [(10, 60), (150, -33)], ESRI_WEB: [(10, 60), (-100, 40)], GOOGLE: [(10, 60)],
    WEB: [(10, 60)], "+proj=webmerc +datum=WGS84": [(10, 60)], "EPSG:3395": [(10, 60), (-70, -35)],
    "EPSG:3832": [(170, 40)], "ESRI:54004": [(10, 60)], "+proj=merc +lat_ts=41 +lon_0=100 +ellps=WGS84": [(90, 60)],
    "EPSG:4087": [(10, 60), (100, 20)], "EPSG:4088": [(10, 60)], "ESRI:54001": [(10, 60)],
    "+proj=eqc +lat_ts=30 +ellps=WGS84": [(10, 60)], "EPSG:6933": [(10, 60), (-60, -20)],
    "EPSG:3410": [(15, 45)], "ESRI:54034": [(15, 45)], "+proj=cea +lat_ts=30 +ellps=WGS84": [(10, 60)],
    "EPSG:3035": [(10, 52), (12, 60)], "EPSG:5070": [(-96, 37), (-96, 45)], "EPSG:3031": [(0, -65), (100, -80)],
    "EPSG:3413": [(-45, 62), (80, 75)], "EPSG:3976": [(20, -60)], "EPSG:3995": [(60, 60)],
    "+proj=stere +lat_0=90 +lat_ts=70 +lon_0=-45 +datum=WGS84": [(0, 60)],
    "+proj=stere +lat_0=52 +lon_0=5 +ellps=WGS84": [(12, 58)],
    "EPSG:3034": [(10, 50), (30, 70)], "+proj=lcc +lat_1=20 +lat_2=60 +lat_0=40 +lon_0=-96 +datum=NAD83": [(-80, 30)],
    "+proj=lcc +lat_1=40 +lat_0=40 +lon_0=-96 +k_0=1 +datum=NAD83": [(-90, 48)],
    "+proj=aea +lat_1=29.5 +lat_2=45.5 +lat_0=23 +lon_0=-96 +datum=NAD83": [(-96, 48)],
    "+proj=sinu +R=6371007.181": [(0, 45)], "+proj=mill +ellps=WGS84": [(10, 60)],
    "+proj=laea +lat_0=52 +lon_0=10 +x_0=4321000 +y_0=3210000 +ellps=GRS80": [(10, 60)],
    "+proj=tmerc +lat_0=0 +lon_0=9 +k=1 +x_0=500000 +ellps=WGS84": [(20, 45)],
    "EPSG:2263": [(-73.9, 40.8)], "EPSG:2994": [(-121, 44)], "EPSG:2154": [(3, 46.5)], "EPSG:27700": [(-2, 52)],
    "EPSG:2056": [(8, 47)], "EPSG:31467": [(9, 50)], "EPSG:26913": [(-105, 40)], "EPSG:32733": [(15, -25)],
    "+proj=utm +zone=32 +ellps=WGS84 +units=us-ft": [(9, 50)], "+proj=utm +zone=32 +datum=WGS84 +units=km": [(9, 50)],
    "EPSG:2193": [(173, -41)], "EPSG:5514": [(15, 50)], "EPSG:28992": [(5.4, 52.2)], "EPSG:3347": [(-95, 50)],
    "EPSG:2263+6360": [(-73.9, 40.8)],
}
k = 0
for system, places in SYSTEMS.items():
    crs = CRS.from_user_input(system)
    for longitude, latitude in places:
        (east,), (north,) = warp("EPSG:4326", crs, [longitude], [latitude])
        factor = crs.linear_units_factor[1]
        for cell in (10, 25):
            size = cell / factor
            place = Affine(size, 0, east, 0, -size, north)
            name = f"system_{k}.tif"
            k += 1
            write(name, heights("float32"), crs=crs, transform=place)
            # 0.8 %: figures of the earth differ, and PROJ's equidistant cylinder is a sphere's
            expect(name, exact=False, tolerance=0.008)
for longitude, latitude in ((9, 60), (-70, -35)):
    name = f"degrees_{latitude}.tif"
    write(name, heights("float32"), crs="EPSG:4326", transform=Affine(1e-4, 0, longitude, 0, -1e-4, latitude))
    expect(name, exact=False, tolerance=1e-6)

# georeference by a matrix, by sidecar files, as points
write("south_up.tif", heights("float32"), transform=Affine(10, 0, 600000, 0, 20, 5200000))
expect("south_up.tif")
for block in LAYOUTS:
    write(f"south_up_{block}.tif", heights("int16"), transform=Affine(10, 0, 600000, 0, 20, 5200000),
          **LAYOUTS[block])
    expect(f"south_up_{block}.tif")
write("points.tif", heights("float32"), tags=dict(AREA_OR_POINT="Point"))
expect("points.tif")
for ending in ("tfw", "tifw", "wld", "TFW"):
    name = f"world_{ending}.tif"
    write(name, heights("float32"), crs=None, transform=Affine.identity(), profile="BASELINE")
    open(f"world_{ending}.{ending}", "w").write("10\n0\n0\n-20\n600005\n5199990\n")
    expect(name)
AUXILIARY = ("<PAMDataset>\n  <SRS>%s</SRS>\n  <GeoTransform> 1, 20, 0, 2, 0, -20</GeoTransform>\n"
             "  <PAMRasterBand band=\"1\"><NoDataValue>%s</NoDataValue><UnitType>%s</UnitType>"
             "<Offset>%s</Offset><Scale>%s</Scale></PAMRasterBand>\n</PAMDataset>\n")
for k, (gap, unit, offset, scale) in enumerate([(50, "ft", 1, 2), (-1, "", 0, 1), (60, "cm", 100, 0.5)]):
    name = f"auxiliary_{k}.tif"
    write(name, heights("int16"), nodata=77, scale=3, offset=4, unit="yd")
    wkt = CRS.from_epsg(32633).to_wkt().replace('"', "&quot;")
    open(name + ".aux.xml", "w").write(AUXILIARY % (wkt, gap, unit, offset, scale))
    expect(name, exact=True)

# ESRI ASCII grids with and without a projection file
for k, (system, gap) in enumerate(itertools.product(
        (None, "EPSG:32632", "EPSG:2263", "EPSG:3395", "ESRI:102100", "EPSG:3035"), (None, 40.0))):
    name = f"grid_{k}.asc"
    data = heights("int32").astype("float64")
    crs = system and CRS.from_user_input(system)
    east, north = (600000, 5200000)
    if system in ("EPSG:3395", "ESRI:102100", "EPSG:3035"):
        (east,), (north,) = warp("EPSG:4326", crs, [10.0], [60.0])
    if system == "EPSG:2263":
        (east,), (north,) = warp("EPSG:4326", crs, [-73.9], [40.8])
    with open(name, "w") as file:
        file.write(f"ncols {COLUMNS}\nnrows {ROWS}\nxllcorner {east!r}\nyllcorner {north!r}\ncellsize 10\n")
        if gap is not None:
            file.write(f"NODATA_value {gap}\n")
        for line in data:
            file.write(" ".join(f"{value:g}" for value in line) + "\n")
    if crs:
        open(f"grid_{k}.prj", "w").write(crs.to_wkt(morph_to_esri_dialect=True))
    expect(name, exact=False, tolerance=0.008)

# other prime meridians than Greenwich, other units of angles than degrees
PARIS = ('GEOGCS["own",DATUM["d",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["%s",%s],'
         'UNIT["grad",0.0157079632679489]]')
CONE = ('PROJCS["own",%s,PROJECTION["Lambert_Conformal_Conic_2SP"],PARAMETER["standard_parallel_1",20],'
        'PARAMETER["standard_parallel_2",70],PARAMETER["latitude_of_origin",40],PARAMETER["central_meridian",3],'
        'PARAMETER["false_easting",600000],PARAMETER["false_northing",200000],UNIT["metre",1]]')
ANGLES = [
    "EPSG:4807", "EPSG:4805", "EPSG:4901", "EPSG:27572", "EPSG:27561", PARIS % ("Paris", 2.33722917),
    CONE % (PARIS % ("Paris", 2.33722917)),
    "+proj=lcc +lat_1=46.8 +lat_0=46.8 +lon_0=0 +k_0=0.99987742 +x_0=600000 +y_0=2200000 +ellps=WGS84 +pm=paris",
    "+proj=merc +lat_ts=40 +lon_0=5 +pm=paris +ellps=WGS84", "+proj=merc +lat_ts=40 +lon_0=5 +pm=10.5 +ellps=WGS84",
    "+proj=longlat +pm=ferro +ellps=WGS84", "+proj=tmerc +lon_0=3 +k=1 +pm=rome +ellps=WGS84",
]
for k, system in enumerate(ANGLES):
    crs = CRS.from_user_input(system)
    (east,), (north,) = warp("EPSG:4326", crs, [9.0], [52.0])
    size = 10 if crs.is_projected else 1e-4
    place = Affine(size, 0, east, 0, -size, north)
    write(f"angles_{k}.tif", heights("float32"), crs=crs, transform=place)
    # GDAL misreads a prime meridian that it has written in grads, and reads no WKT 2 sidecar of a
    # grid
    expect(f"angles_{k}.tif", exact=False, tolerance=0.008, system=crs)
    for ending, options in (("esri", dict(morph_to_esri_dialect=True)), ("gdal", {}),
                            ("two", dict(version="WKT2_2019"))):
        name = f"angles_{k}_{ending}.asc"
        with open(name, "w") as file:
            file.write(f"ncols {COLUMNS}\nnrows {ROWS}\nxllcorner {east!r}\nyllcorner {north!r}\ncellsize {size}\n")
            for line in heights("int32"):
                file.write(" ".join(map(str, line)) + "\n")
        open(f"angles_{k}_{ending}.prj", "w").write(crs.to_wkt(**options))
        expect(name, exact=False, tolerance=0.008, system=crs)

# projection files of ArcInfo; a mask and an auxiliary file as sidecars of an ASCII grid
ARC = {
    "utm": ("Projection    UTM\nZone          33\nDatum         WGS84\nZunits        NO\nUnits         METERS\n"
            "Spheroid      WGS84\nXshift        0.0\nYshift        0.0\nParameters\n", 600000, 5200000),
    "south": ("Projection UTM\nZone 33\nDatum WGS84\nUnits METERS\nYshift -10000000.0\nParameters\n",
              600000, 7200000),
    "feet": ("Projection UTM\nZone 15\nDatum NAD83\nUnits FEET\nParameters\n", 1640000, 14000000),
    "degrees": ("Projection GEOGRAPHIC\nDatum WGS84\nUnits DD\nSpheroid WGS84\nParameters\n", 9, 50),
    "albers": ("Projection ALBERS\nDatum NAD83\nSpheroid GRS80\nUnits METERS\nZunits NO\nXshift 0.0\n"
               "Yshift 0.0\nParameters\n  29  30   0.0 /* 1st standard parallel\n  45  30   0.0 /* 2nd\n"
               " -96   0   0.0 /* central meridian\n  23   0   0.0 /* latitude of origin\n0.0 /* false easting\n"
               "0.0 /* false northing\n", 100000, 2600000),
    "lambert": ("Projection LAMBERT\nDatum NAD83\nSpheroid GRS80\nUnits METERS\nParameters\n20 0 0.0\n60 0 0.0\n"
                "-96 0 0.0\n40 0 0.0\n0.0\n0.0\n", 1200000, -900000),
    "transverse": ("Projection TRANSVERSE\nDatum WGS84\nUnits METERS\nParameters\n0.99 /* scale\n9 0 0.0\n"
                   "0 0 0.0\n500000.0\n0.0\n", 600000, 5200000),
    "polar": ("Projection POLAR\nDatum WGS84\nUnits METERS\nParameters\n-45 0 0.0 /* longitude\n"
              "70 0 0.0 /* latitude of true scale\n0.0\n0.0\n", 0, -3500000),
    "azimuthal": ("Projection LAMBERT_AZIMUTHAL\nDatum WGS84\nUnits METERS\nParameters\n10 0 0.0\n52 0 0.0\n"
                  "4321000.0\n3210000.0\n", 4321000, 4300000),
}
for name, (text, east, north) in ARC.items():
    size = 1e-4 if name == "degrees" else 10
    with open(f"arc_{name}.asc", "w") as file:
        file.write(f"ncols {COLUMNS}\nnrows {ROWS}\nxllcorner {east!r}\nyllcorner {north!r}\ncellsize {size}\n")
        for line in heights("int32"):
            file.write(" ".join(map(str, line)) + "\n")
    open(f"arc_{name}.prj", "w").write(text)
    expect(f"arc_{name}.asc", exact=False, tolerance=0.008)
for k, (kept, auxiliary) in enumerate(itertools.product((None, 255, 1), (False, True))):
    name = f"beside_{k}.asc"
    with open(name, "w") as file:
        file.write(f"ncols {COLUMNS}\nnrows {ROWS}\nxllcorner 600000\nyllcorner 5200000\ncellsize 10\n")
        for line in heights("int32"):
            file.write(" ".join(map(str, line)) + "\n")
    if kept is not None:
        write(f"mask_of_{k}.tif", np.where(hole, 0, kept).astype("uint8"), tags=dict(INTERNAL_MASK_FLAGS_1="2"),
              **LAYOUTS["strips"])
        os.rename(f"mask_of_{k}.tif", name + ".msk")
    if auxiliary:
        open(name + ".aux.xml", "w").write(
            "<PAMDataset><PAMRasterBand band=\"1\"><UnitType>ft</UnitType>"
            "<Offset>1</Offset><Scale>2</Scale></PAMRasterBand></PAMDataset>")
    expect(name)

# every type in the other byte order and with offsets of 64 bits; strips of odd heights; NaN for gaps
for dtype, big in itertools.product(TYPES, ("yes", "no")):
    for codec, predictor in (("none", 1), ("deflate", 2), ("packbits", 1)):
        name = f"order_{dtype}_{big}_{codec}.tif"
        extra = dict(predictor=predictor) if predictor > 1 else {}
        write(name, heights(dtype), endianness="big", bigtiff=big, **CODECS[codec], **extra)
        expect(name)
for height, dtype, codec in itertools.product((3, 11, 28), ("int8", "uint32", "float64"), CODECS):
    name = f"odd_{height}_{dtype}_{codec}.tif"
    write(name, heights(dtype), blockysize=height, **CODECS[codec])
    expect(name)
data = heights("float64")
data[hole] = np.nan
write("gap_double_nan.tif", data, nodata=math.nan, compress="deflate", predictor=3, endianness="big")
expect("gap_double_nan.tif")
data = heights("int8")
data[hole] = -128
write("gap_int8.tif", data, nodata=-128)
expect("gap_int8.tif")


# what cannot be read is refused, with a remedy
def refuse(name, word):
    refused.append(f"{name}\t{word}")


for codec, dtype in (("zstd", "float32"), ("lerc", "float32"), ("jpeg", "uint8"), ("webp", "uint8"),
                     ("lzma", "float32")):
    name = f"refused_{codec}.tif"
    try:
        if codec == "webp":
            with rasterio.open(name, "w", driver="GTiff", width=32, height=32, count=3, dtype="uint8",
                               compress="webp", crs=UTM) as dataset:
                dataset.write(np.zeros((3, 32, 32), "uint8"))
        else:
            write(name, heights(dtype), compress=codec)
    except Exception:  # this GDAL was built without it
        continue
    refuse(name, "gdal_translate")
write("refused_turned.tif", heights("float32"), transform=Affine(10, 1, 600000, 1, -10, 5200000))
refuse("refused_turned.tif", "gdalwarp")
write("refused_west.tif", heights("float32"), transform=Affine(0, 10, 600000, 10, 0, 5200000))
refuse("refused_west.tif", "gdalwarp")
for unit in ("furlong", "degC", "hPa", "mystery"):
    write(f"refused_{unit}.tif", heights("float32"), unit=unit)
    refuse(f"refused_{unit}.tif", unit.lower())
with rasterio.open("refused_bands.tif", "w", driver="GTiff", width=20, height=20, count=2, dtype="int16",
                   crs=UTM, transform=Affine(10, 0, 600000, 0, -10, 5200000)) as dataset:
    dataset.write(np.zeros((2, 20, 20), "int16"))
refuse("refused_bands.tif", "-b 1")
write("refused_complex.tif", heights("float32").astype("complex64"))
refuse("refused_complex.tif", "SampleFormat")

open("variants.tsv", "w").write("\n".join(variants) + "\n")
open("refused.tsv", "w").write("\n".join(refused) + "\n")
print(f"GDAL {rasterio.__gdal_version__}: {len(variants)} rasters, {len(refused)} to be refused")
