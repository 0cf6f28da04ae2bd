//! Zones of UTM by their EPSG codes.

use super::{MapProjection, Method, TransverseMercator};

/// Datum of a grid's latitudes and longitudes.
///
/// All other datums are treated as WGS 84: their ellipsoids agree to 0.1 mm, their positions to the
/// distance given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Datum {
    /// WGS 84.
    Wgs84,
    /// NAD83 in any realization: within 2 m of WGS 84.
    Nad83,
    /// ETRS89: within 1 m of WGS 84, growing by 2.5 cm a year.
    Etrs89,
    /// GDA94 or GDA2020: within 2 m of WGS 84.
    Gda,
    /// SIRGAS 2000: within 1 m of WGS 84.
    Sirgas2000,
}

impl std::fmt::Display for Datum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Datum::Wgs84 => "WGS 84",
            Datum::Nad83 => "NAD83, treated as WGS 84 (within 2 m)",
            Datum::Etrs89 => "ETRS89, treated as WGS 84 (within 1 m)",
            Datum::Gda => "GDA, treated as WGS 84 (within 2 m)",
            Datum::Sirgas2000 => "SIRGAS 2000, treated as WGS 84 (within 1 m)",
        })
    }
}

/// A zone of UTM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridZone {
    /// Its datum.
    pub datum: Datum,
    /// Number of the zone, 1 to 60.
    pub number: u16,
    /// Whether it is a southern zone, with a false northing of 10 000 km at the equator.
    pub south: bool,
}

/// Codes from `first` to `last` of zones from `number` upward.
struct ZoneSeries {
    first: u16,
    last: u16,
    number: u16,
    south: bool,
    datum: Datum,
}

const fn north(first: u16, last: u16, number: u16, datum: Datum) -> ZoneSeries {
    ZoneSeries { first, last, number, south: false, datum }
}

const fn south(first: u16, last: u16, number: u16, datum: Datum) -> ZoneSeries {
    ZoneSeries { first, last, number, south: true, datum }
}

/// All UTM and Map Grid of Australia zones on these datums in the EPSG Geodetic Parameter Dataset
/// (as of PROJ 9) that use meters and are not deprecated.
const SERIES: [ZoneSeries; 37] = [
    south(2195, 2195, 2, Datum::Nad83),
    north(2955, 2957, 11, Datum::Nad83),
    north(2958, 2962, 17, Datum::Nad83),
    north(3154, 3157, 7, Datum::Nad83),
    north(3158, 3160, 14, Datum::Nad83),
    north(3372, 3373, 59, Datum::Nad83),
    north(3706, 3707, 59, Datum::Nad83),
    north(3708, 3726, 1, Datum::Nad83),
    north(3740, 3749, 10, Datum::Nad83),
    north(3750, 3751, 4, Datum::Nad83),
    north(3761, 3761, 22, Datum::Nad83),
    south(5396, 5396, 26, Datum::Sirgas2000),
    north(6210, 6211, 23, Datum::Sirgas2000),
    north(6328, 6329, 59, Datum::Nad83),
    north(6330, 6348, 1, Datum::Nad83),
    north(6634, 6635, 4, Datum::Nad83),
    south(6636, 6636, 2, Datum::Nad83),
    south(6736, 6737, 46, Datum::Gda),
    south(6738, 6738, 59, Datum::Gda),
    south(7846, 7859, 46, Datum::Gda),
    north(8692, 8693, 54, Datum::Nad83),
    north(9709, 9709, 23, Datum::Nad83),
    north(9712, 9712, 24, Datum::Nad83),
    north(9713, 9713, 24, Datum::Nad83),
    north(22207, 22222, 7, Datum::Nad83),
    north(22307, 22322, 7, Datum::Nad83),
    north(22407, 22422, 7, Datum::Nad83),
    north(22607, 22622, 7, Datum::Nad83),
    north(22707, 22722, 7, Datum::Nad83),
    north(22807, 22822, 7, Datum::Nad83),
    north(25828, 25838, 28, Datum::Etrs89),
    north(26901, 26923, 1, Datum::Nad83),
    south(28348, 28358, 48, Datum::Gda),
    north(31965, 31976, 11, Datum::Sirgas2000),
    south(31977, 31985, 17, Datum::Sirgas2000),
    north(32601, 32660, 1, Datum::Wgs84),
    south(32701, 32760, 1, Datum::Wgs84),
];

impl GridZone {
    /// Returns the zone of an EPSG code; `None` for a code of another system.
    pub fn from_epsg(epsg: u16) -> Option<GridZone> {
        let series = SERIES.iter().find(|s| (s.first..=s.last).contains(&epsg))?;
        let ZoneSeries { first, number, south, datum, .. } = *series;
        let number = number + (epsg - first);
        Some(GridZone { datum, number, south })
    }

    /// Returns its projection as a [`MapProjection`].
    pub fn map_projection(&self) -> MapProjection {
        let TransverseMercator { meridian, scale, origin } = self.projection();
        let method = Method::TransverseMercator { latitude: 0.0, scale };
        MapProjection { method, meridian, offset: origin, sphere: None }
    }

    /// Returns its projection.
    pub fn projection(&self) -> TransverseMercator {
        TransverseMercator {
            meridian: (6.0 * f64::from(self.number) - 183.0).to_radians(),
            scale: 0.9996,
            origin: [500_000.0, if self.south { 1e7 } else { 0.0 }],
        }
    }
}
