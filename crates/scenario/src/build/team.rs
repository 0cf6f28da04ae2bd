//! The team of a scenario's autonomous vehicles.

use super::radio::{period_us, radio};
use crate::config::{self, Driver, Scenario};
use bekker_agent::{Assignment, MapSharing, SearchPartition, Task, Team};
use bekker_math::random::RandomStream;

/// The team of a scenario; the cross-checks ensure that its authority exists.
pub(super) fn team(scenario: &Scenario) -> Option<Team> {
    let config = scenario.team.as_ref()?;
    let is_autonomous = |own: &config::Vehicle| matches!(own.driver, Driver::Autonomous { .. });
    let authority = match &config.authority {
        Some(name) => scenario.vehicle.iter().position(|own| own.name == *name),
        None => scenario.vehicle.iter().position(is_autonomous),
    };
    Some(Team {
        sharing: match config.sharing {
            config::Sharing::Central => MapSharing::Central,
            config::Sharing::Whole => MapSharing::Whole,
            config::Sharing::Peers => MapSharing::Peers,
        },
        authority: authority?,
        period_us: period_us(config.rate),
        concern: config.concern,
        task: task(config),
        radio: radio(&config.radio, RandomStream::new(scenario.seed, "radio")),
    })
}

/// Returns the task of members that have no configured goal, if the team has one.
fn task(config: &config::Team) -> Option<Task> {
    if let Some(config::Search { area, share, parts }) = config.search {
        let [west, south, east, north] = area;
        let parts = match parts {
            config::SearchPartition::Voronoi => SearchPartition::Voronoi,
            config::SearchPartition::Auction => SearchPartition::Auction,
        };
        return Some(Task::Search { area: [[west, south], [east, north]], share, parts });
    }
    let assignment = match config.assignment {
        Some(config::Assignment::Auction) => Assignment::Auction,
        Some(config::Assignment::Nearest) | None => Assignment::Nearest,
    };
    let goals = config.goals.clone();
    (!goals.is_empty()).then_some(Task::Goals { goals, assignment })
}
