//! What a run leaves behind: samples of the vehicles and their summaries.

use bekker_agent::{RadioSummary, VehicleSummary};
use bekker_ground::soil::Soil;
use serde::{Deserialize, Serialize};

/// What autonomous vehicles found out together: their maps merged, whether they had told one
/// another or not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExplorationSummary {
    /// Time at which the last of them arrived, s, if all did.
    pub time_to_complete: Option<f64>,
    /// Time integral of the throttle of all, s.
    pub throttle_time: f64,
    /// Holes of the terrain.
    pub holes: u64,
    /// Of these, those in which a cell of the merged map is an obstacle or a hole.
    pub holes_detected: u64,
    /// Share of the terrain's cells with three returns or more, where it has bounds.
    pub explored: Option<f64>,
    /// Cells of the merged map with a return.
    pub cells: u64,
    /// Scans thought about, and passed over because the last was still thought about.
    pub scans: [u64; 2],
    /// Letters sent between members of the team, and of these lost.
    pub letters: [u64; 2],
    /// Bytes of maps sent and received.
    pub bytes: [u64; 2],
    /// Digest of the merged map, hexadecimal.
    pub map_hash: String,
    /// Of a search: times, s, and the share of the area that was explored in the authority's map.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub searched: Vec<[f64; 2]>,
}

/// Something to know before figures of a run are trusted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunWarning {
    /// Which, for machines: `soil_beyond_measured`, a soil pressed deeper than its figures
    /// were measured; `tow_broke`, a rope or bar that broke; `trailer_torn_off`, a coupling that did;
    /// `hits_gave_energy`, hits that gave energy in place of taking it;
    /// `gained_energy`, a vehicle that gained more energy than was put into it;
    /// `search_fell_short`, a search that ended although its share was not reached.
    pub code: String,
    /// Name of the vehicle.
    pub vehicle: String,
    /// Name of the soil.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soil: Option<String>,
    /// Deepest sinkage in it, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sinkage: Option<f64>,
    /// Sinkage up to which its figures hold, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<f64>,
    /// All of it in words.
    pub sentence: String,
}

impl RunWarning {
    /// A vehicle that pressed a soil deeper than its figures were measured.
    pub(super) fn beyond_measured(vehicle: &str, soil: &Soil, sinkage: f64) -> RunWarning {
        let measured = soil.measured_sinkage().unwrap_or_default();
        let sentence = format!(
            "{vehicle} sank {:.0} cm into {}, whose figures hold up to {:.0} cm: beyond, its \
             sinkage and resistance are extrapolated",
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
            sentence,
        }
    }

    /// What was between two vehicles and broke, at a force in N.
    pub(super) fn tow_broke([from, to]: [&str; 2], is_bar: bool, breaking: f64) -> RunWarning {
        let what = if is_bar { "bar" } else { "rope" };
        let sentence =
            format!("the {what} between {from} and {to} broke at {:.1} kN", 1e-3 * breaking);
        RunWarning::of_vehicle("tow_broke", from, sentence)
    }

    /// A vehicle that lost its trailer, whose coupling bears a force in N.
    pub(super) fn trailer_torn_off(vehicle: &str, breaking: Option<f64>) -> RunWarning {
        let load = 1e-3 * breaking.unwrap_or_default();
        let sentence =
            format!("the trailer of {vehicle} was torn off: its coupling bears {load:.1} kN");
        RunWarning::of_vehicle("trailer_torn_off", vehicle, sentence)
    }

    /// A vehicle whose hits gave it and whom it met so much energy, J, at heartbeats of so many seconds.
    pub(super) fn hits_gave_energy(vehicle: &str, given: f64, heartbeat: f64) -> RunWarning {
        let sentence = format!(
            "hits of {vehicle} gave {:.1} kJ in place of taking any: what pushed those who met was known a \
             heartbeat of {heartbeat} s late; take shorter ones (time.heartbeat)",
            1e-3 * given
        );
        RunWarning::of_vehicle("hits_gave_energy", vehicle, sentence)
    }

    /// A vehicle that gained so much energy, J, beyond what was put into it, by steps of so many
    /// seconds.
    pub(super) fn gained_energy(vehicle: &str, gained: f64, step: f64) -> RunWarning {
        let sentence = format!(
            "{vehicle} gained {:.1} kJ more than was put into it: its motion is not to be trusted; \
             take a shorter step than {step} s (time.step) or less stiff parameters",
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
            sentence,
        }
    }

    /// A search that its authority ended because nothing was left that could be explored.
    pub(super) fn search_fell_short(authority: &str, [found, share]: [f64; 2]) -> RunWarning {
        let sentence = format!(
            "the search ended with {found:.3} of its area explored, not the share of {share} asked for: \
             nothing was left that could be seen"
        );
        RunWarning {
            code: "search_fell_short".into(),
            vehicle: authority.into(),
            soil: None,
            sinkage: None,
            measured: None,
            sentence,
        }
    }
}

/// How a run kept to the pace of the clock. Nothing in it is part of a state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PacingSummary {
    /// Simulated over wall time that was asked for.
    pub factor: f64,
    /// The same as it came to be, pauses included.
    pub achieved: f64,
    /// Heartbeats that had a deadline.
    pub heartbeats: u64,
    /// Of these, those that ended more than 2 ms after it.
    pub late: u64,
    /// How late they ended, s: the median.
    pub lateness_p50: f64,
    /// The 99th percentile, s.
    pub lateness_p99: f64,
    /// The latest, s.
    pub lateness_max: f64,
}

/// A run in a few figures: `summary.json` and what `--json` prints. SI units; what is
/// absent is `null`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// Scenario name.
    pub scenario: String,
    /// Simulated time, s.
    pub simulated: f64,
    /// Wall time, s.
    pub wall: f64,
    /// Simulated time at which it was gone on with from a checkpoint, s, if it was: the wall time is
    /// of what came then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumed_at: Option<f64>,
    /// Nodes deformed.
    pub deformed_nodes: u64,
    /// Hash of the final state, hexadecimal.
    pub state_hash: String,
    /// The vehicles, in the scenario's order.
    pub vehicles: Vec<VehicleSummary>,
    /// What autonomous vehicles made of it together, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exploration: Option<ExplorationSummary>,
    /// How it kept to the pace of the clock, where it was to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pacing: Option<PacingSummary>,
    /// How well radios and platoons did, where there are any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub radio: Vec<RadioSummary>,
    /// What to know before the figures are trusted.
    #[serde(default)]
    pub warnings: Vec<RunWarning>,
}
