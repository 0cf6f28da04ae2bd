//! `bekker rig shear`

use super::bed::SoilBed;
use super::convergence::{ConvergenceChange, ConvergenceCheck};
use super::footing::{PlateOptions, describe};
use super::output::{RigFindings, RigOutput};
use super::slips::RigSetting;
use super::table::{columns, compare_with_closed_form, spread};
use crate::cli::Failure;
use crate::cli::quantity::quantity;
use crate::report::plot::{Figure, PlotAxes, Series, SeriesMark};
use crate::rig::{Refinement, Rig, ShearPoint, ShearResult, ShearRig, converge};
use crate::soil::ShearStrength;
use clap::Args;
use serde_json::json;

/// Shear soil under a loaded plate: stress against displacement
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker rig shear --soil mud\n  \
    bekker rig shear --soil lete_sand_chrono --pressure 50e3 --displacement 0.15\n  \
    bekker rig shear --soil mud --set friction_angle_deg=20 --set shear_modulus=0.01 --json")]
pub struct Shear {
    #[command(flatten)]
    bed: SoilBed,
    #[command(flatten)]
    footing: PlateOptions,
    /// Sliding distance of the plate, m (default: 0.1, or eight times the soil's K if larger)
    #[arg(long, value_name = "M", allow_negative_numbers = true, value_parser = quantity(0.001..=10.0, "m"))]
    displacement: Option<f64>,
    /// Sliding speed, m/s
    #[arg(long, value_name = "M_S", default_value = "0.01", allow_negative_numbers = true, value_parser = quantity(0.001..=1.0, "m/s"))]
    speed: f64,
    /// Time step, s
    #[arg(long, value_name = "S", default_value = "0.01", allow_negative_numbers = true, value_parser = quantity(1e-4..=1.0, "s"))]
    step: f64,
    #[command(flatten)]
    output: RigOutput,
}

/// Default spacing of nodes, m.
const GRID: f64 = 0.01;
const TOLERANCE: f64 = 0.01;
/// Minimum and maximum number of steps of a run.
const STEPS: [f64; 2] = [10.0, 1e6];

impl Shear {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let (plate, soil) = self.footing.rig(&self.bed, GRID)?;
        let mut rig = ShearRig::new(plate).to_full_strength();
        rig.displacement = self.displacement.unwrap_or(rig.displacement);
        rig.speed = self.speed;
        rig.step = self.step;
        self.check_steps(rig.displacement)?;
        let (result, check) = if self.output.no_check {
            (rig.run()?, None)
        } else {
            let tolerance = self.output.tolerance.unwrap_or(TOLERANCE);
            let (result, changes) = converge(&rig, tolerance)?;
            let changes = changes
                .into_iter()
                .map(|convergence| ConvergenceChange { at: RigSetting::default(), convergence })
                .collect();
            (result, Some(ConvergenceCheck::new(tolerance, changes, terms)))
        };
        let janosi =
            JanosiCurve { strength: ShearStrength::from_soil(&soil), pressure: result.pressure };
        let findings = RigFindings {
            kind: "shear",
            soil: rig.plate.soil.clone(),
            text: text(&rig, &result, &janosi),
            figure: figure(&rig, &result, &janosi),
            data: json!({
                "outline": rig.plate.outline,
                "pressure": rig.plate.pressure,
                "spacing": rig.plate.spacing,
                "displacement": rig.displacement,
                "speed": rig.speed,
                "step": rig.step,
                "result": result,
                "closed_form": janosi.curve(&result),
            }),
            check,
            refused: Vec::new(),
        };
        self.output.present(findings, quiet)
    }

    /// Checks that the number of steps is within [`STEPS`].
    fn check_steps(&self, displacement: f64) -> Result<(), Failure> {
        let [fewest, most] = STEPS;
        let (longest, shortest) =
            (displacement / (self.speed * fewest), displacement / (self.speed * most));
        if (shortest..=longest).contains(&self.step) {
            return Ok(());
        }
        Err(Failure::Usage {
            argument: "--step <S>",
            value: self.step.to_string(),
            allowed: format!(
                "from {shortest} to {longest} s, so that {displacement} m at {} m/s take {fewest} \
                 to {most} steps",
                self.speed
            ),
        })
    }
}

fn terms(refinement: Refinement) -> (&'static str, &'static str) {
    match refinement {
        Refinement::Spacing => ("half the spacing", "a smaller --grid"),
        Refinement::Step => ("half the step", "a smaller --step"),
        Refinement::Extent => ("twice the displacement", "a longer --displacement"),
    }
}

/// Janosi-Hanamoto curve at the pressure of the test.
struct JanosiCurve {
    strength: ShearStrength,
    pressure: f64,
}

impl JanosiCurve {
    fn stress(&self, displacement: f64) -> f64 {
        self.strength.stress(self.pressure, displacement)
    }

    fn curve(&self, result: &ShearResult) -> Vec<ShearPoint> {
        const POINTS: usize = 200;
        let end = result.curve.last().map_or(0.0, |point| point.displacement);
        (0..=POINTS)
            .map(|n| {
                let displacement = end * n as f64 / POINTS as f64;
                ShearPoint { displacement, stress: self.stress(displacement) }
            })
            .collect()
    }
}

/// Returns `count` points of the curve, evenly spaced along it.
fn sample_points<'r>(rig: &ShearRig, result: &'r ShearResult, count: usize) -> Vec<&'r ShearPoint> {
    let along = |p: &ShearPoint| p.displacement / rig.displacement + p.stress / result.strength;
    spread(&result.curve, count, along)
}

fn text(rig: &ShearRig, result: &ShearResult, janosi: &JanosiCurve) -> String {
    let rows = sample_points(rig, result, 12)
        .into_iter()
        .map(|&ShearPoint { displacement, stress }| {
            let millimeters = format!("{:.1}", 1e3 * displacement);
            compare_with_closed_form(millimeters, stress, janosi.stress(displacement))
        })
        .collect();
    let header = ["displacement mm", "stress kPa", "Janosi kPa", "difference %"];
    let limit = janosi.strength.cohesion + janosi.pressure * janosi.strength.friction;
    format!(
        "{} on {}: {} Pa, nodes {} m apart, {} m/s, step {} s\n\n{}\n\nmaximum stress {:.3} kPa; \
         Mohr-Coulomb limit {:.3} kPa",
        describe(rig.plate.outline),
        rig.plate.soil.name,
        result.pressure.round(),
        rig.plate.spacing,
        rig.speed,
        rig.step,
        columns(&header, rows, 0),
        1e-3 * result.strength,
        1e-3 * limit,
    )
}

fn figure(rig: &ShearRig, result: &ShearResult, janosi: &JanosiCurve) -> Figure {
    let at = |point: &ShearPoint| [1e3 * point.displacement, 1e-3 * point.stress];
    let dots = sample_points(rig, result, 30);
    let line = |name: &str, points: Vec<[f64; 2]>, mark| Series { name: name.into(), points, mark };
    let series = vec![
        line(
            "Janosi-Hanamoto curve",
            janosi.curve(result).iter().map(at).collect(),
            SeriesMark::Dashes,
        ),
        line("simulation", dots.into_iter().map(at).collect(), SeriesMark::Dots),
    ];
    Figure {
        title: format!("Shear stress\u{2013}displacement on {}", rig.plate.soil.name),
        subtitle: format!(
            "{} under {:.1} kPa, nodes {} mm apart, step {} s",
            describe(rig.plate.outline),
            1e-3 * result.pressure,
            1e3 * rig.plate.spacing,
            rig.step
        ),
        panels: vec![PlotAxes::from_zero("shear displacement, mm", "shear stress, kPa", series)],
    }
}
