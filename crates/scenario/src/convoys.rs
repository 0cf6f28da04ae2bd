//! The convoys of a scenario: the leader and the head of each vehicle.

use super::config::{DriverConfig, VehicleConfig};
use std::collections::BTreeMap;

/// The convoys of all vehicles of a scenario, computed once.
///
/// Names are looked up in an ordered map, so that the cost stays near linear for 10,000 vehicles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Convoys {
    leaders: Vec<Option<usize>>,
    heads: Vec<Option<usize>>,
}

impl Convoys {
    /// Finds the convoys of `vehicles`.
    pub fn new(vehicles: &[VehicleConfig]) -> Convoys {
        let named = indices_by_name(vehicles);
        let leader = |vehicle: &VehicleConfig| match &vehicle.driver {
            DriverConfig::Follow { leader, .. } => named.get(leader.as_str()).copied(),
            _ => None,
        };
        let leaders: Vec<Option<usize>> = vehicles.iter().map(leader).collect();
        let heads = heads(&leaders);
        Convoys { leaders, heads }
    }

    /// Index of the vehicle that this one follows, if it exists.
    pub fn leader(&self, vehicle: usize) -> Option<usize> {
        self.leaders[vehicle]
    }

    /// Number of vehicles ahead of this one in its convoy.
    pub fn place(&self, vehicle: usize) -> usize {
        let ahead = std::iter::successors(self.leaders[vehicle], |&at| self.leaders[at]);
        // a ring of followers is refused elsewhere
        ahead.take(self.leaders.len()).count()
    }

    /// Index of the vehicle at the head of this vehicle's convoy.
    ///
    /// A vehicle that follows none is its own head. `None` if the chain of leaders ends in a ring.
    pub fn head(&self, vehicle: usize) -> Option<usize> {
        self.heads[vehicle]
    }

    /// The ring of followers that contains this vehicle, which is both first and last in the list.
    pub fn cycle(&self, vehicle: usize) -> Option<Vec<usize>> {
        let mut cycle = vec![vehicle];
        let mut at = vehicle;
        while let Some(next) = self.leaders[at].filter(|_| cycle.len() <= self.leaders.len()) {
            cycle.push(next);
            if next == vehicle {
                return Some(cycle);
            }
            at = next;
        }
        None
    }
}

/// Indices of the vehicles by name; the first one if several share a name.
pub(super) fn indices_by_name(vehicles: &[VehicleConfig]) -> BTreeMap<&str, usize> {
    // in reverse, so that the first vehicle of a name is inserted last and wins
    vehicles.iter().enumerate().rev().map(|(index, own)| (own.name.as_str(), index)).collect()
}

/// The last leader of each vehicle's chain; `None` if the chain ends in a ring.
fn heads(leaders: &[Option<usize>]) -> Vec<Option<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum VisitState {
        No,
        OnPath,
        Done(Option<usize>),
    }
    let mut seen = vec![VisitState::No; leaders.len()];
    for vehicle in 0..leaders.len() {
        let (mut at, mut visited) = (vehicle, Vec::new());
        let head = loop {
            match seen[at] {
                VisitState::Done(head) => break head,
                VisitState::OnPath => break None,
                VisitState::No => {}
            }
            seen[at] = VisitState::OnPath;
            visited.push(at);
            match leaders[at] {
                Some(next) => at = next,
                None => break Some(at),
            }
        };
        visited.into_iter().for_each(|passed| seen[passed] = VisitState::Done(head));
    }
    let head = |seen: VisitState| if let VisitState::Done(head) = seen { head } else { None };
    seen.into_iter().map(head).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn convoys(leaders: &[Option<usize>]) -> Convoys {
        Convoys { leaders: leaders.to_vec(), heads: heads(leaders) }
    }

    #[test]
    fn every_vehicle_has_the_head_of_its_convoy() {
        let own = convoys(&[None, Some(0), Some(1), None, Some(3), Some(2)]);
        assert_eq!(own.heads, [0, 0, 0, 3, 3, 0].map(Some));
        assert_eq!(own.leader(5), Some(2));
        assert_eq!(own.cycle(5), None);
    }

    /// A vehicle that follows a member of a ring is not itself in the ring.
    #[test]
    fn a_ring_has_no_head() {
        let own = convoys(&[Some(2), Some(0), Some(1), Some(0), None]);
        assert_eq!(own.heads, [None, None, None, None, Some(4)]);
        assert_eq!(own.cycle(1), Some(vec![1, 0, 2, 1]));
        assert_eq!(own.cycle(3), None);
    }
}
