//! `bekker rig track`

use super::bed::SoilBed;
use super::convergence::{ConvergenceChange, ConvergenceCheck};
use super::output::{RigFindings, RigOutput};
use super::slips::{RigSetting, Slips, SweepResult, sweep};
use super::table::columns;
use super::tracked;
use crate::cli::Failure;
use crate::cli::quantity::quantity;
use crate::report::plot::{Figure, PlotAxes, Series, SeriesMark};
use crate::report::text_table::wrapped;
use crate::rig::{Rig, RigidTracks, TrackMotion, TrackResult, TrackRig, converge};
use crate::soil::DeformableSoil;
use clap::Args;
use serde::Serialize;
use serde_json::json;

const TOLERANCE: f64 = 0.05;

/// Drive a tracked vehicle at given slips: thrust, drawbar pull, resistance and sinkage
///
/// Tracked vehicles have no tires. Road wheels run on the track, and only the track touches the
/// ground.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker rig track --soil chrono_mid\n  \
    bekker rig track --soil mud --slip 0.02,0.1,0.3 --json --no-check\n  \
    bekker rig track --soil chrono_mid --tracks segmented --slip 0.1 --no-check")]
pub struct Track {
    #[command(flatten)]
    bed: SoilBed,
    /// Tracked vehicle from the catalog (see `bekker vehicles`), or a vehicle file (.toml)
    #[arg(long, value_name = "NAME", default_value = "m113")]
    vehicle: String,
    /// Slips 1 - v/(track speed); for braking, (track speed)/v - 1, down to -1. Format:
    /// from:to:count, or a list such as 0.05,0.1,0.2
    #[arg(long, value_name = "SLIPS", default_value = "0:0.6:13", allow_hyphen_values = true)]
    slip: Slips,
    /// Hull speed, m/s
    #[arg(long, value_name = "M_S", default_value = "1", allow_negative_numbers = true, value_parser = quantity(0.05..=20.0, "m/s"))]
    speed: f64,
    #[command(flatten)]
    run: tracked::TrackedRun,
    #[command(flatten)]
    output: RigOutput,
}

/// Results of the tracks at one slip, and of theory.
#[derive(Debug, Serialize)]
struct TrackRow {
    slip: f64,
    #[serde(flatten)]
    means: TrackResult,
    /// Thrust of rigid tracks under uniform pressure, N.
    theory_thrust: f64,
    /// Thrust of theory minus the compaction resistance, N.
    theory_drawbar: f64,
}

impl Track {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        self.bed.refuse_gravity()?;
        let vehicle = tracked::vehicle(&self.vehicle)?;
        let (soil, yielding) = self.bed.soil()?;
        let theory = RigidTracks::from_spec(&vehicle);
        let motion = TrackMotion::Straight { speed: self.speed, slip: 0.0 };
        let rig = self.run.rig(vehicle, soil, self.bed.laws(), motion);
        let tolerance = self.output.tolerance.unwrap_or(TOLERANCE);
        let settings: Vec<RigSetting> =
            self.slip.0.iter().map(|&slip| RigSetting::at_slip(slip)).collect();
        let SweepResult { found, refused } = sweep(&settings, |at| {
            let slip = at.slip.unwrap_or_default();
            let motion = TrackMotion::Straight { speed: self.speed, slip };
            let rig = TrackRig { motion, ..rig.clone() };
            if self.output.no_check {
                rig.run().map(|means| (means, Vec::new()))
            } else {
                converge(&rig, tolerance)
            }
        })?;
        let (mut rows, mut changes) = (Vec::new(), Vec::new());
        for (at, (means, moved)) in found {
            let slip = at.slip.unwrap_or_default();
            let theory_thrust = theory.thrust(&yielding, slip);
            let theory_drawbar = theory_thrust - theory.resistance(&yielding);
            rows.push(TrackRow { slip, means, theory_thrust, theory_drawbar });
            let moved = moved.into_iter().filter(|moved| moved.figure != "turning moment");
            changes.extend(moved.map(|convergence| ConvergenceChange { at, convergence }));
        }
        let check = (!self.output.no_check)
            .then(|| ConvergenceCheck::new(tolerance, changes, tracked::terms));
        let findings = RigFindings {
            kind: "track",
            soil: rig.soil.clone(),
            text: text(&rig, self.speed, &rows, (&theory, &yielding)),
            figure: figure(&rig, &rows, &theory, &yielding),
            data: json!({
                "vehicle": rig.vehicle.name,
                "weight": rig.weight(),
                "speed": self.speed,
                "spacing": rig.spacing,
                "step": rig.step,
                "duration": rig.duration,
                "internal_resistance": rig.vehicle.internal_resistance(self.speed),
                "theory": { "sinkage": theory.sinkage(&yielding), "resistance": theory.resistance(&yielding) },
                "runs": rows,
            }),
            check,
            refused,
        };
        self.output.present(findings, quiet)
    }
}

fn text(
    rig: &TrackRig,
    speed: f64,
    rows: &[TrackRow],
    (theory, soil): (&RigidTracks, &DeformableSoil),
) -> String {
    let internal = rig.vehicle.internal_resistance(speed);
    let cells = rows
        .iter()
        .map(|TrackRow { slip, means, theory_thrust, theory_drawbar }| {
            vec![
                format!("{:.1}", 100.0 * slip),
                format!("{:.2}", 1e-3 * means.thrust),
                format!("{:.2}", 1e-3 * theory_thrust),
                format!("{:.2}", 1e-3 * means.drawbar),
                format!("{:.2}", 1e-3 * theory_drawbar),
                format!("{:.3}", means.drawbar / rig.weight()),
                format!("{:.2}", 1e-3 * means.resistance),
                format!("{:.1}", 100.0 * means.sinkage),
                format!("{:.2}", means.pitch.to_degrees()),
            ]
        })
        .collect();
    let header = [
        "slip\n%",
        "thrust\nkN",
        "theory\nkN",
        "drawbar\nkN",
        "theory\nkN",
        "net traction\nratio",
        "resistance\nkN",
        "sinkage\ncm",
        "pitch\ndeg",
    ];
    let heading = format!(
        "{}, {:.1} kN, on {}: nodes {} m apart, step {} s, run {} s\n\
         theory (rigid tracks, uniform pressure): sinkage {:.1} cm, resistance {:.2} kN\n\
         resistance of the tracks themselves, not included: {:.2} kN",
        rig.vehicle.name,
        1e-3 * rig.weight(),
        rig.soil.name,
        rig.spacing,
        rig.step,
        rig.duration,
        100.0 * theory.sinkage(soil),
        1e-3 * theory.resistance(soil),
        1e-3 * internal,
    );
    format!("{}\n\n{}", wrapped(&heading, 2), columns(&header, cells, 0))
}

fn figure(
    rig: &TrackRig,
    rows: &[TrackRow],
    theory: &RigidTracks,
    soil: &DeformableSoil,
) -> Figure {
    let panel = |label: &str, of: &dyn Fn(&TrackRow) -> f64, classic: &dyn Fn(f64) -> f64| {
        let points: Vec<[f64; 2]> = rows.iter().map(|row| [100.0 * row.slip, of(row)]).collect();
        let most = rows.iter().map(|row| row.slip).fold(0.0, f64::max);
        let curve = (0..=100).map(|k| {
            let slip = most * f64::from(k) / 100.0;
            [100.0 * slip, classic(slip)]
        });
        let series = vec![
            Series { name: "simulation".into(), points, mark: SeriesMark::MarkedLine },
            Series {
                name: "theory: rigid tracks, uniform pressure".into(),
                points: curve.collect(),
                mark: SeriesMark::Dashes,
            },
        ];
        PlotAxes::from_zero("slip, %", label, series)
    };
    let resistance = theory.resistance(soil);
    Figure {
        title: format!("{} on {}", rig.vehicle.name, rig.soil.name),
        subtitle: format!(
            "weight {:.1} kN, nodes {} mm apart, step {} ms, run {} s",
            1e-3 * rig.weight(),
            1e3 * rig.spacing,
            1e3 * rig.step,
            rig.duration
        ),
        panels: vec![
            panel("thrust, kN", &|row| 1e-3 * row.means.thrust, &|slip| {
                1e-3 * theory.thrust(soil, slip)
            }),
            panel("drawbar pull, kN", &|row| 1e-3 * row.means.drawbar, &|slip| {
                1e-3 * (theory.thrust(soil, slip) - resistance)
            }),
            panel("sinkage, cm", &|row| 100.0 * row.means.sinkage, &|_| {
                100.0 * theory.sinkage(soil)
            }),
        ],
    }
}
