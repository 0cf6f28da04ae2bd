//! Rasters that GDAL writes, some 900 of them, judged by what rasterio reads: heights, gaps,
//! lengths on the ground.

use bekker_ground::terrain::{
    CellContent, NoData, Origin, Raster, RasterFile, RasterFormat, Sidecars, SoilMap, Surface,
    Terrain, read_raster_with,
};
use std::io;
use std::path::Path;
use std::process::Command;

/// A Python in which rasterio can be imported, or a word that the test was not run.
fn python() -> Option<String> {
    let python = std::env::var("BEKKER_PYTHON").unwrap_or_else(|_| "python3".into());
    let found = Command::new(&python).args(["-c", "import rasterio, numpy"]).output();
    if found.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    eprintln!(
        "NOT RUN: {python} has no `rasterio`; install it (pip) and set BEKKER_PYTHON, or `.ci/run tests`"
    );
    None
}

struct Variant {
    file: String,
    heights: Vec<f64>,
    size: [usize; 2],
    /// Length of a cell on the ground, m, and the relative tolerance of it.
    cell: [f64; 2],
    tolerance: f64,
    /// Longitude and latitude of the middle, degrees.
    middle: [f64; 2],
    /// Relative tolerance of heights.
    precision: f64,
}

fn variants(folder: &Path) -> Vec<Variant> {
    let lines = std::fs::read_to_string(folder.join("variants.tsv")).unwrap();
    let variant = |line: &str| {
        let words: Vec<&str> = line.split('\t').collect();
        let number = |index: usize| words[index].parse::<f64>().unwrap();
        let bytes = std::fs::read(folder.join(words[1])).unwrap();
        let heights =
            bytes.chunks_exact(8).map(|word| f64::from_le_bytes(word.try_into().unwrap()));
        Variant {
            file: words[0].to_string(),
            heights: heights.collect(),
            size: [number(2) as usize, number(3) as usize],
            cell: [number(4), number(5)],
            tolerance: number(6),
            middle: [number(7), number(8)],
            precision: number(9),
        }
    };
    lines.lines().map(variant).collect()
}

fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let content = std::fs::read(path)?;
    assert!(content.len() as u64 <= most, "{}", path.display());
    Ok(content)
}

/// Returns the difference between a raster and rasterio's reading of it, if any.
fn difference(folder: &Path, variant: &Variant) -> Option<String> {
    let path = folder.join(&variant.file);
    let bytes = std::fs::read(&path).unwrap();
    let sidecars = Sidecars::from_disk(&path, read, 1 << 20).unwrap();
    let raster = match read_raster_with(&bytes, None, &sidecars, CellContent::Heights) {
        Ok((raster, _)) => raster,
        Err(error) => return Some(format!("refused: {error}")),
    };
    if [raster.columns, raster.rows] != variant.size {
        return Some(format!("{} x {} cells", raster.columns, raster.rows));
    }
    for (index, (own, other)) in raster.values.iter().zip(&variant.heights).enumerate() {
        let is_near = (own - other).abs() <= variant.precision * other.abs();
        if !(is_near || own.is_nan() && other.is_nan()) {
            let (row, column) = (index / raster.columns, index % raster.columns);
            return Some(format!("row {row}, column {column}: {own} m, not {other} m"));
        }
    }
    let (local, placement) = raster.localized(Origin::Center).unwrap();
    for (own, other) in local.cell.iter().zip(variant.cell) {
        if (own / other - 1.0).abs() > variant.tolerance {
            return Some(format!("cells of {:?} m, not {:?} m", local.cell, variant.cell));
        }
    }
    if let Some(site) = placement.site().filter(|_| variant.middle[0].is_finite()) {
        let place = site.to_geodetic(&nalgebra::Vector3::zeros());
        let own = [place.longitude, place.latitude].map(f64::to_degrees);
        // half a cell, and a sphere's latitudes taken for those of the ellipsoid
        if (0..2).any(|k| (own[k] - variant.middle[k]).abs() > 0.25) {
            return Some(format!("middle at {own:?} deg, not {:?}", variant.middle));
        }
    }
    differs_by_tiles(&path, &sidecars, &local)
}

/// Whether the same raster has other heights where it stays in its file.
fn differs_by_tiles(path: &Path, sidecars: &Sidecars, local: &Raster) -> Option<String> {
    let bytes = std::fs::read(path).unwrap();
    if RasterFormat::detect(&bytes) != Ok(RasterFormat::GeoTiff) {
        return None;
    }
    let file = RasterFile::open_with(std::fs::File::open(path).unwrap(), sidecars).unwrap();
    let placement = file.placement(Origin::Center).unwrap();
    let window = file.window(&placement, None).unwrap();
    let tiled = file.surface(window, 4000);
    let whole = local.clone().without_gaps(NoData::Refuse).and_then(Surface::raster);
    let (tiled, whole) = match (tiled, whole) {
        (Ok((tiled, _)), Ok(whole)) => (tiled, whole),
        (Err(own), Err(other)) if own.to_string() == other.to_string() => return None,
        (own, other) => return Some(format!("by tiles {:?}, whole {:?}", own.err(), other.err())),
    };
    let ground =
        |surface| Terrain::builder(surface, SoilMap::uniform(Default::default())).build().unwrap();
    let (tiled, whole) = (ground(tiled), ground(whole));
    let [west, south, east, north] = whole.bounds();
    for k in 0..200 {
        let (s, t) = (f64::from(k * 37 % 199) / 198.0, f64::from(k * 113 % 199) / 198.0);
        let (x, y) = (west + s * (east - west), south + t * (north - south));
        if tiled.height(x, y).to_bits() != whole.height(x, y).to_bits() {
            return Some(format!(
                "by tiles {} m, whole {} m",
                tiled.height(x, y),
                whole.height(x, y)
            ));
        }
    }
    None
}

#[test]
fn rasters_of_gdal_are_read_as_rasterio_reads_them() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rasters.py");
    let output = Command::new(python).arg(script).arg(folder.path()).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    eprintln!("{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{errors}");

    let variants = variants(folder.path());
    // the number in docs/robustness.md
    assert_eq!(variants.len(), 926);
    let mut wrong = Vec::new();
    for variant in &variants {
        if let Some(difference) = difference(folder.path(), variant) {
            wrong.push(format!("{}: {difference}", variant.file));
        }
    }
    for line in std::fs::read_to_string(folder.path().join("refused.tsv")).unwrap().lines() {
        let (file, word) = line.split_once('\t').unwrap();
        let bytes = std::fs::read(folder.path().join(file)).unwrap();
        let read = read_raster_with(&bytes, None, &Sidecars::default(), CellContent::Heights);
        match read {
            Ok(_) => wrong.push(format!("{file}: is read")),
            Err(error) if error.to_string().contains(word) => {}
            Err(error) => wrong.push(format!("{file}: no '{word}' in: {error}")),
        }
    }
    let (count, list) = (wrong.len(), wrong[..wrong.len().min(60)].join("\n"));
    assert!(wrong.is_empty(), "{count} of {}:\n{list}", variants.len());
}
