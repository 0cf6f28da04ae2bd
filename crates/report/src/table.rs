//! Summary table at the end of a run.
//!
//! The machine-readable form is [`RunSummary`], which serde writes as JSON.

use crate::text_table::{fit, header_rule, wrapped};
use bekker_agent::{OutcomeCode, RadioSummary, TireSummary, VehicleSummary};
use bekker_world::RunSummary;
use comfy_table::{Cell, CellAlignment, Color, Table};

/// Style of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableStyle {
    /// ASCII without color: for files, pipes and `NO_COLOR`.
    Plain,
    /// Line drawing characters and color, for a terminal.
    Terminal,
}

impl TableStyle {
    /// Returns the style suitable for standard output.
    pub fn of_stdout() -> TableStyle {
        use std::io::IsTerminal;
        let color_refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        if std::io::stdout().is_terminal() && !color_refused {
            TableStyle::Terminal
        } else {
            TableStyle::Plain
        }
    }
}

/// A column of the table: heading, cell, and whether only a wide table has it.
type Column = (&'static str, fn(&VehicleSummary) -> String, bool);

const COLUMNS: [Column; 11] = [
    ("distance\nm", |own| format!("{:.1}", own.distance), false),
    ("speed\nmean m/s", |own| format!("{:.2}", own.mean_speed), false),
    ("\nfinal", |own| format!("{:.2}", own.final_speed), true),
    ("slip\nmean %", |own| format!("{:.1}", 100.0 * own.mean_slip), false),
    ("\npeak", |own| format!("{:.1}", 100.0 * own.peak_slip), true),
    ("sinkage\nmean cm", |own| format!("{:.1}", 100.0 * own.mean_sinkage), true),
    ("sinkage\ndeepest cm", |own| format!("{:.1}", 100.0 * own.max_sinkage), false),
    ("tires\nkPa/mm/cm", |own| own.tires.as_ref().map_or("-".into(), tires), true),
    ("resistance\nkN", |own| own.motion_resistance.map_or("-".into(), kilonewtons), false),
    ("energy\nkJ", |own| format!("{:.0}", own.drive_energy / 1e3), true),
    ("outcome", |own| own.outcome.brief(), false),
];

fn tires(tires: &TireSummary) -> String {
    let TireSummary { inflation_kpa, deflection, contact_length } = tires;
    format!("{inflation_kpa:.0}/{:.0}/{:.0}", 1e3 * deflection, 1e2 * contact_length)
}

fn kilonewtons(force: f64) -> String {
    format!("{:.2}", force / 1e3)
}

/// Maximum number of vehicles with a row each; for more, vehicles are counted by outcome.
const MOST_ROWS: usize = 60;
/// Maximum number of lines of one kind that are printed in a run with more vehicles than rows.
const MOST_LINES: usize = 10;

/// Formats a run as a table with one row per vehicle.
///
/// Below it are the reasons of incomplete drives, radio statistics, warnings, and a line on speed
/// and ground. For more than 60 vehicles the table has a row per outcome, and only the first lines
/// of each kind follow; `summary.json` has all.
///
/// The table has at most 80 columns of text. A wide one adds the final speed, the peak slip, the mean
/// sinkage, the energy, and for flexible tires the inflation at the end and the mean deflection and
/// length of contact.
///
/// Resistance is the mean motion resistance of the soil while rolling, `-` for vehicles that hardly
/// rolled. Energy is that of the driveline at the wheels. [`VehicleSummary`] defines each quantity.
pub fn summary(run: &RunSummary, style: TableStyle, is_wide: bool) -> String {
    let mut table = if run.vehicles.len() > MOST_ROWS {
        by_outcome(&run.vehicles, style)
    } else {
        of_each(&run.vehicles, style, is_wide)
    };
    match style {
        TableStyle::Plain => table.load_style(header_rule('-')).force_no_tty(),
        TableStyle::Terminal => table.load_style(header_rule('─')).enforce_styling(),
    };
    if is_wide {
        table.column_iter_mut().for_each(|column| {
            column.set_padding((0, 1));
        });
    } else {
        fit(&mut table, (0, 1));
    }
    let mut text = table.trim_fmt();
    text.push('\n');
    let many = run.vehicles.len() > MOST_ROWS;
    let mut tell = |lines: Vec<String>| {
        let told = if many { MOST_LINES.min(lines.len()) } else { lines.len() };
        if told > 0 {
            text.push('\n');
        }
        text.extend(lines[..told].iter().map(|line| format!("{}\n", wrapped(line, 2))));
        if told < lines.len() {
            text.push_str(&format!("... {} more: see summary.json\n", lines.len() - told));
        }
    };
    tell(ends(&run.vehicles));
    tell(run.radio.iter().map(radio_lines).collect());
    tell(run.warning_sentences().iter().map(|own| format!("warning: {own}\n")).collect());
    text.push('\n');
    text.push_str(&closing(run));
    text
}

/// Returns a table with a row per vehicle.
fn of_each(vehicles: &[VehicleSummary], style: TableStyle, is_wide: bool) -> Table {
    let columns: Vec<&Column> = COLUMNS.iter().filter(|own| is_wide || !own.2).collect();
    let mut table = Table::new();
    table.set_header(std::iter::once("vehicle").chain(columns.iter().map(|own| own.0)));
    for vehicle in vehicles {
        let mut cells = vec![Cell::new(&vehicle.name)];
        cells.extend(columns.iter().map(|own| Cell::new(own.1(vehicle))));
        if style == TableStyle::Terminal
            && let Some(outcome) = cells.pop()
        {
            cells.push(outcome.fg(color(vehicle.outcome.code)));
        }
        table.add_row(cells);
    }
    // the name and the outcome are text
    for column in table.column_iter_mut().skip(1).take(columns.len() - 1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// Returns a table with a row per outcome, the most frequent first.
fn by_outcome(vehicles: &[VehicleSummary], style: TableStyle) -> Table {
    let mut outcomes: Vec<(OutcomeCode, Vec<&VehicleSummary>)> = Vec::new();
    for vehicle in vehicles {
        let code = vehicle.outcome.code;
        match outcomes.iter_mut().find(|(own, _)| *own == code) {
            Some((_, all)) => all.push(vehicle),
            None => outcomes.push((code, vec![vehicle])),
        }
    }
    outcomes.sort_by_key(|(_, all)| std::cmp::Reverse(all.len()));
    let mut table = Table::new();
    let header = ["outcome", "vehicles", "distance m, min", "median", "max", "deepest cm"];
    table.set_header(header);
    for (code, all) in outcomes {
        let mut ways: Vec<f64> = all.iter().map(|own| own.distance).collect();
        ways.sort_by(f64::total_cmp);
        let deepest = all.iter().map(|own| own.max_sinkage).fold(0.0, f64::max);
        let mut name = Cell::new(code.words());
        if style == TableStyle::Terminal {
            name = name.fg(color(code));
        }
        let meters = |way: f64| Cell::new(format!("{way:.1}"));
        table.add_row([
            name,
            Cell::new(all.len()),
            meters(ways[0]),
            meters(ways[ways.len() / 2]),
            meters(ways[ways.len() - 1]),
            Cell::new(format!("{:.1}", 100.0 * deepest)),
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// Returns the outcomes of vehicles that ended early or wait, ordered by time if there are many
/// vehicles.
fn ends(vehicles: &[VehicleSummary]) -> Vec<String> {
    let mut told: Vec<&VehicleSummary> = vehicles.iter().collect();
    if vehicles.len() > MOST_ROWS {
        // waiting behind another vehicle is a consequence, not a cause
        told.retain(|own| own.outcome.code.is_loss());
        told.sort_by(|a, b| a.driving_time.total_cmp(&b.driving_time));
    }
    told.into_iter().filter_map(end).collect()
}

fn color(code: OutcomeCode) -> Color {
    match code {
        OutcomeCode::Immobilized | OutcomeCode::Sunk | OutcomeCode::Waiting => Color::Yellow,
        code if code.is_loss() => Color::Red,
        _ => Color::Green,
    }
}

/// Returns the outcome of a vehicle as a line, if it is a loss or the vehicle waits.
fn end(vehicle: &VehicleSummary) -> Option<String> {
    let code = vehicle.outcome.code;
    let told = code.is_loss() || code == OutcomeCode::Waiting;
    told.then(|| format!("{}: {}\n", vehicle.name, vehicle.outcome))
}

/// Returns the reception and platooning statistics of a vehicle as a line.
fn radio_lines(radio: &RadioSummary) -> String {
    let seconds = |time: Option<f64>| time.map_or("-".to_owned(), |time| format!("{time:.2}"));
    let share = |share: Option<f64>| {
        share.map_or("-".to_owned(), |share| format!("{:.1} %", 100.0 * share))
    };
    let RadioSummary { vehicle, delivery_ratio, age_p50, age_p95, platoon, .. } = radio;
    let mut line = format!(
        "{vehicle}: received {} of the others' beacons; age of information {} s (median), {} s \
         (95th percentile)",
        share(*delivery_ratio),
        seconds(*age_p50),
        seconds(*age_p95)
    );
    if let Some(own) = platoon {
        let gain = own.acceleration_gain.map_or("-".to_owned(), |gain| format!("{gain:.2}"));
        line.push_str(&format!(
            "; behind {}: speed undershoot {:.2} m/s; acceleration gain {gain}; min time to \
             collision {} s",
            own.leader,
            own.undershoot,
            seconds(own.least_time_to_collision)
        ));
        if own.cooperative_share.is_some() {
            line.push_str(&format!(
                "; cooperative for {} of the time",
                share(own.cooperative_share)
            ));
        }
    }
    line.push('\n');
    line
}

fn closing(run: &RunSummary) -> String {
    let driven = run.simulated - run.resumed_at.unwrap_or(0.0);
    let factor = if run.wall > 0.0 { driven / run.wall } else { f64::INFINITY };
    let last = run.resumed_at.map_or(String::new(), |_| format!(" (last {driven:.1} s)"));
    let text = format!(
        "{}: {:.1} s simulated{last} in {:.1} s, {factor:.2} x real time; {} deformed nodes\n\
         state {}",
        run.scenario, run.simulated, run.wall, run.deformed_nodes, run.state_hash
    );
    wrapped(&text, 2) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_agent::{
        Comparison, Outcome, RangeExceedance, RunningGearKind, SoilClass, ValidityQuantity,
    };
    use bekker_ground::soil::SoilId;
    use bekker_math::spatial::Vec3;
    use bekker_world::RunWarning;

    fn vehicle(name: &str, outcome: Outcome) -> VehicleSummary {
        VehicleSummary {
            name: name.into(),
            model: "hmmwv".into(),
            outcome: outcome.report(|_| "mud", |_| "leader", |_| "oak"),
            driving_time: 60.0,
            distance: 1284.31,
            mean_speed: 14.72,
            speed_made_good: 13.9,
            final_speed: 15.1,
            mean_slip: 0.1834,
            peak_slip: 1.0,
            mean_sinkage: 0.0812,
            max_sinkage: 0.2549,
            tires: None,
            motion_resistance: Some(12_345.0),
            throttle_time: 0.0,
            drive_energy: 12_345_678.0,
            braking_energy: 0.0,
            soil_energy: 1e6,
            fuel: None,
            battery: None,
        }
    }

    fn run() -> RunSummary {
        let sunk = Outcome::Sunk {
            time: 41.25,
            position: Vec3::new(212.34, -8.5, 3.0),
            soil: SoilId(0),
            depth: 1.02,
            height: 0.94,
        };
        RunSummary {
            exploration: None,
            radio: Vec::new(),
            scenario: "convoy_mud".into(),
            simulated: 60.0,
            wall: 24.0,
            resumed_at: None,
            deformed_nodes: 812_345,
            state_hash: "9f86d081884c7d65".into(),
            vehicles: vec![
                vehicle("leader", Outcome::UnderWay),
                vehicle("second", sunk),
                vehicle("third", Outcome::Waiting { since: 55.0, behind: 0 }),
            ],
            pacing: None,
            warnings: vec![],
        }
    }

    /// Vehicles that left the same range share a warning with the greatest share; others do not.
    #[test]
    fn equal_warnings_are_printed_once() {
        let exceeded = |quantity, limit, share| RangeExceedance {
            running_gear: RunningGearKind::FlexibleTire,
            soil: SoilClass::Mineral,
            comparison: Comparison::Relation,
            quantity,
            limit,
            share,
        };
        let warning = |vehicle: &str, exceeded: Vec<RangeExceedance>| RunWarning {
            code: "outside_validity".into(),
            vehicle: vehicle.into(),
            soil: None,
            sinkage: None,
            measured: None,
            exceeded,
            sentence: format!("{vehicle} alone"),
        };
        let slip = |share| vec![exceeded(ValidityQuantity::Slip, 0.6, share)];
        let speed = vec![exceeded(ValidityQuantity::Speed, 5.5, 0.3)];
        let warnings =
            vec![warning("lead", slip(0.13)), warning("fast", speed), warning("second", slip(0.2))];
        let text = summary(&RunSummary { warnings, ..run() }, TableStyle::Plain, false);
        let told: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            told.contains("warning: lead, second: slip above 60 % for up to 20 % of"),
            "{text}"
        );
        assert!(told.contains("warning: fast alone"), "{text}");
        assert_eq!(text.matches("warning:").count(), 2, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }

    #[test]
    fn the_table_fits_80_columns() {
        let narrow = summary(&run(), TableStyle::Plain, false);
        let of_table = narrow.split("\n\n").next().unwrap();
        let widest = of_table.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= 80, "{widest} columns:\n{narrow}");
        assert!(!narrow.contains("100.0"), "{narrow}");
        let text = summary(&run(), TableStyle::Plain, true);
        assert!(text.is_ascii(), "{text}");
        for said in [
            "1284.3",
            "14.72",
            "18.3",
            "100.0",
            "25.5",
            "12.35",
            "12346",
            "still driving",
            "sunk 41.2 s",
            "second: sunk to the deck at 41.2 s at (212.3, -8.5) m in mud: sinkage 102 cm",
            "third: waiting behind leader since 55.0 s",
            "60.0 s simulated in 24.0 s, 2.50 x real time; 812345 deformed nodes\nstate 9f86d081",
        ] {
            assert!(text.contains(said), "{said} is not in\n{text}");
        }
        let resumed = RunSummary { resumed_at: Some(48.0), ..run() };
        let said = "60.0 s simulated (last 12.0 s) in 24.0 s, 0.50 x real time; 812345";
        assert!(summary(&resumed, TableStyle::Plain, false).contains(said));
    }

    #[test]
    fn large_runs_are_summarized_by_outcome() {
        let mut many = run();
        many.vehicles = (0..1000)
            .map(|index| match index % 10 {
                3 => VehicleSummary {
                    name: format!("v{index}"),
                    driving_time: 60.0 - 0.01 * f64::from(index),
                    ..run().vehicles[1].clone()
                },
                _ => vehicle(&format!("v{index}"), Outcome::UnderWay),
            })
            .collect();
        let text = summary(&many, TableStyle::Plain, false);
        // each of the first ten sentences takes two lines
        assert!(text.lines().count() < 35, "{text}");
        for said in [
            "still driving",
            "900",
            "100",
            "v993: sunk to the deck",
            "... 90 more: see summary.json",
        ] {
            assert!(text.contains(said), "{said} is not in\n{text}");
        }
        assert!(!text.contains("v3: "), "{text}");
    }

    #[test]
    fn color_is_used_only_on_request() {
        assert!(!summary(&run(), TableStyle::Plain, false).contains('\u{1b}'));
        assert!(summary(&run(), TableStyle::Terminal, false).contains('\u{1b}'));
    }

    #[test]
    fn the_json_is_the_summary() {
        let text = serde_json::to_string(&run()).unwrap();
        assert_eq!(serde_json::from_str::<RunSummary>(&text).unwrap(), run());
        assert!(text.contains(r#""outcome":{"code":"sunk","time":41.25,"#), "{text}");
    }
}
