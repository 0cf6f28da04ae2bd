//! Answer to the question of a study in one or two sentences.

use super::display_unit::{DisplayUnit, percents};
use super::{level_word, rounded};
use crate::report::study::StudyRequest;
use crate::study::analysis::{LevelAnswer, QuestionResult, ResponseStatistics};
use crate::study::design::{Factor, Goal, LevelValue, RunMetric, StudyConfig};

/// Maximum number of levels that are listed; the others are counted.
const NAMED: usize = 6;

/// Formats a level with its factor's unit.
pub fn level_with_unit(factor: Option<&Factor>, level: &LevelValue) -> String {
    let unit = factor.and_then(Factor::unit).filter(|_| matches!(level, LevelValue::Number(_)));
    match unit {
        Some(unit) => format!("{} {unit}", level_word(level)),
        None => level_word(level),
    }
}

/// Returns the word for a positive binary response.
fn counted(response: &str) -> &'static str {
    match RunMetric::from_response(response) {
        Some(RunMetric::Completed) => "all arrived",
        _ => "arrived",
    }
}

/// Inputs of an answer.
pub struct AnswerText<'a> {
    pub question: &'a QuestionResult,
    pub asked: &'a StudyRequest,
    pub config: &'a StudyConfig,
}

impl AnswerText<'_> {
    /// Returns the answer, without the sentence about the most important factor.
    pub fn text(&self) -> String {
        let question = self.question;
        let mut parts: Vec<String> = Vec::new();
        if let Some((name, yes, all)) = &question.settled {
            parts.push(format!("{name}: {yes} of {all} {}, at every design point.", counted(name)));
        }
        if question.levels.is_empty() {
            parts.push(self.overall());
            return parts.join(" ");
        }
        parts.push(self.levels());
        parts.extend(self.lead());
        parts.join(" ")
    }

    /// Returns the response and, for a total, its condition.
    fn name(&self) -> String {
        let name = &self.question.response;
        match &self.question.overall {
            ResponseStatistics::Total { .. } => format!("{name}, arrived trials only"),
            _ => name.clone(),
        }
    }

    fn unit(&self) -> DisplayUnit<'_> {
        let own = self.asked.responses.iter().find(|own| own[0] == self.question.response);
        own.map_or(DisplayUnit { scale: 1.0, unit: "" }, DisplayUnit::new)
    }

    /// Formats a value with its interval and, for a total, the number of trials that arrived.
    fn value(&self, figures: &ResponseStatistics, done: u64) -> String {
        let DisplayUnit { scale, .. } = self.unit();
        let interval = match (figures, figures.interval()) {
            (ResponseStatistics::Proportion { .. }, Some(ends)) => {
                let [low, high] = percents(ends);
                format!("95 % interval {low} to {high} %")
            }
            (_, Some([low, high])) if low.is_finite() => {
                format!("95 % interval {} to {}", rounded(scale * low), rounded(scale * high))
            }
            _ => String::new(),
        };
        let of = match figures {
            ResponseStatistics::Total { arrived, .. } => format!("{arrived} of {done} arrived"),
            _ => String::new(),
        };
        let inside = [interval, of].into_iter().filter(|own| !own.is_empty()).collect::<Vec<_>>();
        let inside =
            if inside.is_empty() { String::new() } else { format!(" ({})", inside.join("; ")) };
        let value = match figures {
            ResponseStatistics::Proportion { count, .. } => {
                format!("{count} of {done} {}", counted(&self.question.response))
            }
            _ => figures.value(done).map_or("-".into(), |value| self.number(value)),
        };
        format!("{value}{inside}")
    }

    /// Formats a value with its unit.
    fn number(&self, value: f64) -> String {
        let DisplayUnit { scale, unit } = self.unit();
        format!("{} {unit}", rounded(scale * value)).trim_end().to_owned()
    }

    /// Lists the levels of the factor, best first.
    fn levels(&self) -> String {
        let question = self.question;
        let name = question.factor.as_deref().unwrap_or_default();
        let factor = self.config.factor.iter().find(|own| own.name == name);
        let (compared, others): (Vec<&LevelAnswer>, Vec<&LevelAnswer>) =
            question.levels.iter().partition(|own| own.is_compared);
        let told = |own: &LevelAnswer| {
            let level = level_with_unit(factor, &own.level);
            format!("{level}: {}", self.value(&own.figures, own.done))
        };
        let value = |own: &LevelAnswer| own.figures.value(own.done);
        let top = compared.first().and_then(|own| value(own));
        let ties = compared.iter().filter(|own| value(own) == top).count();
        let head = match question.goal {
            _ if compared.is_empty() => {
                format!("{}: no level of {name} can be compared", self.name())
            }
            None => format!("{} by {name}", self.name()),
            Some(_) if ties == compared.len() && ties > 1 => {
                format!("{}: the same at every {name}", self.name())
            }
            Some(_) if ties > 1 => format!("{}: {ties} best values of {name}", self.name()),
            Some(Goal::Maximize) => format!("{}: highest at {name}", self.name()),
            Some(Goal::Minimize) => format!("{}: lowest at {name}", self.name()),
        };
        let shown: Vec<String> = compared.iter().take(NAMED).map(|own| told(own)).collect();
        let more = compared.len().saturating_sub(NAMED);
        let more = if more > 0 { format!("; {more} more levels") } else { String::new() };
        let joint = if question.goal.is_some() && ties == 1 { " " } else { ": " };
        let mut text = match shown.is_empty() {
            true => format!("{head}."),
            false => format!("{head}{joint}{}{more}.", shown.join("; ")),
        };
        let few: Vec<String> =
            others.iter().take(NAMED).map(|own| rare_level(factor, own)).collect();
        if !few.is_empty() {
            text += &format!(" Not compared (too few arrived trials): {}.", few.join("; "));
        }
        text
    }

    /// Describes the difference between the first two levels.
    fn lead(&self) -> Option<String> {
        let lead = self.question.lead?;
        let ends = [lead.difference.value, lead.difference.low, lead.difference.high];
        let DisplayUnit { scale, unit } = self.unit();
        let (ends, unit) = match self.question.overall {
            // shares differ by 1 at most
            ResponseStatistics::Proportion { .. } => {
                (percents(ends.map(|x| x.clamp(-1.0, 1.0))), "percentage points")
            }
            _ if unit == "%" => (ends.map(|x| rounded(scale * x)), "percentage points"),
            _ => (ends.map(|x| rounded(scale * x)), unit),
        };
        let [value, low, high] = ends;
        let value = format!("{value} {unit}");
        let over = match self.config.common_random_numbers {
            true => format!("{} shared scenario seeds", lead.pairs),
            false => format!("{} pairs of trials", lead.pairs),
        };
        let certain = if lead.is_certain { "" } else { " The difference is not significant." };
        Some(format!(
            "The first two differ by {} (95 % interval {low} to {high}), from {over}.{certain}",
            value.trim_end()
        ))
    }

    /// Describes the result over all trials.
    fn overall(&self) -> String {
        let QuestionResult { overall, done, .. } = self.question;
        match overall.value(*done) {
            None => format!("{}: no trial has a value.", self.name()),
            Some(_) => {
                let what = match overall {
                    ResponseStatistics::Proportion { .. } => "",
                    _ => "mean ",
                };
                format!(
                    "{}: {what}{}, over all design points.",
                    self.name(),
                    self.value(overall, *done)
                )
            }
        }
    }
}

/// Describes a level that is not compared.
fn rare_level(factor: Option<&Factor>, own: &LevelAnswer) -> String {
    let level = level_with_unit(factor, &own.level);
    match own.figures {
        ResponseStatistics::Total { arrived, .. } => format!("{level}, {arrived} of {}", own.done),
        _ => format!("{level}, no value"),
    }
}
