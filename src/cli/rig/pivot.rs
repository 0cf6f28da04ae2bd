//! `bekker rig pivot`

use super::bed::SoilBed;
use super::convergence::{ConvergenceChange, ConvergenceCheck};
use super::output::{RigFindings, RigOutput};
use super::slips::RigSetting;
use super::table::columns;
use super::tracked;
use crate::cli::Failure;
use crate::cli::quantity::quantity;
use crate::report::plot::{Figure, PlotAxes, Series, SeriesMark};
use crate::report::text_table::wrapped;
use crate::rig::{Rig, RigidTracks, TrackMotion, TrackResult, TrackRig, converge};
use clap::Args;
use serde::Serialize;
use serde_json::json;

const TOLERANCE: f64 = 0.05;

/// Turn a tracked vehicle on the spot: turning resistance moment and turn rate
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker rig pivot --soil chrono_mid\n  \
    bekker rig pivot --soil mud --speed 0.2,0.5,1 --json --no-check")]
pub struct Pivot {
    #[command(flatten)]
    bed: SoilBed,
    /// Tracked vehicle from the catalog (see `bekker vehicles`), or a vehicle file (.toml)
    #[arg(long, value_name = "NAME", default_value = "m113")]
    vehicle: String,
    /// Track speeds, m/s; the right track runs forward, the left track backward
    #[arg(long, value_name = "M_S", default_value = "0.25,0.5,1", value_delimiter = ',', allow_negative_numbers = true, value_parser = quantity(0.01..=10.0, "m/s"))]
    speed: Vec<f64>,
    #[command(flatten)]
    run: tracked::TrackedRun,
    #[command(flatten)]
    output: RigOutput,
}

/// Results of the tracks at one speed, and of theory.
#[derive(Debug, Serialize)]
struct PivotRow {
    speed: f64,
    #[serde(flatten)]
    means: PivotMeans,
    /// Lateral friction mu from the moment M = mu W L / 4.
    lateral_friction: f64,
    /// Yaw rate relative to that without slip.
    turning_share: f64,
}

/// Means of a run without those that have no meaning in a pivot turn.
#[derive(Debug, Serialize)]
struct PivotMeans {
    sinkage: f64,
    vertical: f64,
    turning_moment: f64,
    yaw_rate: f64,
    pitch: f64,
}

impl From<TrackResult> for PivotMeans {
    fn from(found: TrackResult) -> PivotMeans {
        let TrackResult { sinkage, vertical, turning_moment, yaw_rate, pitch, .. } = found;
        PivotMeans { sinkage, vertical, turning_moment, yaw_rate, pitch }
    }
}

impl Pivot {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        self.bed.refuse_gravity()?;
        let vehicle = tracked::vehicle(&self.vehicle)?;
        let (soil, yielding) = self.bed.soil()?;
        let theory = RigidTracks::from_spec(&vehicle);
        let rig = self.run.rig(vehicle, soil, self.bed.laws(), TrackMotion::Pivot { speed: 0.0 });
        let tolerance = self.output.tolerance.unwrap_or(TOLERANCE);
        let (mut rows, mut changes) = (Vec::new(), Vec::new());
        for &speed in &self.speed {
            let rig = TrackRig { motion: TrackMotion::Pivot { speed }, ..rig.clone() };
            let (means, moved) = if self.output.no_check {
                (rig.run()?, Vec::new())
            } else {
                converge(&rig, tolerance)?
            };
            rows.push(PivotRow {
                speed,
                means: means.into(),
                lateral_friction: means.turning_moment / theory.turning_moment(theory.weight),
                turning_share: means.yaw_rate * theory.gauge / (2.0 * speed),
            });
            let moved = moved.into_iter().filter(|m| m.figure.contains("moment"));
            changes.extend(
                moved.map(|convergence| ConvergenceChange {
                    at: RigSetting::default(),
                    convergence,
                }),
            );
        }
        let strength = theory.shear_strength(&yielding);
        let check = (!self.output.no_check)
            .then(|| ConvergenceCheck::new(tolerance, changes, tracked::terms));
        let measured = PivotSweep { rig, theory, strength, rows };
        let (text, figure, data) = (measured.text(), measured.figure(), measured.data());
        let (soil, refused) = (measured.rig.soil, Vec::new());
        let findings = RigFindings { kind: "pivot", soil, data, text, figure, check, refused };
        self.output.present(findings, quiet)
    }
}

/// Results of a sweep of speeds, with theory.
struct PivotSweep {
    rig: TrackRig,
    theory: RigidTracks,
    /// Greatest shear force of the soil on both tracks, N.
    strength: f64,
    rows: Vec<PivotRow>,
}

impl PivotSweep {
    fn text(&self) -> String {
        let PivotSweep { rig, theory, strength, rows } = self;
        let cells = rows.iter().map(|row| {
            vec![
                format!("{:.2}", row.speed),
                format!("{:.2}", 1e-3 * row.means.turning_moment),
                format!("{:.3}", row.lateral_friction),
                format!("{:.3}", row.means.yaw_rate),
                format!("{:.3}", row.turning_share),
                format!("{:.1}", 100.0 * row.means.sinkage),
            ]
        });
        let header = [
            "speed\nm/s",
            "moment\nkN m",
            "lateral\nfriction",
            "turn\nrad/s",
            "ratio to\nno slip",
            "sinkage\ncm",
        ];
        let heading = format!(
            "{}, {:.1} kN, turning on {}: nodes {} m apart, step {} s, run {} s\n\
             theory: moment {:.2} kN m if every point shears at the soil's strength, {:.1} kN under \
             even pressure; {:.2} kN m from lateral sliding alone",
            rig.vehicle.name,
            1e-3 * rig.weight(),
            rig.soil.name,
            rig.spacing,
            rig.step,
            rig.duration,
            1e-3 * theory.pivoting_moment(*strength),
            1e-3 * strength,
            1e-3 * theory.turning_moment(*strength),
        );
        format!("{}\n\n{}", wrapped(&heading, 2), columns(&header, cells.collect(), 0))
    }

    fn figure(&self) -> Figure {
        let PivotSweep { rig, theory, strength, rows } = self;
        let line =
            |name: &str, points: Vec<[f64; 2]>, mark| Series { name: name.into(), points, mark };
        let panel = |label: &str, of: &dyn Fn(&PivotRow) -> f64, theory: Series| {
            let points: Vec<[f64; 2]> = rows.iter().map(|r| [r.speed, of(r)]).collect();
            let series = vec![line("simulation", points, SeriesMark::MarkedLine), theory];
            PlotAxes::from_zero("track speed, m/s", label, series)
        };
        let moment = 1e-3 * theory.pivoting_moment(*strength);
        let fastest = rows.iter().map(|row| row.speed).fold(0.0, f64::max);
        // from a track speed of zero
        let at_ends = |of: &dyn Fn(f64) -> f64| [0.0, fastest].map(|x| [x, of(x)]).to_vec();
        Figure {
            title: format!("{} turning on {}", rig.vehicle.name, rig.soil.name),
            subtitle: format!(
                "weight {:.1} kN, nodes {} mm apart, step {} ms, run {} s",
                1e-3 * rig.weight(),
                1e3 * rig.spacing,
                1e3 * rig.step,
                rig.duration
            ),
            panels: vec![
                panel(
                    "moment, kN m",
                    &|row| 1e-3 * row.means.turning_moment,
                    line(
                        "theory: shear at the soil's strength",
                        at_ends(&|_| moment),
                        SeriesMark::Dashes,
                    ),
                ),
                panel(
                    "yaw rate, rad/s",
                    &|row| row.means.yaw_rate,
                    line(
                        "tracks without slip",
                        at_ends(&|speed| 2.0 * speed / theory.gauge),
                        SeriesMark::Dashes,
                    ),
                ),
            ],
        }
    }

    fn data(&self) -> serde_json::Value {
        let PivotSweep { rig, theory, strength, rows } = self;
        json!({
            "vehicle": rig.vehicle.name,
            "weight": rig.weight(),
            "spacing": rig.spacing,
            "step": rig.step,
            "duration": rig.duration,
            "theory": {
                "moment": theory.turning_moment(*strength),
                "pivoting_moment": theory.pivoting_moment(*strength),
                "strength": strength,
            },
            "runs": rows,
        })
    }
}
