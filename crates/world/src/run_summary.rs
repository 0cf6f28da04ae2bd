//! Summary of a run: its vehicles, their joint exploration, pacing and warnings.

use bekker_agent::{RadioSummary, RangeExceedance, VehicleSummary};
use bekker_ground::soil::Soil;
use serde::{Deserialize, Serialize};

/// Joint result of autonomous vehicles: all their maps merged, whether or not they exchanged them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExplorationSummary {
    /// Time at which the last of them arrived, s, if all did.
    pub time_to_complete: Option<f64>,
    /// Time integral of the throttle, summed over the vehicles, s.
    pub throttle_time: f64,
    /// Number of holes in the terrain.
    pub holes: u64,
    /// Number of holes that contain an obstacle or hole cell of the merged map.
    pub holes_detected: u64,
    /// Fraction of the terrain's cells with at least three returns, if the terrain is bounded.
    pub explored: Option<f64>,
    /// Number of cells of the merged map with a return.
    pub cells: u64,
    /// Numbers of scans processed, and of scans skipped because the last was still being processed.
    pub scans: [u64; 2],
    /// Numbers of letters sent between members of the team, and of letters lost.
    pub letters: [u64; 2],
    /// Numbers of bytes of maps sent and received.
    pub bytes: [u64; 2],
    /// Digest of the merged map, hexadecimal.
    pub map_hash: String,
    /// For a search: times, s, and the explored fraction of the area in the authority's map.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub searched: Vec<[f64; 2]>,
}

/// A reason to be careful with the results of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunWarning {
    /// Machine-readable code:
    ///
    /// - `soil_beyond_measured`: the sinkage exceeded the range of the soil's measurements.
    /// - `tow_broke`: a rope or bar broke.
    /// - `trailer_torn_off`: a trailer coupling broke.
    /// - `hits_gave_energy`: collisions added energy instead of dissipating it.
    /// - `gained_energy`: a vehicle gained more energy than was put into it.
    /// - `search_fell_short`: a search ended below the requested fraction.
    /// - `outside_validity`: the drive left the ranges in which the models were compared with
    ///   trials.
    pub code: String,
    /// Name of the vehicle.
    pub vehicle: String,
    /// Name of the soil.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soil: Option<String>,
    /// Greatest sinkage in it, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sinkage: Option<f64>,
    /// Greatest sinkage that the soil's measurements cover, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<f64>,
    /// Limits of the ranges of validity that were exceeded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exceeded: Vec<RangeExceedance>,
    /// The warning as a sentence.
    pub sentence: String,
}

impl RunWarning {
    /// Warning for a sinkage beyond the range of the soil's measurements.
    pub(super) fn beyond_measured(vehicle: &str, soil: &Soil, sinkage: f64) -> RunWarning {
        let measured = soil.measured_sinkage().unwrap_or_default();
        let sentence = format!(
            "{vehicle} sank {:.0} cm into {}, whose parameters are valid up to {:.0} cm: beyond, \
             its sinkage and resistance are extrapolated",
            100.0 * sinkage,
            soil.name,
            100.0 * measured
        );
        RunWarning {
            code: "soil_beyond_measured".into(),
            vehicle: vehicle.into(),
            soil: Some(soil.name.clone()),
            sinkage: Some(sinkage),
            measured: Some(measured),
            exceeded: Vec::new(),
            sentence,
        }
    }

    /// Warning for a rope or bar that broke at a force, N.
    pub(super) fn tow_broke([from, to]: [&str; 2], is_bar: bool, breaking: f64) -> RunWarning {
        let what = if is_bar { "bar" } else { "rope" };
        let sentence =
            format!("the {what} between {from} and {to} broke at {:.1} kN", 1e-3 * breaking);
        RunWarning::of_vehicle("tow_broke", from, sentence)
    }

    /// Warning for a torn-off trailer, whose coupling breaks at a force, N.
    pub(super) fn trailer_torn_off(vehicle: &str, breaking: Option<f64>) -> RunWarning {
        let load = 1e-3 * breaking.unwrap_or_default();
        let sentence =
            format!("the trailer of {vehicle} was torn off: its coupling breaks at {load:.1} kN");
        RunWarning::of_vehicle("trailer_torn_off", vehicle, sentence)
    }

    /// Warning for a vehicle whose collisions added the energy `given`, J, at heartbeats of
    /// `heartbeat` seconds.
    pub(super) fn collisions_gained_energy(
        vehicle: &str,
        given: f64,
        heartbeat: f64,
    ) -> RunWarning {
        let sentence = format!(
            "collisions of {vehicle} added {:.1} kJ instead of dissipating energy: forces act one \
             heartbeat of {heartbeat} s late; use shorter heartbeats (time.heartbeat)",
            1e-3 * given
        );
        RunWarning::of_vehicle("hits_gave_energy", vehicle, sentence)
    }

    /// Warning for a vehicle that gained the energy `gained`, J, beyond its input, at steps of
    /// `step` seconds.
    pub(super) fn gained_energy(vehicle: &str, gained: f64, step: f64) -> RunWarning {
        let sentence = format!(
            "{vehicle} gained {:.1} kJ more than was put into it, so its motion is not reliable: \
             use a step shorter than {step} s (time.step) or less stiff parameters",
            1e-3 * gained
        );
        RunWarning::of_vehicle("gained_energy", vehicle, sentence)
    }

    fn of_vehicle(code: &str, vehicle: &str, sentence: String) -> RunWarning {
        RunWarning {
            code: code.into(),
            vehicle: vehicle.into(),
            soil: None,
            sinkage: None,
            measured: None,
            exceeded: Vec::new(),
            sentence,
        }
    }

    /// Warning for a search that ended because the rest of the area cannot be explored.
    pub(super) fn incomplete_search(authority: &str, [found, share]: [f64; 2]) -> RunWarning {
        let sentence = format!(
            "the search ended with a fraction of {found:.3} of its area explored, below the \
             requested {share}: the rest cannot be seen"
        );
        RunWarning::of_vehicle("search_fell_short", authority, sentence)
    }

    /// Warning for a vehicle that left the ranges of validity; `None` if it did not.
    pub(super) fn outside_validity(
        vehicle: &str,
        exceeded: Vec<RangeExceedance>,
    ) -> Option<RunWarning> {
        let sentence = validity_sentence(&[vehicle], &exceeded)?;
        let warning = RunWarning::of_vehicle("outside_validity", vehicle, sentence);
        Some(RunWarning { exceeded, ..warning })
    }
}

/// Returns the sentence about the ranges that vehicles left; `None` if there are none.
///
/// The share of a range is the greatest of all vehicles.
fn validity_sentence(vehicles: &[&str], exceeded: &[RangeExceedance]) -> Option<String> {
    let up_to = if vehicles.len() > 1 { "up to " } else { "" };
    let words =
        |own: &RangeExceedance| format!("{} for {up_to}{:.0} %", own.words(), 100.0 * own.share);
    let ranges = exceeded.chunk_by(|a, b| a.trials() == b.trials()).map(|of_range| {
        let all: Vec<String> = of_range.iter().map(words).collect();
        format!("{} of the drive, beyond {}", all.join(", "), of_range[0].trials())
    });
    let ranges: Vec<String> = ranges.collect();
    (!ranges.is_empty()).then(|| {
        format!(
            "{}: {} (docs/validation.md, ranges of validity)",
            vehicles.join(", "),
            ranges.join("; ")
        )
    })
}

impl RunSummary {
    /// Returns the sentences of all warnings; vehicles that left the same ranges of validity share
    /// one.
    pub fn warning_sentences(&self) -> Vec<String> {
        let mut groups: Vec<(Vec<String>, Vec<&RunWarning>)> = Vec::new();
        for own in &self.warnings {
            let limits: Vec<String> = own.exceeded.iter().map(RangeExceedance::words).collect();
            match groups.iter_mut().find(|group| !limits.is_empty() && group.0 == limits) {
                Some(group) => group.1.push(own),
                None => groups.push((limits, vec![own])),
            }
        }
        let sentence = |(_, group): (_, Vec<&RunWarning>)| match group[..] {
            [own] => own.sentence.clone(),
            _ => shared_sentence(&group),
        };
        groups.into_iter().map(sentence).collect()
    }
}

/// Returns one sentence about vehicles that left the same ranges of validity.
fn shared_sentence(warnings: &[&RunWarning]) -> String {
    let mut exceeded = warnings[0].exceeded.clone();
    for (n, range) in exceeded.iter_mut().enumerate() {
        range.share = warnings.iter().map(|own| own.exceeded[n].share).fold(0.0, f64::max);
    }
    let names: Vec<&str> = warnings.iter().map(|own| own.vehicle.as_str()).collect();
    validity_sentence(&names, &exceeded).unwrap_or_default()
}

/// How well a paced run kept its deadlines. It is not part of any state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PacingSummary {
    /// Requested ratio of simulated to wall time.
    pub factor: f64,
    /// Achieved ratio, pauses included.
    pub achieved: f64,
    /// Number of heartbeats with a deadline.
    pub heartbeats: u64,
    /// Number of heartbeats that ended more than 2 ms after their deadline.
    pub late: u64,
    /// Median lateness, s.
    pub lateness_p50: f64,
    /// 99th percentile of the lateness, s.
    pub lateness_p99: f64,
    /// Greatest lateness, s.
    pub lateness_max: f64,
}

/// Summary of a run, as in `summary.json` and the output of `--json`. SI units; absent values are
/// `null`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// Scenario name.
    pub scenario: String,
    /// Simulated time, s.
    pub simulated: f64,
    /// Wall time, s.
    pub wall: f64,
    /// Simulated time of the checkpoint from which the run was resumed, s. The wall time then
    /// starts there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumed_at: Option<f64>,
    /// Number of deformed nodes.
    pub deformed_nodes: u64,
    /// Hash of the final state, hexadecimal.
    pub state_hash: String,
    /// The vehicles, in the scenario's order.
    pub vehicles: Vec<VehicleSummary>,
    /// Joint result of autonomous vehicles, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exploration: Option<ExplorationSummary>,
    /// Pacing, if the run was paced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pacing: Option<PacingSummary>,
    /// Summaries of radios and platoons, if there are any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub radio: Vec<RadioSummary>,
    /// Warnings.
    #[serde(default)]
    pub warnings: Vec<RunWarning>,
}
