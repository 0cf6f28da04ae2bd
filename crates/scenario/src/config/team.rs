//! `[team]`: cooperation of autonomous vehicles.

use super::{Location, RadioConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Autonomous vehicles that share their maps by radio.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Team")]
pub struct TeamConfig {
    /// Method by which maps are shared.
    pub sharing: SharingConfig,
    /// Name of the vehicle that carries the central authority. Where absent, it is the first
    /// autonomous vehicle.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub authority: Option<String>,
    /// Exchanges per second, Hz.
    #[schemars(range(min = 0.01, max = 1000.0), extend("unit" = "Hz"))]
    pub rate: f64,
    /// Distance from a vehicle's straight line to its goal beyond which map tiles are not sent to
    /// it, m. Only with `sharing = "peers"`. Where absent, all tiles are sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 1_000_000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
    pub concern: Option<f64>,
    /// Goals, m, that the authority assigns to vehicles without a goal of their own, one vehicle to
    /// each. The team drives until each goal has been reached by a vehicle.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<Location>", length(max = 100_000))]
    pub goals: Vec<[f64; 2]>,
    /// Method by which goals are assigned to vehicles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignment: Option<AssignmentConfig>,
    /// Area that the vehicles without a goal of their own search together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchConfig>,
    /// Radio channel by which maps are shared.
    pub radio: RadioConfig,
}

/// Method by which goals are assigned to vehicles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Assignment")]
pub enum AssignmentConfig {
    /// The closest pair of vehicle and goal first, then the next.
    Nearest,
    /// Smallest sum of straight distances, by an auction.
    Auction,
}

/// An area that a team explores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Search")]
pub struct SearchConfig {
    /// The area: x and y of its south-west corner and of its north-east corner, m. It must be on
    /// the terrain and contain at least one cell of the map. It covers at most 65,536 tiles of the
    /// map, of 32 by 32 cells each.
    #[schemars(inner(range(min = -1_000_000.0, max = 1_000_000.0)), extend("unit" = "m"))]
    pub area: [f64; 4],
    /// Share of cells with at least three returns at which the search is complete. Cells that no
    /// beam reaches, as below and behind obstacles, are never explored. With a share near 1, the
    /// search ends when no reachable cell is left.
    #[serde(default = "default_share")]
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub share: f64,
    /// Method by which the area is divided among the vehicles.
    #[serde(default)]
    pub parts: SearchPartitionConfig,
}

/// Method by which a search area is divided among the vehicles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Parts")]
pub enum SearchPartitionConfig {
    /// Each vehicle searches what is nearer to it than to any other vehicle: its Voronoi cell.
    #[default]
    Voronoi,
    /// Each vehicle searches what it wins in an auction of all that is left.
    Auction,
}

fn default_share() -> f64 {
    0.95
}

impl Default for TeamConfig {
    fn default() -> TeamConfig {
        TeamConfig {
            sharing: SharingConfig::default(),
            authority: None,
            rate: 10.0,
            concern: None,
            goals: Vec::new(),
            assignment: None,
            search: None,
            radio: RadioConfig::default(),
        }
    }
}

/// Method by which maps are shared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Sharing")]
pub enum SharingConfig {
    /// A central authority merges the changes that it receives and forwards them.
    #[default]
    Central,
    /// Whole maps, as in the MAVS study. At every exchange each vehicle sends its whole map to the
    /// authority, which sends the whole merged map to all.
    Whole,
    /// From vehicle to vehicle along direct links. Each sends what has changed since its last
    /// transmission.
    Peers,
}
