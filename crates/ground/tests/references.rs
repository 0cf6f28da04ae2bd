//! Reference systems, directories and sidecar files of rasters beyond those that GDAL writes.

use bekker_ground::terrain::{
    CellContent, Origin, Raster, RasterWarning, Sidecars, TerrainError, Unit, read_geotiff,
    read_raster_with, write_geotiff,
};
use std::io::Cursor;
use tiff::encoder::{TiffEncoder, colortype::Gray32Float};
use tiff::tags::Tag;

type Read = Result<(Raster, Vec<RasterWarning>), TerrainError>;

/// A raster of 3 x 2 cells at (600000, 5200000) with these geo-keys and numbers.
fn geotiff(keys: &[u16], doubles: &[f64], place: [f64; 2], size: f64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut file = TiffEncoder::new(Cursor::new(&mut bytes)).unwrap();
    let mut image = file.new_image::<Gray32Float>(3, 2).unwrap();
    let directory = image.encoder();
    directory.write_tag(Tag::ModelPixelScaleTag, &[size, size, 0.0][..]).unwrap();
    let [x, y] = place;
    directory.write_tag(Tag::ModelTiepointTag, &[0.0, 0.0, 0.0, x, y, 0.0][..]).unwrap();
    let header = [1, 1, 0, keys.len() as u16 / 4];
    directory.write_tag(Tag::GeoKeyDirectoryTag, &[&header[..], keys].concat()[..]).unwrap();
    if !doubles.is_empty() {
        directory.write_tag(Tag::GeoDoubleParamsTag, doubles).unwrap();
    }
    // a directory below this one that is this one itself: not followed
    directory.write_tag(Tag::Unknown(330), 8_u32).unwrap();
    image.write_data(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    bytes
}

fn plain() -> Vec<u8> {
    geotiff(&[1024, 0, 1, 1, 3072, 0, 1, 32632], &[], [600_000.0, 5_200_000.0], 10.0)
}

fn grid(prj: &str, more: Sidecars) -> Read {
    grid_at(prj, more, [600_000.0, 5_200_000.0], 10.0)
}

fn grid_at(prj: &str, more: Sidecars, [x, y]: [f64; 2], size: f64) -> Read {
    let text =
        format!("ncols 3\nnrows 2\nxllcorner {x}\nyllcorner {y}\ncellsize {size}\n1 2 3\n4 5 6\n");
    let projection = (!prj.is_empty()).then(|| prj.as_bytes().to_vec());
    let sidecars = Sidecars { projection, ..more };
    read_raster_with(text.as_bytes(), None, &sidecars, CellContent::Heights)
}

/// Where the 4 bytes are that lead from the first directory to the next.
fn link(bytes: &[u8]) -> usize {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let first = word(4);
    first + 2 + 12 * usize::from(u16::from_le_bytes([bytes[first], bytes[first + 1]]))
}

/// A file whose directories end with copies of the first, each led to by the one before it, and the
/// last leading to `end`.
fn chained(copies: usize, end: impl Fn(&[u32]) -> u32) -> Vec<u8> {
    let mut bytes = plain();
    let first = u32::from_le_bytes(bytes[4..8].try_into().unwrap());
    let mut offsets = vec![first];
    let mut at = link(&bytes);
    let directory = bytes[first as usize..at + 4].to_vec();
    for _ in 0..copies {
        let next = bytes.len() as u32;
        bytes[at..at + 4].copy_from_slice(&next.to_le_bytes());
        at = bytes.len() + directory.len() - 4;
        bytes.extend(&directory);
        offsets.push(next);
    }
    bytes[at..at + 4].copy_from_slice(&end(&offsets).to_le_bytes());
    bytes
}

#[test]
fn a_ring_of_directories_is_refused() {
    for copies in [0, 1, 5] {
        for to in [0, copies] {
            let ring =
                read_geotiff(&chained(copies, |offsets| offsets[to])).unwrap_err().to_string();
            assert!(
                ring.contains("the directories form a cycle") || ring.contains("ycle"),
                "{ring}"
            );
        }
    }
    let (_, warnings) = read_geotiff(&chained(3, |_| 0)).unwrap();
    assert_eq!(warnings, [RasterWarning::FurtherImages(4)]);
}

#[test]
fn directories_that_cannot_be_read_are_warned_of() {
    for copies in [0, 2] {
        let (raster, warnings) = read_geotiff(&chained(copies, |_| 99_999_999)).unwrap();
        assert_eq!(raster.values, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let told = warnings[0].to_string();
        let start =
            format!("directory {} of the file, at byte 99999999, cannot be read", copies + 1);
        assert!(told.starts_with(&start), "{told}");
    }
    let (_, warnings) = read_geotiff(&chained(1001, |_| 0)).unwrap();
    assert!(warnings[0].to_string().contains("only the first 1000 are read"), "{warnings:?}");
}

/// Longitude, latitude and cell of a raster in degrees from Greenwich.
fn degrees(read: Read) -> ([f64; 2], f64, bool) {
    let (raster, warnings) = read.unwrap();
    assert_eq!(raster.crs.unit, Unit::Degree);
    let told = warnings.iter().any(|own| matches!(own, RasterWarning::AnglesConverted { .. }));
    ([raster.bounds()[0], raster.bounds()[3]], raster.cell[0], told)
}

#[test]
fn other_meridians_and_units_become_degrees_from_greenwich() {
    let read = |keys: &[u16], doubles: &[f64]| {
        let keys = [&[1024, 0, 1, 2], keys].concat();
        degrees(read_geotiff(&geotiff(&keys, doubles, [2.0, 50.0], 0.001)))
    };
    let near = |(place, cell, told): ([f64; 2], f64, bool), x: f64, y: f64, size: f64| {
        let expected = [x + 0.5 * size, y - 0.5 * size];
        let is_near = (0..2).all(|k| (place[k] - expected[k]).abs() < 1e-9);
        assert!(is_near && (cell - size).abs() < 1e-12 && told, "{place:?} {cell} {told}");
    };
    let paris = 2.337_229_17;
    // NTF (Paris); grads; Paris; a meridian in grads; a custom unit, half a degree; Ferro
    near(read(&[2048, 0, 1, 4807], &[]), 1.8 + paris, 45.0, 0.0009);
    near(read(&[2054, 0, 1, 9105], &[]), 1.8, 45.0, 0.0009);
    near(read(&[2051, 0, 1, 8903], &[]), 2.0 + paris, 50.0, 0.001);
    near(read(&[2054, 0, 1, 9105, 2061, 34736, 1, 0], &[10.0]), 1.8 + 9.0, 45.0, 0.0009);
    let half = 0.5_f64.to_radians();
    near(read(&[2054, 0, 1, 32767, 2055, 34736, 1, 0], &[half]), 1.0, 25.0, 0.0005);
    near(read(&[2048, 0, 1, 4805], &[]), 2.0 - 17.0 - 2.0 / 3.0, 50.0, 0.001);
    let refused = |keys: &[u16]| {
        let keys = [&[1024, 0, 1, 2], keys].concat();
        read_geotiff(&geotiff(&keys, &[], [2.0, 50.0], 0.001)).unwrap_err().to_string()
    };
    assert!(refused(&[2054, 0, 1, 9110]).contains("GeogAngularUnits is 9110"));
    assert!(refused(&[2054, 0, 1, 32767]).contains("GeogAngularUnitSize"));
    assert!(refused(&[2051, 0, 1, 8999]).contains("GeogPrimeMeridian is 8999"));

    let wkt = |prime: &str, unit: &str| {
        let text = format!(
            "GEOGCS[\"own\",DATUM[\"d\",SPHEROID[\"s\",6378137,298.25]],PRIMEM[{prime}],UNIT[{unit}]]"
        );
        grid_at(&text, Sidecars::default(), [2.0, 49.998], 0.001)
    };
    let degree = "\"Degree\",0.0174532925199433";
    let grad = "\"Grad\",0.01570796326794897";
    near(degrees(wkt("\"Paris\",2.337229166666667", degree)), 2.0 + paris, 50.0, 0.001);
    near(degrees(wkt("\"Paris\",2.5969213", grad)), 1.8 + paris, 45.0, 0.0009);
    near(degrees(wkt("\"Somewhere\",10", grad)), 1.8 + 9.0, 45.0, 0.0009);
    near(degrees(wkt("\"Somewhere\",10", degree)), 12.0, 50.0, 0.001);
    assert!(!degrees(wkt("\"Greenwich\",0", degree)).2);
    let message = wkt("\"Greenwich\",0", "\"none\",0").unwrap_err().to_string();
    assert!(message.contains("the unit of longitudes and latitudes is 0 rad"), "{message}");
    let text = "+proj=longlat +pm=paris +ellps=WGS84";
    near(
        degrees(grid_at(text, Sidecars::default(), [2.0, 49.998], 0.001)),
        2.0 + paris,
        50.0,
        0.001,
    );
}

/// A projection that is not known is named with the length that a unit is taken for.
#[test]
fn unknown_methods_state_the_length_assumed() {
    let wkt = |method: &str, unit: &str| {
        format!(
            "PROJCS[\"own\",GEOGCS[\"g\",DATUM[\"d\",SPHEROID[\"s\",6378137,298.25]],PRIMEM[\"Greenwich\",0],\
             UNIT[\"Degree\",0.0174532925199433]],PROJECTION[\"{method}\"],PARAMETER[\"scale_factor\",1],\
             UNIT[{unit}]]"
        )
    };
    for method in
        ["Hotine_Oblique_Mercator", "Krovak", "Mollweide", "Bonne", "Polyconic", "Made_Up"]
    {
        for (unit, length) in [("\"Meter\",1", "1 m"), ("\"Foot\",0.3048", "0.3048 m")] {
            let (raster, warnings) = grid(&wkt(method, unit), Sidecars::default()).unwrap();
            let told: Vec<String> = warnings.iter().map(ToString::to_string).collect();
            let expected =
                format!("({method}): 1 unit of its coordinates is assumed to be {length} on");
            assert!(told.iter().any(|own| own.contains(&expected)), "{method}: {told:?}");
            // a code in addition is refused
            let error = raster.with_reference(Some(32632), None).unwrap_err().to_string();
            assert!(error.contains("32632") || error.contains("length of a unit"), "{error}");
        }
    }
    // by the keys of a GeoTIFF: Hotine's, polyconic, one of none
    for method in [3, 22, 99] {
        let keys = [1024, 0, 1, 1, 3072, 0, 1, 32767, 3074, 0, 1, 32767, 3075, 0, 1, method];
        let (_, warnings) =
            read_geotiff(&geotiff(&keys, &[], [600_000.0, 5_200_000.0], 10.0)).unwrap();
        let told: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        let expected =
            format!("(ProjCoordTrans {method}): 1 unit of its coordinates is assumed to be 1 m");
        assert!(told.iter().any(|own| own.contains(&expected)), "{told:?}");
    }
}

#[test]
fn a_code_that_contradicts_the_file_is_refused() {
    let utm = |zone: u16| {
        format!(
            "PROJCS[\"mine\",GEOGCS[\"odd\",DATUM[\"d\",SPHEROID[\"s\",6378137,298.25]],PRIMEM[\"Greenwich\",0],\
             UNIT[\"Degree\",0.0174532925199433]],PROJECTION[\"Transverse_Mercator\"],\
             PARAMETER[\"latitude_of_origin\",0],PARAMETER[\"central_meridian\",{}],\
             PARAMETER[\"scale_factor\",0.9996],PARAMETER[\"false_easting\",500000],\
             PARAMETER[\"false_northing\",0],UNIT[\"Meter\",1]]",
            6 * i32::from(zone) - 183
        )
    };
    let given = |prj: &str, code: u16| {
        let (raster, _) = grid(prj, Sidecars::default()).unwrap();
        raster.with_reference(Some(code), None)
    };
    let refused = |prj: &str, code: u16| given(prj, code).unwrap_err().to_string();
    assert_eq!(given(&utm(32), 32632).unwrap().crs.epsg, Some(32632));
    for (prj, code, file) in [
        (utm(32), 32633, "'mine' (transverse Mercator, meridian 9.0000 deg"),
        (utm(32), 32732, "'mine' (transverse Mercator"),
        (utm(32), 4326, "'mine' (transverse Mercator"),
        ("+proj=merc +lat_ts=40 +ellps=WGS84".into(), 32632, "(Mercator, meridian 0.0000 deg"),
        ("+proj=lcc +lat_1=40 +lat_2=50 +lon_0=9".into(), 32632, "(Lambert conformal conic"),
        ("Projection BONNE\nUnits METERS\n".into(), 32632, "'BONNE' (BONNE)"),
        (
            "GEOGCS[\"odd\",DATUM[\"d\",SPHEROID[\"s\",6378137,298.25]]]".into(),
            32632,
            "longitude and latitude",
        ),
        ("LOCAL_CS[\"pit\",UNIT[\"metre\",1]]".into(), 4326, "'pit' (lengths)"),
        ("EPSG:32633".into(), 32632, "32633"),
    ] {
        let message = refused(&prj, code);
        assert!(message.contains(&code.to_string()) && message.contains(file), "{message}");
    }
    // a frame of the user's own, and a file that names nothing, take the code
    assert!(given("LOCAL_CS[\"pit\",UNIT[\"metre\",1]]", 32632).is_ok());
    assert!(given("", 32632).is_ok() && given("", 4326).is_ok());
    // a zone by its key without a datum that zones are known on
    let keys = [1024, 0, 1, 1, 3072, 0, 1, 32767, 3074, 0, 1, 16032];
    let zone = || read_geotiff(&geotiff(&keys, &[], [600_000.0, 5_200_000.0], 10.0)).unwrap().0;
    assert!(zone().with_reference(Some(32632), None).is_ok());
    assert!(zone().with_reference(Some(32633), None).is_err());
}

/// Lengths are those of the middle, as the warning says, wherever the origin is.
#[test]
fn lengths_are_corrected_at_the_middle() {
    let text =
        "ncols 3\nnrows 3\nxllcorner 0\nyllcorner 6000000\ncellsize 500000\n1 2 3\n4 5 6\n7 8 9\n";
    let projection = Some(b"EPSG:3395".to_vec());
    let sidecars = Sidecars { projection, ..Sidecars::default() };
    let read = |content| read_raster_with(text.as_bytes(), None, &sidecars, content).unwrap();
    let (raster, warnings) = read(CellContent::Heights);
    let told = warnings.iter().find_map(|own| match own {
        RasterWarning::LengthsCorrected { meters, .. } => Some(*meters),
        _ => None,
    });
    let mut found = Vec::new();
    for origin in [Origin::Center, Origin::SouthWest, Origin::At([0.0, 0.0])] {
        let (local, placement) = raster.localized(origin).unwrap();
        assert_eq!(Some(placement.meters_per_unit), told);
        // an overlay uses the lengths of the base, although its center differs
        let part = raster.cropped([0.0, 6e6, 6e5, 6.6e6]).unwrap();
        let laid = part.aligned_to(Some(&placement)).unwrap();
        assert_eq!(laid.cell, local.cell);
        assert!((laid.south_west[1] - local.south_west[1]).abs() < 1e-6);
        found.push(placement.meters_per_unit);
    }
    assert!(found.windows(2).all(|pair| pair[0] == pair[1]));
    // no place is 10^8 m north
    let far = text.replace("6000000", "1e8").replace("500000", "10");
    let (far, warnings) =
        read_raster_with(far.as_bytes(), None, &sidecars, CellContent::Heights).unwrap();
    let told: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    let assumed =
        told.iter().any(|own| own.contains("1 unit of its coordinates is assumed to be 1 m"));
    assert_eq!(far.localized(Origin::SouthWest).unwrap().1.meters_per_unit == [1.0; 2], assumed);
}

/// A mask, an auxiliary file and a world file as sidecars of an ASCII grid.
#[test]
fn sidecars_of_ascii_grids_are_applied_or_reported() {
    let mut mask = Vec::new();
    let mut file = TiffEncoder::new(Cursor::new(&mut mask)).unwrap();
    file.write_image::<tiff::encoder::colortype::Gray8>(3, 2, &[255, 0, 1, 255, 255, 0]).unwrap();
    let auxiliary =
        b"<PAMDataset><PAMRasterBand band=\"1\"><NoDataValue>4</NoDataValue><Scale>2</Scale>\
                      <Offset>1</Offset></PAMRasterBand></PAMDataset>";
    let sidecars = Sidecars {
        mask: Some(mask.clone()),
        auxiliary: Some(auxiliary.to_vec()),
        world: Some(b"1 0 0 -1 0 0".to_vec()),
        ..Sidecars::default()
    };
    let (raster, warnings) = grid("EPSG:32632", sidecars).unwrap();
    let expected = [3.0, f64::NAN, 7.0, f64::NAN, 11.0, f64::NAN];
    for (own, other) in raster.values.iter().zip(expected) {
        assert!(own == &other || own.is_nan() && other.is_nan(), "{:?}", raster.values);
    }
    assert_eq!(raster.south_west, [600_005.0, 5_200_005.0]);
    let told: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    assert!(
        told.iter().any(|own| own.contains("the world file next to the raster is ignored")),
        "{told:?}"
    );
    let other = write_geotiff(&raster).unwrap();
    let sidecars = Sidecars { mask: Some(other[..60].to_vec()), ..Sidecars::default() };
    assert!(grid("", sidecars).unwrap_err().to_string().starts_with("mask: "));
    let mut small = Vec::new();
    let mut file = TiffEncoder::new(Cursor::new(&mut small)).unwrap();
    file.write_image::<tiff::encoder::colortype::Gray8>(2, 2, &[255; 4]).unwrap();
    let sidecars = Sidecars { mask: Some(small), ..Sidecars::default() };
    assert!(
        grid("", sidecars)
            .unwrap_err()
            .to_string()
            .contains("has 2 x 2 cells, but the raster has 3 x 2")
    );
}
