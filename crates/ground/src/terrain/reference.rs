//! Reference systems of rasters: properties in the file and properties given in addition.

use super::cells::GridCells;
use super::error::{RasterWarning, TerrainError};
use super::height_unit::UNITS;
use super::projected::{ProjectedSystem, Projection};
use super::raster::{Crs, FramePlacement, Origin, Raster, Unit};
use super::soil_map::SoilRegion;
use bekker_math::geodesy::GridZone;

pub use super::height_unit::HeightUnit;

/// Known units of heights, as text.
const KNOWN_UNITS: &str = "m, cm, mm, dm, km, ft, us-ft, in, yd, fathom";

impl HeightUnit {
    /// Returns the unit with a length, m.
    ///
    /// # Errors
    /// A length that is not that of a known unit.
    pub fn from_length(length: f64) -> Result<HeightUnit, TerrainError> {
        // the two feet differ by 2e-6
        let unit = UNITS.iter().find(|unit| (length / unit.1 - 1.0).abs() < 5e-7);
        let found = || format!("{length} m long");
        unit.map(|unit| unit.0)
            .ok_or_else(|| TerrainError::HeightUnit { found: found(), allowed: KNOWN_UNITS })
    }

    /// Returns the unit with a name, in any case; `None` for an empty name.
    ///
    /// # Errors
    /// A name that is not that of a known unit.
    pub fn from_name(word: &str) -> Result<Option<HeightUnit>, TerrainError> {
        let word = word.trim().to_ascii_lowercase().replace('_', " ");
        if word.is_empty() {
            return Ok(None);
        }
        let is_known = |own: &&str| own.replace('_', " ") == word;
        match UNITS.iter().find(|unit| unit.3.iter().any(&is_known)) {
            Some(unit) => Ok(Some(unit.0)),
            None => {
                Err(TerrainError::HeightUnit { found: format!("'{word}'"), allowed: KNOWN_UNITS })
            }
        }
    }
}

/// Codes of vertical reference systems that count depths downward (EPSG, as in PROJ 9.5).
const DEPTHS: [u16; 52] = [
    5336, 5612, 5614, 5706, 5715, 5734, 5739, 5789, 5831, 5861, 5862, 5863, 5864, 5865, 5866, 5867,
    5873, 6357, 6358, 6359, 7976, 8051, 8053, 8358, 8378, 8897, 9287, 9288, 9672, 10150, 10151,
    10349, 10364, 10370, 10371, 10372, 10373, 10374, 10375, 10376, 10377, 10378, 10379, 10547,
    10548, 10549, 10550, 10551, 10552, 10649, 10650, 10678,
];

/// Returns whether a vertical reference system counts depths downward.
pub(super) fn is_depth(code: u16) -> bool {
    DEPTHS.contains(&code)
}

/// Codes of geographic systems that are treated as WGS 84: WGS 84 itself, NAD83, NAD83(2011),
/// ETRS89.
const DEGREES: [u16; 4] = [4326, 4269, 6318, 4258];

impl Crs {
    /// Adds properties that the file does not specify: the EPSG code of its coordinates and the
    /// unit of its heights. Returns the factor that converts heights to meters.
    ///
    /// # Errors
    /// A code that is neither a zone of UTM nor in degrees, and a code or unit that the file
    /// contradicts.
    pub(super) fn completed(
        &mut self,
        epsg: Option<u16>,
        heights: Option<HeightUnit>,
    ) -> Result<f64, TerrainError> {
        if let Some(code) = epsg {
            let unit = match (GridZone::from_epsg(code), DEGREES.contains(&code)) {
                (Some(_), _) => Unit::Meter,
                (None, true) => Unit::Degree,
                (None, false) => return Err(TerrainError::UnknownReference(code)),
            };
            if let Some(stated) = self.epsg.filter(|stated| *stated != code) {
                return Err(TerrainError::Contradicted {
                    what: "EPSG code",
                    file: stated.to_string(),
                    given: code.to_string(),
                });
            }
            if self.epsg.is_none() {
                self.check_code(code, unit)?;
                let projection = Projection::TrueToScale;
                *self = Crs { epsg: Some(code), unit, length: 1.0, projection, ..self.clone() };
            }
        }
        match (heights, self.heights) {
            (Some(given), Some(stated)) if given != stated => Err(TerrainError::Contradicted {
                what: "unit of heights",
                file: stated.to_string(),
                given: given.to_string(),
            }),
            (Some(given), None) => {
                self.heights = Some(given);
                Ok(given.meters())
            }
            _ => Ok(1.0),
        }
    }

    /// Checks that a given code, with the unit of its coordinates, does not contradict what the
    /// file specifies without a code.
    fn check_code(&self, code: u16, unit: Unit) -> Result<(), TerrainError> {
        let contradicted = |what, file: String| {
            let given = format!("EPSG {code}");
            Err(TerrainError::Contradicted { what, file, given })
        };
        let own = self.text.as_deref().unwrap_or("without name");
        if self.length != 1.0 {
            let given = format!("that of EPSG {code}");
            let (what, file) = ("length of a unit of coordinates", format!("{} m", self.length));
            return Err(TerrainError::Contradicted { what, file, given });
        }
        match &self.projection {
            Projection::Mapped(stated) => {
                let zone = GridZone::from_epsg(code).map(|zone| zone.map_projection());
                if !zone.is_some_and(|zone| zone.is_same_as(stated)) {
                    return contradicted("reference system", format!("'{own}' ({stated})"));
                }
            }
            Projection::Unknown(method) => {
                return contradicted("reference system", format!("'{own}' ({method})"));
            }
            Projection::TrueToScale | Projection::Cited(_) => {}
        }
        if self.text.is_some() && self.unit != unit {
            let coordinates = match self.unit {
                Unit::Degree => "longitude and latitude",
                Unit::Meter => "lengths",
            };
            return contradicted("reference system", format!("'{own}' ({coordinates})"));
        }
        Ok(())
    }

    /// Returns the geographic or projected system of an EPSG code.
    pub(super) fn from_epsg(code: u16) -> Option<Crs> {
        if DEGREES.contains(&code) {
            return Some(Crs { unit: Unit::Degree, epsg: Some(code), ..Crs::local() });
        }
        let ProjectedSystem { length, projection } = ProjectedSystem::from_epsg(code)?;
        Some(Crs { length, projection, epsg: Some(code), ..Crs::local() })
    }

    /// Returns the length on the ground of one unit of coordinates that are not in degrees, along x
    /// and y around a point, m. Where it is unknown, the length of the unit is returned, and
    /// [`Crs::length_warnings`] warns about it.
    pub(super) fn meters_per_unit(&self, point: [f64; 2]) -> [f64; 2] {
        let meters = point.map(|coordinate| coordinate * self.length);
        match self.projection.ground_lengths(meters) {
            Some(lengths) if !lengths.is_true_to_scale() => {
                lengths.meters.map(|own| own * self.length)
            }
            _ => [self.length; 2],
        }
    }

    /// Returns warnings about lengths on the ground that are corrected or assumed.
    pub(super) fn length_warnings(&self, cells: &GridCells) -> Vec<RasterWarning> {
        if self.unit == Unit::Degree {
            return Vec::new();
        }
        let mut warnings = Vec::new();
        if self.length != 1.0 {
            warnings.push(RasterWarning::UnitConverted(self.length));
        }
        let middle = cells.middle().map(|v| v * self.length);
        let zone = self.epsg.and_then(GridZone::from_epsg);
        if let Some(zone) = zone {
            // not corrected: the site uses grid lengths
            let own = zone.map_projection().ground_lengths(middle);
            if let Some(lengths) = own.filter(|lengths| !lengths.is_true_to_scale()) {
                let percent = 100.0 * (1.0 / lengths.meters[0] - 1.0);
                warnings.push(RasterWarning::FarFromZone { percent });
            }
            return warnings;
        }
        let name = || match (self.epsg, &self.text) {
            (Some(code), _) => format!("EPSG {code}"),
            (None, Some(text)) => format!("'{text}'"),
            (None, None) => "the file's".to_string(),
        };
        match (&self.projection, self.projection.ground_lengths(middle)) {
            (Projection::TrueToScale, _) => {}
            (Projection::Unknown(method) | Projection::Cited(method), _) => {
                let (system, method, length) = (name(), method.clone(), self.length);
                warnings.push(RasterWarning::LengthsAssumed { system, method, length });
            }
            (Projection::Mapped(_), None) => {
                let method = "the center of the raster has no geographic position".into();
                let (system, length) = (name(), self.length);
                warnings.push(RasterWarning::LengthsAssumed { system, method, length });
            }
            (Projection::Mapped(_), Some(lengths)) => {
                if lengths.is_skew() {
                    let degrees = lengths.skew.to_degrees();
                    warnings.push(RasterWarning::AxesSkew { system: name(), degrees });
                }
                if !lengths.is_true_to_scale() {
                    let meters = lengths.meters;
                    warnings.push(RasterWarning::LengthsCorrected { system: name(), meters });
                }
            }
        }
        warnings
    }

    /// Returns its name, as far as it is known.
    fn name(&self) -> String {
        match (self.epsg, self.unit) {
            (Some(code), _) => format!("EPSG {code}"),
            (None, Unit::Degree) => "degrees".into(),
            (None, Unit::Meter) if self.projection != Projection::TrueToScale => {
                self.text.clone().unwrap_or_else(|| "a projection without a code".into())
            }
            (None, Unit::Meter) => "meters".into(),
        }
    }

    /// Returns whether a GeoTIFF can represent this system: by its code, or because lengths equal
    /// those on the ground.
    pub fn can_be_written(&self) -> bool {
        let is_plain = self.length == 1.0 && self.projection == Projection::TrueToScale;
        self.unit == Unit::Degree || self.epsg.is_some() || is_plain
    }

    /// Returns whether its file names neither a system nor a unit.
    fn is_silent(&self) -> bool {
        self.epsg.is_none()
            && self.text.is_none()
            && self.length == 1.0
            && self.projection == Projection::TrueToScale
    }

    /// Returns whether coordinates in both systems have the same meaning, within a meter, because
    /// geographic systems differ by that. A system without any specification agrees with plain
    /// ones.
    fn agrees(&self, other: &Crs) -> bool {
        let place = |code: u16| {
            let zone = GridZone::from_epsg(code).map(|own| (own.number, own.south));
            (zone, if zone.is_some() || DEGREES.contains(&code) { 0 } else { code })
        };
        match (self.epsg, other.epsg) {
            (Some(own), Some(other)) => place(own) == place(other),
            _ if self.is_silent() || other.is_silent() => {
                self.unit == other.unit
                    && [self, other].iter().all(|own| own.length == 1.0)
                    && [self, other].iter().all(|own| own.projection == Projection::TrueToScale)
            }
            _ => {
                self.unit == other.unit
                    && (self.length - other.length).abs() <= 1e-9 * self.length
                    && self.projection == other.projection
            }
        }
    }
}

impl Raster {
    /// Returns the raster in the local meters of the ground over which it is laid. `placement` is
    /// that of the ground's elevation model, if it has one.
    ///
    /// # Errors
    /// A reference system other than the elevation model's, and coordinates outside its projection.
    pub fn aligned_to(&self, placement: Option<&FramePlacement>) -> Result<Raster, TerrainError> {
        let origin = placement.map_or([0.0; 2], |own| own.origin);
        let ground = placement.map(|own| &own.crs);
        if let Some(ground) = ground.filter(|own| self.crs.is_silent() && own.unit == self.crs.unit)
        {
            let believed = Raster { crs: ground.clone(), ..self.clone() };
            return believed.moved_to(placement, origin);
        }
        if let Some(ground) = placement.map(|own| &own.crs).filter(|own| !self.crs.agrees(own)) {
            let [own, ground] = [&self.crs, ground].map(Crs::name);
            return Err(TerrainError::OtherReference { own, ground });
        }
        self.moved_to(placement, origin)
    }

    /// Returns the raster in the local meters of a placement in its own coordinates, or around a
    /// point of them.
    fn moved_to(
        &self,
        placement: Option<&FramePlacement>,
        origin: [f64; 2],
    ) -> Result<Raster, TerrainError> {
        let Some(placement) = placement else {
            return Ok(self.localized(Origin::At(origin))?.0);
        };
        self.check()?;
        // lengths are those of the ground, whose middle may differ
        let local = self.cells().localized(placement);
        let (south_west, cell) = (local.south_west, local.size);
        Ok(Raster { south_west, cell, crs: Crs::local(), ..self.clone() })
    }

    /// Checks that a raster in local meters overlaps the ground.
    ///
    /// # Errors
    /// [`TerrainError::NoOverlap`].
    pub fn check_covers(&self, ground: [f64; 4]) -> Result<(), TerrainError> {
        let own = self.covered_bounds();
        let covered = SoilRegion::Rectangle { min: [own[0], own[1]], max: [own[2], own[3]] };
        if covered.intersects(ground) {
            Ok(())
        } else {
            Err(TerrainError::NoOverlap { own, ground })
        }
    }

    /// Returns the extent of a raster, `[x_min, y_min, x_max, y_max]` in its frame: half a cell
    /// beyond the outermost centers.
    pub fn covered_bounds(&self) -> [f64; 4] {
        let [west, south, east, north] = self.bounds();
        let [x, y] = self.cell.map(|cell| 0.5 * cell.abs());
        [west - x, south - y, east + x, north + y]
    }

    /// Returns the raster with properties that its file does not specify: the EPSG code of its
    /// coordinates and the unit of its heights, which are converted to meters.
    ///
    /// # Errors
    /// A code that is neither a zone of UTM nor in degrees, and a code or unit that the file
    /// contradicts.
    pub fn with_reference(
        mut self,
        epsg: Option<u16>,
        heights: Option<HeightUnit>,
    ) -> Result<Raster, TerrainError> {
        let factor = self.crs.completed(epsg, heights)?;
        if factor != 1.0 {
            self.values.iter_mut().for_each(|height| *height *= factor);
        }
        Ok(self)
    }
}
