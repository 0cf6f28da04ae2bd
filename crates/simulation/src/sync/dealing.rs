//! Which rank drives which agent.

use std::fmt;
use std::str::FromStr;

/// A rule that deals agents to ranks. It does not change what happens, only
/// where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Dealing {
    /// Neighbours in the scenario stay together: as even as can be.
    #[default]
    Blocks,
    /// One after the other, in turn.
    RoundRobin,
    /// The rank of each agent.
    Listed(Vec<usize>),
}

/// Why agents cannot be dealt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DealingError {
    /// A rule that is none.
    #[error("`{text}` is no way to deal agents: give blocks, round-robin, or ranks like 0,0,1")]
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
    #[error("agent {agent} is dealt to rank {rank}, the last rank is {}", size - 1)]
    Rank {
        /// The agent.
        agent: usize,
        /// Its rank.
        rank: usize,
        /// Ranks there are.
        size: usize,
    },
}

impl Dealing {
    /// The rank of each of `agents` agents among `size` ranks.
    ///
    /// # Errors
    /// [`DealingError`] when a list does not fit agents or ranks.
    pub fn deal(&self, agents: usize, size: usize) -> Result<Vec<usize>, DealingError> {
        match self {
            Dealing::Blocks => Ok((0..agents).map(|agent| agent * size / agents).collect()),
            Dealing::RoundRobin => Ok((0..agents).map(|agent| agent % size).collect()),
            Dealing::Listed(ranks) if ranks.len() != agents => {
                Err(DealingError::Count { given: ranks.len(), agents })
            }
            Dealing::Listed(ranks) => {
                match ranks.iter().enumerate().find(|&(_, &rank)| rank >= size) {
                    Some((agent, &rank)) => Err(DealingError::Rank { agent, rank, size }),
                    None => Ok(ranks.clone()),
                }
            }
        }
    }
}

impl FromStr for Dealing {
    type Err = DealingError;

    fn from_str(text: &str) -> Result<Dealing, DealingError> {
        match text {
            "blocks" => Ok(Dealing::Blocks),
            "round-robin" => Ok(Dealing::RoundRobin),
            _ => {
                let ranks = text.split(',').map(|rank| rank.trim().parse());
                let listed = ranks.collect::<Result<_, _>>();
                listed
                    .map(Dealing::Listed)
                    .map_err(|_| DealingError::Unknown { text: text.to_owned() })
            }
        }
    }
}

impl fmt::Display for Dealing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dealing::Blocks => write!(f, "blocks"),
            Dealing::RoundRobin => write!(f, "round-robin"),
            Dealing::Listed(ranks) => {
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
        assert_eq!(Dealing::Blocks.deal(5, 2).unwrap(), [0, 0, 0, 1, 1]);
        assert_eq!(Dealing::Blocks.deal(2, 4).unwrap(), [0, 2]);
        assert_eq!(Dealing::RoundRobin.deal(3, 2).unwrap(), [0, 1, 0]);
        assert_eq!(Dealing::Blocks.deal(0, 2).unwrap(), Vec::<usize>::new());
    }

    #[test]
    fn refuses_lists_that_do_not_fit() {
        let listed: Dealing = "0, 0,3".parse().unwrap();
        assert_eq!(listed.deal(3, 4).unwrap(), [0, 0, 3]);
        let error = listed.deal(3, 3).unwrap_err().to_string();
        assert_eq!(error, "agent 2 is dealt to rank 3, the last rank is 2");
        let error = listed.deal(4, 4).unwrap_err().to_string();
        assert_eq!(error, "ranks are given for 3 agents, there are 4");
        assert!("0,one".parse::<Dealing>().is_err());
    }
}
