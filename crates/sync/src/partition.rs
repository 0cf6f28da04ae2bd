//! Assignment of agents to ranks.

use std::fmt;
use std::str::FromStr;

/// A rule that assigns agents to ranks. It does not affect results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Partition {
    /// Consecutive agents of the scenario share a rank; counts are as equal as possible.
    #[default]
    Blocks,
    /// Agents are assigned to ranks in turn.
    RoundRobin,
    /// Agents that are close to each other on the ground share a rank ([`partition_by_position`]).
    Place,
    /// An explicit rank for each agent.
    Listed(Vec<usize>),
}

/// Reason why agents cannot be partitioned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartitionError {
    /// The text names no rule.
    #[error(
        "`{text}` is not a partition of vehicles: must be blocks, round-robin, place, or ranks \
         such as 0,0,1"
    )]
    Unknown {
        /// The text as given.
        text: String,
    },
    /// The length of a list differs from the number of agents.
    #[error("{given} ranks for {agents} vehicles; give one rank per vehicle")]
    Count {
        /// Number of ranks listed.
        given: usize,
        /// Number of agents.
        agents: usize,
    },
    /// A list contains a rank that does not exist.
    #[error("vehicle {agent} is assigned to rank {rank}, but the last rank is {}", size - 1)]
    Rank {
        /// Number of the agent.
        agent: usize,
        /// The rank given for it.
        rank: usize,
        /// Number of ranks.
        size: usize,
    },
}

impl Partition {
    /// Returns the rank of each agent among `size` ranks, from the agents' positions (x, y), m.
    ///
    /// # Errors
    /// [`PartitionError`] when a list does not fit agents or ranks.
    pub fn partition(
        &self,
        places: &[[f64; 2]],
        size: usize,
    ) -> Result<Vec<usize>, PartitionError> {
        let agents = places.len();
        self.check(agents, size)?;
        match self {
            Partition::Place => Ok(partition_by_position(places, &vec![1.0; agents], size)),
            Partition::Blocks => Ok((0..agents).map(|agent| agent * size / agents).collect()),
            Partition::RoundRobin => Ok((0..agents).map(|agent| agent % size).collect()),
            Partition::Listed(ranks) => Ok(ranks.clone()),
        }
    }

    /// Checks that this rule can partition `agents` agents among `size` ranks.
    ///
    /// # Errors
    /// As of [`Partition::partition`].
    pub fn check(&self, agents: usize, size: usize) -> Result<(), PartitionError> {
        let Partition::Listed(ranks) = self else { return Ok(()) };
        if ranks.len() != agents {
            return Err(PartitionError::Count { given: ranks.len(), agents });
        }
        match ranks.iter().enumerate().find(|&(_, &rank)| rank >= size) {
            Some((agent, &rank)) => Err(PartitionError::Rank { agent, rank, size }),
            None => Ok(()),
        }
    }
}

/// Returns the rank of each agent, from its position (x, y), m, and its cost.
///
/// Agents are ordered along a Hilbert curve over all of them. The curve is cut into pieces of costs
/// that are as equal as the agents allow. (J. J. Bartholdi III and L. K. Platzman, Heuristics based
/// on spacefilling curves, 1988; for load balancing, S. Aluru and F. Sevilgen, Parallel domain
/// decomposition and load balancing using space-filling curves, 1997.)
pub fn partition_by_position(places: &[[f64; 2]], costs: &[f64], size: usize) -> Vec<usize> {
    let known = |axis: usize| places.iter().map(move |at| at[axis]).filter(|at| at.is_finite());
    let lowest = [0, 1].map(|axis| known(axis).fold(f64::INFINITY, f64::min));
    let side = [0, 1].map(|axis| known(axis).fold(f64::NEG_INFINITY, f64::max) - lowest[axis]);
    let side = side[0].max(side[1]).max(f64::MIN_POSITIVE);
    // positions that are not finite map to the lowest corner: casting NaN gives 0
    let cell = |at: f64, lowest: f64| ((at - lowest) / side * f64::from(u16::MAX)) as u16;
    let along = |&[x, y]: &[f64; 2]| {
        fast_hilbert::xy2h(cell(x, lowest[0]), cell(y, lowest[1]), u16::BITS as u8)
    };
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by_key(|&agent| (along(&places[agent]), agent));
    let total: f64 = costs.iter().sum();
    let (mut ranks, mut before) = (vec![0; places.len()], 0.0);
    for agent in order {
        // the middle of its share of the cumulated cost decides
        let share = (before + 0.5 * costs[agent]) / total;
        ranks[agent] = ((share * size as f64) as usize).min(size - 1);
        before += costs[agent];
    }
    ranks
}

impl FromStr for Partition {
    type Err = PartitionError;

    fn from_str(text: &str) -> Result<Partition, PartitionError> {
        match text {
            "blocks" => Ok(Partition::Blocks),
            "round-robin" => Ok(Partition::RoundRobin),
            "place" => Ok(Partition::Place),
            _ => {
                let ranks = text.split(',').map(|rank| rank.trim().parse());
                let listed = ranks.collect::<Result<_, _>>();
                listed
                    .map(Partition::Listed)
                    .map_err(|_| PartitionError::Unknown { text: text.to_owned() })
            }
        }
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Partition::Blocks => write!(f, "blocks"),
            Partition::RoundRobin => write!(f, "round-robin"),
            Partition::Place => write!(f, "place"),
            Partition::Listed(ranks) => {
                let ranks: Vec<String> = ranks.iter().map(usize::to_string).collect();
                write!(f, "{}", ranks.join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOWHERE: [f64; 2] = [0.0; 2];

    #[test]
    fn deals_more_agents_than_ranks_and_more_ranks_than_agents() {
        assert_eq!(Partition::Blocks.partition(&[NOWHERE; 5], 2).unwrap(), [0, 0, 0, 1, 1]);
        assert_eq!(Partition::Blocks.partition(&[NOWHERE; 2], 4).unwrap(), [0, 2]);
        assert_eq!(Partition::RoundRobin.partition(&[NOWHERE; 3], 2).unwrap(), [0, 1, 0]);
        assert_eq!(Partition::Blocks.partition(&[], 2).unwrap(), Vec::<usize>::new());
        assert_eq!(Partition::Place.partition(&[], 2).unwrap(), Vec::<usize>::new());
        assert_eq!(Partition::Place.partition(&[NOWHERE; 2], 4).unwrap(), [1, 3]);
    }

    #[test]
    fn refuses_lists_that_do_not_fit() {
        let listed: Partition = "0, 0,3".parse().unwrap();
        assert_eq!(listed.partition(&[NOWHERE; 3], 4).unwrap(), [0, 0, 3]);
        let error = listed.partition(&[NOWHERE; 3], 3).unwrap_err().to_string();
        assert_eq!(error, "vehicle 2 is assigned to rank 3, but the last rank is 2");
        let error = listed.partition(&[NOWHERE; 4], 4).unwrap_err().to_string();
        assert_eq!(error, "3 ranks for 4 vehicles; give one rank per vehicle");
        assert!("0,one".parse::<Partition>().is_err());
    }

    /// Two distant groups get a rank each, whatever their numbering. An agent with half of the
    /// total cost fills a rank alone. A position that is not finite does no harm.
    #[test]
    fn close_agents_stay_together_and_costs_are_balanced() {
        let near = |index: usize| [7.0 * index as f64, 3.0];
        let far = |index: usize| [5_000.0 + 7.0 * index as f64, 4_000.0];
        let places: Vec<[f64; 2]> =
            (0..8).map(|index| if index % 2 == 0 { near(index) } else { far(index) }).collect();
        let ranks = partition_by_position(&places, &[1.0; 8], 2);
        assert!((0..8).all(|index| ranks[index] == ranks[index % 2]), "{ranks:?}");
        assert_ne!(ranks[0], ranks[1]);
        let mut costs = [1.0; 8];
        costs[6] = 7.0;
        let ranks = partition_by_position(&places, &costs, 2);
        assert_eq!(ranks.iter().filter(|&&rank| rank == ranks[6]).count() % 4, 0, "{ranks:?}");
        let mut lost = places.clone();
        lost[3] = [f64::NAN, f64::INFINITY];
        assert!(partition_by_position(&lost, &[1.0; 8], 3).iter().all(|&rank| rank < 3));
    }
}
