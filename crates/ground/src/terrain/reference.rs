//! What a file of heights says of its coordinates, and what is said for it.

use super::error::TerrainError;
use super::raster::{Crs, Origin, Placement, Raster, Unit};
use super::soil_map::Region;
use crate::geodesy::GridZone;

/// Unit of heights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeightUnit {
    /// Metres.
    Metre,
    /// International feet.
    Foot,
    /// US survey feet.
    UsSurveyFoot,
}

impl HeightUnit {
    /// Length of one, m.
    pub fn metres(self) -> f64 {
        match self {
            HeightUnit::Metre => 1.0,
            HeightUnit::Foot => 0.3048,
            HeightUnit::UsSurveyFoot => 1200.0 / 3937.0,
        }
    }

    /// By the EPSG code of a unit.
    pub fn of_epsg_unit(code: u16) -> Option<HeightUnit> {
        match code {
            9001 => Some(HeightUnit::Metre),
            9002 => Some(HeightUnit::Foot),
            9003 => Some(HeightUnit::UsSurveyFoot),
            _ => None,
        }
    }

    /// By the EPSG code of a vertical reference system whose heights are in feet: NAVD88
    /// (8228, 6360) and NGVD29 (7968 is in metres, 5702 in US survey feet).
    pub fn of_vertical_system(code: u16) -> Option<HeightUnit> {
        match code {
            8228 => Some(HeightUnit::Foot),
            5702 | 6360 => Some(HeightUnit::UsSurveyFoot),
            _ => None,
        }
    }

    /// By the words that GDAL knows for it.
    pub fn of_word(word: &str) -> Option<HeightUnit> {
        match word.trim().to_ascii_lowercase().as_str() {
            "m" | "metre" | "metres" | "meter" | "meters" => Some(HeightUnit::Metre),
            "ft" | "foot" | "feet" => Some(HeightUnit::Foot),
            "us-ft" | "us_survey_foot" | "us survey foot" | "us survey feet" | "ftus" => {
                Some(HeightUnit::UsSurveyFoot)
            }
            _ => None,
        }
    }
}

impl std::fmt::Display for HeightUnit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            HeightUnit::Metre => "metres",
            HeightUnit::Foot => "feet",
            HeightUnit::UsSurveyFoot => "US survey feet",
        })
    }
}

/// Codes of systems of longitude and latitude that are taken for WGS 84: itself, NAD83,
/// NAD83(2011), ETRS89.
const DEGREES: [u16; 4] = [4326, 4269, 6318, 4258];

impl Crs {
    /// Takes up what the file does not say: the EPSG code of its coordinates, the unit of its
    /// heights. The factor by which heights become metres.
    ///
    /// # Errors
    /// A code that is neither a zone of UTM nor of degrees, and one or a unit that the file
    /// contradicts.
    pub(super) fn completed(
        &mut self,
        epsg: Option<u16>,
        heights: Option<HeightUnit>,
    ) -> Result<f64, TerrainError> {
        if let Some(code) = epsg {
            let unit = match (GridZone::of_epsg(code), DEGREES.contains(&code)) {
                (Some(_), _) => Unit::Metre,
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
            (self.epsg, self.unit) = (Some(code), unit);
        }
        match (heights, self.heights) {
            (Some(given), Some(stated)) if given != stated => Err(TerrainError::Contradicted {
                what: "unit of heights",
                file: stated.to_string(),
                given: given.to_string(),
            }),
            (Some(given), None) => {
                self.heights = Some(given);
                Ok(given.metres())
            }
            _ => Ok(1.0),
        }
    }

    /// Its name, as far as it is known.
    fn name(&self) -> String {
        match (self.epsg, self.unit) {
            (Some(code), _) => format!("EPSG {code}"),
            (None, Unit::Degree) => "degrees".into(),
            (None, Unit::Metre) => "metres".into(),
        }
    }

    /// Whether coordinates of the other mean the same places, to the metre that systems of longitude and
    /// latitude differ by; of one that says nothing it is believed.
    fn agrees(&self, other: &Crs) -> bool {
        let place = |code: u16| {
            let zone = GridZone::of_epsg(code).map(|own| (own.number, own.south));
            (zone, if zone.is_some() || DEGREES.contains(&code) { 0 } else { code })
        };
        match (self.epsg, other.epsg) {
            (Some(own), Some(other)) => place(own) == place(other),
            _ => self.unit == other.unit,
        }
    }
}

impl Raster {
    /// The raster in the local metres of a ground that it is laid over; `placement` is how that lies in
    /// its elevation model's coordinates, where it has one.
    ///
    /// # Errors
    /// Another reference system than the elevation model's, and coordinates that mean no place.
    pub fn laid_over(&self, placement: Option<&Placement>) -> Result<Raster, TerrainError> {
        let origin = placement.map_or([0.0; 2], |own| own.origin);
        if let Some(ground) = placement.map(|own| &own.crs).filter(|own| !self.crs.agrees(own)) {
            let [own, ground] = [&self.crs, ground].map(Crs::name);
            return Err(TerrainError::OtherReference { own, ground });
        }
        Ok(self.localised(Origin::At(origin))?.0)
    }

    /// That a raster in local metres covers something of a ground.
    ///
    /// # Errors
    /// [`TerrainError::Beside`].
    pub fn check_covers(&self, ground: [f64; 4]) -> Result<(), TerrainError> {
        let own = self.covered();
        let covered = Region::Rectangle { min: [own[0], own[1]], max: [own[2], own[3]] };
        if covered.meets(ground) { Ok(()) } else { Err(TerrainError::Beside { own, ground }) }
    }

    /// What a raster covers, `[x_min, y_min, x_max, y_max]` of its frame: its cells reach half of one
    /// beyond their middles.
    pub fn covered(&self) -> [f64; 4] {
        let [west, south, east, north] = self.bounds();
        let [x, y] = self.cell.map(|cell| 0.5 * cell.abs());
        [west - x, south - y, east + x, north + y]
    }

    /// The raster with what its file does not say: the EPSG code of its coordinates, the unit
    /// of its heights, which become metres.
    ///
    /// # Errors
    /// A code that is neither a zone of UTM nor of degrees, and one or a unit that the file
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
