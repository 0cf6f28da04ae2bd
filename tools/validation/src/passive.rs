//! Earth pressure on objects pushed through soil.

use super::section::{Section, ValidationError, percent};
use bekker_ground::soil::PassiveWedge;
use bekker_math::numeric::{Lanes, Level, dispatch, tan};
use std::f64::consts::FRAC_PI_4;

/// Section on passive earth pressure, compared with Rankine's.
pub(super) fn section() -> Result<Section, ValidationError> {
    let mut section = Section::new("Passive earth pressure");
    section.text(
        "A vertical, smooth and wide face has Rankine's resistance b (γ N z²/2 + 2 c √N z), N = \
         tan²(45° + φ/2); here it is 0.254 m wide and 0.1 m deep. The law behind \
         `passive_pressure` (McKyes and Ali, J. Terramech. 14, 1977) is a wedge with crescents at \
         its ends. Its plane has the least resistance for a face twice as wide as deep. On a wide \
         face that is not the minimum: it is 4 % too high where weight dominates, 10 % where \
         cohesion does. A real wall is rough (two thirds of φ) and has ends; the last columns give \
         its factor.",
    );
    let soils = [
        ("dry sand", 16e3, 1040.0, 28.0_f64),
        ("clay", 18e3, 4140.0, 13.0),
        ("CMU sand", 1330.0 * 9.81, 0.0, 29.0),
    ];
    let rows = soils.map(|(name, weight, cohesion, degrees)| {
        let (phi, depth, width) = (degrees.to_radians(), 0.1, 0.254);
        let root = tan(FRAC_PI_4 + 0.5 * phi);
        let rankine =
            width * (0.5 * weight * root * root * depth * depth + 2.0 * cohesion * root * depth);
        // so wide that the end wedges are negligible
        let smooth = PassiveWedge::new(weight, cohesion, phi, 0.0, 0.0);
        let wide = width * force(&smooth, depth, 1e6);
        let rough = PassiveWedge::new(weight, cohesion, phi, phi * 2.0 / 3.0, 0.0);
        let wall = width * force(&rough, depth, width);
        vec![
            name.to_string(),
            format!("{:.4}", root * root),
            format!("{rankine:.2}"),
            format!("{wide:.2}"),
            percent(wide, rankine),
            format!("{wall:.0}"),
            format!("{:.2}", wall / rankine),
        ]
    });
    let header = [
        "soil",
        "N",
        "Rankine, N",
        "wide smooth face, N",
        "error",
        "rough face with ends, N",
        "over Rankine",
    ];
    section.table(&header, rows.to_vec());
    section.text(
        "`tests/rig_publication.rs::heaped_soil_balances_to_the_quantum_at_every_step` checks at \
         every step that ruts and heaps balance.",
    );
    Ok(section)
}

/// Returns the force on a face, N/m, by the vectorized function that the contact uses.
fn force(wedge: &PassiveWedge, depth: f64, width: f64) -> f64 {
    dispatch!(Level::new(), simd => wedge.force(Lanes::new(simd, depth), width).to_array()[0])
}
