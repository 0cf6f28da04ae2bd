//! Why ranks cannot go on together.

use bekker_sync::message::MessageFault;
use bekker_sync::{CommError, PartitionError};
use bekker_world::CommandError;

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
    /// Agents that cannot be partitioned.
    #[error(transparent)]
    Partition(#[from] PartitionError),
    /// An agent that cannot be put where all ranks want it.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// A rank whose ground is not that of the others.
    #[error(
        "at tick {tick} the ground on rank {rank} is another than on rank 0, though they were \
         told the same: no result of this run can be trusted; compare the machines' memory and \
         builds, and go on from an earlier checkpoint"
    )]
    Diverged {
        /// The first that differs from rank 0.
        rank: usize,
        /// When it was noticed, steps.
        tick: u64,
    },
    /// An agent that leapt out of the region that it announced, within one heartbeat.
    #[error(
        "at tick {tick} vehicle {agent} (counted from 0) has leapt farther in one heartbeat than \
         the route to neighbours allows for: take --route all"
    )]
    Outran {
        /// Which.
        agent: usize,
        /// When, steps.
        tick: u64,
    },
    /// Ranks of which one was interrupted before they began.
    #[error("interrupted while vehicles were set down: nothing was driven")]
    Interrupted,
    /// More ranks than the protocol counts.
    #[error("{size} ranks; at most {} can take part", u16::MAX)]
    TooMany {
        /// Ranks there are.
        size: usize,
    },
}

impl RankError {
    /// Whether all ranks find the same at the same time, so that none waits for another.
    pub fn is_shared(&self) -> bool {
        match self {
            RankError::Lost { .. } | RankError::Corrupt { .. } | RankError::Outran { .. } => false,
            RankError::Disagreement { .. }
            | RankError::Partition(_)
            | RankError::Command(_)
            | RankError::Diverged { .. }
            | RankError::Interrupted
            | RankError::TooMany { .. } => true,
        }
    }

    /// The ranks that cannot be counted on any more.
    pub fn lost(&self) -> Vec<usize> {
        match self {
            RankError::Lost { source: CommError::Silent { ranks, .. }, .. } => ranks.clone(),
            RankError::Lost {
                source:
                    CommError::Gone { rank }
                    | CommError::Length { rank, .. }
                    | CommError::Checksum { rank, .. },
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
