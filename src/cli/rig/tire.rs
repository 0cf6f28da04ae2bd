//! `bekker rig tire`

use super::bed::SoilBed;
use super::convergence::{ConvergenceChange, ConvergenceCheck};
use super::output::{RigFindings, RigOutput};
use super::slips::{FailedSetting, RigSetting};
use super::table::columns;
use super::wheel::mean_wheel_load;
use crate::cli::Failure;
use crate::cli::quantity::quantity;
use crate::numeric::GRAVITY;
use crate::report::plot::{Figure, PlotAxes, Series, SeriesMark};
use crate::rig::{RESOLVED, Refinement, Rig, RigError, TireResult, TireRig, converge};
use crate::scenario::build::vehicle_spec;
use crate::scm::{Ring, STATIONS, STRIPS, Underside};
use crate::simulation::{ring, underside};
use crate::soil::{Laws, Soil, SoilKind};
use crate::vehicle::inflation::kilopascals;
use crate::vehicle::spec::{FlexibleTireSpec, RigidTire};
use crate::vehicle::tire::{RingParameters, tire};
use clap::Args;
use rayon::prelude::*;
use serde_json::json;
use std::path::Path;

/// Press a tire on a plate and on soil at several inflations: deflection, contact, pressure
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker rig tire --vehicle hmmwv\n  \
    bekker rig tire --vehicle hmmwv --inflation-kpa 55,83,138,207 --soil chrono_mid\n  \
    bekker rig tire --tire fed_alpha --load 20000 --json --no-plot")]
pub struct Tire {
    /// Vehicle whose tire is tested: from the catalog (see `bekker vehicles`), or a vehicle file
    /// (.toml)
    #[arg(long, value_name = "NAME", default_value = "hmmwv", conflicts_with = "tire")]
    vehicle: String,
    /// Tire without a vehicle: fed_alpha
    #[arg(long, alias = "tyre", value_name = "NAME")]
    tire: Option<String>,
    /// Inflations, kPa (default: 0.4, 0.6, 1 and 1.5 times that of the tire file)
    #[arg(long, value_name = "KPA,...", value_delimiter = ',', allow_negative_numbers = true, value_parser = quantity(0.0..=5000.0, "kPa"))]
    inflation_kpa: Vec<f64>,
    /// Load, N (default: mean wheel load of the vehicle, or the middle load of the tire file)
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = quantity(1.0..=1e6, "N"))]
    load: Option<f64>,
    /// Distance between soil nodes, m
    #[arg(long, visible_alias = "spacing", value_name = "M", default_value = "0.02", allow_negative_numbers = true, value_parser = quantity(0.002..=0.1, "m"))]
    grid: f64,
    /// Also press the tire on this soil from the catalog (see `bekker soils`)
    #[arg(long, value_name = "NAME")]
    soil: Option<String>,
    #[command(flatten)]
    output: RigOutput,
}

/// Tire to press.
struct MountedTire {
    name: String,
    underside: Underside,
    ring: Ring,
    figures: RingParameters,
    file: FlexibleTireSpec,
    load: f64,
}

/// Default load if the file has none, N.
const LOAD: f64 = 6312.0;
/// Default inflations relative to that of the file.
const SHARES: [f64; 4] = [0.4, 0.6, 1.0, 1.5];

/// Default change that counts as converged.
const TOLERANCE: f64 = 0.02;

impl MountedTire {
    /// Returns the reason why a load, N, has no result at an inflation, kPa, if it flattens the
    /// tire.
    fn flat_reason(&self, kpa: f64, load: f64) -> Option<String> {
        // beyond that, the belt law extrapolates values that no tire has
        let flat = self.figures.plate(1e3 * kpa, self.file.section_height).load;
        (load > flat).then(|| {
            format!(
                "--load = {load} flattens the tire at {kpa} kPa; must be at most {flat:.0} N \
                 (deflection by the section height)"
            )
        })
    }
}

impl Tire {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let mounted = self.mounted()?;
        let nominal = mounted.file.inflation_kpa.kpa(0, 2) / 1e3;
        let inflations = if self.inflation_kpa.is_empty() {
            SHARES.map(|share| (share * nominal).round()).to_vec()
        } else {
            self.inflation_kpa.clone()
        };
        let [least, most] = mounted.file.measured_kpa();
        for kpa in inflations.iter().filter(|kpa| !(least..=most).contains(*kpa)) {
            eprintln!(
                "warning: the load capacity of the tire at {kpa} kPa is extrapolated; measurements \
                 cover {least} to {most} kPa"
            );
        }
        let load = self.load.unwrap_or(mounted.load);
        let bed = self.soil.as_deref().map(SoilBed::with_soil);
        let soil = bed.as_ref().map(|bed| bed.soil().map(|(soil, _)| soil)).transpose()?;
        let pressed = self.press(&mounted, load, &inflations, soil.as_ref())?;
        let PressResult { runs, changes, refused } = pressed;
        let tolerance = self.output.tolerance.unwrap_or(TOLERANCE);
        let check =
            (!self.output.no_check).then(|| ConvergenceCheck::new(tolerance, changes, terms));
        let plate = Soil {
            name: "plate".into(),
            source: String::new(),
            kind: SoilKind::Firm { friction: 0.8 },
        };
        let bed = soil.unwrap_or(plate);
        let findings = RigFindings {
            kind: "tire",
            text: text(&mounted, load, &bed, &runs, &refused),
            figure: figure(&mounted, load, &bed, &runs),
            data: json!({
                "tire": mounted.name,
                "source": mounted.file.source,
                "load": load,
                "ring": mounted.ring,
                "spacing": self.grid,
                "runs": runs.iter().map(|(kpa, plate, soil)| json!({
                    "inflation_kpa": kpa,
                    "plate": plate,
                    "soil": soil,
                })).collect::<Vec<_>>(),
            }),
            soil: bed,
            check,
            refused,
        };
        self.output.present(findings, quiet)
    }

    /// Presses the tire at every inflation. Results are in the order of the inflations.
    fn press(
        &self,
        mounted: &MountedTire,
        load: f64,
        inflations_kpa: &[f64],
        soil: Option<&Soil>,
    ) -> Result<PressResult, Failure> {
        let flattest = inflations_kpa.iter().copied().max_by(f64::total_cmp);
        if let Some(reason) = flattest.and_then(|most| mounted.flat_reason(most, load)) {
            // if the tire at the highest inflation is flat, all are
            return Err(Failure::Input { subject: mounted.name.clone(), cause: reason });
        }
        let at = |&kpa: &f64| (kpa, self.press_at(mounted, load, kpa, soil));
        let all: Vec<_> = inflations_kpa.par_iter().map(at).collect();
        let mut pressed = PressResult::default();
        for (kpa, found) in all {
            let at = RigSetting::at_inflation(kpa);
            match found? {
                Ok((run, changes)) => {
                    pressed.runs.push(run);
                    pressed.changes.extend(changes);
                }
                Err(reason) => pressed.refused.push(FailedSetting { at, reason }),
            }
        }
        match pressed.refused.first() {
            Some(FailedSetting { reason, .. }) if pressed.runs.is_empty() => {
                Err(Failure::Run { subject: mounted.name.clone(), cause: reason.clone() })
            }
            _ => Ok(pressed),
        }
    }

    /// Presses the tire at one inflation, kPa, on a plate and on soil. Returns the reason if there
    /// is no result.
    fn press_at(
        &self,
        mounted: &MountedTire,
        load: f64,
        kpa: f64,
        soil: Option<&Soil>,
    ) -> Result<Result<(InflationRun, Vec<ConvergenceChange>), String>, Failure> {
        if let Some(reason) = mounted.flat_reason(kpa, load) {
            return Ok(Err(reason));
        }
        let rig = |soil: Option<&Soil>| TireRig {
            underside: mounted.underside.clone(),
            ring: mounted.ring.clone(),
            inflation: 1e3 * kpa,
            load,
            soil: soil.cloned(),
            laws: Laws::refined(),
            spacing: self.grid,
            step: TireRig::STEP,
            duration: TireRig::DURATION,
        };
        let both = self.checked(&rig(None)).and_then(|(plate, mut changes)| {
            let on_soil = soil.map(|soil| self.checked(&rig(Some(soil)))).transpose()?;
            let on_soil = on_soil.map(|(result, more)| {
                changes.extend(more);
                result
            });
            Ok(((kpa, plate, on_soil), changes))
        });
        match both {
            Err(cause @ RigError::NotCarried { .. }) => Ok(Err(format!(
                "{cause}. The soil may not support this load (decrease --load), or the belt \
                 oscillates between nodes at this low inflation (increase --inflation-kpa or \
                 decrease --grid)"
            ))),
            Err(cause @ RigError::NotFinite { .. }) => Ok(Err(cause.to_string())),
            Err(cause) => Err(cause.into()),
            Ok(found) => Ok(Ok(found)),
        }
    }

    /// Runs a rig, and checks its convergence unless disabled.
    fn checked(&self, rig: &TireRig) -> Result<(TireResult, Vec<ConvergenceChange>), RigError> {
        if self.output.no_check {
            return rig.run().map(|result| (result, Vec::new()));
        }
        let (result, mut changes) = converge(rig, self.output.tolerance.unwrap_or(TOLERANCE))?;
        let at = RigSetting::at_inflation(kilopascals(rig.inflation));
        let on = rig.soil.as_ref().map_or("plate", |soil| &soil.name);
        changes.iter_mut().for_each(|own| own.figure = format!("{} on {on}", own.figure));
        let at_it = |convergence| ConvergenceChange { at, convergence };
        Ok((result, changes.into_iter().map(at_it).collect()))
    }

    fn mounted(&self) -> Result<MountedTire, Failure> {
        let refused =
            |subject: &str, cause: String| Failure::Input { subject: subject.to_owned(), cause };
        let make =
            |name: &str, rigid: &RigidTire, file: &FlexibleTireSpec, radius: f64, load: f64| {
                let figures =
                    file.ring(radius).map_err(|error| refused(name, error.to_string()))?;
                let underside =
                    underside(rigid).map_err(|error| refused(name, error.to_string()))?;
                // pressed quasi-statically, so damping is irrelevant
                let ring = ring(file, &figures, 0.0);
                let (name, file) = (name.to_owned(), file.clone());
                Ok(MountedTire { name, underside, ring, figures, file, load })
            };
        if let Some(name) = &self.tire {
            let own = tire(name).map_err(|error| refused("--tire", error.to_string()))?;
            let nominal = own.flexible.inflation_kpa.kpa(0, 2) / 1e3;
            let points = own.flexible.load_deflection.iter();
            let points: Vec<f64> =
                points.filter(|p| p.inflation_kpa == nominal).map(|p| p.load).collect();
            let load = points.get(points.len() / 2).copied().unwrap_or(LOAD);
            return make(&own.name, &own.rigid, &own.flexible, own.rigid.radius(), load);
        }
        let spec = vehicle_spec(&self.vehicle, Path::new(""))?;
        let none = |cause: &str| refused(&self.vehicle, cause.to_owned());
        let spec = spec.wheeled().ok_or_else(|| none("is tracked and has no tires"))?;
        let file = spec
            .tire
            .flexible
            .as_ref()
            .ok_or_else(|| none("its file has no flexible tire; add [tire.flexible]"))?;
        let name = format!("tire of {}", spec.name);
        let rigid = &spec.tire.rigid;
        make(&name, rigid, file, rigid.radius(), mean_wheel_load(spec))
    }
}

/// Inflation, kPa, and results of the tire on a plate and on soil.
type InflationRun = (f64, TireResult, Option<TireResult>);
type InflationRuns = [InflationRun];

/// Results of a tire at its inflations, and the inflations without a result.
#[derive(Default)]
struct PressResult {
    runs: Vec<InflationRun>,
    changes: Vec<ConvergenceChange>,
    refused: Vec<FailedSetting>,
}

fn terms(refinement: Refinement) -> (&'static str, &'static str) {
    match refinement {
        Refinement::Spacing => ("half the spacing", "a smaller --grid"),
        // the run has no step that can be refined by an argument
        Refinement::Step => ("half the step", "another --load"),
        Refinement::Extent => ("twice the run", "less --load"),
    }
}

fn text(
    mounted: &MountedTire,
    load: f64,
    bed: &Soil,
    runs: &InflationRuns,
    refused: &[FailedSetting],
) -> String {
    let row = |on: &str, kpa: f64, result: &TireResult| {
        vec![
            on.to_owned(),
            format!("{kpa:.0}"),
            format!("{:.1}", 1e3 * result.deflection),
            format!("{:.1}", 100.0 * result.deflection / mounted.file.section_height),
            format!("{:.1}", 100.0 * result.contact_length),
            format!("{:.0}", 1e-3 * result.mean_pressure),
            format!("{:.0}", 1e-3 * result.greatest_pressure),
            format!("{:.1}", 100.0 * result.sinkage),
        ]
    };
    let plates = runs.iter().map(|(kpa, plate, _)| row("plate", *kpa, plate));
    let soils = runs
        .iter()
        .filter_map(|(kpa, _, soil)| soil.as_ref().map(|result| row(&bed.name, *kpa, result)));
    let nothing = refused.iter().map(|FailedSetting { at, .. }| {
        let kpa = format!("{:.0}", at.inflation_kpa.unwrap_or_default());
        ["no result".to_owned(), kpa].into_iter().chain([(); 6].map(|()| "-".into())).collect()
    });
    let header = [
        "on",
        "inflation\nkPa",
        "deflection\nmm",
        "of section\n%",
        "length\ncm",
        "pressure\nmean kPa",
        "\nmax kPa",
        "sinkage\ncm",
    ];
    format!(
        "{}, {:.0} N ({:.0} kg)\n{}\n\n{}{}",
        mounted.name,
        load,
        load / GRAVITY,
        mounted.file.source,
        columns(&header, plates.chain(soils).chain(nothing).collect(), 1),
        unresolved(mounted, bed, runs),
    )
}

/// Describes contacts that are too short for the stations of the belt.
fn unresolved(mounted: &MountedTire, bed: &Soil, runs: &InflationRuns) -> String {
    let short = |on: &str, kpa: f64, result: &TireResult| {
        (result.stations < RESOLVED).then(|| {
            format!(
                "\n\
                 {on}, {kpa:.0} kPa: contact covers only {} belt stations, {:.1} cm apart; \
                 with fewer than {RESOLVED}, length and pressures are inaccurate; increase --load",
                result.stations,
                100.0 * (mounted.ring.station_at(1) - mounted.ring.station_at(0)),
            )
        })
    };
    let plates = runs.iter().filter_map(|(kpa, plate, _)| short("plate", *kpa, plate));
    let soils = runs.iter().filter_map(|(kpa, _, soil)| {
        soil.as_ref().and_then(|result| short(&bed.name, *kpa, result))
    });
    plates.chain(soils).collect()
}

fn figure(mounted: &MountedTire, load: f64, bed: &Soil, runs: &InflationRuns) -> Figure {
    let line = |name: String, points: Vec<[f64; 2]>, mark| Series { name, points, mark };
    let panel = PlotAxes::from_zero;
    let deepest = mounted.file.load_deflection.iter().map(|p| p.deflection).fold(0.0, f64::max);
    let curve = |kpa: f64| {
        (0..=40)
            .map(|k| deepest * f64::from(k) / 40.0)
            .map(|d| [1e3 * d, 1e-3 * mounted.figures.plate(1e3 * kpa, d).load])
            .collect::<Vec<_>>()
    };
    let mut inflations: Vec<f64> =
        mounted.file.load_deflection.iter().map(|point| point.inflation_kpa).collect();
    inflations.sort_by(f64::total_cmp);
    inflations.dedup();
    let mut loads = Vec::new();
    for inflation in inflations {
        let name = format!("{inflation:.0} kPa");
        loads.push(line(name.clone(), curve(inflation), SeriesMark::Line));
        let points = mounted.file.load_deflection.iter();
        let points = points.filter(|point| point.inflation_kpa == inflation);
        let points = points.map(|point| [1e3 * point.deflection, 1e-3 * point.load]).collect();
        loads.push(line(name, points, SeriesMark::Dots));
    }
    let under = |of: fn(&InflationRun) -> Option<TireResult>| {
        let series = runs.iter().filter_map(|run| {
            let result = of(run)?;
            let reach = 0.55 * result.contact_length + 0.03;
            let points = (0..STATIONS).filter_map(|station| {
                let ahead = mounted.ring.station_at(station);
                // mean of the two middle strips
                let row = result.pressure[station];
                let pressure = 0.5 * (row[STRIPS / 2 - 1] + row[STRIPS / 2]);
                (ahead.abs() < reach).then(|| [100.0 * ahead, 1e-3 * pressure.max(0.0)])
            });
            Some(line(format!("{:.0} kPa", run.0), points.collect(), SeriesMark::Line))
        });
        series.collect::<Vec<_>>()
    };
    let mut panels = vec![
        panel("deflection on the plate, mm", "load, kN", loads),
        panel("position along the plate, cm", "pressure, kPa", under(|run| Some(run.1))),
    ];
    if runs.iter().any(|run| run.2.is_some()) {
        let label = format!("position along the rut in {}, cm", bed.name);
        panels.push(panel(&label, "pressure, kPa", under(|run| run.2)));
    }
    Figure {
        title: mounted.name.clone(),
        subtitle: format!("{:.2} kN; lines: fit, points: vehicle or tire file", 1e-3 * load),
        panels,
    }
}
