//! Overview of all pages.

use super::page::{PageSummary, percent, table};
use bekker_agent::{
    Comparison, MIN_REPORTED_SHARE, RunningGearKind, SoilClass, VALIDITY_RANGES, ValidityRange,
};

/// Number of errors that the overview lists.
const WORST: usize = 4;

const FOREWORD: &str = "# Validation

For reviewers: comparisons of the soil, wheel and track models, with their errors.
Written by `cargo run --release -p bekker-validation`, which recomputes every number; edit
`tools/validation/src/` instead.

- **Default** laws are the preset `refined`, which a scenario uses unless it selects others.
- **Reference** laws are those of Project Chrono's Soil Contact Model without its faults
  ([soil laws](soil_laws.md)). Its own runs are compared on the page of
  [vehicles](validation/vehicles.md) and in [comparison](comparison.md).
- **Valid** is an error of at most 5 %, **valid within** at most 50 %, **not valid** above. The error
  is that of the table; each page states how it is formed.
- **rms** is the root mean square of the errors, over that of the expected values where it is in
  percent. **Worst** is the greatest error.
- **Held out** is data on which no law and no parameter was chosen.
- Kinds of data, best first: *measured*; *relation*, fitted to measurements that are not here;
  *theory*; *code*, runs of another program.

";

const REPRODUCTION: &str = "## Reproduce

```sh
cargo run --release -p bekker-validation              # everything
cargo run --release -p bekker-validation -- snow tires # some pages, and their rows above
```

`tests/validation.rs` holds the errors against CMU's wheel and CRREL's snow within bounds.

## Not compared

- **Whole vehicles on soft ground**, against measurements: none are in this collection.
- **Cone index.** The model has none: NRMM's relations of whole vehicles are shown beside
  [events](mobility.md#cone-index) and [maps](maps.md#cone-index). Those of a single tire are
  matched to the rig in one point ([tires](validation/tires.md)).
- **Motion resistance of trailing wheels in snow**, against measurements.
- **Straight along the lattice.** A vehicle on flexible tires that is steered straight within half a
  degree of a row of nodes turns by up to 0.11 degrees in its first 4 m, and ends up to 12 cm aside
  after 45 m (chrono_mid, mud, firm); with nodes 2.5 cm apart 0.06 degrees and 4 cm
  ([decision](decisions/046-yaw-of-tires-on-the-lattice.md), `tests/straight_driving.rs`).
";

/// Returns the overview as Markdown.
pub fn overview(summaries: &[PageSummary]) -> String {
    let mut text = FOREWORD.to_owned();
    let header =
        ["phenomenon", "data", "verdict", "error, default", "error, reference"].map(str::to_owned);
    let rows: Vec<Vec<String>> = summaries
        .iter()
        .map(|page| {
            let PageSummary { name, title, data, verdict, default_error, reference_error, .. } =
                page.clone();
            let link = format!("[{title}](validation/{name}.md)");
            vec![link, data, verdict, default_error, reference_error]
        })
        .collect();
    text += &table(&header, &rows);
    text += "\n## Worst errors\n\nThe greatest error of each page under the default laws, over the \
             expected value, but over at least a tenth of the load where it is a force. These are \
             the greatest of all pages.\n\n";
    let mut worst: Vec<_> =
        summaries.iter().filter_map(|page| Some((page, page.worst.as_ref()?))).collect();
    worst.sort_by(|(_, a), (_, b)| b.error.abs().total_cmp(&a.error.abs()));
    let rows: Vec<Vec<String>> = worst
        .iter()
        .take(WORST)
        .map(|(page, own)| {
            vec![
                own.case.clone(),
                own.kind.clone(),
                own.expected.clone(),
                own.found.clone(),
                percent(own.error),
                format!("[{}](validation/{}.md)", page.title, page.name),
            ]
        })
        .collect();
    let header = ["case", "kind", "expected", "default", "error", "page"].map(str::to_owned);
    text += &table(&header, &rows);
    text += &ranges();
    text + REPRODUCTION
}

/// Returns the ranges of validity as Markdown.
fn ranges() -> String {
    let header = [
        "running gear",
        "soil",
        "compared with",
        "ground pressure, kPa",
        "slip",
        "braking slip",
        "slip angle, deg",
        "depth over radius",
        "speed, m/s",
        "source",
    ]
    .map(str::to_owned);
    let rows: Vec<Vec<String>> = VALIDITY_RANGES.iter().map(row).collect();
    format!(
        "\n## Ranges of validity\n\nLimits of the comparisons, from \
         `crates/agent/src/validity.rs`. A dash: nothing was compared, and no limit is evaluated. \
         Ground pressure is the load of all wheels or tracks over their area in contact. Depth is \
         relative to the radius of the wheel, or of the road wheel with its track.\n\n{}\nNo side \
         force or braking of a tire on soil was compared: the limits are those of the rigid wheel, \
         which has the same shear law. No trial states its speed, except CMU's (0.01 m/s). The \
         limit of 5.5 m/s is an estimate: a wheel that enters a rut at 30 degrees moves the soil down \
         at half its speed. At 5.5 m/s this takes an eighth of 100 kPa, which the laws omit. \
         `bekker run` and `bekker study` warn about a vehicle that exceeds a limit in at least \
         {:.0} % of its drive ([outcomes](outcomes.md#ranges-of-validity)).\n\n",
        table(&header, &rows),
        100.0 * MIN_REPORTED_SHARE
    )
}

fn row(range: &ValidityRange) -> Vec<String> {
    let running_gear = match range.running_gear {
        RunningGearKind::RigidWheel => "rigid wheel",
        RunningGearKind::FlexibleTire => "flexible tire",
        RunningGearKind::Track => "track",
    };
    let soil = match range.soil {
        SoilClass::Mineral => "mineral",
        SoilClass::Snow => "snow",
    };
    let comparison = match range.comparison {
        Comparison::Measured => "measured",
        Comparison::Relation => "relation",
        Comparison::Theory => "theory",
    };
    let limit = |x: Option<f64>| x.map_or("-".to_owned(), |x| x.to_string());
    vec![
        running_gear.to_owned(),
        soil.to_owned(),
        comparison.to_owned(),
        limit(range.ground_pressure.map(|x| 1e-3 * x)),
        limit(range.slip),
        limit(range.braking_slip),
        limit(range.slip_angle_deg),
        limit(range.sinkage_ratio),
        limit(range.speed),
        range.source.to_owned(),
    ]
}
