//! `bekker-bench m113-scm`

use super::allocations::{ALLOCATIONS, allocations, allocations_note};
use super::{Failure, print_results};
use crate::tracked_bench::{EnergyBalance, ShoeCost, energy_balance, shoe_cost};
use bekker::cli::{models, quantity::quantity};
use bekker_ground::SharedGround;
use bekker_ground::soil::catalog;
use bekker_report::text_table;
use bekker_rig::{BenchCase, Grouping, StepCost, Throughput, step_cost, throughput};
use bekker_scenario::config::LawsPreset;
use bekker_vehicle::spec::TrackModel;
use bekker_vehicle::{AnySpec, TrackedSpec, find_vehicle};
use clap::Args;
use serde::Serialize;

/// Number of vehicles side by side, and of threads that step them.
const ABREAST: usize = 8;
/// Numbers of shoes per side for the growth of the cost.
const SHOES: [u32; 5] = [32, 64, 128, 256, 512];

/// Measure the cost of a tracked vehicle with segmented tracks and with belts
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker-bench m113-scm\n  \
    bekker-bench m113-scm --seconds 3 --laws refined --json")]
pub struct BenchM113 {
    /// Soil from the catalog
    #[arg(long, value_name = "NAME", default_value = "chrono_mid")]
    soil: String,
    /// Soil laws: reference or refined
    #[arg(long, default_value = "reference", value_parser = models::laws)]
    laws: LawsPreset,
    /// Simulated time of each drive, s
    #[arg(long, visible_alias = "duration", value_name = "S", default_value_t = 5.0, allow_negative_numbers = true, value_parser = quantity(0.01..=3600.0, "s"))]
    seconds: f64,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct TrackedResults {
    steps: Vec<(String, StepCost)>,
    abreast: Vec<(String, Throughput)>,
    shoes: Vec<ShoeCost>,
    energy: EnergyBalance,
}

fn name(model: TrackModel) -> &'static str {
    match model {
        TrackModel::Belt => "belt",
        TrackModel::Segmented => "segmented",
    }
}

/// Returns Project Chrono's model, for a comparison of cost with Chrono.
fn m113() -> Result<TrackedSpec, Failure> {
    match find_vehicle("m113_chrono") {
        Ok(AnySpec::Tracked(spec)) => Ok(TrackedSpec { model: TrackModel::Segmented, ..*spec }),
        _ => Err("m113: it is not tracked".into()),
    }
}

impl BenchM113 {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let say = |what: &str| {
            if !quiet {
                eprintln!("{what} ...");
            }
        };
        let spec = m113()?;
        let soil = catalog().find(&self.soil).map_err(|error| format!("--soil: {error}"))?;
        let (mut steps, mut abreast) = (Vec::new(), Vec::new());
        for tracks in [TrackModel::Segmented, TrackModel::Belt] {
            for (spacing, threads) in [(0.05, 1), (0.02, 1), (0.02, 2)] {
                let title = format!("{}, {} cm, {threads}", name(tracks), 100.0 * spacing);
                say(&title);
                let case = BenchCase { threads, ..self.case(tracks, spacing) };
                let cost = step_cost(&case, SharedGround::default(), ALLOCATIONS);
                steps.push((title, cost?));
            }
            for threads in [1, 2] {
                let title = format!("{} x {ABREAST}, threads: {threads}", name(tracks));
                say(&title);
                let case = BenchCase { seconds: 2.0, ..self.case(tracks, 0.05) };
                abreast.push((title, throughput(&case, ABREAST, Grouping::Abreast, threads)?));
            }
        }
        say("shoes");
        let shoes = SHOES.map(|shoes| shoe_cost(&spec, shoes));
        let shoes = shoes.into_iter().collect::<Result<_, _>>()?;
        say("energy over 20 s");
        let energy = energy_balance(&spec, &soil.to_soil(), 20.0)?;
        let results = TrackedResults { steps, abreast, shoes, energy };
        print_results(self.json, &results, || results.text())
    }

    fn case(&self, tracks: TrackModel, spacing: f64) -> BenchCase {
        let step = match tracks {
            TrackModel::Segmented => 1e-3,
            TrackModel::Belt => 2e-3,
        };
        BenchCase {
            vehicle: "m113_chrono".into(),
            tracks: Some(tracks),
            tire: None,
            soil: self.soil.clone(),
            laws: self.laws,
            spacing,
            step,
            seconds: self.seconds,
            heading_deg: 0.0,
            steering: 0.0,
            threads: 1,
        }
    }
}

impl TrackedResults {
    fn text(&self) -> String {
        let header = [
            "one M113, threads",
            "step, ms",
            "contact, us",
            "multibody, us",
            "nodes",
            "allocations",
            "real-time factor",
        ];
        let rows = self.steps.iter().map(|(title, cost)| {
            [
                title.clone(),
                format!("{}", 1e3 * cost.case.step),
                format!("{:.1}", cost.stages_us.contact),
                format!("{:.1}", cost.stages_us.multibody),
                format!("{:.0}", cost.nodes_in_contact),
                allocations(cost.allocations_per_step, 3),
                format!("{:.3}", cost.real_time_factor),
            ]
        });
        let steps = text_table::plain(header, rows, ..0);
        let rows = self.abreast.iter().map(|(title, many)| {
            let rate = format!("{:.0}", many.steps_per_second);
            [title.clone(), rate, format!("{:.3}", many.real_time_factor)]
        });
        let header = ["vehicles, threads", "vehicle steps/s", "real-time factor"];
        let abreast = text_table::plain(header, rows, ..0);
        let rows = self.shoes.iter().map(|cost| {
            [
                cost.shoes.to_string(),
                cost.coordinates.to_string(),
                cost.entries.to_string(),
                format!("{:.1}", cost.step_us),
                format!("{:.2}", cost.step_us / f64::from(cost.shoes)),
            ]
        });
        let header = ["shoes", "coordinates", "matrix entries", "step, us", "us per shoe"];
        let shoes = text_table::plain(header, rows, ..0);
        let EnergyBalance { account, gain, error } = &self.energy;
        let rows = [
            ("engine, after torque converter", account.engine),
            ("brakes", account.brakes),
            ("suspension", account.suspension),
            ("pins", account.pins),
            ("rims, teeth, guides", account.rims),
            ("soil", account.soil),
            ("kinetic and potential energy", *gain),
        ];
        let rows = rows.map(|(what, work)| [what.to_string(), format!("{:.2}", 1e-3 * work)]);
        let last = ["unaccounted".to_string(), format!("{:.4} %", 100.0 * error)];
        let rows = rows.into_iter().chain([last]);
        let energy = text_table::plain(["energy over 20 s", "kJ"], rows, ..0);
        format!("{steps}{}\n\n{abreast}\n\n{shoes}\n\n{energy}", allocations_note())
    }
}
