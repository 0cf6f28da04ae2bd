//! ESRI ASCII grids.
//!
//! Keys may be in any order and case; `xllcorner` or `xllcenter` is accepted, and `cellsize`, or
//! `dx` and `dy` as written by GDAL. Lines of the body need not match rows. The crate
//! `esri_ascii_grid` is not used: it requires the keys in one order, and its errors name neither
//! line nor value.

use super::error::{RasterWarning, TerrainError};
use super::geotiff::{SampleScaling, apply_mask_file, system};
use super::no_data_value::{NoDataValue, Precision};
use super::raster::{CellContent, Crs, Raster, Unit};
use super::sidecars::Sidecars;

/// Coordinate of the first column or row of cells, as the header has it.
#[derive(Clone, Copy)]
enum FirstCell {
    Edge(f64),
    Center(f64),
}

impl FirstCell {
    /// Returns the coordinate of the center of a cell that is `size` wide.
    fn center(self, size: f64) -> f64 {
        match self {
            FirstCell::Edge(edge) => edge + 0.5 * size,
            FirstCell::Center(center) => center,
        }
    }
}

#[derive(Default)]
struct AsciiGridHeader {
    columns: Option<usize>,
    rows: Option<usize>,
    west: Option<FirstCell>,
    south: Option<FirstCell>,
    cell: [Option<f64>; 2],
    no_data: Option<f64>,
}

fn number(line: usize, field: &str, text: &str) -> Result<f64, TerrainError> {
    text.parse().map_err(|_| TerrainError::AsciiField {
        line,
        field: field.to_string(),
        value: text.to_string(),
        allowed: "a number",
    })
}

impl AsciiGridHeader {
    /// Parses one line; returns false if the line belongs to the body.
    fn parse_line(&mut self, line: usize, words: &[&str]) -> Result<bool, TerrainError> {
        let Some(key) = words.first().filter(|k| k.starts_with(|c: char| c.is_ascii_alphabetic()))
        else {
            return Ok(false);
        };
        let key = key.to_ascii_lowercase();
        if key == "nan" || key.starts_with("inf") {
            return Ok(false);
        }
        let refuse = |value: &str, allowed| TerrainError::AsciiField {
            line,
            field: key.clone(),
            value: value.to_string(),
            allowed,
        };
        let [_, text] = words else {
            return Err(refuse(&words[1..].join(" "), "a key and one number"));
        };
        let value = number(line, &key, text)?;
        let finite = || value.is_finite().then_some(value).ok_or(refuse(text, "a finite number"));
        let size = || {
            let size = value.is_finite() && value > 0.0;
            size.then_some(value).ok_or(refuse(text, "a positive number"))
        };
        let count = || {
            let whole = value.fract() == 0.0 && (2.0..=1e6).contains(&value);
            whole.then_some(value as usize).ok_or(refuse(text, "a whole number from 2 to 1000000"))
        };
        match key.as_str() {
            "ncols" => self.columns = Some(count()?),
            "nrows" => self.rows = Some(count()?),
            "xllcorner" => self.west = Some(FirstCell::Edge(finite()?)),
            "xllcenter" => self.west = Some(FirstCell::Center(finite()?)),
            "yllcorner" => self.south = Some(FirstCell::Edge(finite()?)),
            "yllcenter" => self.south = Some(FirstCell::Center(finite()?)),
            "cellsize" => self.cell = [Some(size()?); 2],
            "dx" => self.cell[0] = Some(size()?),
            "dy" => self.cell[1] = Some(size()?),
            "nodata_value" => self.no_data = Some(value),
            _ => {
                return Err(refuse(
                    text,
                    "the keys ncols, nrows, xllcorner or xllcenter, yllcorner or yllcenter, \
                     cellsize or dx and dy, nodata_value",
                ));
            }
        }
        Ok(true)
    }
}

/// Reads an ESRI ASCII grid.
///
/// The format has no reference system. A grid that fits the globe and has cells below 0.1 is
/// assumed to be in degrees, which is returned as a warning. Any other is in meters.
pub fn read_esri_ascii(bytes: &[u8]) -> Result<(Raster, Vec<RasterWarning>), TerrainError> {
    read_with(bytes, &Sidecars::default(), CellContent::Heights)
}

/// Reads an ESRI ASCII grid with its sidecar files.
///
/// A projection file or an auxiliary file gives the reference system. The auxiliary file also gives
/// the value of cells without data where the header has none, the scale, the offset and the unit; a
/// mask excludes cells. A world file is ignored: the header places the grid.
pub(super) fn read_with(
    bytes: &[u8],
    sidecars: &Sidecars,
    content: CellContent,
) -> Result<(Raster, Vec<RasterWarning>), TerrainError> {
    let auxiliary = sidecars.auxiliary()?;
    let mut raster = parse(bytes, auxiliary.no_data)?;
    let mut warnings = Vec::new();
    if sidecars.world.is_some() {
        let reason = "the header of an ASCII grid defines the position";
        warnings.push(RasterWarning::SidecarIgnored("world file", reason));
    }
    match system(None, &auxiliary, sidecars, &mut warnings)? {
        Some((crs, angles)) => {
            raster.crs = crs;
            let mut cells = raster.cells();
            if let Some(warning) = cells.convert_angles(angles) {
                warnings.push(warning);
                raster.crs.epsg = None;
                (raster.south_west, raster.cell) = (cells.south_west, cells.size);
            }
            warnings.extend(raster.crs.length_warnings(&raster.cells()));
        }
        None => warnings.extend(raster.guess_unit()),
    }
    let scale = [auxiliary.scale.unwrap_or(1.0), auxiliary.offset.unwrap_or(0.0)];
    let mut scaling = SampleScaling::new(scale);
    if scale != [1.0, 0.0] {
        warnings.push(RasterWarning::Scaled(scale[0], scale[1]));
    }
    scaling = scaling.times(content.unit(auxiliary.unit, &mut raster.crs, &mut warnings)?);
    raster.values.iter_mut().for_each(|value| *value = scaling.apply(*value));
    if let Some(mask) = &sidecars.mask {
        apply_mask_file(mask, [raster.columns, raster.rows], &mut raster.values)?;
    }
    Ok((raster, warnings))
}

/// Parses the grid; `no_data` is the value of cells without data if the header names none.
fn parse(bytes: &[u8], no_data: Option<f64>) -> Result<Raster, TerrainError> {
    let text = String::from_utf8_lossy(bytes);
    let mut header = AsciiGridHeader::default();
    let mut in_header = true;
    let mut values = Vec::new();
    let fallback = no_data;
    let mut no_data = None;
    for (index, content) in text.lines().enumerate() {
        let line = index + 1;
        if in_header {
            let words: Vec<&str> = content.split_whitespace().collect();
            if words.is_empty() || header.parse_line(line, &words)? {
                continue;
            }
            in_header = false;
            no_data = header
                .no_data
                .or(fallback)
                .and_then(|value| NoDataValue::new(value, Precision::Single));
        }
        for word in content.split_whitespace() {
            let value = number(line, "height", word)?;
            let missing = no_data.is_some_and(|no_data| no_data.marks(value)) || !value.is_finite();
            values.push(if missing { f64::NAN } else { value });
        }
    }
    let need = TerrainError::AsciiMissing;
    let columns = header.columns.ok_or(need("ncols"))?;
    let rows = header.rows.ok_or(need("nrows"))?;
    let cell = [header.cell[0].ok_or(need("cellsize"))?, header.cell[1].ok_or(need("cellsize"))?];
    let south_west = [
        header.west.ok_or(need("xllcorner"))?.center(cell[0]),
        header.south.ok_or(need("yllcorner"))?.center(cell[1]),
    ];
    if values.len() != columns * rows {
        let (found, expected) = (values.len(), columns * rows);
        return Err(TerrainError::AsciiCount { found, expected, columns, rows });
    }
    Ok(Raster { columns, rows, south_west, cell, values, crs: Crs::local() })
}

impl Raster {
    /// Assumes degrees for small cells on the globe, and returns the warning about the guess.
    ///
    /// Meters are not reported: the format cannot state its unit.
    fn guess_unit(&mut self) -> Option<RasterWarning> {
        let [west, south, east, north] = self.bounds();
        let on_globe = west >= -180.0 && east <= 360.0 && south >= -90.0 && north <= 90.0;
        let is_degrees = on_globe && self.cell[0] < 0.1 && self.cell[1] < 0.1;
        is_degrees.then(|| {
            self.crs.unit = Unit::Degree;
            RasterWarning::DegreesGuessed { cell: self.cell[0] }
        })
    }
}

/// Writes an ESRI ASCII grid; gaps become -9999.
///
/// Numbers are written with as many digits as they need to be read back
/// exactly. Cells that are not square are written with `dx` and `dy`.
pub fn write_esri_ascii(raster: &Raster) -> String {
    let [dx, dy] = raster.cell;
    let [x, y] = raster.south_west;
    let size = if dx == dy { format!("cellsize {dx}") } else { format!("dx {dx}\ndy {dy}") };
    let mut text = format!(
        "ncols {}\nnrows {}\nxllcenter {x}\nyllcenter {y}\n{size}\nNODATA_value -9999\n",
        raster.columns, raster.rows
    );
    for row in raster.values.chunks(raster.columns.max(1)) {
        let words: Vec<String> = row
            .iter()
            .map(|v| if v.is_finite() { v.to_string() } else { "-9999".to_string() })
            .collect();
        text.push_str(&words.join(" "));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: &str = "NCOLS 3\nnrows 2\nxllcorner 100\nyllcorner 200\nCELLSIZE 10\n\
                        NODATA_value -9999\n1 2 3\n4 -9999 6.5\n";

    #[test]
    fn corner_and_center_are_distinguished() {
        let (raster, warnings) = read_esri_ascii(GRID.as_bytes()).unwrap();
        assert_eq!(raster.south_west, [105.0, 205.0]);
        assert_eq!(raster.value_at(0, 1), 1.0);
        assert!(raster.values[4].is_nan());
        assert_eq!(warnings, []);
        let centerd = GRID.replace("corner", "center");
        assert_eq!(read_esri_ascii(centerd.as_bytes()).unwrap().0.south_west, [100.0, 200.0]);
    }

    #[test]
    fn writing_and_reading_return_the_raster() {
        let (mut raster, _) = read_esri_ascii(GRID.as_bytes()).unwrap();
        raster.values[4] = 0.1 + 0.2;
        raster.cell[1] = 7.25;
        assert_eq!(read_esri_ascii(write_esri_ascii(&raster).as_bytes()).unwrap().0, raster);
    }

    #[test]
    fn small_cells_on_the_globe_are_degrees() {
        let grid =
            GRID.replace("CELLSIZE 10", "cellsize 0.001").replace("yllcorner 200", "yllcorner 40");
        let (raster, warnings) = read_esri_ascii(grid.as_bytes()).unwrap();
        assert_eq!(raster.crs.unit, Unit::Degree);
        assert_eq!(warnings, [RasterWarning::DegreesGuessed { cell: 0.001 }]);
        let settled = [None, Some(4326)].map(|epsg| warnings[0].is_settled_by(epsg));
        assert_eq!(settled, [false, true]);
    }

    #[test]
    fn faults_are_named_with_line_field_and_value() {
        let cases = [
            (
                "NCOLS 3",
                "ncols 3.5",
                "ascii grid, line 1: ncols is '3.5'; allowed: a whole number from 2 to 1000000",
            ),
            (
                "NCOLS 3",
                "ncols 1e12",
                "ascii grid, line 1: ncols is '1e12'; allowed: a whole number from 2 to 1000000",
            ),
            ("NCOLS 3\n", "", "ascii grid: the header has no 'ncols'"),
            ("nrows 2", "nrows two", "ascii grid, line 2: nrows is 'two'; allowed: a number"),
            ("nrows 2", "nrows", "ascii grid, line 2: nrows is ''; allowed: a key and one number"),
            (
                "CELLSIZE 10",
                "cellsize -1",
                "ascii grid, line 5: cellsize is '-1'; allowed: a positive number",
            ),
            (
                "CELLSIZE 10",
                "cellsise 10",
                "ascii grid, line 5: cellsise is '10'; allowed: the keys ncols, nrows, xllcorner or xllcenter, yllcorner or yllcenter, cellsize or dx and dy, nodata_value",
            ),
            (
                "xllcorner 100",
                "xllcorner inf",
                "ascii grid, line 3: xllcorner is 'inf'; allowed: a finite number",
            ),
            ("1 2 3", "1 2 x", "ascii grid, line 7: height is 'x'; allowed: a number"),
            ("1 2 3", "1 2", "ascii grid: 5 heights; allowed: ncols x nrows = 3 x 2 = 6"),
        ];
        for (good, bad, message) in cases {
            let error = read_esri_ascii(GRID.replace(good, bad).as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
        assert_eq!(
            read_esri_ascii(b"").unwrap_err().to_string(),
            "ascii grid: the header has no 'ncols'"
        );
    }
}
