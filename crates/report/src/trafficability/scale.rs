//! Colors of mobility maps, and the same colors as styles of QGIS.

use crate::color::{Oklab, Rgb};
use crate::{ReportError, write_file};
use std::fmt::Write;
use std::path::Path;

/// Number of stops in a style's ramp; QGIS interpolates between them slightly differently from the
/// pictures here.
const STOPS: usize = 11;
/// Opacity of a map's layer in QGIS.
const OPACITY: f64 = 0.8;

/// Meaning of the numbers on a map, which selects their colors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ColorScale {
    /// A probability, 0 to 1.
    Probability,
    /// A speed from 0, which is no go and has a separate color, to this maximum, m/s.
    Speed(f64),
}

/// Color of no go.
pub(super) const NO_GO: Rgb = Rgb(122, 28, 46);
/// From 0 to 1: dark red over straw to blue-green, distinguishable with any color vision.
const PROBABILITY: [Rgb; 5] =
    [NO_GO, Rgb(214, 110, 72), Rgb(246, 226, 164), Rgb(120, 186, 170), Rgb(20, 110, 130)];
/// From slow to fast: lightness falls evenly, so that a gray print keeps the order.
const SPEED: [Rgb; 5] = [
    Rgb(252, 240, 196),
    Rgb(186, 222, 170),
    Rgb(92, 184, 176),
    Rgb(44, 128, 176),
    Rgb(40, 60, 130),
];
/// Colors of reasons, by code.
pub(super) const CLASSES: [Rgb; 9] = [
    Rgb(226, 232, 222),
    Rgb(150, 106, 66),
    Rgb(222, 120, 60),
    Rgb(180, 70, 130),
    Rgb(236, 206, 90),
    Rgb(70, 74, 84),
    Rgb(70, 140, 205),
    Rgb(120, 120, 120),
    Rgb(172, 204, 150),
];

impl ColorScale {
    /// Color of a value.
    pub(super) fn color(self, value: f64) -> Oklab {
        match self {
            ColorScale::Probability => blend_stops(&PROBABILITY, value),
            ColorScale::Speed(_) if value <= 0.0 => Oklab::from_rgb(NO_GO),
            ColorScale::Speed(fastest) => blend_stops(&SPEED, value / fastest),
        }
    }

    /// Largest value of the scale.
    pub(super) fn most(self) -> f64 {
        match self {
            ColorScale::Probability => 1.0,
            ColorScale::Speed(fastest) => fastest,
        }
    }
}

fn blend_stops(stops: &[Rgb], share: f64) -> Oklab {
    let place = share.clamp(0.0, 1.0) * (stops.len() - 1) as f64;
    let below = (place as usize).min(stops.len() - 2);
    Oklab::from_rgb(stops[below]).mix(Oklab::from_rgb(stops[below + 1]), place - below as f64)
}

/// Color of a class, by its code.
pub(super) fn class(code: u8) -> Rgb {
    CLASSES[usize::from(code).min(CLASSES.len() - 1)]
}

/// Returns a color in hexadecimal, as in QGIS and tables.
pub fn hexadecimal(Rgb(red, green, blue): Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Color of a class in hexadecimal.
pub fn class_color(code: u8) -> String {
    hexadecimal(class(code))
}

/// Writes the style of a raster of numbers for QGIS.
///
/// QGIS loads a style automatically if it is next to the raster and has the same name.
///
/// # Errors
/// [`ReportError`] if it cannot be written.
pub fn write_ramp(path: &Path, scale: ColorScale, unit: &str) -> Result<(), ReportError> {
    let most = scale.most();
    let mut items = String::new();
    let mut item = |value: f64, label: &str, color: Rgb| {
        let color = hexadecimal(color);
        let _ = writeln!(
            items,
            "     <item alpha=\"255\" value=\"{value}\" label=\"{label}\" color=\"{color}\"/>"
        );
    };
    if matches!(scale, ColorScale::Speed(_)) {
        item(0.0, "NO-GO", NO_GO);
    }
    for n in 0..STOPS {
        // the first color is that of the lowest speed, just above no go
        let share = n as f64 / (STOPS - 1) as f64;
        let value =
            if n == 0 && matches!(scale, ColorScale::Speed(_)) { 1e-3 } else { share * most };
        item(value, format!("{value:.2} {unit}").trim(), scale.color(value).rgb());
    }
    let shader = format!(
        "   <rasterrenderer type=\"singlebandpseudocolor\" band=\"1\" opacity=\"{OPACITY}\" \
         classificationMin=\"0\" classificationMax=\"{most}\" nodataColor=\"\">\n    \
         <rastershader>\n    <colorrampshader colorRampType=\"INTERPOLATED\" \
         classificationMode=\"1\" clip=\"0\" minimumValue=\"0\" maximumValue=\"{most}\">\n{items}    \
         </colorrampshader>\n    </rastershader>\n   </rasterrenderer>\n"
    );
    write_file(path, document(&shader).as_bytes())
}

/// Writes the style of a raster of classes, each code with its name.
///
/// # Errors
/// [`ReportError`] if it cannot be written.
pub fn write_palette(path: &Path, classes: &[(u8, &str)]) -> Result<(), ReportError> {
    let mut entries = String::new();
    for (code, name) in classes {
        let _ = writeln!(
            entries,
            "     <paletteEntry value=\"{code}\" label=\"{name}\" color=\"{}\" alpha=\"255\"/>",
            class_color(*code)
        );
    }
    let renderer = format!(
        "   <rasterrenderer type=\"paletted\" band=\"1\" opacity=\"{OPACITY}\" nodataColor=\"\">\n    \
         <colorPalette>\n{entries}    </colorPalette>\n   </rasterrenderer>\n"
    );
    write_file(path, document(&renderer).as_bytes())
}

fn document(renderer: &str) -> String {
    format!(
        "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n\
         <qgis version=\"3.28\" styleCategories=\"Symbology\">\n  <pipe>\n{renderer}  </pipe>\n\
         </qgis>\n"
    )
}
