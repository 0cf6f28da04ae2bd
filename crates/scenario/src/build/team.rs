//! The team of a scenario's autonomous vehicles.

use super::radio::{period_us, radio};
use crate::config::{self, DriverConfig, Scenario};
use bekker_agent::{Assignment, MapSharing, SearchPartition, Team, TeamTask};
use bekker_math::random::RandomStream;

/// The team of a scenario; the cross-checks ensure that its authority exists.
pub(super) fn team(scenario: &Scenario) -> Option<Team> {
    let config = scenario.team.as_ref()?;
    let is_autonomous =
        |own: &config::VehicleConfig| matches!(own.driver, DriverConfig::Autonomous { .. });
    let authority = match &config.authority {
        Some(name) => scenario.vehicle.iter().position(|own| own.name == *name),
        None => scenario.vehicle.iter().position(is_autonomous),
    };
    Some(Team {
        sharing: match config.sharing {
            config::SharingConfig::Central => MapSharing::Central,
            config::SharingConfig::Whole => MapSharing::Whole,
            config::SharingConfig::Peers => MapSharing::Peers,
        },
        authority: authority?,
        period_us: period_us(config.rate),
        concern: config.concern,
        task: task(config),
        radio: radio(&config.radio, RandomStream::new(scenario.seed, "radio")),
    })
}

/// Returns the task of members that have no configured goal, if the team has one.
fn task(config: &config::TeamConfig) -> Option<TeamTask> {
    if let Some(config::SearchConfig { area, share, parts }) = config.search {
        let [west, south, east, north] = area;
        let parts = match parts {
            config::SearchPartitionConfig::Voronoi => SearchPartition::Voronoi,
            config::SearchPartitionConfig::Auction => SearchPartition::Auction,
        };
        return Some(TeamTask::Search { area: [[west, south], [east, north]], share, parts });
    }
    let assignment = match config.assignment {
        Some(config::AssignmentConfig::Auction) => Assignment::Auction,
        Some(config::AssignmentConfig::Nearest) | None => Assignment::Nearest,
    };
    let goals = config.goals.clone();
    (!goals.is_empty()).then_some(TeamTask::Goals { goals, assignment })
}
