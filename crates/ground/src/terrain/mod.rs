//! The undisturbed ground: height, slope and soil at (x, y).
//!
//! A [`Terrain`] is a [`Surface`] (plane, raster or noise hills), with [`Roughness`] and [`Stamp`]s
//! added to its height, and a [`SoilMap`]. It is immutable, a pure function of position, and never
//! stored at soil resolution. It holds only its sources, so a square kilometer loads as
//! fast at a spacing of 2 cm as at 2 m.
//!
//! Rasters are read from GeoTIFF, ESRI ASCII grids and PNG ([`read_raster`]). [`Raster::localized`]
//! converts their coordinates, projected or in degrees, to local meters, and a [`FramePlacement`]
//! converts back.
//!
//! # Invariants
//!
//! - The height is continuous and has a continuous slope.
//! - Outside its bounds a terrain has the height of the nearest edge, and [`Terrain::contains`] is
//!   false.
//! - In [`Gaps`] of the elevation model that are kept, heights are filled in and
//!   [`Terrain::is_gap`] is true.
//! - [`Terrain::heights`] is bit-identical to [`Terrain::height`].

mod angles;
mod arc_info;
mod cells;
mod error;
mod esri_ascii;
mod gaps;
mod geotiff;
mod height_unit;
mod no_data_value;
mod png_heights;
mod procedural;
mod projected;
mod raster;
mod raster_file;
mod reference;
mod roughness;
mod segment;
mod sidecars;
mod slope;
mod soil_map;
mod stamp;
mod stamps;
mod surface;
mod tiled;
mod wkt;

use std::sync::Arc;

pub use cells::GridCells;
pub use error::{RasterWarning, TerrainError};
pub use esri_ascii::{read_esri_ascii, write_esri_ascii};
pub use gaps::Gaps;
pub use geotiff::{geo_keys, read_geotiff, write_exact_geotiff, write_geotiff};
pub use png_heights::{PngScale, read_png};
pub use procedural::Procedural;
pub use projected::Projection;
pub use raster::{CellContent, Crs, FramePlacement, NoData, Origin, Raster, Unit, degree_lengths};
pub use raster_file::{RasterFile, RasterWindow};
pub use reference::HeightUnit;
pub use roughness::{REFERENCE_FREQUENCY, Roughness, RoughnessClass, STANDARD_WAVELENGTHS};
pub use segment::strip;
pub use sidecars::{SidecarKind, Sidecars};
pub use slope::Slopes;
pub use soil_map::{SoilMap, SoilRaster, SoilRegion};
pub use stamp::{Stamp, StampFace, StampShape};
pub use surface::Surface;
pub use tiled::{HeightFile, TiledRaster};

use stamps::Stamps;

use crate::soil::SoilId;
use bekker_math::spatial::Vec3;

const UNBOUNDED: [f64; 4] = [f64::NEG_INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::INFINITY];

/// Formats of rasters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RasterFormat {
    /// GeoTIFF.
    GeoTiff,
    /// PNG.
    Png,
    /// ESRI ASCII grid.
    EsriAscii,
}

impl RasterFormat {
    /// Returns the format of a file, from its first bytes.
    pub fn detect(bytes: &[u8]) -> Result<RasterFormat, TerrainError> {
        const TIFF: [&[u8]; 4] = [b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"];
        if TIFF.iter().any(|magic| bytes.starts_with(magic)) {
            Ok(RasterFormat::GeoTiff)
        } else if bytes.starts_with(b"\x89PNG") {
            Ok(RasterFormat::Png)
        } else if bytes.trim_ascii_start().first().is_some_and(u8::is_ascii_alphabetic)
            && !bytes.iter().take(256).any(|b| *b == 0)
        {
            Ok(RasterFormat::EsriAscii)
        } else {
            Err(TerrainError::UnknownFormat)
        }
    }
}

/// Reads a raster of heights in any known format, without sidecar files; a PNG needs its `scale`.
pub fn read_raster(
    bytes: &[u8],
    scale: Option<&PngScale>,
) -> Result<(Raster, Vec<RasterWarning>), TerrainError> {
    read_raster_with(bytes, scale, &Sidecars::default(), CellContent::Heights)
}

/// Reads a raster in any known format with its sidecar files; a PNG needs its `scale`.
pub fn read_raster_with(
    bytes: &[u8],
    scale: Option<&PngScale>,
    sidecars: &Sidecars,
    content: CellContent,
) -> Result<(Raster, Vec<RasterWarning>), TerrainError> {
    let (raster, mut warnings) = match (RasterFormat::detect(bytes)?, scale) {
        (RasterFormat::GeoTiff, _) => geotiff::read_geotiff_with(bytes, sidecars, content)?,
        (RasterFormat::EsriAscii, _) => esri_ascii::read_with(bytes, sidecars, content)?,
        (RasterFormat::Png, Some(scale)) => read_png(bytes, scale)?,
        (RasterFormat::Png, None) => {
            return Err(TerrainError::Png(
                "the image has no height range and no cell size; give both".to_string(),
            ));
        }
    };
    let count = |value| raster.values.iter().filter(|height| **height == value).count();
    warnings.extend(guessed_gaps(USUAL_GAPS.map(count)));
    Ok((raster, warnings))
}

/// Values that commonly mark cells without data, m. Values that a file declares have already been
/// converted to gaps.
const USUAL_GAPS: [f64; 4] = [-9999.0, -99_999.0, -32_768.0, -32_767.0];

/// Returns the warnings for the number of cells at each of these values.
fn guessed_gaps(counts: [usize; USUAL_GAPS.len()]) -> impl Iterator<Item = RasterWarning> {
    let found = counts.into_iter().zip(USUAL_GAPS).filter(|(count, _)| *count > 0);
    found.map(|(count, value)| RasterWarning::GapsGuessed { count, value })
}

/// Returns the position within bounds that is nearest to (x, y).
fn clamped([west, south, east, north]: [f64; 4], x: f64, y: f64) -> (f64, f64) {
    (x.max(west).min(east), y.max(south).min(north))
}

/// The undisturbed ground. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Terrain {
    model: Arc<TerrainModel>,
}

#[derive(Clone, Debug)]
struct TerrainModel {
    surface: Surface,
    soils: SoilMap,
    roughness: Option<Roughness>,
    stamps: Stamps,
    bounds: [f64; 4],
    gaps: Option<Arc<Gaps>>,
}

/// Builder of a terrain; see [`Terrain::builder`].
#[derive(Clone, Debug)]
pub struct TerrainBuilder {
    model: TerrainModel,
    stamps: Vec<Stamp>,
}

impl TerrainBuilder {
    /// Adds roughness.
    pub fn roughness(mut self, roughness: Roughness) -> TerrainBuilder {
        self.model.roughness = Some(roughness);
        self
    }

    /// Adds a hole, ditch or bump. Stamps that overlap are summed.
    pub fn stamp(mut self, stamp: Stamp) -> TerrainBuilder {
        self.stamps.push(stamp);
        self
    }

    /// Limits the terrain to `[x_min, y_min, x_max, y_max]`, m, and to the bounds of its surface.
    pub fn bounds(mut self, bounds: [f64; 4]) -> TerrainBuilder {
        self.model.bounds = bounds;
        self
    }

    /// Marks ground without elevation data, where heights are filled in.
    pub fn gaps(mut self, gaps: Option<Arc<Gaps>>) -> TerrainBuilder {
        self.model.gaps = gaps;
        self
    }

    /// Returns the terrain, or the error in its definition.
    pub fn build(mut self) -> Result<Terrain, TerrainError> {
        let model = &mut self.model;
        model.surface.check()?;
        self.stamps.iter().try_for_each(Stamp::check)?;
        model.stamps = Stamps::new(self.stamps);
        let limit = model.surface.bounds();
        let asked = model.bounds;
        for k in 0..2 {
            model.bounds[k] = limit[k].max(asked[k]);
            model.bounds[k + 2] = limit[k + 2].min(asked[k + 2]);
        }
        let [west, south, east, north] = model.bounds;
        if asked.iter().any(|b| b.is_nan()) || !(west < east && south < north) {
            return Err(TerrainError::EmptyBox { field: "bounds", bounds: asked });
        }
        Ok(Terrain { model: Arc::new(self.model) })
    }
}

impl Terrain {
    /// Creates an unbounded horizontal plane of one soil.
    pub fn flat(elevation: f64, soil: SoilId) -> Terrain {
        let surface = Surface::Plane { elevation, slope: [0.0; 2] };
        Terrain { model: Arc::new(Terrain::builder(surface, SoilMap::uniform(soil)).model) }
    }

    /// Returns a builder of a terrain from a surface and its soils.
    pub fn builder(surface: Surface, soils: SoilMap) -> TerrainBuilder {
        let (stamps, bounds) = (Stamps::default(), UNBOUNDED);
        let model = TerrainModel { surface, soils, roughness: None, stamps, bounds, gaps: None };
        TerrainBuilder { model, stamps: Vec::new() }
    }

    fn clamped(&self, x: f64, y: f64) -> (f64, f64) {
        clamped(self.model.bounds, x, y)
    }

    /// Returns the height at (x, y), m.
    pub fn height(&self, x: f64, y: f64) -> f64 {
        let (x, y) = self.clamped(x, y);
        let rough = self.model.roughness.as_ref().map_or(0.0, |r| r.height(x, y));
        self.model.height(x, y, rough)
    }

    /// Computes the heights at many points, m, bit-identical to [`Terrain::height`]; faster where
    /// successive points are close to each other.
    ///
    /// # Panics
    ///
    /// If `points` and `heights` differ in length.
    pub fn heights(&self, points: &[[f64; 2]], heights: &mut [f64]) {
        assert_eq!(points.len(), heights.len(), "a height for each point");
        match &self.model.roughness {
            Some(roughness) => roughness.heights(points, self.model.bounds, heights),
            None => heights.fill(0.0),
        }
        self.raise(points, heights);
    }

    /// Adds the rest of the ground to the roughness at many points.
    fn raise(&self, points: &[[f64; 2]], heights: &mut [f64]) {
        for (&[x, y], height) in points.iter().zip(heights) {
            let (x, y) = self.clamped(x, y);
            *height = self.model.height(x, y, *height);
        }
    }

    /// Computes upper bounds of the heights at many points, m, faster than [`Terrain::heights`].
    ///
    /// A bound is at most twice `slack` above the height: the finest roughness, up to an amplitude
    /// of `slack`, is replaced by its maximum.
    ///
    /// # Panics
    ///
    /// If `points` and `heights` differ in length.
    pub fn height_bounds(&self, slack: f64, points: &[[f64; 2]], heights: &mut [f64]) {
        assert_eq!(points.len(), heights.len(), "a height for each point");
        match &self.model.roughness {
            Some(rough) => rough.upper_bounds(slack, points, self.model.bounds, heights),
            None => heights.fill(0.0),
        }
        self.raise(points, heights);
    }

    /// Returns the slope (∂z/∂x, ∂z/∂y) at (x, y); outside an edge it is zero across that edge.
    pub fn gradient(&self, x: f64, y: f64) -> [f64; 2] {
        let (inside_x, inside_y) = self.clamped(x, y);
        let mut gradient = self.model.surface.gradient(inside_x, inside_y);
        let mut add = |[gx, gy]: [f64; 2]| {
            gradient[0] += gx;
            gradient[1] += gy;
        };
        if let Some(roughness) = &self.model.roughness {
            add(roughness.gradient(inside_x, inside_y));
        }
        for stamp in self.model.stamps.candidates_at(inside_x, inside_y) {
            add(stamp.height_and_slope(inside_x, inside_y).1);
        }
        if x != inside_x {
            gradient[0] = 0.0;
        }
        if y != inside_y {
            gradient[1] = 0.0;
        }
        gradient
    }

    /// Returns the unit normal at (x, y), pointing up.
    pub fn normal(&self, x: f64, y: f64) -> Vec3 {
        let [gx, gy] = self.gradient(x, y);
        Vec3::new(-gx, -gy, 1.0).normalize()
    }

    /// Returns the soil at (x, y).
    pub fn soil(&self, x: f64, y: f64) -> SoilId {
        self.model.soils.soil(x, y)
    }

    /// Returns the soil map.
    pub fn soil_map(&self) -> &SoilMap {
        &self.model.soils
    }

    /// Loads the ground within a distance of a point, m: heights in a file are decoded, so that
    /// later requests need not wait.
    pub fn preload(&self, point: [f64; 2], distance: f64) {
        if let Surface::Tiled(raster) = &self.model.surface {
            raster.preload(point, distance);
        }
    }

    /// Returns the size of the heights of a file that are currently decoded, bytes; 0 for terrain
    /// that is entirely in memory.
    pub fn resident_bytes(&self) -> usize {
        match &self.model.surface {
            Surface::Tiled(raster) => raster.resident_bytes(),
            _ => 0,
        }
    }

    /// Returns the error if heights could not be read, because the file was altered or removed;
    /// such heights are NaN. Terrain in memory has no such error.
    pub fn fault(&self) -> Option<&TerrainError> {
        match &self.model.surface {
            Surface::Tiled(raster) => raster.fault(),
            _ => None,
        }
    }

    /// Returns whether (x, y) is on the terrain.
    pub fn contains(&self, x: f64, y: f64) -> bool {
        let [west, south, east, north] = self.model.bounds;
        x >= west && x <= east && y >= south && y <= north
    }

    /// Returns the ground without elevation data, if it is kept as gaps.
    pub fn gaps(&self) -> Option<&Gaps> {
        self.model.gaps.as_deref()
    }

    /// Returns the shared gaps, if any.
    pub fn shared_gaps(&self) -> Option<Arc<Gaps>> {
        self.model.gaps.clone()
    }

    /// Returns whether (x, y) is ground without elevation data.
    pub fn is_gap(&self, x: f64, y: f64) -> bool {
        self.gaps().is_some_and(|gaps| gaps.contains(x, y))
    }

    /// Returns the bounds `[x_min, y_min, x_max, y_max]`, m; infinite for an unbounded plane.
    pub fn bounds(&self) -> [f64; 4] {
        self.model.bounds
    }
}

impl TerrainModel {
    /// Returns the height at a point within the bounds where the roughness is `rough`, m.
    fn height(&self, x: f64, y: f64, rough: f64) -> f64 {
        let stamps = self.stamps.candidates_at(x, y).map(|stamp| stamp.height_and_slope(x, y).0);
        stamps.fold(self.surface.height(x, y) + rough, |height, stamp| height + stamp)
    }
}

#[cfg(test)]
mod tests;
