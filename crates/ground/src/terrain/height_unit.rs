//! Units of heights.

/// International foot, m.
pub(super) const FOOT: f64 = 0.3048;
/// US survey foot, m.
pub(super) const US_SURVEY_FOOT: f64 = 1200.0 / 3937.0;

/// Unit of heights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeightUnit {
    /// Meters.
    Meter,
    /// International feet.
    Foot,
    /// US survey feet.
    UsSurveyFoot,
    /// Millimeters.
    Millimeter,
    /// Centimeters.
    Centimeter,
    /// Decimeters.
    Decimeter,
    /// Kilometers.
    Kilometer,
    /// Inches.
    Inch,
    /// Yards.
    Yard,
    /// Fathoms.
    Fathom,
}

/// A unit with its length in meters, its EPSG code and its names.
pub(super) type NamedUnit = (HeightUnit, f64, u16, &'static [&'static str]);

/// Known units of heights.
pub(super) const UNITS: [NamedUnit; 10] = [
    (HeightUnit::Meter, 1.0, 9001, &["metre", "m", "metres", "meter", "meters", "mtr"]),
    (HeightUnit::Foot, FOOT, 9002, &["foot", "ft", "feet", "international foot", "foot_intl"]),
    (
        HeightUnit::UsSurveyFoot,
        US_SURVEY_FOOT,
        9003,
        &["us survey foot", "us-ft", "us survey feet", "ftus", "foot_us", "us_ft", "us-foot"],
    ),
    (HeightUnit::Millimeter, 1e-3, 1025, &["millimetre", "mm", "millimeter", "millimeters"]),
    (HeightUnit::Centimeter, 1e-2, 1033, &["centimetre", "cm", "centimeter", "centimeters"]),
    (HeightUnit::Decimeter, 1e-1, 0, &["decimetre", "dm", "decimeter", "decimeters"]),
    (HeightUnit::Kilometer, 1e3, 9036, &["kilometre", "km", "kilometer", "kilometers"]),
    (HeightUnit::Inch, 0.0254, 0, &["inch", "in", "inches"]),
    (HeightUnit::Yard, 0.9144, 9096, &["yard", "yd", "yards"]),
    (HeightUnit::Fathom, 1.8288, 9014, &["fathom", "fath", "fathoms"]),
];

impl HeightUnit {
    fn named(self) -> &'static NamedUnit {
        UNITS.iter().find(|unit| unit.0 == self).unwrap_or(&UNITS[0])
    }

    /// Returns the length of one unit, m.
    pub fn meters(self) -> f64 {
        self.named().1
    }

    /// Returns the unit with an EPSG code.
    pub fn from_epsg_unit(code: u16) -> Option<HeightUnit> {
        UNITS.iter().find(|unit| unit.2 == code && code != 0).map(|unit| unit.0)
    }

    /// Returns the unit of a vertical reference system whose heights are in feet, by its EPSG code,
    /// such as NAVD88 (8228, 6360) and NGVD29 (7968 is in meters, 5702 in US survey feet).
    pub fn from_vertical_system(code: u16) -> Option<HeightUnit> {
        match code {
            5614 | 6130 | 6131 | 6132 | 8050 | 8051 | 8228 | 8897 => Some(HeightUnit::Foot),
            5702 | 6358 | 6359 | 6360 | 8052 | 8053 => Some(HeightUnit::UsSurveyFoot),
            _ => None,
        }
    }
}

impl std::fmt::Display for HeightUnit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            HeightUnit::Meter => "meters",
            HeightUnit::Foot => "feet",
            HeightUnit::UsSurveyFoot => "US survey feet",
            HeightUnit::Millimeter => "millimeters",
            HeightUnit::Centimeter => "centimeters",
            HeightUnit::Decimeter => "decimeters",
            HeightUnit::Kilometer => "kilometers",
            HeightUnit::Inch => "inches",
            HeightUnit::Yard => "yards",
            HeightUnit::Fathom => "fathoms",
        })
    }
}
