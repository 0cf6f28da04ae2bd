//! `bekker-bench sync`

use super::{Failure, print_results};
use crate::exchange::{
    CodeCost, HeartbeatCost, Traffic, TrafficModel, code_cost, heartbeat_cost, traffic,
};
use bekker::cli::destination;
use bekker_report::plot::{self, Figure, PlotAxes, Series, SeriesMark};
use bekker_report::text_table;
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;

/// Agents per rank for the growth with ranks.
const AGENTS_A_RANK: usize = 16;
/// Number of ranks for the growth with agents.
const RANKS: usize = 8;

/// Measure the cost of the exchange between ranks: bytes, time, growth
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker-bench sync\n  \
    bekker-bench sync --plot exchange.png --json\n\n\
    Ranks are threads of this process. What they receive is measured up to 256 agents and\n\
    8 ranks; beyond that, dashed in the plot, it is a model with the measured bytes.")]
pub struct BenchSync {
    /// Plot to write
    #[arg(long, value_name = "FILE.png", default_value = "bench_sync.png", value_parser = destination::png)]
    plot: PathBuf,
    /// Do not draw the plot
    #[arg(long, conflicts_with = "plot")]
    no_plot: bool,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct SyncResults {
    code: Vec<CodeCost>,
    heartbeat: Vec<HeartbeatCost>,
    traffic: Vec<Traffic>,
    model: Option<TrafficModel>,
    /// Extrapolation by the model: ranks, agents, bytes to all, bytes between neighbors.
    beyond: Vec<(usize, usize, f64, f64)>,
    plot: Option<PathBuf>,
}

impl BenchSync {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let say = |what: &str| {
            if !quiet {
                eprintln!("{what} ...");
            }
        };
        let (mut code, mut heartbeat) = (Vec::new(), Vec::new());
        for spacing in [0.05, 0.02] {
            say(&format!("code and heartbeat at {} cm", 100.0 * spacing));
            let cost = code_cost(spacing)?;
            heartbeat.push(heartbeat_cost(&cost)?);
            code.push(cost);
        }
        let mut measured = Vec::new();
        let by_agents = [16, 32, 64, 128, 256].map(|agents| (RANKS, agents));
        let by_ranks = [1, 2, 4].map(|ranks| (ranks, AGENTS_A_RANK * ranks));
        for (ranks, agents) in by_agents.into_iter().chain(by_ranks) {
            say(&format!("{agents} agents on {ranks} ranks"));
            for neighbor in [false, true] {
                measured.push(traffic(ranks, agents, neighbor)?);
            }
        }
        let model = TrafficModel::fit(&measured);
        let beyond = model.iter().flat_map(|model| {
            [256, 1_024, 4_096, 10_000].map(|agents| {
                let ranks = agents / AGENTS_A_RANK;
                let bytes = |neighbor| model.received(neighbor, ranks, agents);
                (ranks, agents, bytes(false), bytes(true))
            })
        });
        let beyond = beyond.collect();
        let plot = (!self.no_plot).then_some(self.plot);
        let results = SyncResults { code, heartbeat, traffic: measured, model, beyond, plot };
        if let Some(path) = &results.plot {
            plot::write(path, &results.figure())?;
        }
        print_results(self.json, &results, || results.text())
    }
}

impl SyncResults {
    fn text(&self) -> String {
        let header = |first: &str| {
            let columns = self.code.iter().map(|cost| format!("{} cm", 100.0 * cost.spacing));
            std::iter::once(first.to_string()).chain(columns)
        };
        type CodeColumn = fn(&CodeCost) -> String;
        let rows: [(&str, CodeColumn); 6] = [
            ("nodes per vehicle and heartbeat", |c| format!("{:.1}", c.nodes)),
            ("bytes on the wire", |c| format!("{:.2}", c.bytes)),
            ("encode, ns", |c| format!("{:.1}", c.encode_ns)),
            ("decode, ns", |c| format!("{:.1}", c.decode_ns)),
            ("apply, ns", |c| format!("{:.1}", c.apply_ns)),
            ("cache update, ns", |c| format!("{:.1}", c.refresh_ns)),
        ];
        let rows = rows.map(|(label, figure)| {
            std::iter::once(label.to_owned()).chain(self.code.iter().map(figure))
        });
        let code = text_table::plain(header("per node of deformed ground"), rows, ..0);
        type HeartbeatColumn = fn(&HeartbeatCost) -> String;
        let rows: [(&str, HeartbeatColumn); 7] = [
            ("bytes per vehicle state", |c| format!("{:.0}", c.state_bytes)),
            ("steps per heartbeat, us", |c| format!("{:.1}", c.steps_us)),
            ("serialize, us", |c| format!("{:.1}", c.serialize_us)),
            ("read and merge, us", |c| format!("{:.1}", c.apply_us)),
            ("cache update, us", |c| format!("{:.1}", c.refresh_us)),
            ("fraction of the steps", |c| format!("{:.1} %", 100.0 * c.share)),
            ("waiting for the other rank, us", |c| format!("{:.1}", c.waiting_us)),
        ];
        let rows = rows.map(|(label, figure)| {
            std::iter::once(label.to_owned()).chain(self.heartbeat.iter().map(figure))
        });
        let heartbeat =
            text_table::plain(header("per heartbeat, 8 vehicles on 2 ranks"), rows, ..0);
        let row = |kind: &str, ranks: usize, agents: usize, all: f64, near: f64| {
            let [all, near] = [all, near].map(|bytes| format!("{bytes:.0}"));
            [kind.into(), ranks.to_string(), agents.to_string(), all, near]
        };
        let measured =
            self.traffic.as_chunks::<2>().0.iter().map(|[all, near]| {
                row("measured", all.ranks, all.agents, all.received, near.received)
            });
        let modeled = self
            .beyond
            .iter()
            .map(|&(ranks, agents, all, near)| row("model", ranks, agents, all, near));
        let columns = ["bytes received per heartbeat", "ranks", "agents", "all", "neighbor"];
        let traffic = text_table::plain(columns, measured.chain(modeled), ..0);
        let [code, heartbeat, traffic] = [code, heartbeat, traffic].map(|table| table.trim_fmt());
        let model = self.model.as_ref().map_or(String::new(), |model| {
            format!(
                "\nmodel: to all {:.0} N; neighbor {:.0} + {:.0} N/R + {:.0} log2 R \
                 (N agents on R ranks)",
                model.message, model.border, model.own, model.round
            )
        });
        let plot = self.plot.as_ref();
        let plot = plot.map_or(String::new(), |path| format!("\nplot: {}", path.display()));
        format!("{code}\n\n{heartbeat}\n\n{traffic}{model}{plot}")
    }

    fn figure(&self) -> Figure {
        let measured =
            |name: &str, neighbor: bool, on: fn(&Traffic) -> bool, by: TrafficFunction| Series {
                name: format!("{name}, measured"),
                points: self
                    .traffic
                    .iter()
                    .filter(|t| t.neighbor == neighbor && on(t))
                    .map(|t| [by(t.ranks, t.agents), 1e-3 * t.received])
                    .collect(),
                mark: SeriesMark::Dots,
            };
        let modeled =
            |name: &str, neighbor: bool, cases: &[(usize, usize)], by: TrafficFunction| Series {
                name: format!("{name}, model"),
                points: self
                    .model
                    .iter()
                    .flat_map(|model| {
                        cases.iter().map(|&(ranks, agents)| {
                            let bytes = model.received(neighbor, ranks, agents);
                            [by(ranks, agents), 1e-3 * bytes]
                        })
                    })
                    .collect(),
                mark: SeriesMark::Dashes,
            };
        let panel =
            |title: &str, x: &str, on: fn(&Traffic) -> bool, cases: Vec<_>, by: TrafficFunction| {
                let series = [("to all", false), ("neighbor", true)];
                let series = series.into_iter().flat_map(|(name, neighbor)| {
                    [modeled(name, neighbor, &cases, by), measured(name, neighbor, on, by)]
                });
                PlotAxes {
                    title: title.into(),
                    x_label: x.into(),
                    y_label: "received, kB".into(),
                    from_zero: true,
                    counts: false,
                    series: series.filter(|series| !series.points.is_empty()).collect(),
                }
            };
        let even = |most: usize| (1..=40).map(move |part| most * part / 40);
        Figure {
            title: "Bytes received by a rank per heartbeat".into(),
            subtitle: "HMMWVs abreast, spacing 15.6 m, 5 m/s, heartbeat 10 ms; mean over a second \
                with a census and a hash"
                .into(),
            panels: vec![
                panel(
                    "8 ranks",
                    "agents",
                    |t| t.ranks == RANKS,
                    even(256).map(|agents| (RANKS, agents)).collect(),
                    |_, agents| agents as f64,
                ),
                panel(
                    "16 agents per rank",
                    "ranks ",
                    |t| t.agents == AGENTS_A_RANK * t.ranks,
                    (1..=RANKS).map(|ranks| (ranks, AGENTS_A_RANK * ranks)).collect(),
                    |ranks, _| ranks as f64,
                ),
                panel(
                    "16 agents per rank, extrapolated",
                    "agents  ",
                    |_| false,
                    even(10_000).map(|agents| (agents.div_ceil(AGENTS_A_RANK), agents)).collect(),
                    |_, agents| agents as f64,
                ),
            ],
        }
    }
}

/// Abscissa of a plot, from ranks and agents.
type TrafficFunction = fn(usize, usize) -> f64;
