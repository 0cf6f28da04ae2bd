//! Errors of ranks that share a world.

use bekker_sync::message::MessageFault;
use bekker_sync::{CommError, PartitionError};
use bekker_world::CommandError;

/// Reason why ranks cannot continue together.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RankError {
    /// A rank is lost or silent.
    #[error("at tick {tick}: {source}")]
    Lost {
        /// Step at which this was detected.
        tick: u64,
        /// The rank and the cause.
        source: CommError,
    },
    /// A message is invalid.
    #[error("corrupt {kind} from rank {rank} at tick {tick}: {fault}")]
    Corrupt {
        /// Sending rank.
        rank: usize,
        /// Step of the exchange.
        tick: u64,
        /// Expected kind of message.
        kind: &'static str,
        /// Fault of the message.
        fault: MessageFault,
    },
    /// Ranks were started with different scenarios or settings.
    #[error("rank {rank} has {key} = {theirs}, rank {here} has {ours}")]
    Disagreement {
        /// The first rank that differs.
        rank: usize,
        /// This rank.
        here: usize,
        /// The first key that differs.
        key: String,
        /// Value on the other rank.
        theirs: String,
        /// This rank's value.
        ours: String,
    },
    /// Agents cannot be partitioned.
    #[error(transparent)]
    Partition(#[from] PartitionError),
    /// An agent cannot be placed where all ranks request it.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// A rank's ground differs from that of the other ranks.
    #[error(
        "at tick {tick}, the ground on rank {rank} differs from that on rank 0, although both \
         received the same data. No result of this run is valid: compare the machines' memory and \
         builds, and resume from an earlier checkpoint"
    )]
    Diverged {
        /// The first rank that differs from rank 0.
        rank: usize,
        /// Step at which this was detected.
        tick: u64,
    },
    /// An agent left the region that it announced, within one heartbeat.
    #[error(
        "at tick {tick}, vehicle {agent} (counted from 0) moved farther in one heartbeat than the \
         route to neighbors allows: use --route all"
    )]
    Outran {
        /// Index of the agent.
        agent: usize,
        /// Step at which this was detected.
        tick: u64,
    },
    /// A rank was interrupted before the run started.
    #[error("interrupted while vehicles were placed: nothing was simulated")]
    Interrupted,
    /// There are more ranks than the protocol supports.
    #[error("{size} ranks; must be at most {}", u16::MAX)]
    TooMany {
        /// Number of ranks.
        size: usize,
    },
}

impl RankError {
    /// Whether all ranks return this error at the same time, so that none waits for another.
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

    /// Returns the ranks that are lost.
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

    /// Returns the number of steps that all ranks had completed, if the error occurred during the
    /// run.
    pub fn tick(&self) -> Option<u64> {
        match self {
            RankError::Lost { tick, .. } | RankError::Corrupt { tick, .. } => Some(*tick),
            _ => None,
        }
    }
}
