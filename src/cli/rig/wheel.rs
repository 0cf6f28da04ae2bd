//! `bekker rig wheel`

use super::bed::Bed;
use super::convergence::{Change, Check};
use super::output::{Findings, Output};
use super::slips::{Slips, Swept};
use super::table::columns;
use crate::cli::Failure;
use crate::cli::quantity::quantity;
use crate::numeric::GRAVITY;
use crate::report::plot::{Figure, Mark, Panel, Series};
use crate::scenario::build::vehicle_spec;
use crate::scm::{Ring, Underside, UndersideError};
use crate::simulation::{belt, tread, underside};
use crate::soil::{Soil, Tread};
use crate::study::{Convergence, Refinement, Rig, WheelMotion, WheelResult, WheelRig, converge};
use crate::vehicle::spec::VehicleSpec;
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use serde_json::json;
use std::path::Path;

/// Roll a wheel at given slips: drawbar pull, torque and sinkage
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker rig wheel --soil mud --vehicle hmmwv\n  \
    bekker rig wheel --soil chrono_mid --radius 0.467 --width 0.254 --load 6312 --slip 0:0.8:17\n  \
    bekker rig wheel --soil deep_snow --slip 0.05,0.1,0.2 --set damping=3e4 --json --no-check\n  \
    bekker rig wheel --soil chrono_mid --laws reference")]
pub struct Wheel {
    #[command(flatten)]
    bed: Bed,
    #[command(flatten)]
    shape: Shape,
    /// Vertical load, N [default: that of the vehicle's mean wheel, or 6312]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = quantity(1.0..=1e6, "N"))]
    load: Option<f64>,
    /// Slips 1 - v/(omega r): from:to:count, or a list such as 0.05,0.1,0.2
    #[arg(long, value_name = "SLIPS", default_value = "0:0.8:17", allow_hyphen_values = true)]
    slip: Slips,
    #[command(flatten)]
    guide: Guide,
    #[command(flatten)]
    output: Output,
}

/// The wheel itself.
#[derive(Debug, Args)]
#[command(next_help_heading = "Wheel")]
struct Shape {
    /// The tyre of a vehicle: of the catalogue (see `bekker vehicles`) or a .toml file
    #[arg(long, value_name = "NAME", conflicts_with_all = ["radius", "width"])]
    vehicle: Option<String>,
    /// Whether it gives way: flexible, where the vehicle's file says how, or rigid
    #[arg(long, value_name = "MODEL", value_parser = ["flexible", "rigid"], requires = "vehicle")]
    tyre: Option<String>,
    /// Its inflation, kPa [default: that of the vehicle's first axle]
    #[arg(long, value_name = "KPA", allow_negative_numbers = true, requires = "vehicle", value_parser = quantity(0.0..=5000.0, "kPa"))]
    inflation: Option<f64>,
    /// Radius of a cylinder, m
    #[arg(long, value_name = "M", default_value = "0.467", allow_negative_numbers = true, value_parser = quantity(0.02..=3.0, "m"))]
    radius: f64,
    /// Width of a cylinder, m
    #[arg(long, value_name = "M", default_value = "0.254", allow_negative_numbers = true, value_parser = quantity(0.01..=3.0, "m"))]
    width: f64,
}

/// How the wheel is led over the bed, and how finely that is reckoned.
#[derive(Debug, Args)]
#[command(next_help_heading = "Run")]
struct Guide {
    /// Speed of the wheel's centre, m/s
    #[arg(long, value_name = "M_S", default_value = "1", allow_negative_numbers = true, value_parser = quantity(0.01..=30.0, "m/s"))]
    speed: f64,
    /// Distance between nodes, m
    #[arg(long, visible_alias = "spacing", value_name = "M", default_value = "0.02", allow_negative_numbers = true, value_parser = quantity(0.002..=0.5, "m"))]
    grid: f64,
    /// Time step, s
    #[arg(long, value_name = "S", default_value = "0.001", allow_negative_numbers = true, value_parser = quantity(1e-5..=0.02, "s"))]
    step: f64,
    /// Length of the run, s; the load comes on over its first 30 %, means are over its last 40 %
    #[arg(long, value_name = "S", default_value = "4", allow_negative_numbers = true, value_parser = quantity(0.5..=120.0, "s"))]
    duration: f64,
    /// Damper of the vertical guide, N s/m
    #[arg(long, value_name = "N_S_M", default_value = "5000", allow_negative_numbers = true, value_parser = quantity(0.0..=1e6, "N s/m"))]
    damping: f64,
}

/// A wheel with its tread and the load that it bears in its place.
struct Mounted {
    wheel: Underside,
    tread: Tread,
    /// Its belt and inflation, Pa, if it gives way.
    belt: Option<(Ring, f64)>,
    load: f64,
    name: String,
}

/// Load where none is given: that on an HMMWV's mean wheel, N.
const LOAD: f64 = 6312.0;
const TOLERANCE: f64 = 0.03;

/// What a wheel did at one slip.
#[derive(Debug, Serialize)]
struct Run {
    slip: f64,
    #[serde(flatten)]
    means: WheelResult,
    /// Power at the drawbar over power at the axle; none unless both are put in and got out.
    tractive_efficiency: Option<f64>,
}

impl Wheel {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let mounted = self.shape.mounted()?;
        let half_width = mounted.wheel.outline().last().map_or(0.0, |point| point[0]);
        if self.guide.grid > half_width {
            return Err(Failure::Usage {
                argument: "--grid <M>",
                value: self.guide.grid.to_string(),
                allowed: format!("at most half the wheel's width, {half_width} m"),
            });
        }
        let (soil, _) = self.bed.soil()?;
        let rig = self.rig(soil, &mounted);
        let Swept { found, refused } = self.sweep(&rig, quiet)?;
        let (mut runs, mut changes) = (Vec::new(), Vec::new());
        for (slip, (means, moved)) in found {
            runs.push(Run::new(slip, means, rig.wheel.max_radius()));
            let at_slip = |convergence| Change { slip: Some(slip), convergence };
            changes.extend(moved.into_iter().map(at_slip));
        }
        let check = (!self.output.no_check).then(|| Check::new(self.tolerance(), changes, terms));
        let findings = Findings {
            kind: "wheel",
            soil: rig.soil.clone(),
            text: text(&rig, &mounted, &runs),
            figure: figure(&rig, &mounted, &runs, check.as_ref()),
            data: json!({
                "wheel": rig.wheel,
                "tread": rig.tread,
                "load": rig.load,
                "speed": self.guide.speed,
                "spacing": rig.spacing,
                "step": rig.step,
                "duration": rig.duration,
                "guide_damping": rig.guide_damping,
                "runs": runs,
            }),
            check,
            refused,
        };
        self.output.present(findings, quiet)
    }

    fn tolerance(&self) -> f64 {
        self.output.tolerance.unwrap_or(TOLERANCE)
    }

    /// The rig at the first slip.
    fn rig(&self, soil: Soil, mounted: &Mounted) -> WheelRig {
        let Guide { speed, grid, step, duration, damping } = self.guide;
        let load = self.load.unwrap_or(mounted.load);
        let motion = WheelMotion::Rolling { speed, slip: 0.0 };
        WheelRig {
            laws: self.bed.laws(),
            tread: mounted.tread,
            belt: mounted.belt.clone(),
            spacing: grid,
            step,
            duration,
            guide_damping: damping,
            ..WheelRig::new(soil, mounted.wheel.clone(), load, motion)
        }
    }

    /// Runs every slip, and checks each unless told not to.
    fn sweep(
        &self,
        rig: &WheelRig,
        quiet: bool,
    ) -> Result<Swept<(WheelResult, Vec<Convergence>)>, Failure> {
        let speed = self.guide.speed;
        let bar = progress(self.slip.0.len() as u64, quiet);
        let swept = self.slip.sweep(|slip| {
            let motion = WheelMotion::Rolling { speed, slip };
            let rig = WheelRig { motion, ..rig.clone() };
            let found = if self.output.no_check {
                rig.run().map(|means| (means, Vec::new()))
            } else {
                converge(&rig, self.tolerance())
            };
            bar.inc(1);
            found
        });
        bar.finish_and_clear();
        swept
    }
}

impl Run {
    fn new(slip: f64, means: WheelResult, radius: f64) -> Run {
        let efficiency = means.drawbar * (1.0 - slip) * radius / means.torque;
        let drives = means.drawbar > 0.0 && means.torque > 0.0;
        Run { slip, means, tractive_efficiency: drives.then_some(efficiency) }
    }
}

impl Shape {
    fn mounted(&self) -> Result<Mounted, Failure> {
        let refused = |subject: &str, error: UndersideError| Failure::Input {
            subject: subject.to_string(),
            cause: error.to_string(),
        };
        let Some(name) = &self.vehicle else {
            let (radius, width) = (self.radius, self.width);
            return Ok(Mounted {
                wheel: Underside::cylinder(radius, width)
                    .map_err(|error| refused("--radius", error))?,
                tread: Tread::rough(),
                belt: None,
                load: LOAD,
                name: format!("cylinder {radius} m x {width} m"),
            });
        };
        let spec = vehicle_spec(name, Path::new(""))?;
        let spec = spec.wheeled().ok_or_else(|| Failure::Input {
            subject: name.clone(),
            cause: "runs on tracks: see `bekker rig track`".into(),
        })?;
        let own = (self.tyre.as_deref() != Some("rigid")).then(|| belt(spec)).flatten();
        if own.is_none() && (self.tyre.as_deref() == Some("flexible") || self.inflation.is_some()) {
            return Err(Failure::Input {
                subject: name.clone(),
                cause:
                    "its tyres are rigid: --inflation, and --tyre flexible, need a file that says \
                        how they give way ([tyre.flexible])"
                        .into(),
            });
        }
        let belt =
            own.map(|(ring, inflation)| (ring, self.inflation.map_or(inflation, |kpa| 1e3 * kpa)));
        let on = belt.as_ref().map_or("rigid".to_owned(), |(_, p)| format!("{:.0} kPa", 1e-3 * p));
        Ok(Mounted {
            wheel: underside(&spec.tyre.rigid).map_err(|error| refused(name, error))?,
            tread: tread(&spec.tyre.rigid),
            belt,
            load: mean_wheel_load(spec),
            name: format!("wheel of {} ({on})", spec.name),
        })
    }
}

pub(super) fn mean_wheel_load(spec: &VehicleSpec) -> f64 {
    spec.total_mass() * GRAVITY / (2.0 * spec.axles.len() as f64)
}

/// A bar over the slips; silent unless standard error is a terminal.
fn progress(slips: u64, quiet: bool) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let style = ProgressStyle::with_template("{bar:32.cyan/blue} {pos} of {len} slips");
    ProgressBar::with_draw_target(Some(slips), target)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn terms(refinement: Refinement) -> (&'static str, &'static str) {
    match refinement {
        Refinement::Spacing => ("half the spacing", "a smaller --grid"),
        Refinement::Step => ("half the step", "a smaller --step"),
        Refinement::Extent => ("twice the run", "a longer --duration"),
    }
}

fn text(rig: &WheelRig, mounted: &Mounted, runs: &[Run]) -> String {
    let rows = runs
        .iter()
        .map(|Run { slip, means, tractive_efficiency }| {
            vec![
                format!("{slip:.3}"),
                format!("{:.0}", means.drawbar),
                format!("{:.3}", means.drawbar / rig.load),
                format!("{:.1}", means.torque),
                format!("{:.2}", 100.0 * means.sinkage),
                format!("{:.1}", 1e3 * means.deflection),
                format!("{:.1}", 100.0 * means.contact_length),
                format!("{:.0}", means.compaction),
                format!("{:.0}", 1e4 * means.area),
                format!("{:.1}", 100.0 * means.vertical / rig.load),
                tractive_efficiency.map_or("-".into(), |part| format!("{:.1}", 100.0 * part)),
            ]
        })
        .collect();
    let header = [
        "slip",
        "drawbar\nN",
        "net traction\nratio",
        "torque\nN m",
        "sinkage\ncm",
        "deflection\nmm",
        "length\ncm",
        "compaction\nN",
        "contact\ncm2",
        "vertical\nload %",
        "efficiency\n%",
    ];
    format!(
        "{}, load {:.0} N, on {}: nodes {} m apart, step {} s, run {} s\n\n{}",
        mounted.name,
        rig.load,
        rig.soil.name,
        rig.spacing,
        rig.step,
        rig.duration,
        columns(&header, rows, 0),
    )
}

fn figure(rig: &WheelRig, mounted: &Mounted, runs: &[Run], check: Option<&Check>) -> Figure {
    let panel = |figure: &str, y_label: &str, factor: f64, of: &dyn Fn(&WheelResult) -> f64| {
        let points: Vec<[f64; 2]> = runs.iter().map(|r| [r.slip, factor * of(&r.means)]).collect();
        let here = format!("nodes {} mm apart", 1e3 * rig.spacing);
        let mut series =
            vec![Series { name: here.clone(), points: points.clone(), mark: Mark::Line }];
        if let Some(check) = check {
            let finer = check.changes.iter().filter_map(|Change { slip, convergence: c }| {
                let wanted = c.refinement == Refinement::Spacing && c.figure == figure;
                Some([(*slip)?, factor * c.refined]).filter(|_| wanted)
            });
            series.push(Series {
                name: format!("nodes {} mm apart", 500.0 * rig.spacing),
                points: finer.collect(),
                mark: Mark::Dashes,
            });
        }
        series.push(Series { name: here, points, mark: Mark::Dots });
        Panel {
            title: String::new(),
            x_label: "slip".into(),
            y_label: y_label.into(),
            from_zero: true,
            series,
        }
    };
    Figure {
        title: format!("Driven wheel on {}", rig.soil.name),
        subtitle: format!(
            "{}, load {:.2} kN, step {} ms, run {} s",
            mounted.name,
            1e-3 * rig.load,
            1e3 * rig.step,
            rig.duration
        ),
        panels: vec![
            panel("drawbar", "drawbar pull, kN", 1e-3, &|r| r.drawbar),
            panel("torque", "torque, kN m", 1e-3, &|r| r.torque),
            panel("sinkage", "sinkage, cm", 100.0, &|r| r.sinkage),
        ],
    }
}
