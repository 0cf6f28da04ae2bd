//! `[team]`

use super::{Place, Radio};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Autonomous vehicles that share their maps by radio.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Team {
    /// How maps are shared.
    pub sharing: Sharing,
    /// Name of the vehicle that carries the central authority; the first autonomous one if
    /// not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub authority: Option<String>,
    /// Exchanges a second, Hz.
    #[schemars(range(min = 0.01, max = 1000.0), extend("unit" = "Hz"))]
    pub rate: f64,
    /// Tiles farther than this from a vehicle's straight way to its goal do not concern it and
    /// are not sent to it, m; all do if not given. With `sharing = "peers"` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 1_000_000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
    pub concern: Option<f64>,
    /// Places, m, that the authority sends those to that have no goal of their own, one vehicle to
    /// each, until somebody has been at every one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<Place>", length(max = 100_000))]
    pub goals: Vec<[f64; 2]>,
    /// Who is sent to which of the goals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignment: Option<Assignment>,
    /// An area that those search together that have no goal of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<Search>,
    /// The radio that they share them by.
    pub radio: Radio,
}

/// Who is sent to which goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Assignment {
    /// Whoever is nearest to any, then the next.
    Nearest,
    /// At the least sum of straight ways, by bids.
    Auction,
}

/// An area that a team explores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// The area: x and y of its south-west and of its north-east corner, m. It lies on the terrain,
    /// holds at least one cell of the map, and at most 65,536 of its tiles of 32 by 32 cells.
    #[schemars(inner(range(min = -1_000_000.0, max = 1_000_000.0)), extend("unit" = "m"))]
    pub area: [f64; 4],
    /// Share of its cells with three returns or more with which the search is done. What no beam
    /// reaches, as under and behind what stands, is never explored: of a share near 1 the search
    /// ends where nothing is left that can be.
    #[serde(default = "default_share")]
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub share: f64,
    /// Who searches what.
    #[serde(default)]
    pub parts: Parts,
}

/// Who searches what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Parts {
    /// Each what is nearer to it than to any other: Voronoi's cells about the vehicles.
    #[default]
    Voronoi,
    /// Each what it wins in an auction of all that is left.
    Auction,
}

fn default_share() -> f64 {
    0.95
}

impl Default for Team {
    fn default() -> Team {
        Team {
            sharing: Sharing::default(),
            authority: None,
            rate: 10.0,
            concern: None,
            goals: Vec::new(),
            assignment: None,
            search: None,
            radio: Radio::default(),
        }
    }
}

/// How maps are shared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    /// A central authority merges what has changed and sends on what has.
    #[default]
    Central,
    /// As the MAVS study: whole maps to the authority and the whole merged map to all, at
    /// every exchange.
    Whole,
    /// From vehicle to vehicle along direct links, what has changed since it was last sent.
    Peers,
}
