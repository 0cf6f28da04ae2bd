//! `bekker bench`

use super::bench_envs::BenchEnvs;
use super::{Failure, stdout};
use crate::cli::models::{laws, tire_model};
use crate::cli::quantity::quantity;
use crate::ground::SharedGround;
use crate::report::text_table;
use crate::rig::{
    BenchCase, BenchError, Grouping, StepCost, Throughput, deformed_ground, memory_in_circles,
    step_cost, throughput,
};
use crate::scenario::config::{LawsPreset, TireModel};
use clap::builder::RangedU64ValueParser;
use clap::{Args, Subcommand};
use serde::Serialize;

/// Number of nodes deformed before the measurement of deformed ground.
const OLD_GROUND: usize = 4_000_000;

/// Measure the cost of a simulation step on this machine
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  bekker bench\n  bekker bench --spacing 0.02 --seconds 5 --json\n  \
    bekker bench --vehicles 64 --threads 2\n  bekker bench --vehicles 64 --crowd\n  bekker bench --full\n  bekker bench envs\n\n\
    Without --spacing and --soil, bench measures the reference cases. They are chrono_mid at 5 cm\n\
    and 2 cm, and chrono_soft at 5 cm. The vehicle drives straight ahead."
)]
pub struct Bench {
    #[command(subcommand)]
    part: Option<BenchTarget>,
    /// Vehicle from the catalog, or a vehicle file (.toml)
    #[arg(long, value_name = "NAME", default_value = "hmmwv")]
    vehicle: String,
    /// Tire model: flexible or rigid (default: flexible if the vehicle file defines it)
    #[arg(long, alias = "tyre", value_name = "MODEL", value_parser = tire_model())]
    tire: Option<TireModel>,
    /// Soil from the catalog (default: chrono_mid with --spacing, otherwise the reference cases)
    #[arg(long, value_name = "NAME")]
    soil: Option<String>,
    /// Soil laws: reference or refined
    #[arg(long, value_name = "LAWS", default_value = "reference", value_parser = laws)]
    laws: LawsPreset,
    /// Distance between soil nodes, m (default: 0.05 with --soil, otherwise the reference cases)
    #[arg(long, visible_alias = "grid", value_name = "M", allow_negative_numbers = true, value_parser = quantity(0.002..=0.5, "m"))]
    spacing: Option<f64>,
    /// Time step, s
    #[arg(long, value_name = "S", default_value_t = 2e-3, allow_negative_numbers = true, value_parser = quantity(1e-5..=0.02, "s"))]
    step: f64,
    /// Simulated time, s
    #[arg(long, value_name = "S", visible_alias = "duration", default_value_t = 10.0, allow_negative_numbers = true, value_parser = quantity(0.01..=3600.0, "s"))]
    seconds: f64,
    /// Drive N vehicles side by side, on 1 thread and on --threads
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=4096))]
    vehicles: Option<usize>,
    /// Drive --vehicles in two columns that drive into each other
    #[arg(long, requires = "vehicles")]
    crowd: bool,
    /// Number of threads for --vehicles
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: usize,
    /// Also measure refined laws, driving along y, previously deformed ground, 64 and 1000
    /// vehicles, and memory use
    #[arg(long)]
    full: bool,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum BenchTarget {
    Envs(BenchEnvs),
}

#[derive(Debug, Default, Serialize)]
struct BenchResults {
    steps: Vec<(String, StepCost)>,
    throughput: Vec<Throughput>,
    /// Resident memory while driving in circles, bytes.
    circling: Vec<u64>,
}

impl Bench {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        if let Some(BenchTarget::Envs(bench)) = self.part {
            return bench.execute(quiet);
        }
        let mut results = BenchResults::default();
        let refused = |error: BenchError| match error {
            BenchError::Case(faults) => Failure::Scenario(faults),
            other => Failure::Run { subject: self.vehicle.clone(), cause: other.to_string() },
        };
        let say = |what: &str| {
            if !quiet {
                eprintln!("{what} ...");
            }
        };
        let cost = |name: &str, case: &BenchCase, ground: SharedGround| -> Result<_, Failure> {
            say(name);
            let cost = step_cost(case, ground, ALLOCATIONS).map_err(refused)?;
            Ok((name.to_string(), cost))
        };
        for (name, case) in self.cases() {
            results.steps.push(cost(&name, &case, SharedGround::default())?);
        }
        let case = self.case(self.soil.as_deref().unwrap_or("chrono_mid"), self.spacing);
        let many = |vehicles, grouping, threads, seconds| -> Result<_, Failure> {
            say(&format!("{vehicles} vehicles, {grouping:?}, threads: {threads}"));
            let case = BenchCase { seconds, ..case.clone() };
            throughput(&case, vehicles, grouping, threads).map_err(refused)
        };
        let grouping = if self.crowd { Grouping::Crowd } else { Grouping::Abreast };
        if let Some(vehicles) = self.vehicles {
            results.throughput.push(many(vehicles, grouping, 1, self.seconds)?);
            results.throughput.push(many(vehicles, grouping, self.threads, self.seconds)?);
        }
        if self.full {
            let refined = BenchCase { laws: LawsPreset::Refined, ..case.clone() };
            results.steps.push(cost("refined", &refined, SharedGround::default())?);
            let along_y = BenchCase { heading_deg: 90.0, ..case.clone() };
            results.steps.push(cost("along y", &along_y, SharedGround::default())?);
            results.steps.push(cost("old ground", &case, deformed_ground(OLD_GROUND))?);
            results.throughput.push(many(64, Grouping::Abreast, 1, 2.0)?);
            results.throughput.push(many(64, Grouping::Abreast, self.threads, 2.0)?);
            results.throughput.push(many(1000, Grouping::Abreast, self.threads, 0.4)?);
            say("circles");
            let circles = BenchCase { steering: 0.6, seconds: 60.0 * self.seconds, ..case };
            results.circling = memory_in_circles(&circles, 10, &resident).map_err(refused)?;
        }
        if self.json { stdout::print_json(&results) } else { stdout::print(&results.tables()) }
    }

    fn case(&self, soil: &str, spacing: Option<f64>) -> BenchCase {
        BenchCase {
            vehicle: self.vehicle.clone(),
            tracks: None,
            tire: self.tire,
            soil: soil.into(),
            laws: self.laws,
            spacing: spacing.unwrap_or(0.05),
            step: self.step,
            seconds: self.seconds,
            heading_deg: 0.0,
            steering: 0.0,
            threads: 1,
        }
    }

    fn cases(&self) -> Vec<(String, BenchCase)> {
        let chosen = match (&self.soil, self.spacing) {
            (None, None) => vec![("chrono_mid", 0.05), ("chrono_mid", 0.02), ("chrono_soft", 0.05)],
            (soil, spacing) => {
                vec![(soil.as_deref().unwrap_or("chrono_mid"), spacing.unwrap_or(0.05))]
            }
        };
        chosen
            .into_iter()
            .map(|(soil, spacing)| {
                let name = format!("{soil} {} cm {} ms", 100.0 * spacing, 1e3 * self.step);
                (name, self.case(soil, Some(spacing)))
            })
            .collect()
    }
}

/// Returns the heap allocations of this process so far, if the build counts them.
#[cfg(feature = "allocations")]
const ALLOCATIONS: Option<fn() -> u64> = Some(|| {
    let stats = stats_alloc::INSTRUMENTED_SYSTEM.stats();
    (stats.allocations + stats.reallocations) as u64
});
#[cfg(not(feature = "allocations"))]
const ALLOCATIONS: Option<fn() -> u64> = None;

/// Returns the note below a table without allocation counts; empty if they are counted.
fn allocations_note() -> &'static str {
    match ALLOCATIONS {
        Some(_) => "",
        None => {
            "\n\
             this build does not count allocations; to count them: cargo run --release --features \
             allocations -- bench"
        }
    }
}

/// Formats a count of allocations with `digits` decimals, or its absence.
fn allocations(count: Option<f64>, digits: usize) -> String {
    count.map_or("not counted".into(), |count| format!("{count:.digits$}"))
}

/// Returns the resident memory of this process, bytes; 0 if the system does not report it.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

impl BenchResults {
    fn tables(&self) -> String {
        let header = std::iter::once("").chain(self.steps.iter().map(|(name, _)| name.as_str()));
        type CostColumn = fn(&StepCost) -> String;
        let rows: [(&str, CostColumn); 17] = [
            ("step, us", |c| format!("{:.1}", c.step_us)),
            ("  contact", |c| format!("{:.1}", c.stages_us.contact)),
            ("    soil law", |c| format!("{:.1}", c.soil_law_us)),
            ("  multibody", |c| format!("{:.1}", c.stages_us.multibody)),
            ("  driver", |c| format!("{:.2}", c.stages_us.driver)),
            ("  publication", |c| format!("{:.2}", c.stages_us.publication)),
            ("real-time factor", |c| format!("{:.4}", c.real_time_factor)),
            ("times real time", |c| format!("{:.0}", 1.0 / c.real_time_factor)),
            ("nodes tested", |c| format!("{:.0}", c.nodes_tested)),
            ("nodes in contact", |c| format!("{:.0}", c.nodes_in_contact)),
            ("ns per node tested", |c| format!("{:.1}", c.ns_per_node_tested)),
            ("ns per node in contact", |c| format!("{:.1}", c.ns_per_node_in_contact)),
            ("ns per node, soil law alone", |c| format!("{:.1}", c.soil_law_ns)),
            ("deformed nodes", |c| c.deformed_nodes.to_string()),
            ("bytes per deformed node", |c| format!("{:.1}", c.bytes_per_deformed_node)),
            ("allocations per step", |c| allocations(c.allocations_per_step, 3)),
            ("allocations per heartbeat", |c| allocations(c.allocations_per_heartbeat, 2)),
        ];
        let rows = rows.iter().map(|(label, figure)| {
            let costs = self.steps.iter().map(move |(_, cost)| figure(cost));
            std::iter::once((*label).to_owned()).chain(costs)
        });
        let mut text = text_table::plain(header, rows, ..0).trim_fmt() + allocations_note();
        for t in &self.throughput {
            text += &format!(
                "\n{:>5} vehicles{} on {} thread{}: {:.0} vehicle steps/s, real-time factor {:.3}",
                t.vehicles,
                match t.grouping {
                    Grouping::Abreast => String::new(),
                    Grouping::Crowd => format!(" in a crowd, {} collisions,", t.hits),
                },
                t.threads,
                if t.threads == 1 { "" } else { "s" },
                t.steps_per_second,
                t.real_time_factor
            );
        }
        if !self.circling.is_empty() {
            let sizes: Vec<String> =
                self.circling.iter().map(|size| format!("{:.1}", *size as f64 / 1e6)).collect();
            text += &format!("\nresident memory in circles, MB: {}", sizes.join(" "));
        }
        text
    }
}
