//! `bekker swarm`

use super::{Failure, stdout};
use crate::report::plot::{self, PlotAxes, Series, SeriesMark};
use crate::report::study::{StudyCell, StudyRequest, TitledTable, TrialRecord};
use crate::report::table::TableStyle;
use crate::report::write_file;
use crate::scenario::{ScenarioFile, build};
use crate::study::statistics::{Interval, NormalOrLognormal, probability_plot};
use crate::study::swarm::{
    CONFIDENCE, MIN_TIMES, SwarmStatistics, SwarmTrial, TeamStatistics, statistics, trade_off,
};
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};

/// End of the key of the factor for the number of vehicles.
const COUNT: &str = "row.count";
/// Responses that a study must record for these results.
const RESPONSES: [&str; 5] =
    ["completed", "time_to_complete", "cumulative_throttle", "detected", "explored"];

/// Report studies of vehicle teams: failures, time, fuel, detection, and the value of one more
/// vehicle
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bekker study run examples/study_swarm_1.toml --out swarm_1\n  \
    bekker swarm swarm_1\n  bekker swarm swarm_1 swarm_2 --out swarm --json\n\n\
    The folders are those of `bekker study run`. Their studies must vary `vehicle[..].row.count`\n\
    and record completed, time_to_complete, cumulative_throttle, detected and explored. Intervals\n\
    are 95 %. docs/swarm.md describes the models and compares each statement of the MAVS swarm\n\
    study."
)]
pub struct Swarm {
    /// Study folders
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// Folder for the tables (swarm.md), the plots (swarm.png) and swarm.json
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

impl Swarm {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        for (index, folder) in self.folders.iter().enumerate() {
            check_new(folder, &self.folders[..index])?;
        }
        let mut trials = Vec::new();
        for folder in &self.folders {
            trials.extend(read(folder)?);
        }
        // sort, so that shards in any order give the same result as a study in one folder
        trials.sort_by(|(number, one), (other, another)| {
            let sides = one.side.total_cmp(&another.side);
            sides.then(number.cmp(other)).then(one.robots.cmp(&another.robots))
        });
        let trials: Vec<SwarmTrial> = trials.into_iter().map(|(_, trial)| trial).collect();
        let found = statistics(&trials);
        let tables = [teams(&found), shapes(&found), models(&found)];
        let document = json!({ "trials": trials, "figures": found });
        if let Some(folder) = &self.out {
            std::fs::create_dir_all(folder).map_err(|cause| Failure::input(folder, &cause))?;
            let sections: Vec<String> = tables.iter().map(TitledTable::markdown).collect();
            let page =
                format!("# Swarm results\n\n{} trials.\n\n{}", trials.len(), sections.join("\n"));
            write_file(&folder.join("swarm.md"), page.as_bytes())?;
            write_file(&folder.join("swarm.json"), format!("{document:#}\n").as_bytes())?;
            plot::write(&folder.join("swarm.png"), &figure(&found, &trials))?;
            if !quiet {
                eprintln!("swarm.md, swarm.json and swarm.png written to {}", folder.display());
            }
        }
        if self.json {
            return stdout::print_json(&document);
        }
        let texts: Vec<String> =
            tables.iter().map(|table| table.text(TableStyle::of_stdout())).collect();
        stdout::print(texts.join("\n").trim_end())
    }
}

/// Refuses trials that are also in an earlier folder: shards of a study have none in common.
fn check_new(folder: &Path, before: &[PathBuf]) -> Result<(), Failure> {
    let asked = StudyRequest::read(folder)?;
    let own = asked.records(folder)?;
    for other in before {
        let earlier = StudyRequest::read(other)?;
        if asked.difference(&earlier.of_shard(asked.shard)).is_some() {
            continue;
        }
        let known = earlier.records(other)?;
        if let Some(number) = own.keys().find(|number| known.contains_key(number)) {
            let cause = format!(
                "contains trial {number} of the same study as {}; give each trial once",
                other.display()
            );
            return Err(Failure::Input { subject: folder.display().to_string(), cause });
        }
    }
    Ok(())
}

/// Returns the trials of a study folder that have a result, with their numbers.
fn read(folder: &Path) -> Result<Vec<(u64, SwarmTrial)>, Failure> {
    let refused = |cause: String| Failure::Input { subject: folder.display().to_string(), cause };
    let asked = StudyRequest::read(folder)?;
    let config = super::study::config(&asked, folder)?;
    let is_count = |key: &str| key.ends_with(COUNT);
    let counts = config.factor.iter().position(|factor| factor.keys().any(is_count));
    let column = |name: &str| config.responses.iter().position(|own| own == name);
    if let Some(missing) = RESPONSES.into_iter().find(|name| column(name).is_none()) {
        let told = RESPONSES.join(", ");
        return Err(refused(format!(
            "its study does not record {missing}; set responses to include {told}"
        )));
    }
    let scenario = StudyRequest::kept_scenario(folder)
        .ok_or_else(|| refused("has no copy of its scenario".into()))?;
    let file = ScenarioFile::read(&scenario, &[])?;
    let world = build::world(&file)?.world;
    let [west, south, east, north] = world.ground.terrain().bounds();
    let area = (east - west) * (north - south);
    if !area.is_finite() {
        return Err(refused(
            "its terrain is unbounded, so the density of vehicles is undefined".into(),
        ));
    }
    let trial = |record: &TrialRecord| {
        let number = |name: &str| match record.responses.get(column(name)?)? {
            StudyCell::Number(x) => Some(*x),
            _ => None,
        };
        let robots = match counts.and_then(|factor| record.levels.get(factor)) {
            Some(StudyCell::Number(count)) => *count as u32,
            _ => asked.vehicles as u32,
        };
        let holes = world.holes.len() as u64;
        Some(SwarmTrial {
            robots,
            side: area.sqrt(),
            holes,
            detected: (number("detected").unwrap_or(0.0) * holes as f64).round() as u64,
            completed: number("completed")? == 1.0,
            time: number("time_to_complete"),
            throttle: number("cumulative_throttle")?,
            fuel: number("total_fuel"),
            explored: number("explored")?,
        })
    };
    let records = asked.records(folder)?;
    let done = records.iter().filter(|(_, record)| record.failure.is_none());
    Ok(done.filter_map(|(number, record)| Some((*number, trial(record)?))).collect())
}

fn words(items: &[&str]) -> Vec<String> {
    items.iter().map(|&item| item.to_owned()).collect()
}

/// Formats a value with its bounds.
fn interval_text(own: &Interval, digits: usize) -> String {
    let Interval { value, low, high } = own;
    if low.is_nan() {
        // a single trial has no interval
        return format!("{value:.digits$}");
    }
    format!("{value:.digits$} ({low:.digits$} to {high:.digits$})")
}

fn optional_interval(own: Option<&Interval>, digits: usize) -> String {
    own.map_or_else(|| "-".into(), |own| interval_text(own, digits))
}

fn teams(found: &SwarmStatistics) -> TitledTable {
    let row = |own: &TeamStatistics| {
        vec![
            format!("{:.0}", own.side),
            own.robots.to_string(),
            own.trials.to_string(),
            interval_text(&own.failure_rate, 2),
            optional_interval(own.time.as_ref(), 0),
            optional_interval(own.throttle.as_ref(), 0),
            optional_interval(own.fuel.as_ref(), 2),
            interval_text(&own.detection, 3),
            interval_text(&own.explored, 3),
        ]
    };
    TitledTable {
        title: format!("Teams, with {:.0} % intervals", 100.0 * CONFIDENCE),
        head: words(&[
            "side m",
            "vehicles",
            "trials",
            "failed",
            "time s",
            "throttle s",
            "fuel kg",
            "detected",
            "explored",
        ]),
        rows: found.teams.iter().map(row).collect(),
    }
}

fn shapes(found: &SwarmStatistics) -> TitledTable {
    let row = |own: &TeamStatistics| {
        let mut words = vec![format!("{:.0}", own.side), own.robots.to_string()];
        words.push(own.times.to_string());
        match &own.time_shape {
            Some(NormalOrLognormal { normal, lognormal, vuong, p_value, .. }) => words.extend([
                format!("{:.1}", normal.log_likelihood),
                format!("{:.1}", lognormal.log_likelihood),
                format!("{vuong:.2}"),
                format!("{p_value:.3}"),
            ]),
            None => words.extend(["-", "-", "-", "too few"].map(str::to_owned)),
        }
        words
    };
    TitledTable {
        title: format!(
            "Completion times: log-likelihoods and Vuong's test, for {MIN_TIMES} or more times"
        ),
        head: words(&["side m", "vehicles", "times", "normal", "lognormal", "z", "p"]),
        rows: found.teams.iter().map(row).collect(),
    }
}

fn models(found: &SwarmStatistics) -> TitledTable {
    let mut rows = Vec::new();
    let laws = ["detected = 1 - exp(-a N / A)", "throttle = c N^p L^q"];
    for (law, cause) in laws.into_iter().zip(&found.refused) {
        rows.extend(cause.as_ref().map(|cause| vec![law.to_owned(), format!("no fit: {cause}")]));
    }
    if let Some(own) = &found.detection {
        let law = laws[0].to_owned();
        let explained = own.explained.map_or(String::new(), |own| format!(", R2 {own:.3}"));
        let figure = format!("a = {} m2{explained}", interval_text(&own.rate, 0));
        rows.push(vec![law, figure]);
    }
    if let Some(own) = &found.fuel {
        let law = laws[1].to_owned();
        let of_side = match own.of_side {
            Some(q) => format!("q = {q:.3}"),
            None => "q = 1 assumed: all trials have the same side".into(),
        };
        let figure = format!(
            "c = {:.4}, p = {:.3}, {of_side}, R2 {:.3}",
            own.scale, own.of_robots, own.explained
        );
        rows.push(vec![law, figure]);
    }
    for team in &found.teams {
        let burned = found.fuel.as_ref().map(|own| own.throttle(f64::from(team.robots), team.side));
        let traded = burned.and_then(|burned| Some((burned, trade_off(found, team.side, burned)?)));
        if let Some((burned, detected)) = traded {
            let law = format!("{} vehicles, side {:.0} m", team.robots, team.side);
            let measured = team.detection.value;
            rows.push(vec![
                law,
                format!(
                    "{burned:.0} s of throttle: detected {detected:.3} (model), {measured:.3} \
                    (measured)"
                ),
            ]);
        }
    }
    TitledTable { title: "Models".into(), head: words(&["law", "fitted"]), rows }
}

/// Plots detection, time and fuel over the number of vehicles, and the probability of the times of
/// the largest team.
fn figure(found: &SwarmStatistics, trials: &[SwarmTrial]) -> plot::Figure {
    let mut sides: Vec<f64> = found.teams.iter().map(|own| own.side).collect();
    sides.dedup();
    // dots with vertical lines for their intervals
    let measured = |scale: f64, of: fn(&TeamStatistics) -> Option<Interval>| -> Vec<Series> {
        let of_side = |&side: &f64| {
            let teams = found.teams.iter().filter(|own| own.side == side);
            let teams: Vec<(f64, Interval)> =
                teams.filter_map(|own| Some((f64::from(own.robots), of(own)?))).collect();
            let dots = teams.iter().map(|(robots, own)| [*robots, scale * own.value]);
            let bars = teams.iter().flat_map(|(robots, own)| {
                [[*robots, scale * own.low], [*robots, scale * own.high], [f64::NAN; 2]]
            });
            let name = format!("side {side:.0} m: simulation");
            [
                Series { name: name.clone(), points: dots.collect(), mark: SeriesMark::Dots },
                Series { name, points: bars.collect(), mark: SeriesMark::Line },
            ]
        };
        sides.iter().flat_map(of_side).collect()
    };
    let most = found.teams.iter().map(|own| own.robots).max().unwrap_or(1);
    let modeled = |of: &dyn Fn(f64, f64) -> Option<f64>| -> Vec<Series> {
        let of_side = |&side: &f64| Series {
            name: format!("side {side:.0} m: fitted model"),
            points: (20..=20 * most)
                .map(|n| 0.05 * f64::from(n))
                .filter_map(|robots| Some([robots, of(robots, side)?]))
                .collect(),
            mark: SeriesMark::Dashes,
        };
        sides.iter().map(of_side).collect()
    };
    let panel = |y_label: &str, measured: Vec<Series>, modeled: Vec<Series>| PlotAxes {
        x_label: "vehicles".into(),
        y_label: y_label.into(),
        from_zero: true,
        counts: true,
        series: [modeled, measured].concat(),
        ..PlotAxes::default()
    };
    let (detection, fuel) = (found.detection.as_ref(), found.fuel.as_ref());
    let mut panels = vec![
        panel(
            "detected holes, %",
            measured(100.0, |own| Some(own.detection)),
            modeled(&|robots, side| Some(100.0 * detection?.share(robots, side))),
        ),
        panel("completion time, s", measured(1.0, |own| own.time), Vec::new()),
        panel(
            "cumulative throttle, s",
            measured(1.0, |own| own.throttle),
            modeled(&|robots, side| Some(fuel?.throttle(robots, side))),
        ),
    ];
    let timed = found.teams.iter().filter_map(|own| Some((own, own.time_shape.as_ref()?)));
    if let Some((team, shape)) = timed.max_by_key(|(_, shape)| shape.count) {
        let of = |own: &&SwarmTrial| own.robots == team.robots && own.side == team.side;
        let times: Vec<f64> = trials.iter().filter(of).filter_map(|own| own.time).collect();
        let places = probability_plot(&times);
        let fitted = |which: usize, name: &str| Series {
            name: name.into(),
            points: places
                .iter()
                .map(|own| [shape.quantiles_at(own.score)[which], own.score])
                .collect(),
            mark: if which == 0 { SeriesMark::Dashes } else { SeriesMark::Line },
        };
        panels.push(PlotAxes {
            title: format!("Completion times of {} vehicles, side {:.0} m", team.robots, team.side),
            x_label: "completion time, s".into(),
            y_label: "standard score".into(),
            from_zero: false,
            counts: false,
            series: vec![
                fitted(0, "normal"),
                fitted(1, "lognormal"),
                Series {
                    name: "trials".into(),
                    points: places.iter().map(|own| [own.value, own.score]).collect(),
                    mark: SeriesMark::Dots,
                },
            ],
        });
    }
    plot::Figure {
        title: "Teams of autonomous vehicles".into(),
        subtitle: format!("{} trials; {:.0} % intervals", trials.len(), 100.0 * CONFIDENCE),
        panels,
    }
}
