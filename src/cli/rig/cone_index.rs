//! Relations of the cone index, compared with the wheel rig.

use super::table::columns;
use crate::report::plot::{Series, SeriesMark};
use crate::report::text_table::wrapped;
use crate::rig::{DeflectionRelation, LoadedTire};
use serde::Serialize;

/// Pull and towed resistance of a tire by cone index, over its load.
#[derive(Debug, Serialize)]
pub struct ConeIndexRelations {
    cone_index_kpa: f64,
    tire: TireSection,
    /// VTI's slip and drawbar pull, for fine-grained soil.
    fine_grained_pull: Vec<[f64; 2]>,
    fine_grained_towed: f64,
    /// NRMM's drawbar pull at a slip of 0.2, for sand.
    sand_pull: f64,
    sand_towed: f64,
    #[serde(skip)]
    load: f64,
}

/// Section of the tire that the relations use, m; the deflection is over the section height.
#[derive(Debug, Serialize)]
struct TireSection {
    diameter: f64,
    width: f64,
    section_height: f64,
    deflection: f64,
}

impl ConeIndexRelations {
    /// Computes the relations for a cone index, kPa, at these slips.
    pub fn new(tire: &LoadedTire, cone_index_kpa: f64, slips: &[f64]) -> ConeIndexRelations {
        let index = 1e3 * cone_index_kpa;
        let (fine, sand) = (DeflectionRelation::Vti, DeflectionRelation::Sand);
        let LoadedTire { diameter, width, section_height, load, deflection } = *tire;
        let pull = |slip: &f64| Some([*slip, fine.drawbar_pull_at_slip(tire, index, *slip)?]);
        ConeIndexRelations {
            cone_index_kpa,
            tire: TireSection { diameter, width, section_height, deflection },
            fine_grained_pull: slips.iter().filter_map(pull).collect(),
            fine_grained_towed: fine.towed_resistance(tire, index),
            sand_pull: sand.drawbar_pull(tire, index),
            sand_towed: sand.towed_resistance(tire, index),
            load,
        }
    }

    /// Returns a table of pulls and resistances.
    pub fn text(&self) -> String {
        let row = |name: &str, slip: String, ratio: f64| {
            vec![name.to_owned(), slip, format!("{ratio:.3}"), format!("{:.0}", ratio * self.load)]
        };
        let fine = "VTI, fine-grained soil";
        let sand = "NRMM, sand";
        let driven = self
            .fine_grained_pull
            .iter()
            .map(|[slip, pull]| row(fine, format!("{:.1}", 100.0 * slip), *pull));
        let at_slip =
            (!self.fine_grained_pull.is_empty()).then(|| row(sand, "20.0".into(), self.sand_pull));
        let towed = [
            row(fine, "towed".into(), -self.fine_grained_towed),
            row("Williams, sand", "towed".into(), -self.sand_towed),
        ];
        let TireSection { diameter, width, deflection, .. } = self.tire;
        let heading = format!(
            "cone index {} kPa, which is not converted to soil parameters; tire {diameter:.3} m x \
             {width:.3} m, deflection {deflection:.3} of the section height",
            self.cone_index_kpa
        );
        let table = columns(
            &["relation", "slip\n%", "ratio", "drawbar\nN"],
            driven.chain(at_slip).chain(towed).collect(),
            1,
        );
        format!("{}\n\n{table}", wrapped(&heading, 2))
    }

    /// Returns the series of a panel of drawbar pull, kN, over slip, %.
    pub fn pull_series(&self) -> [Series; 2] {
        let scaled = |[slip, pull]: &[f64; 2]| [100.0 * slip, 1e-3 * pull * self.load];
        [
            Series {
                name: format!("VTI, fine-grained soil, cone index {} kPa", self.cone_index_kpa),
                points: self.fine_grained_pull.iter().map(scaled).collect(),
                mark: SeriesMark::Dashes,
            },
            Series {
                name: format!("NRMM, sand, cone index {} kPa", self.cone_index_kpa),
                points: vec![scaled(&[0.2, self.sand_pull])],
                mark: SeriesMark::Dots,
            },
        ]
    }
}
