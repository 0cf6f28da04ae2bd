//! `bekker rig tyre`

use super::bed::Bed;
use super::convergence::Check;
use super::output::{Findings, Output};
use super::table::columns;
use super::wheel::mean_wheel_load;
use crate::cli::Failure;
use crate::cli::quantity::quantity;
use crate::numeric::GRAVITY;
use crate::report::plot::{Figure, Mark, Panel, Series};
use crate::scenario::build::vehicle_spec;
use crate::scm::{Ring, STATIONS, STRIPS, Underside};
use crate::simulation::{ring, underside};
use crate::soil::{Laws, Soil, SoilKind};
use crate::study::{RESOLVED, RigError, TyreResult, TyreRig};
use crate::vehicle::spec::{FlexibleTyre, RigidTyre};
use crate::vehicle::tyre::{RingFigures, tyre};
use clap::Args;
use serde_json::json;
use std::path::Path;

/// Press a tyre on a plate, and on soil, over inflations: deflection, contact, pressure
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker rig tyre --vehicle hmmwv\n  \
    bekker rig tyre --vehicle hmmwv --inflation 55,83,138,207 --soil chrono_mid\n  \
    bekker rig tyre --tyre fed_alpha --load 20000 --json --no-plot")]
pub struct Tyre {
    /// The tyre of a vehicle: of the catalogue (see `bekker vehicles`) or a .toml file
    #[arg(long, value_name = "NAME", default_value = "hmmwv", conflicts_with = "tyre")]
    vehicle: String,
    /// A tyre of its own: fed_alpha
    #[arg(long, value_name = "NAME")]
    tyre: Option<String>,
    /// Inflations, kPa [default: 0.4, 0.6, 1 and 1.5 of the file's]
    #[arg(long, value_name = "KPA,...", value_delimiter = ',', value_parser = quantity(0.0..=5000.0, "kPa"))]
    inflation: Vec<f64>,
    /// Load, N [default: that of the vehicle's mean wheel, or of the file's middle point at its inflation]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = quantity(1.0..=1e6, "N"))]
    load: Option<f64>,
    /// Distance between nodes, m
    #[arg(long, visible_alias = "spacing", value_name = "M", default_value = "0.02", allow_negative_numbers = true, value_parser = quantity(0.002..=0.1, "m"))]
    grid: f64,
    /// Press it on this soil of the catalogue as well (see `bekker soils`)
    #[arg(long, value_name = "NAME")]
    soil: Option<String>,
    #[command(flatten)]
    output: Output,
}

/// A tyre that is pressed.
struct Mounted {
    name: String,
    underside: Underside,
    ring: Ring,
    figures: RingFigures,
    file: FlexibleTyre,
    load: f64,
}

/// Load where neither is given nor told by the file, N.
const LOAD: f64 = 6312.0;
/// Inflations where none are given, over that of the file.
const SHARES: [f64; 4] = [0.4, 0.6, 1.0, 1.5];

impl Tyre {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let mounted = self.mounted()?;
        let nominal = mounted.file.inflation.of(0, 2) / 1e3;
        let inflations = if self.inflation.is_empty() {
            SHARES.map(|share| (share * nominal).round()).to_vec()
        } else {
            self.inflation.clone()
        };
        let load = self.load.unwrap_or(mounted.load);
        let bed = self.soil.as_deref().map(Bed::of);
        let soil = bed.as_ref().map(|bed| bed.soil().map(|(soil, _)| soil)).transpose()?;
        let press = |inflation: f64, soil: Option<&Soil>| {
            let rig = TyreRig {
                underside: mounted.underside.clone(),
                ring: mounted.ring.clone(),
                inflation: 1e3 * inflation,
                load,
                soil: soil.cloned(),
                laws: Laws::refined(),
                spacing: self.grid,
            };
            rig.run().map_err(|error| {
                let flat = mounted.figures.plate(1e3 * inflation, mounted.file.section_height).load;
                let mut cause = error.to_string();
                match error {
                    RigError::NotCarried { .. } => {
                        cause += ". The soil may not bear this load: take less of it (--load)";
                    }
                    RigError::NotFinite { .. } if load > flat => {
                        cause = format!(
                            "--load = {load} presses the tyre flat at {inflation} kPa; must be at most {flat:.0} N, \
                             which presses it in by its section"
                        );
                    }
                    _ => {}
                }
                Failure::Run { subject: mounted.name.clone(), cause }
            })
        };
        let mut runs = Vec::new();
        for inflation in &inflations {
            let plate = press(*inflation, None)?;
            let on_soil = soil.as_ref().map(|soil| press(*inflation, Some(soil))).transpose()?;
            runs.push((*inflation, plate, on_soil));
        }
        let plate = Soil {
            name: "plate".into(),
            source: String::new(),
            kind: SoilKind::Firm { friction: 0.8 },
        };
        let bed = soil.unwrap_or(plate);
        let findings = Findings {
            kind: "tyre",
            text: text(&mounted, load, &bed, &runs),
            figure: figure(&mounted, load, &bed, &runs),
            data: json!({
                "tyre": mounted.name,
                "source": mounted.file.source,
                "load": load,
                "ring": mounted.ring,
                "spacing": self.grid,
                "runs": runs.iter().map(|(inflation, plate, soil)| json!({
                    "inflation": 1e3 * inflation,
                    "plate": plate,
                    "soil": soil,
                })).collect::<Vec<_>>(),
            }),
            soil: bed,
            check: None::<Check>,
            refused: Vec::new(),
        };
        self.output.present(findings, quiet)
    }

    fn mounted(&self) -> Result<Mounted, Failure> {
        let refused =
            |subject: &str, cause: String| Failure::Input { subject: subject.to_owned(), cause };
        let make = |name: &str, rigid: &RigidTyre, file: &FlexibleTyre, radius: f64, load: f64| {
            let figures = file.ring(radius).map_err(|error| refused(name, error.to_string()))?;
            let underside = underside(rigid).map_err(|error| refused(name, error.to_string()))?;
            // pressed slowly, it knows no damping
            let ring = ring(file, &figures, 0.0);
            let (name, file) = (name.to_owned(), file.clone());
            Ok(Mounted { name, underside, ring, figures, file, load })
        };
        if let Some(name) = &self.tyre {
            let own = tyre(name).map_err(|error| refused("--tyre", error.to_string()))?;
            let nominal = own.flexible.inflation.of(0, 2) / 1e3;
            let points = own.flexible.load_deflection.iter();
            let points: Vec<f64> =
                points.filter(|p| p.inflation == nominal).map(|p| p.load).collect();
            let load = points.get(points.len() / 2).copied().unwrap_or(LOAD);
            return make(&own.name, &own.rigid, &own.flexible, own.rigid.radius(), load);
        }
        let spec = vehicle_spec(&self.vehicle, Path::new(""))?;
        let none = |cause: &str| refused(&self.vehicle, cause.to_owned());
        let spec = spec.wheeled().ok_or_else(|| none("runs on tracks and has no tyres"))?;
        let file = spec.tyre.flexible.as_ref().ok_or_else(|| {
            none("its file does not say how its tyres give way: it needs [tyre.flexible]")
        })?;
        let name = format!("tyre of {}", spec.name);
        let rigid = &spec.tyre.rigid;
        make(&name, rigid, file, rigid.radius(), mean_wheel_load(spec))
    }
}

/// An inflation, kPa, and what the tyre does at it on a plate and on soil.
type Run = (f64, TyreResult, Option<TyreResult>);
type Runs = [Run];

fn text(mounted: &Mounted, load: f64, bed: &Soil, runs: &Runs) -> String {
    let row = |on: &str, inflation: f64, result: &TyreResult| {
        vec![
            on.to_owned(),
            format!("{inflation:.0}"),
            format!("{:.1}", 1e3 * result.deflection),
            format!("{:.1}", 100.0 * result.deflection / mounted.file.section_height),
            format!("{:.1}", 100.0 * result.contact_length),
            format!("{:.0}", 1e-3 * result.mean_pressure),
            format!("{:.0}", 1e-3 * result.greatest_pressure),
            format!("{:.1}", 100.0 * result.sinkage),
        ]
    };
    let plates = runs.iter().map(|(inflation, plate, _)| row("plate", *inflation, plate));
    let soils = runs.iter().filter_map(|(inflation, _, soil)| {
        soil.as_ref().map(|result| row(&bed.name, *inflation, result))
    });
    let header = [
        "on",
        "inflation\nkPa",
        "deflection\nmm",
        "of section\n%",
        "length\ncm",
        "pressure\nmean kPa",
        "\ngreatest",
        "sinkage\ncm",
    ];
    format!(
        "{}, {:.0} N ({:.0} kg)\n{}\n\n{}{}",
        mounted.name,
        load,
        load / GRAVITY,
        mounted.file.source,
        columns(&header, plates.chain(soils).collect(), 1),
        unresolved(mounted, bed, runs),
    )
}

/// Which contacts are too short for the belt's stations.
fn unresolved(mounted: &Mounted, bed: &Soil, runs: &Runs) -> String {
    let short = |on: &str, inflation: f64, result: &TyreResult| {
        (result.stations < RESOLVED).then(|| {
            format!(
                "\n{on}, {inflation:.0} kPa: contact over {} of the belt's stations, {:.1} cm apart; below {RESOLVED} its \
                 length and pressures are not told right: take more --load",
                result.stations,
                100.0 * (mounted.ring.station_at(1) - mounted.ring.station_at(0)),
            )
        })
    };
    let plates = runs.iter().filter_map(|(inflation, plate, _)| short("plate", *inflation, plate));
    let soils = runs.iter().filter_map(|(inflation, _, soil)| {
        soil.as_ref().and_then(|result| short(&bed.name, *inflation, result))
    });
    plates.chain(soils).collect()
}

fn figure(mounted: &Mounted, load: f64, bed: &Soil, runs: &Runs) -> Figure {
    let line = |name: String, points: Vec<[f64; 2]>, mark| Series { name, points, mark };
    let panel = |x: &str, y: &str, series: Vec<Series>| Panel {
        title: String::new(),
        x_label: x.into(),
        y_label: y.into(),
        from_zero: true,
        series,
    };
    let deepest = mounted.file.load_deflection.iter().map(|p| p.deflection).fold(0.0, f64::max);
    let curve = |inflation: f64| {
        (0..=40)
            .map(|k| deepest * f64::from(k) / 40.0)
            .map(|d| [1e3 * d, 1e-3 * mounted.figures.plate(1e3 * inflation, d).load])
            .collect::<Vec<_>>()
    };
    let mut inflations: Vec<f64> =
        mounted.file.load_deflection.iter().map(|point| point.inflation).collect();
    inflations.sort_by(f64::total_cmp);
    inflations.dedup();
    let mut loads = Vec::new();
    for inflation in inflations {
        let name = format!("{inflation:.0} kPa");
        loads.push(line(name.clone(), curve(inflation), Mark::Line));
        let points = mounted.file.load_deflection.iter();
        let points = points.filter(|point| point.inflation == inflation);
        let points = points.map(|point| [1e3 * point.deflection, 1e-3 * point.load]).collect();
        loads.push(line(name, points, Mark::Dots));
    }
    let under = |of: fn(&Run) -> Option<TyreResult>| {
        let series = runs.iter().filter_map(|run| {
            let result = of(run)?;
            let reach = 0.55 * result.contact_length + 0.03;
            let points = (0..STATIONS).filter_map(|station| {
                let ahead = mounted.ring.station_at(station);
                // the middle strips
                let row = result.pressure[station];
                let pressure = 0.5 * (row[STRIPS / 2 - 1] + row[STRIPS / 2]);
                (ahead.abs() < reach).then(|| [100.0 * ahead, 1e-3 * pressure.max(0.0)])
            });
            Some(line(format!("{:.0} kPa", run.0), points.collect(), Mark::Line))
        });
        series.collect::<Vec<_>>()
    };
    let mut panels = vec![
        panel("deflection on a plate, mm", "load, kN", loads),
        panel("along a plate, cm", "pressure, kPa", under(|run| Some(run.1))),
    ];
    if runs.iter().any(|run| run.2.is_some()) {
        let label = format!("along the rut in {}, cm", bed.name);
        panels.push(panel(&label, "pressure, kPa", under(|run| run.2)));
    }
    Figure {
        title: mounted.name.clone(),
        subtitle: format!("{:.2} kN; lines fitted, points of the file", 1e-3 * load),
        panels,
    }
}
