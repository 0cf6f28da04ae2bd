//! `bekker rig wheel`

use super::bed::SoilBed;
use super::cone_index::ConeIndexRelations;
use super::convergence::{ConvergenceChange, ConvergenceCheck};
use super::output::{RigFindings, RigOutput};
use super::slips::{RigSetting, SlipAngles, Slips, SweepResult, sweep};
use super::table::{all_columns, columns};
use crate::cli::Failure;
use crate::cli::models::tire_model;
use crate::cli::quantity::quantity;
use crate::numeric::{GRAVITY, cos};
use crate::report::plot::{Figure, PlotAxes, Series, SeriesMark};
use crate::report::text_table::wrapped;
use crate::rig::{
    Convergence, Refinement, Rig, WheelResult, WheelRig, WheelRigMotion, converge, loaded_tire,
    rim_speed,
};
use crate::scenario::build::vehicle_spec;
use crate::scenario::config::TireModel;
use crate::scm::{Lugs, Ring, Underside, UndersideError};
use crate::simulation::{belt, tread, underside};
use crate::soil::{Soil, Tread};
use crate::vehicle::spec::{Inflation, VehicleSpec};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use serde_json::json;
use std::path::Path;

/// Roll a wheel at given slips and slip angles, or tow it: pull, side force, torque and sinkage
///
/// Forces are those of the soil on the wheel, in the wheel's axes (ISO 8855). Drawbar pull points
/// forward, side force to the left; aligning torque acts about the vertical. The rolling resistance
/// of the rubber itself is not included.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker rig wheel --soil mud --vehicle hmmwv\n  \
    bekker rig wheel --soil chrono_mid --radius 0.467 --width 0.254 --load 6312 --slip 0:0.8:17\n  \
    bekker rig wheel --soil deep_snow --slip 0.05,0.1,0.2 --set damping=3e4 --json --no-check\n  \
    bekker rig wheel --soil chrono_mid --laws reference\n  \
    bekker rig wheel --soil chrono_mid --vehicle hmmwv --inflation-kpa 83 --towed\n  \
    bekker rig wheel --soil chrono_mid --vehicle hmmwv --towed --slip-angle-deg 0:20:5\n  \
    bekker rig wheel --soil lean_clay_32_wes --vehicle hmmwv --cone-index-kpa 300\n  \
    bekker rig wheel --soil chrono_mid --slip 0.2 --slip-angle-deg 0,5,10,20")]
pub struct Wheel {
    #[command(flatten)]
    bed: SoilBed,
    #[command(flatten)]
    shape: WheelShape,
    /// Vertical load, N (default: mean wheel load of the vehicle, or 6312)
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = quantity(1.0..=1e6, "N"))]
    load: Option<f64>,
    /// Slips 1 - v/(omega r); for braking, omega r/v - 1, down to -1 (locked). Format:
    /// from:to:count, or a list such as 0.05,0.1,0.2
    #[arg(long, value_name = "SLIPS", default_value = "0:0.8:17", allow_hyphen_values = true)]
    slip: Slips,
    /// Tow the wheel: its axle turns freely, without torque
    #[arg(long, conflicts_with = "slip")]
    towed: bool,
    /// Slip angles from the wheel's plane to its velocity, degrees, positive to the left. Format:
    /// from:to:count, or a list such as 0,5,10
    #[arg(long, value_name = "ANGLES", allow_hyphen_values = true)]
    slip_angle_deg: Option<SlipAngles>,
    /// Cone index, kPa: shows the tire's pull and towed resistance by VTI on fine-grained soil and by
    /// NRMM on sand beside the rig. It is not converted to soil parameters
    #[arg(long, value_name = "KPA", allow_negative_numbers = true, requires = "vehicle", value_parser = quantity(10.0..=10_000.0, "kPa"))]
    cone_index_kpa: Option<f64>,
    /// Print all columns: contact area and vertical force too, compaction and deflection at slip
    /// angles, and the deflection of a rigid wheel
    #[arg(long, help_heading = "Output", conflicts_with = "json")]
    wide: bool,
    #[command(flatten)]
    guide: CarriageOptions,
    #[command(flatten)]
    output: RigOutput,
}

/// Wheel of the rig.
#[derive(Debug, Args)]
#[command(next_help_heading = "Wheel")]
struct WheelShape {
    /// Vehicle whose tire is tested: from the catalog (see `bekker vehicles`), or a vehicle file
    /// (.toml)
    #[arg(long, value_name = "NAME", conflicts_with_all = ["radius", "width", "grousers"])]
    vehicle: Option<String>,
    /// Tire model: flexible or rigid (default: flexible if the vehicle file defines it)
    #[arg(long, alias = "tyre", value_name = "MODEL", value_parser = tire_model(), requires = "vehicle")]
    tire: Option<TireModel>,
    /// Tire inflation, kPa (default: that of the vehicle's first axle)
    #[arg(long, value_name = "KPA", allow_negative_numbers = true, requires = "vehicle", value_parser = quantity(0.0..=5000.0, "kPa"))]
    inflation_kpa: Option<f64>,
    /// Radius of a cylindrical wheel, m
    #[arg(long, value_name = "M", default_value = "0.467", allow_negative_numbers = true, value_parser = quantity(0.02..=3.0, "m"))]
    radius: f64,
    /// Width of a cylindrical wheel, m
    #[arg(long, value_name = "M", default_value = "0.254", allow_negative_numbers = true, value_parser = quantity(0.01..=3.0, "m"))]
    width: f64,
    /// Number of grousers across a cylindrical wheel, which hold the soil between them
    #[arg(long, value_name = "COUNT", default_value = "0", requires = "grouser_height", value_parser = clap::value_parser!(u32).range(0..=200))]
    grousers: u32,
    /// Height of the grousers above the cylinder, m
    #[arg(long, value_name = "M", default_value = "0", allow_negative_numbers = true, requires = "grousers", value_parser = quantity(0.0..=0.3, "m"))]
    grouser_height: f64,
}

/// Motion of the wheel over the soil, and the resolution of the run.
#[derive(Debug, Args)]
#[command(next_help_heading = "Run")]
struct CarriageOptions {
    /// Speed of the wheel center, m/s
    #[arg(long, value_name = "M_S", default_value = "1", allow_negative_numbers = true, value_parser = quantity(0.01..=30.0, "m/s"))]
    speed: f64,
    /// Distance between soil nodes, m (default: 0.01 for a flexible tire, 0.02 otherwise)
    #[arg(long, visible_alias = "spacing", value_name = "M", allow_negative_numbers = true, value_parser = quantity(0.002..=0.5, "m"))]
    grid: Option<f64>,
    /// Time step, s
    #[arg(long, value_name = "S", default_value = "0.001", allow_negative_numbers = true, value_parser = quantity(1e-5..=0.02, "s"))]
    step: f64,
    /// Length of the run, s. The load ramps up over the first 30 %. Means cover the last 40 %
    #[arg(long, value_name = "S", default_value = "4", allow_negative_numbers = true, value_parser = quantity(0.5..=120.0, "s"))]
    duration: f64,
    /// Damping of the vertical guide, N s/m
    #[arg(long, value_name = "N_S_M", default_value = "5000", allow_negative_numbers = true, value_parser = quantity(0.0..=1e6, "N s/m"))]
    damping: f64,
}

/// Wheel with its tread and its load on the vehicle.
struct MountedWheel {
    wheel: Underside,
    tread: Tread,
    /// Belt and inflation, Pa, of a flexible tire.
    belt: Option<(Ring, f64)>,
    load: f64,
    name: String,
    /// Vehicle whose first axle has the tire, if it is one, as it is tested.
    spec: Option<VehicleSpec>,
}

/// Default load: mean wheel load of the HMMWV, N.
const LOAD: f64 = 6312.0;
const TOLERANCE: f64 = 0.03;
/// Maximum number of slips times slip angles.
const MANY: usize = 1000;

/// Results of a wheel at one slip and slip angle.
#[derive(Debug, Serialize)]
struct WheelRun {
    #[serde(flatten)]
    at: RigSetting,
    #[serde(flatten)]
    means: WheelResult,
    /// Skid 1 - omega r/v of a towed wheel.
    #[serde(skip_serializing_if = "Option::is_none")]
    skid: Option<f64>,
    /// Power at the drawbar over power at the axle; `None` unless both are positive.
    tractive_efficiency: Option<f64>,
}

impl Wheel {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let mounted = self.shape.mounted()?;
        let half_width = mounted.wheel.outline().last().map_or(0.0, |point| point[0]);
        let grid = self.grid(&mounted);
        if grid > half_width {
            return Err(Failure::Usage {
                argument: "--grid <M>",
                value: grid.to_string(),
                allowed: format!("at most half the wheel's width, {half_width} m"),
            });
        }
        let (soil, _) = self.bed.soil()?;
        let rig = self.rig(soil, &mounted);
        let SweepResult { found, refused } = self.sweep(&rig, quiet)?;
        let (mut runs, mut changes) = (Vec::new(), Vec::new());
        for (at, (means, moved)) in found {
            runs.push(WheelRun::new(at, means, &rig));
            changes
                .extend(moved.into_iter().map(|convergence| ConvergenceChange { at, convergence }));
        }
        let sinkage = runs.iter().map(|run| run.means.sinkage).fold(0.0, f64::max);
        let radius = rig.wheel.max_radius();
        if sinkage > radius {
            eprintln!(
                "warning: the wheel sinks {sinkage:.2} m, more than its radius of {radius:.2} m; a \
                 vehicle would rest on its hull, which the rig does not model"
            );
        }
        let check = (!self.output.no_check)
            .then(|| ConvergenceCheck::new(self.tolerance(), changes, terms));
        let relations = self.relations(&mounted, rig.load);
        let mut text = text(&rig, &mounted, &runs, self.wide);
        if let Some(relations) = &relations {
            text = format!("{text}\n\n{}", relations.text());
        }
        let findings = RigFindings {
            kind: "wheel",
            soil: rig.soil.clone(),
            text,
            figure: figure(&rig, &mounted, &runs, check.as_ref(), relations.as_ref()),
            data: json!({
                "wheel": rig.wheel,
                "tread": rig.tread,
                "load": rig.load,
                "speed": self.guide.speed,
                "towed": self.towed,
                "spacing": rig.spacing,
                "step": rig.step,
                "duration": rig.duration,
                "guide_damping": rig.guide_damping,
                "cone_index": relations,
                "runs": runs,
            }),
            check,
            refused,
        };
        self.output.present(findings, quiet)
    }

    /// Returns the relations of the cone index for the tire under a load, N, if they are requested.
    fn relations(&self, mounted: &MountedWheel, load: f64) -> Option<ConeIndexRelations> {
        let tire = loaded_tire(mounted.spec.as_ref()?, 0, load);
        let slips: &[f64] = if self.towed { &[] } else { &self.slip.0 };
        Some(ConeIndexRelations::new(&tire, self.cone_index_kpa?, slips))
    }

    /// Returns the distance between soil nodes, m. The print of a flexible tire needs finer nodes.
    fn grid(&self, mounted: &MountedWheel) -> f64 {
        self.guide.grid.unwrap_or(if mounted.belt.is_some() { 0.01 } else { 0.02 })
    }

    fn tolerance(&self) -> f64 {
        self.output.tolerance.unwrap_or(TOLERANCE)
    }

    /// Returns all combinations of slips and slip angles.
    ///
    /// # Errors
    /// [`Failure`] if there are more than [`MANY`].
    fn settings(&self) -> Result<Vec<RigSetting>, Failure> {
        let slips: Vec<Option<f64>> =
            if self.towed { vec![None] } else { self.slip.0.iter().copied().map(Some).collect() };
        let angles = match &self.slip_angle_deg {
            Some(SlipAngles(angles)) => angles.iter().map(|deg| Some(deg.to_radians())).collect(),
            None if self.towed => vec![Some(0.0)],
            None => vec![None],
        };
        if slips.len() * angles.len() > MANY {
            return Err(Failure::Usage {
                argument: "--slip-angle-deg <ANGLES>",
                value: format!("{} slips at {} slip angles", slips.len(), angles.len()),
                allowed: format!("at most {MANY} of both together"),
            });
        }
        let at_angle = |&slip_angle: &Option<f64>| {
            slips.iter().map(move |&slip| RigSetting { slip, slip_angle, inflation_kpa: None })
        };
        Ok(angles.iter().flat_map(at_angle).collect())
    }

    fn motion(&self, at: RigSetting) -> WheelRigMotion {
        let speed = self.guide.speed;
        match (at.slip, at.slip_angle) {
            (Some(slip), None) => WheelRigMotion::Rolling { speed, slip },
            (Some(slip), Some(slip_angle)) => {
                let rim_speed = rim_speed(speed * cos(slip_angle), slip);
                WheelRigMotion::Drawn { speed, rim_speed, slip_angle }
            }
            (None, angle) => WheelRigMotion::Towed { speed, slip_angle: angle.unwrap_or_default() },
        }
    }

    /// Returns the rig, without its motion.
    fn rig(&self, soil: Soil, mounted: &MountedWheel) -> WheelRig {
        let CarriageOptions { step, duration, damping, .. } = self.guide;
        let load = self.load.unwrap_or(mounted.load * (self.bed.gravity() / GRAVITY));
        let motion = self.motion(RigSetting::at_slip(0.0));
        WheelRig {
            laws: self.bed.laws(),
            tread: mounted.tread,
            belt: mounted.belt.clone(),
            spacing: self.grid(mounted),
            step,
            duration,
            guide_damping: damping,
            ..WheelRig::new(soil, mounted.wheel.clone(), load, motion)
        }
    }

    /// Runs all slips and slip angles, and checks the convergence of each unless disabled.
    fn sweep(
        &self,
        rig: &WheelRig,
        quiet: bool,
    ) -> Result<SweepResult<(WheelResult, Vec<Convergence>)>, Failure> {
        let settings = self.settings()?;
        let bar = progress(settings.len() as u64, quiet);
        let swept = sweep(&settings, |at| {
            let rig = WheelRig { motion: self.motion(at), ..rig.clone() };
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

impl WheelRun {
    fn new(at: RigSetting, means: WheelResult, rig: &WheelRig) -> WheelRun {
        let part = means.drawbar * rig.wheel.max_radius() / means.torque;
        let drives = means.drawbar > 0.0 && means.torque > 0.0;
        let tractive_efficiency = at.slip.map(|slip| part * (1.0 - slip)).filter(|_| drives);
        let speed = forward_speed(rig, at);
        let skid = at.slip.is_none().then(|| 1.0 - means.rim_speed / speed);
        WheelRun { at, means, skid, tractive_efficiency }
    }

    fn slip_angle_deg(&self) -> f64 {
        self.at.slip_angle.unwrap_or_default().to_degrees()
    }
}

impl WheelShape {
    fn mounted(&self) -> Result<MountedWheel, Failure> {
        let refused = |subject: &str, error: UndersideError| Failure::Input {
            subject: subject.to_string(),
            cause: error.to_string(),
        };
        let Some(name) = &self.vehicle else {
            let (radius, width) = (self.radius, self.width);
            let lugs = Lugs { count: self.grousers, height: self.grouser_height };
            let outline = lugs.outline(vec![[width / 2.0, radius]]);
            return Ok(MountedWheel {
                wheel: Underside::new(outline, None).map_err(|error| refused("--radius", error))?,
                tread: lugs.tread(Tread::rough(), radius, width),
                belt: None,
                load: LOAD,
                name: format!("cylinder {radius} m x {width} m"),
                spec: None,
            });
        };
        let spec = vehicle_spec(name, Path::new(""))?;
        let spec = spec.wheeled().ok_or_else(|| Failure::Input {
            subject: name.clone(),
            cause: "is tracked; use `bekker rig track`".into(),
        })?;
        let own = (self.tire != Some(TireModel::Rigid)).then(|| belt(spec)).flatten();
        if own.is_none() && (self.tire == Some(TireModel::Flexible) || self.inflation_kpa.is_some())
        {
            return Err(Failure::Input {
                subject: name.clone(),
                cause:
                    "its tires are rigid; --inflation-kpa and --tire flexible need [tire.flexible] in \
                     the vehicle file"
                        .into(),
            });
        }
        let belt = own
            .map(|(ring, inflation)| (ring, self.inflation_kpa.map_or(inflation, |kpa| 1e3 * kpa)));
        let on = belt.as_ref().map_or("rigid".to_owned(), |(_, p)| format!("{:.0} kPa", 1e-3 * p));
        let mut tested = spec.clone();
        match (&mut tested.tire.flexible, &belt) {
            (Some(tire), Some((_, inflation))) => {
                tire.inflation_kpa = Inflation::All(1e-3 * inflation);
            }
            (tire, _) => *tire = None,
        }
        Ok(MountedWheel {
            wheel: underside(&spec.tire.rigid).map_err(|error| refused(name, error))?,
            tread: tread(&spec.tire.rigid),
            belt,
            load: mean_wheel_load(spec),
            name: format!("wheel of {} ({on})", spec.name),
            spec: Some(tested),
        })
    }
}

pub(super) fn mean_wheel_load(spec: &VehicleSpec) -> f64 {
    spec.total_mass() * GRAVITY / (2.0 * spec.axles.len() as f64)
}

/// Creates a progress bar over the slips; hidden unless standard error is a terminal.
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

/// Column of the table: heading, and the text for a run under a load, N.
type RigColumn = (&'static str, fn(&WheelRun, f64) -> String);

const DRIVEN: [RigColumn; 4] = [
    ("slip\n%", |r, _| r.at.slip.map_or("-".into(), |slip| format!("{:.1}", 100.0 * slip))),
    ("drawbar\nN", |r, _| format!("{:.0}", r.means.drawbar)),
    ("net traction\nratio", |r, load| format!("{:.3}", r.means.drawbar / load)),
    ("torque\nN m", |r, _| format!("{:.1}", r.means.torque)),
];
const TOWED: [RigColumn; 3] = [
    ("skid\n%", |r, _| r.skid.map_or("-".into(), |skid| format!("{:.1}", 100.0 * skid))),
    ("towed resistance\nN", |r, _| format!("{:.0}", -r.means.drawbar)),
    ("resistance\nratio", |r, load| format!("{:.3}", -r.means.drawbar / load)),
];
const ANGLE: RigColumn = ("slip angle\ndeg", |r, _| format!("{:.1}", r.slip_angle_deg()));
const STEERED: [RigColumn; 3] = [
    ("side force\nN", |r, _| format!("{:.0}", r.means.lateral)),
    ("side force\nratio", |r, load| format!("{:.3}", r.means.lateral / load)),
    ("aligning\nN m", |r, _| format!("{:.1}", r.means.aligning)),
];
const DEPTH: RigColumn = ("sinkage\ncm", |r, _| format!("{:.2}", 100.0 * r.means.sinkage));
const DEFLECTED: [RigColumn; 2] = [
    ("deflection\nmm", |r, _| format!("{:.1}", 1e3 * r.means.deflection)),
    ("length\ncm", |r, _| format!("{:.1}", 100.0 * r.means.contact_length)),
];
const COMPACTION: RigColumn = ("compaction\nN", |r, _| format!("{:.0}", r.means.compaction));
const CONTACT: [RigColumn; 2] = [
    ("contact\ncm2", |r, _| format!("{:.0}", 1e4 * r.means.area)),
    ("vertical\nload %", |r, load| format!("{:.1}", 100.0 * r.means.vertical / load)),
];
const EFFICIENCY: RigColumn = ("efficiency\n%", |r, _| {
    r.tractive_efficiency.map_or("-".into(), |part| format!("{:.1}", 100.0 * part))
});

fn text(rig: &WheelRig, mounted: &MountedWheel, runs: &[WheelRun], is_wide: bool) -> String {
    let towed = runs.iter().any(|run| run.at.slip.is_none());
    let steered = runs.iter().any(|run| run.slip_angle_deg() != 0.0);
    let mut shown: Vec<RigColumn> = Vec::new();
    shown.extend(steered.then_some(ANGLE));
    if towed {
        shown.extend(TOWED)
    } else {
        shown.extend(DRIVEN)
    }
    shown.extend(STEERED.into_iter().filter(|_| steered));
    shown.push(DEPTH);
    let deflects = is_wide || (rig.belt.is_some() && !steered);
    shown.extend(DEFLECTED.into_iter().filter(|_| deflects));
    shown.extend((!steered || is_wide).then_some(COMPACTION));
    shown.extend(CONTACT.into_iter().filter(|_| is_wide));
    shown.extend((!towed).then_some(EFFICIENCY));
    let header: Vec<&str> = shown.iter().map(|(heading, _)| *heading).collect();
    let row = |run: &WheelRun| shown.iter().map(|(_, cell)| cell(run, rig.load)).collect();
    let heading = format!(
        "{}, load {:.0} N, on {}: nodes {} m apart, step {} s, run {} s",
        mounted.name, rig.load, rig.soil.name, rig.spacing, rig.step, rig.duration,
    );
    let table = if is_wide {
        all_columns(&header, runs.iter().map(row).collect())
    } else {
        columns(&header, runs.iter().map(row).collect(), 0)
    };
    format!("{}\n\n{table}", wrapped(&heading, 2))
}

/// Returns the speed of the wheel's center in the wheel plane, m/s.
fn forward_speed(rig: &WheelRig, at: RigSetting) -> f64 {
    let speed = match rig.motion {
        WheelRigMotion::Pressed => 0.0,
        WheelRigMotion::Rolling { speed, .. }
        | WheelRigMotion::Drawn { speed, .. }
        | WheelRigMotion::Towed { speed, .. } => speed,
    };
    speed * cos(at.slip_angle.unwrap_or_default())
}

/// Quantity of a plot panel: name in the check, label, factor to its unit, and accessor.
type PanelQuantity = (&'static str, &'static str, f64, fn(&WheelResult) -> f64);

const PULL: PanelQuantity = ("drawbar", "drawbar pull, kN", 1e-3, |r| r.drawbar);
const RESISTANCE: PanelQuantity = ("drawbar", "towed resistance, kN", -1e-3, |r| r.drawbar);
const SIDE_FORCE: PanelQuantity = ("side force", "side force, kN", 1e-3, |r| r.lateral);
const TORQUE: PanelQuantity = ("torque", "torque, kN m", 1e-3, |r| r.torque);
const SINKAGE: PanelQuantity = ("sinkage", "sinkage, cm", 100.0, |r| r.sinkage);

/// Plots quantities over slip, with a line per slip angle; over the slip angle if there is at most
/// one slip.
fn figure(
    rig: &WheelRig,
    mounted: &MountedWheel,
    runs: &[WheelRun],
    check: Option<&ConvergenceCheck>,
    relations: Option<&ConeIndexRelations>,
) -> Figure {
    let first = runs.first().map_or(RigSetting::default(), |run| run.at);
    let towed = first.slip.is_none();
    let steered = runs.iter().any(|run| run.slip_angle_deg() != 0.0);
    let over_angle = towed || steered && runs.iter().all(|run| run.at.slip == first.slip);
    let across = |at: &RigSetting| match (over_angle, at.slip) {
        (false, Some(slip)) => 100.0 * slip,
        _ => at.slip_angle.unwrap_or_default().to_degrees(),
    };
    // runs that are joined by a line are adjacent
    let lines: Vec<&[WheelRun]> = match over_angle {
        true => vec![runs],
        false => runs.chunk_by(|a, b| a.at.slip_angle == b.at.slip_angle).collect(),
    };
    let panel = |(figure, y_label, factor, of): PanelQuantity| {
        let mut series = Vec::new();
        for line in &lines {
            let points: Vec<[f64; 2]> =
                line.iter().map(|r| [across(&r.at), factor * of(&r.means)]).collect();
            let own = |name: String| match (over_angle, line.first()) {
                (false, Some(run)) if steered => format!("{:.0}° {name}", run.slip_angle_deg()),
                _ => name,
            };
            let here = own(format!("simulation, nodes {} mm apart", 1e3 * rig.spacing));
            series.push(Series {
                name: here.clone(),
                points: points.clone(),
                mark: SeriesMark::Line,
            });
            if let Some(check) = check {
                let finer =
                    check.changes.iter().filter_map(|ConvergenceChange { at, convergence: c }| {
                        let wanted = c.refinement == Refinement::Spacing
                            && c.figure == figure
                            && line.iter().any(|run| run.at == *at);
                        Some([across(at), factor * c.refined]).filter(|_| wanted)
                    });
                series.push(Series {
                    name: own(format!("simulation, nodes {} mm apart", 500.0 * rig.spacing)),
                    points: finer.collect(),
                    mark: SeriesMark::Dashes,
                });
            }
            series.push(Series { name: here, points, mark: SeriesMark::Dots });
        }
        if let Some(relations) = relations.filter(|_| figure == PULL.0 && !over_angle) {
            series.extend(relations.pull_series());
        }
        PlotAxes::from_zero(if over_angle { "slip angle, deg" } else { "slip, %" }, y_label, series)
    };
    let mut shown = vec![if towed { RESISTANCE } else { PULL }];
    shown.extend(steered.then_some(SIDE_FORCE));
    shown.extend((!towed).then_some(TORQUE));
    shown.push(SINKAGE);
    Figure {
        title: format!("{} wheel on {}", if towed { "Towed" } else { "Driven" }, rig.soil.name),
        subtitle: format!(
            "{}, load {:.2} kN, step {} ms, run {} s",
            mounted.name,
            1e-3 * rig.load,
            1e3 * rig.step,
            rig.duration
        ),
        panels: shown.into_iter().map(panel).collect(),
    }
}
