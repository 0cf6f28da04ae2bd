//! Which rank drives which agent.

use std::fmt;
use std::str::FromStr;

/// A rule that partitions agents among ranks. It does not change what happens, only
/// where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Partition {
    /// Neighbours in the scenario stay together: as even as can be.
    #[default]
    Blocks,
    /// One after the other, in turn.
    RoundRobin,
    /// The rank of each agent.
    Listed(Vec<usize>),
}

/// Why agents cannot be partitioned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartitionError {
    /// A rule that is none.
    #[error("`{text}` is no partition of agents: give blocks, round-robin, or ranks like 0,0,1")]
    Unknown {
        /// As given.
        text: String,
    },
    /// A list that does not fit the agents.
    #[error("ranks are given for {given} agents, there are {agents}")]
    Count {
        /// Ranks listed.
        given: usize,
        /// Agents there are.
        agents: usize,
    },
    /// A rank that there is not.
    #[error("agent {agent} is given to rank {rank}, the last rank is {}", size - 1)]
    Rank {
        /// The agent.
        agent: usize,
        /// Its rank.
        rank: usize,
        /// Ranks there are.
        size: usize,
    },
}

impl Partition {
    /// The rank of each of `agents` agents among `size` ranks.
    ///
    /// # Errors
    /// [`PartitionError`] when a list does not fit agents or ranks.
    pub fn partition(&self, agents: usize, size: usize) -> Result<Vec<usize>, PartitionError> {
        match self {
            Partition::Blocks => Ok((0..agents).map(|agent| agent * size / agents).collect()),
            Partition::RoundRobin => Ok((0..agents).map(|agent| agent % size).collect()),
            Partition::Listed(ranks) if ranks.len() != agents => {
                Err(PartitionError::Count { given: ranks.len(), agents })
            }
            Partition::Listed(ranks) => {
                match ranks.iter().enumerate().find(|&(_, &rank)| rank >= size) {
                    Some((agent, &rank)) => Err(PartitionError::Rank { agent, rank, size }),
                    None => Ok(ranks.clone()),
                }
            }
        }
    }
}

impl FromStr for Partition {
    type Err = PartitionError;

    fn from_str(text: &str) -> Result<Partition, PartitionError> {
        match text {
            "blocks" => Ok(Partition::Blocks),
            "round-robin" => Ok(Partition::RoundRobin),
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

    #[test]
    fn deals_more_agents_than_ranks_and_more_ranks_than_agents() {
        assert_eq!(Partition::Blocks.partition(5, 2).unwrap(), [0, 0, 0, 1, 1]);
        assert_eq!(Partition::Blocks.partition(2, 4).unwrap(), [0, 2]);
        assert_eq!(Partition::RoundRobin.partition(3, 2).unwrap(), [0, 1, 0]);
        assert_eq!(Partition::Blocks.partition(0, 2).unwrap(), Vec::<usize>::new());
    }

    #[test]
    fn refuses_lists_that_do_not_fit() {
        let listed: Partition = "0, 0,3".parse().unwrap();
        assert_eq!(listed.partition(3, 4).unwrap(), [0, 0, 3]);
        let error = listed.partition(3, 3).unwrap_err().to_string();
        assert_eq!(error, "agent 2 is given to rank 3, the last rank is 2");
        let error = listed.partition(4, 4).unwrap_err().to_string();
        assert_eq!(error, "ranks are given for 3 agents, there are 4");
        assert!("0,one".parse::<Partition>().is_err());
    }
}
