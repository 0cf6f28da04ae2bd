//! Why ranks cannot go on together.

use crate::sync::message::MessageFault;
use crate::sync::{CommError, DealingError};

/// Why ranks cannot go on together.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RankError {
    /// A rank that is gone or silent.
    #[error("at tick {tick}: {source}")]
    Lost {
        /// When it was noticed, steps.
        tick: u64,
        /// Who and how.
        source: CommError,
    },
    /// Vehicles that look farther than neighbours tell.
    #[error("cameras and lidars see farther than the route to neighbours tells: take all or star")]
    Shortsighted,
    /// A message that cannot be used.
    #[error("corrupt {kind} from rank {rank} at tick {tick}: {fault}")]
    Corrupt {
        /// Sending rank.
        rank: usize,
        /// When, steps.
        tick: u64,
        /// What it should have been.
        kind: &'static str,
        /// What is wrong with it.
        fault: MessageFault,
    },
    /// Ranks that would not run the same scenario.
    #[error("rank {rank} has {key} = {theirs}, rank {here} has {ours}")]
    Disagreement {
        /// The first rank that differs.
        rank: usize,
        /// This rank.
        here: usize,
        /// The first key that differs.
        key: String,
        /// That rank's value.
        theirs: String,
        /// This rank's value.
        ours: String,
    },
    /// Agents that cannot be dealt.
    #[error(transparent)]
    Dealing(#[from] DealingError),
    /// An agent that was faster than the census allows for.
    #[error("agent {agent} has left the region that it announced before tick {tick}")]
    Outran {
        /// Which.
        agent: usize,
        /// When, steps.
        tick: u64,
    },
    /// More ranks than the protocol counts.
    #[error("{size} ranks; at most {} can take part", u16::MAX)]
    TooMany {
        /// Ranks there are.
        size: usize,
    },
}

impl RankError {
    /// The ranks that cannot be counted on any more.
    pub fn lost(&self) -> Vec<usize> {
        match self {
            RankError::Lost { source: CommError::Silent { ranks, .. }, .. } => ranks.clone(),
            RankError::Lost {
                source: CommError::Gone { rank } | CommError::Length { rank, .. },
                ..
            }
            | RankError::Corrupt { rank, .. } => vec![*rank],
            _ => Vec::new(),
        }
    }

    /// Steps that all had taken together when it happened, if it happened on
    /// the way.
    pub fn tick(&self) -> Option<u64> {
        match self {
            RankError::Lost { tick, .. } | RankError::Corrupt { tick, .. } => Some(*tick),
            _ => None,
        }
    }
}
