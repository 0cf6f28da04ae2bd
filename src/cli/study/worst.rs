//! The worst trials of a study, with images of their ends.

use super::replay::trial_scenario;
use crate::cli::Failure;
use crate::report::html::HtmlPicture;
use crate::report::photograph;
use crate::report::shot::{Shot, Viewpoint};
use crate::report::study::{StudyCell, StudyRequest, TrialRecord, level_inputs};
use crate::scenario::ScenarioFile;
use crate::scenario::build::world;
use crate::simulation::{Observer, RunSchedule, Runner};
use crate::study::analysis::QuestionResult;
use crate::study::design::{Goal, RunMetric};
use std::convert::Infallible;
use std::path::Path;

/// Size of an image, pixels.
const SIZE: (u32, u32) = (960, 540);

/// Selects up to `most` of the worst trials and describes the selection.
///
/// With a binary response: the negative trials, from different design points first. Otherwise the
/// worst by the study's question, or else the lowest of the first numeric response.
pub fn worst<'a>(
    asked: &StudyRequest,
    question: Option<&QuestionResult>,
    trials: &[&'a TrialRecord],
    most: usize,
) -> (String, Vec<&'a TrialRecord>) {
    let number = |trial: &TrialRecord, n: usize| match trial.responses.get(n) {
        Some(StudyCell::Number(x)) => Some(*x),
        _ => None,
    };
    let is_yes_or_no =
        |own: &[String; 2]| RunMetric::from_response(&own[0]).is_some_and(RunMetric::is_yes_or_no);
    if let Some(go) = asked.responses.iter().position(is_yes_or_no) {
        let mut stuck: Vec<&TrialRecord> =
            trials.iter().copied().filter(|trial| number(trial, go) == Some(0.0)).collect();
        stuck.sort_by_key(|trial| (trial.replication, trial.trial));
        stuck.truncate(most);
        let text = format!("Trials with {} = no.", asked.responses[go][0]);
        return (if stuck.is_empty() { String::new() } else { text }, stuck);
    }
    let asks = question.and_then(|own| {
        let place = asked.responses.iter().position(|name| name[0] == own.response)?;
        Some((place, own.goal))
    });
    let first = asks.map(|own| own.0);
    let goal = asks.and_then(|own| own.1).unwrap_or(Goal::Maximize);
    let first = first.or_else(|| {
        (0..asked.responses.len()).find(|n| trials.iter().any(|t| number(t, *n).is_some()))
    });
    let Some(first) = first else { return (String::new(), Vec::new()) };
    let mut valued: Vec<(f64, &TrialRecord)> =
        trials.iter().filter_map(|trial| Some((number(trial, first)?, *trial))).collect();
    valued.sort_by(|a, b| goal.order(b.0, a.0).then(a.1.trial.cmp(&b.1.trial)));
    valued.truncate(most);
    let end = if goal == Goal::Maximize { "lowest" } else { "highest" };
    let text = format!("Trials with the {end} {}.", asked.responses[first][0]);
    (text, valued.into_iter().map(|own| own.1).collect())
}

/// Drives trials again and renders an image at the end of each.
///
/// # Errors
/// [`Failure`] if the scenario differs from that of the study, or cannot be driven.
pub fn pictures(
    folder: &Path,
    asked: &StudyRequest,
    trials: &[&TrialRecord],
) -> Result<Vec<HtmlPicture>, Failure> {
    if trials.is_empty() {
        return Ok(Vec::new());
    }
    let scenario = trial_scenario(folder, asked)?;
    trials.iter().map(|trial| picture([folder, &scenario], asked, trial)).collect()
}

fn picture(
    [folder, scenario]: [&Path; 2],
    asked: &StudyRequest,
    trial: &TrialRecord,
) -> Result<HtmlPicture, Failure> {
    let failed = |cause: String| Failure::Run { subject: format!("trial {}", trial.trial), cause };
    let base = scenario.parent().unwrap_or(Path::new(""));
    let inputs = level_inputs(folder, base, trial);
    let file = ScenarioFile::read_with_inputs(scenario, &trial.sets, inputs)?;
    let built = world(&file)?;
    let schedule = RunSchedule::until(file.scenario.time.duration);
    let runner = Runner::new(built.world.clone(), None, schedule);
    let runner = runner.map_err(|error| failed(error.to_string()))?;
    let mut nobody: [&mut dyn Observer<Infallible>; 0] = [];
    let (driven, _) = runner.run(&mut nobody).map_err(|error| failed(error.to_string()))?;
    let shot = Shot {
        viewpoint: Viewpoint::Chase,
        target: None,
        vehicle: 0,
        field: 55.0_f64.to_radians(),
        size: SIZE,
        supersample: 2,
        coarse: true,
    };
    let image = shot.take(&file, &built, &driven)?;
    let png = photograph::encode(&image).map_err(|error| failed(error.to_string()))?;
    let levels = asked.factors.iter().zip(&trial.levels);
    let levels: Vec<String> =
        levels.map(|(name, level)| format!("{name} {}", super::word(level))).collect();
    let summary = driven.summary(&file.scenario.name, 0.0);
    let ends: Vec<String> =
        summary.vehicles.iter().map(|own| format!("{}: {}", own.name, own.outcome)).collect();
    let caption = format!(
        "Trial {}, {}. {}. To rerun: bekker study replay FOLDER --trial {} --out NEW",
        trial.trial,
        levels.join(", "),
        ends.join("; "),
        trial.trial
    );
    Ok(HtmlPicture { png, caption })
}
