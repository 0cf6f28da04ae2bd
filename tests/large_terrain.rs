//! Elevation models too large for memory: tiles are read where vehicles drive.

use assert_cmd::Command;
use std::f64::consts::TAU;
use std::io::Cursor;
use std::path::Path;
use tiff::encoder::TiffEncoder;
use tiff::tags::Tag;

/// Cells along a side of a tile.
const SIDE: usize = 256;

/// Returns one of four hill tiles whose heights match at the edges.
fn tile(which: usize) -> Vec<f32> {
    let wave = |k: usize| TAU * k as f64 / SIDE as f64;
    let height = |row: usize, column: usize| {
        let bump = (0.5 * wave(row)).sin().powi(2) * (0.5 * wave(column)).sin().powi(2);
        20.0 * wave(row).cos() + 12.0 * wave(2 * column).sin() + 25.0 * which as f64 * bump
    };
    let row = |row| (0..SIDE).map(move |column| height(row, column) as f32);
    (0..SIDE).flat_map(row).collect()
}

/// Writes an elevation model of `cells` cells of 10 m along a side.
///
/// Its file is small, since equal tiles are stored once.
fn write(path: &Path, cells: usize) {
    let mut bytes = Vec::new();
    let mut encoder = TiffEncoder::new(Cursor::new(&mut bytes)).unwrap();
    let mut directory = encoder.image_directory().unwrap();
    let places = [0, 1, 2, 3].map(|which| directory.write_data(&tile(which)[..]).unwrap() as u32);
    let along = cells.div_ceil(SIDE);
    let offsets: Vec<u32> = (0..along * along).map(|k| places[(k * 7 + k / along) % 4]).collect();
    for (tag, value) in [
        (Tag::ImageWidth, cells as u32),
        (Tag::ImageLength, cells as u32),
        (Tag::BitsPerSample, 32),
        (Tag::SamplesPerPixel, 1),
        (Tag::SampleFormat, 3),
        (Tag::Compression, 1),
        (Tag::PhotometricInterpretation, 1),
        (Tag::TileWidth, SIDE as u32),
        (Tag::TileLength, SIDE as u32),
    ] {
        directory.write_tag(tag, value as u16).unwrap();
    }
    directory.write_tag(Tag::TileOffsets, &offsets[..]).unwrap();
    let lengths = vec![(SIDE * SIDE * 4) as u32; offsets.len()];
    directory.write_tag(Tag::TileByteCounts, &lengths[..]).unwrap();
    directory.write_tag(Tag::ModelPixelScaleTag, &[10.0, 10.0, 0.0][..]).unwrap();
    directory.write_tag(Tag::ModelTiepointTag, &[0.0, 0.0, 0.0, 4e5, 5e6, 0.0][..]).unwrap();
    let keys: [u16; 8] = [1, 1, 0, 1, 1024, 0, 1, 1];
    directory.write_tag(Tag::GeoKeyDirectoryTag, &keys[..]).unwrap();
    directory.finish().unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// Writes a scenario of two distant vehicles on an elevation model of `cells` cells per side, for
/// 0.2 s.
fn scenario(folder: &Path, cells: usize) {
    write(&folder.join("dem.tif"), cells);
    let far = 0.3 * 10.0 * cells as f64;
    let vehicle = |name: &str, [x, y]: [f64; 2]| {
        format!(
            "[[vehicle]]\nname = '{name}'\nmodel = 'hmmwv'\nposition = [{x}, {y}]\n\
             driver = {{ kind = 'path', speed = 5, waypoints = [[{x}, {y}], [{}, {y}]] }}\n",
            x + 100.0
        )
    };
    let text = format!(
        "format = 1\nname = 'x'\ntime = {{ duration = 0.2 }}\nsoil = {{ default = 'mud' }}\n\
         terrain.surface = {{ kind = 'dem', file = 'dem.tif' }}\n{}{}",
        vehicle("a", [0.0, 0.0]),
        vehicle("b", [far, -far])
    );
    std::fs::write(folder.join("x.toml"), text).unwrap();
}

fn last_hash(run: &Path) -> String {
    let hashes = std::fs::read_to_string(run.join("hashes.csv")).unwrap();
    hashes.lines().last().unwrap().to_owned()
}

#[test]
fn a_drive_on_tiles_is_that_on_the_whole_model() {
    let folder = tempfile::tempdir().unwrap();
    // 72 MB if held in full.
    scenario(folder.path(), 3000);
    let drive = |out: &str, gaps: &str| {
        let run = folder.path().join(out);
        Command::cargo_bin("bekker")
            .unwrap()
            .current_dir(folder.path())
            .args(["run", "x.toml", "--quiet", "--out", out, "--set"])
            .arg(format!("terrain.surface.no_data='{gaps}'"))
            .assert()
            .success();
        last_hash(&run)
    };
    // Where gaps are to be filled, the model is held in full; it has none.
    assert_eq!(drive("tiled", "refuse"), drive("whole", "fill_nearest"));
}

/// Elevation model of a hundred kilometers per side, whose heights alone take 800 MB in full.
#[test]
#[cfg(target_os = "linux")]
fn a_model_of_a_hundred_million_cells_is_driven_on_in_400_mb() {
    let folder = tempfile::tempdir().unwrap();
    scenario(folder.path(), 10_000);
    let run = |out: &str, gaps: &str| {
        Command::new("sh")
            .current_dir(folder.path())
            .args(["-c", "ulimit -d 400000 && exec \"$@\"", "sh"])
            .arg(assert_cmd::cargo::cargo_bin("bekker"))
            .args(["run", "x.toml", "--quiet", "--threads", "2", "--out", out, "--set"])
            .arg(format!("terrain.surface.no_data='{gaps}'"))
            .assert()
    };
    run("tiled", "refuse").success();
    assert!(!last_hash(&folder.path().join("tiled")).is_empty());
    // The limit is tight enough that the full model exceeds it.
    run("whole", "fill_nearest").failure();
}
