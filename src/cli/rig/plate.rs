//! `bekker rig plate`

use super::bed::SoilBed;
use super::convergence::{ConvergenceChange, ConvergenceCheck};
use super::footing::{PlateOptions, describe, inverse_width};
use super::output::{RigFindings, RigOutput};
use super::slips::RigSetting;
use super::table::{columns, compare_with_closed_form, spread};
use crate::cli::Failure;
use crate::report::plot::{Figure, PlotAxes, Series, SeriesMark};
use crate::rig::{PlateResult, PlateRig, Refinement, Rig, SinkagePoint, converge};
use crate::soil::DeformableSoil;
use crate::soil::pressure_sinkage::virgin_pressure;
use clap::Args;
use serde_json::json;

/// Press a plate into soil, unload it and press again: pressure against sinkage
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker rig plate --soil mud\n  \
    bekker rig plate --soil lete_sand_chrono --size 0.6x0.2 --pressure 100e3 --grid 0.005\n  \
    bekker rig plate --soil deep_snow --disc 0.1 --load 1000 --set k_phi=3e5 --json")]
pub struct Plate {
    #[command(flatten)]
    bed: SoilBed,
    #[command(flatten)]
    footing: PlateOptions,
    #[command(flatten)]
    output: RigOutput,
}

/// Default spacing of nodes, m.
const GRID: f64 = 0.005;
/// Default tolerance. The error of the patch width is up to one node, so sinkage converges at first
/// order.
const TOLERANCE: f64 = 0.02;

impl Plate {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let (rig, soil) = self.footing.rig(&self.bed, GRID)?;
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
        let bekker = BekkerCurve { soil: &soil, inverse_width: inverse_width(rig.outline) };
        let findings = RigFindings {
            kind: "plate",
            soil: rig.soil.clone(),
            text: text(&rig, &result, &bekker),
            figure: figure(&rig, &result, &bekker),
            data: json!({
                "outline": rig.outline,
                "pressure": rig.pressure,
                "spacing": rig.spacing,
                "increment": rig.increment,
                "result": result,
                "closed_form": bekker.curve(&result),
            }),
            check,
            refused: Vec::new(),
        };
        self.output.present(findings, quiet)
    }
}

fn terms(refinement: Refinement) -> (&'static str, &'static str) {
    match refinement {
        Refinement::Spacing => ("half the spacing", "a smaller --grid"),
        Refinement::Step => ("half the increment", "a smaller --increment"),
        Refinement::Extent => ("an offset of half a node", "a smaller --grid"),
    }
}

/// Bekker's curve of the plate.
struct BekkerCurve<'s> {
    soil: &'s DeformableSoil,
    inverse_width: f64,
}

impl BekkerCurve<'_> {
    fn pressure(&self, sinkage: f64) -> f64 {
        virgin_pressure(self.soil, self.inverse_width, sinkage)
    }

    /// Returns a note if the curve is steeper than the elastic line, which the soil then follows;
    /// empty otherwise.
    fn caveat(&self, result: &PlateResult) -> String {
        let elastic = |point: &&SinkagePoint| {
            self.soil.elastic_stiffness * point.sinkage < self.pressure(point.sinkage)
        };
        match result.loading.iter().rfind(elastic).map(|point| 1e3 * point.sinkage) {
            Some(end) if end >= 0.005 => format!(
                "up to {end:.2} mm the soil follows its elastic line, which is less steep than \
                 Bekker's curve\n"
            ),
            _ => String::new(),
        }
    }

    /// Returns the curve up to the sinkage of the plate, with more points at its steep start.
    fn curve(&self, result: &PlateResult) -> Vec<SinkagePoint> {
        const POINTS: usize = 200;
        (0..=POINTS)
            .map(|n| {
                let part = n as f64 / POINTS as f64;
                let sinkage = result.sinkage * part * part * part;
                SinkagePoint { sinkage, pressure: self.pressure(sinkage) }
            })
            .collect()
    }
}

/// Returns `count` points of the loading curve, evenly spaced along it.
fn sample_points(result: &PlateResult, pressure: f64, count: usize) -> Vec<&SinkagePoint> {
    let along = |p: &SinkagePoint| p.sinkage / result.sinkage + p.pressure / pressure;
    spread(&result.loading, count, along)
}

fn text(rig: &PlateRig, result: &PlateResult, bekker: &BekkerCurve<'_>) -> String {
    let rows = sample_points(result, rig.pressure, 12)
        .into_iter()
        .map(|&SinkagePoint { sinkage, pressure }| {
            let millimeters = format!("{:.2}", 1e3 * sinkage);
            compare_with_closed_form(millimeters, pressure, bekker.pressure(sinkage))
        })
        .collect();
    let header = ["sinkage mm", "pressure kPa", "Bekker kPa", "difference %"];
    let mm = |length: f64| format!("{:.3} mm", 1e3 * length);
    format!(
        "{} on {}: {} Pa, nodes {} m apart\n\n{}\n\n{}sinkage {}, of which {} remain after \
         unloading; {} after reloading\n\
         loading work {:.2} J, recovered {:.3} J",
        describe(rig.outline),
        rig.soil.name,
        rig.pressure.round(),
        rig.spacing,
        columns(&header, rows, 0),
        bekker.caveat(result),
        mm(result.sinkage),
        mm(result.residual),
        mm(result.reloaded),
        result.work,
        result.returned,
    )
}

fn figure(rig: &PlateRig, result: &PlateResult, bekker: &BekkerCurve<'_>) -> Figure {
    let at = |point: &SinkagePoint| [1e3 * point.sinkage, 1e-3 * point.pressure];
    let dots = sample_points(result, rig.pressure, 30);
    let line = |name: &str, points: Vec<[f64; 2]>, mark| Series { name: name.into(), points, mark };
    let loading = dots.into_iter().map(at).collect();
    let back = result.unloading.iter().chain(&result.reloading).map(at).collect();
    let series = vec![
        line("Bekker's curve", bekker.curve(result).iter().map(at).collect(), SeriesMark::Dashes),
        line("simulation: unloading and reloading", back, SeriesMark::Line),
        line("simulation: loading", loading, SeriesMark::Dots),
    ];
    Figure {
        title: format!("Pressure\u{2013}sinkage on {}", rig.soil.name),
        subtitle: format!("{}, nodes {} mm apart", describe(rig.outline), 1e3 * rig.spacing),
        panels: vec![PlotAxes::from_zero("sinkage, mm", "mean pressure, kPa", series)],
    }
}
