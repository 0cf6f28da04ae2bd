//! Rasters of heights or classes with their position on the earth.

use super::cells::GridCells;
use super::error::{RasterWarning, TerrainError};
use super::projected::Projection;
use super::reference::HeightUnit;
use bekker_math::geodesy::{GridZone, Site, radian_lengths};

/// Unit of the coordinates of a raster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Lengths east and north, in meters or in [`Crs::length`]: a projection, or a local frame.
    Meter,
    /// Degrees of longitude and latitude.
    Degree,
}

/// Coordinate reference system of a raster, as far as its file specifies it.
#[derive(Clone, Debug, PartialEq)]
pub struct Crs {
    /// Unit of the coordinates.
    pub unit: Unit,
    /// Length of one unit of coordinates that are not in degrees, m.
    pub length: f64,
    /// Relation of such coordinates to lengths on the ground.
    pub projection: Projection,
    /// EPSG code, if given.
    pub epsg: Option<u16>,
    /// Unit of heights in the file, if it specifies one; the values themselves are always in
    /// meters.
    pub heights: Option<HeightUnit>,
    /// Description in the file, if any.
    pub text: Option<String>,
}

impl Crs {
    /// Returns a local frame in meters.
    pub fn local() -> Crs {
        Crs {
            unit: Unit::Meter,
            length: 1.0,
            projection: Projection::TrueToScale,
            epsg: None,
            heights: None,
            text: None,
        }
    }
}

/// Content of the cells of a raster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CellContent {
    /// Heights, which are converted to meters.
    #[default]
    Heights,
    /// Other values, such as classes or moistures. They are converted to meters only if the file
    /// names a length as their unit.
    Values,
}

impl CellContent {
    /// Determines the unit of values from its name in the file or from the vertical system; returns
    /// the factor that converts values to meters.
    pub(super) fn unit(
        self,
        word: Option<String>,
        crs: &mut Crs,
        warnings: &mut Vec<RasterWarning>,
    ) -> Result<f64, TerrainError> {
        let word = word.unwrap_or_default();
        crs.heights = match self {
            CellContent::Heights => HeightUnit::from_name(&word)?.or(crs.heights),
            CellContent::Values => HeightUnit::from_name(&word).unwrap_or_default(),
        };
        let Some(unit) = crs.heights.filter(|unit| *unit != HeightUnit::Meter) else {
            return Ok(1.0);
        };
        warnings.push(RasterWarning::HeightsConverted(unit));
        Ok(unit.meters())
    }
}

/// Cells in rows and columns, each with one value at its center.
///
/// Row 0 is the north row and column 0 the west column, as rasters are stored. A cell without data
/// is NaN. Values are `f64`: at a height of 3 km an `f32` has steps of 0.2 mm, which would appear
/// as slope in a fine survey.
#[derive(Clone, Debug, PartialEq)]
pub struct Raster {
    /// Number of cells along x (east).
    pub columns: usize,
    /// Number of cells along y (north).
    pub rows: usize,
    /// x and y of the center of the south-west cell, in the unit of `crs`.
    pub south_west: [f64; 2],
    /// Size of a cell along x and along y, in the unit of `crs`.
    pub cell: [f64; 2],
    /// Values, row by row from the north-west; NaN where there is no data.
    pub values: Vec<f64>,
    /// Reference system of the coordinates.
    pub crs: Crs,
}

/// Treatment of cells without data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NoData {
    /// Cells without data are an error.
    #[default]
    Refuse,
    /// They receive the value of the nearest cell with data.
    Nearest,
    /// They are filled by a smooth surface through the cells around them
    /// (relaxation of Laplace's equation).
    Interpolate,
}

/// Origin of the local frame of a scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Origin {
    /// The middle of the raster.
    #[default]
    Center,
    /// The center of the south-west cell.
    SouthWest,
    /// A point, in the raster's own coordinates.
    At([f64; 2]),
}

/// Position of a local frame in meters in the coordinates of a raster's file.
#[derive(Clone, Debug, PartialEq)]
pub struct FramePlacement {
    /// The local origin in the file's coordinates.
    pub origin: [f64; 2],
    /// Length of one unit of the file's coordinates along x and y, m.
    pub meters_per_unit: [f64; 2],
    /// The file's coordinate reference system.
    pub crs: Crs,
}

impl FramePlacement {
    /// Returns the local coordinates, m, of a point in the file's coordinates.
    pub fn to_local(&self, point: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|k| (point[k] - self.origin[k]) * self.meters_per_unit[k])
    }

    /// Returns the file's coordinates of a point in local meters.
    pub fn to_file(&self, point: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|k| point[k] / self.meters_per_unit[k] + self.origin[k])
    }

    /// Returns the position of the local frame on the earth, if the reference system is in degrees,
    /// a zone of UTM ([`GridZone`]), or a projection with known formulas.
    pub fn site(&self) -> Option<Site> {
        match self.crs.unit {
            Unit::Degree => Some(Site::on_angles(self.origin.map(f64::to_radians))),
            Unit::Meter => {
                if let Some(zone) = self.crs.epsg.and_then(GridZone::from_epsg) {
                    return Some(Site::on_grid(zone.projection(), self.origin));
                }
                let Projection::Mapped(projection) = &self.crs.projection else { return None };
                let point = self.origin.map(|coordinate| coordinate * self.crs.length);
                let [latitude, longitude] = projection.to_geodetic(point)?;
                let turn = projection.ground_lengths(point)?.turn;
                Some(Site::on_angles([longitude, latitude]).rotated(turn))
            }
        }
    }

    /// Converts a raster in local meters back to the file's coordinates.
    pub fn georeference(&self, raster: &Raster) -> Raster {
        Raster {
            south_west: self.to_file(raster.south_west),
            cell: [0, 1].map(|k| raster.cell[k] / self.meters_per_unit[k]),
            crs: self.crs.clone(),
            ..raster.clone()
        }
    }
}

/// Returns the lengths of one degree of longitude and of one degree of latitude on the WGS 84
/// ellipsoid at a latitude in degrees, m.
pub fn degree_lengths(latitude_deg: f64) -> [f64; 2] {
    radian_lengths(latitude_deg.to_radians()).map(f64::to_radians)
}

impl Raster {
    /// Returns its cells, without their values.
    pub fn cells(&self) -> GridCells {
        GridCells {
            columns: self.columns,
            rows: self.rows,
            south_west: self.south_west,
            size: self.cell,
        }
    }

    /// Checks sizes, positions and the number of values.
    pub fn check(&self) -> Result<(), TerrainError> {
        self.cells().check(self.values.len())
    }

    /// Returns the value of the cell in `column` from the west and `row` from the south.
    #[inline]
    pub fn value_at(&self, column: usize, row_from_south: usize) -> f64 {
        self.values[(self.rows - 1 - row_from_south) * self.columns + column]
    }

    /// Returns the centers of the outermost cells, `[x_min, y_min, x_max, y_max]`.
    pub fn bounds(&self) -> [f64; 4] {
        self.cells().bounds()
    }

    /// Returns the lowest and highest value; `None` if no cell has data.
    pub fn range(&self) -> Option<[f64; 2]> {
        self.values.iter().filter(|v| v.is_finite()).fold(None, |range, &v| match range {
            None => Some([v, v]),
            Some([low, high]) => Some([low.min(v), high.max(v)]),
        })
    }

    /// Returns the number of cells without data.
    pub fn missing(&self) -> usize {
        self.values.iter().filter(|v| !v.is_finite()).count()
    }

    /// Returns the raster in local meters, with the placement for the inverse conversion.
    ///
    /// Coordinates in degrees are multiplied by the lengths of a degree at the origin's latitude.
    /// The result is exact there. Away from it the error is tan(latitude) times the distance north
    /// over the earth's radius (1e-4 at 1 km in mid latitudes).
    pub fn localized(&self, origin: Origin) -> Result<(Raster, FramePlacement), TerrainError> {
        let placement = self.placement(origin)?;
        let local = self.cells().localized(&placement);
        let raster = Raster {
            south_west: local.south_west,
            cell: local.size,
            crs: Crs::local(),
            ..self.clone()
        };
        Ok((raster, placement))
    }

    /// Returns the placement of a local frame with this origin in the raster's coordinates.
    pub fn placement(&self, origin: Origin) -> Result<FramePlacement, TerrainError> {
        self.check()?;
        self.cells().placement(origin, &self.crs)
    }

    /// Returns the part whose cell centers are within `[x_min, y_min, x_max, y_max]`, and the
    /// neighboring cells, so that the box itself is covered.
    pub fn cropped(&self, bounds: [f64; 4]) -> Result<Raster, TerrainError> {
        self.check()?;
        let (part, [c0, r0]) = self.cells().cropped(bounds)?;
        let row = |r: usize| (c0..c0 + part.columns).map(move |c| self.value_at(c, r));
        Ok(Raster {
            columns: part.columns,
            rows: part.rows,
            south_west: part.south_west,
            cell: part.size,
            values: (r0..r0 + part.rows).rev().flat_map(row).collect(),
            crs: self.crs.clone(),
        })
    }

    /// Returns the heights smoothed `passes` times with the weights 1-2-1 along both axes. Cells
    /// without data stay without data and have no weight.
    pub fn smoothed(&self, passes: usize) -> Result<Raster, TerrainError> {
        self.check()?;
        let mut raster = self.clone();
        for _ in 0..passes {
            raster.smooth_along(1, self.columns);
            raster.smooth_along(self.columns, self.rows);
        }
        Ok(raster)
    }

    fn smooth_along(&mut self, stride: usize, length: usize) {
        let source = self.values.clone();
        for (index, value) in self.values.iter_mut().enumerate() {
            if !value.is_finite() {
                continue;
            }
            let place = index / stride % length;
            let (mut sum, mut weight) = (2.0 * *value, 2.0);
            let before = (place > 0).then(|| source[index - stride]);
            let after = (place + 1 < length).then(|| source[index + stride]);
            for neighbor in [before, after].into_iter().flatten().filter(|v| v.is_finite()) {
                sum += neighbor;
                weight += 1.0;
            }
            *value = sum / weight;
        }
    }

    /// Returns the raster with data in every cell, or the error if gaps are not allowed.
    pub fn without_gaps(mut self, rule: NoData) -> Result<Raster, TerrainError> {
        self.check()?;
        let Some(first) = self.values.iter().position(|v| !v.is_finite()) else {
            return Ok(self);
        };
        let missing: Vec<usize> =
            (0..self.values.len()).filter(|&k| !self.values[k].is_finite()).collect();
        if missing.len() == self.values.len() {
            return Err(TerrainError::Empty);
        }
        match rule {
            NoData::Refuse => Err(TerrainError::NoData {
                missing: missing.len(),
                total: self.values.len(),
                row: first / self.columns,
                column: first % self.columns,
            }),
            NoData::Nearest => {
                self.fill_by_growth();
                Ok(self)
            }
            NoData::Interpolate => {
                self.fill_by_growth();
                self.relax(&missing);
                Ok(self)
            }
        }
    }

    fn neighbors(&self, index: usize) -> impl Iterator<Item = usize> + use<> {
        let (row, column) = (index / self.columns, index % self.columns);
        let (rows, columns) = (self.rows, self.columns);
        [
            (column > 0).then(|| index - 1),
            (column + 1 < columns).then_some(index + 1),
            (row > 0).then(|| index - columns),
            (row + 1 < rows).then_some(index + columns),
        ]
        .into_iter()
        .flatten()
    }

    /// Fills each gap with the value of the nearest cell with data, in steps along rows and columns
    /// (growth in rings, in the order of the cells).
    fn fill_by_growth(&mut self) {
        let mut front: Vec<usize> =
            (0..self.values.len()).filter(|&k| self.values[k].is_finite()).collect();
        while !front.is_empty() {
            let mut next = Vec::new();
            for &from in &front {
                for to in self.neighbors(from) {
                    if !self.values[to].is_finite() {
                        self.values[to] = self.values[from];
                        next.push(to);
                    }
                }
            }
            front = next;
        }
    }

    /// Fills the gaps by successive over-relaxation until no cell changes by more than a
    /// ten-thousandth of the range, or for 2000 sweeps.
    fn relax(&mut self, gaps: &[usize]) {
        let [low, high] = self.range().unwrap_or_default();
        let enough = 1e-4 * (high - low);
        for _ in 0..2000 {
            let mut largest = 0.0_f64;
            for &gap in gaps {
                let (mut sum, mut count) = (0.0, 0.0);
                for neighbor in self.neighbors(gap) {
                    sum += self.values[neighbor];
                    count += 1.0;
                }
                let change = 1.8 * (sum / count - self.values[gap]);
                self.values[gap] += change;
                largest = largest.max(change.abs());
            }
            if largest <= enough {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plane(columns: usize, rows: usize) -> Raster {
        let values = (0..rows * columns)
            .map(|k| (k % columns) as f64 + 10.0 * (rows - 1 - k / columns) as f64)
            .collect();
        Raster {
            columns,
            rows,
            south_west: [100.0, 200.0],
            cell: [2.0, 3.0],
            values,
            crs: Crs::local(),
        }
    }

    #[test]
    fn row_0_is_north() {
        let raster = plane(4, 3);
        assert_eq!(raster.values[0], 20.0);
        assert_eq!(raster.value_at(3, 0), 3.0);
        assert_eq!(raster.bounds(), [100.0, 200.0, 106.0, 206.0]);
    }

    #[test]
    fn cropping_keeps_places_and_covers_the_box() {
        let raster = plane(6, 5);
        let part = raster.cropped([102.5, 203.5, 105.0, 208.0]).unwrap();
        assert_eq!((part.columns, part.rows, part.south_west), (3, 3, [102.0, 203.0]));
        assert_eq!(part.value_at(0, 0), 11.0);
        assert_eq!(part.value_at(2, 2), 33.0);
        assert!(matches!(raster.cropped([0.0, 0.0, 1.0, 1.0]), Err(TerrainError::EmptyBox { .. })));
    }

    #[test]
    fn gaps_are_refused_or_filled() {
        let mut raster = plane(5, 5);
        raster.values[12] = f64::NAN;
        raster.values[13] = f64::NAN;
        let refusal = raster.clone().without_gaps(NoData::Refuse).unwrap_err().to_string();
        assert!(refusal.starts_with("2 of 25 cells have no data, the first in row 2"), "{refusal}");
        let nearest = raster.clone().without_gaps(NoData::Nearest).unwrap();
        assert!([17.0, 19.0, 27.0, 21.0, 32.0, 12.0].contains(&nearest.values[12]));
        // a plane is harmonic, so relaxation restores it, up to its own tolerance
        let smooth = raster.clone().without_gaps(NoData::Interpolate).unwrap();
        assert!((smooth.values[12] - 22.0).abs() < 0.02, "{}", smooth.values[12]);
        assert!((smooth.values[13] - 23.0).abs() < 0.02, "{}", smooth.values[13]);
        raster.values.fill(f64::NAN);
        assert_eq!(raster.without_gaps(NoData::Nearest).unwrap_err(), TerrainError::Empty);
    }

    #[test]
    fn smoothing_keeps_a_plane_inside_and_flattens_a_spike() {
        let smooth = plane(6, 6).smoothed(1).unwrap();
        assert!((smooth.value_at(2, 2) - 22.0).abs() < 1e-12);
        let mut spike = plane(5, 5);
        spike.values.fill(0.0);
        spike.values[12] = 16.0;
        assert_eq!(spike.smoothed(1).unwrap().values[12], 4.0);
    }

    #[test]
    fn degrees_become_meters_and_back() {
        // degree lengths at 45°: 78 846.8 m and 111 131.8 m (WGS 84 tables)
        let [east, north] = degree_lengths(45.0);
        assert!((east - 78_846.8).abs() < 0.1 && (north - 111_131.8).abs() < 0.1);
        let mut raster = plane(4, 3);
        raster.crs.unit = Unit::Degree;
        raster.south_west = [-84.0, 45.0];
        raster.cell = [1e-3, 1e-3];
        let (local, placement) = raster.localized(Origin::At([-84.0, 45.0])).unwrap();
        assert!((local.cell[0] - 78.8468).abs() < 1e-3 && local.south_west == [0.0, 0.0]);
        let back = placement.georeference(&local);
        assert!((back.cell[1] - 1e-3).abs() < 1e-15 && back.crs == raster.crs);
        let point = placement.to_file(placement.to_local([-83.9, 45.1]));
        assert!((point[0] + 83.9).abs() < 1e-12 && (point[1] - 45.1).abs() < 1e-12);
    }
}
