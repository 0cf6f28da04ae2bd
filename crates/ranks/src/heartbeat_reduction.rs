//! Values that all ranks must agree on at a heartbeat, where their messages do not contain them.

use crate::checked_encoding::{decode_checked, encode_with_crc};
use crate::collectives::Collectives;
use crate::rank_error::RankError;
use bekker_world::{MotionBounds, SharedObstacleChanges};
use serde::{Deserialize, Serialize};

/// One rank's values, and after the exchange those of all ranks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct HeartbeatReduction {
    /// Whether any agent still drives.
    pub drives: bool,
    pub quit: bool,
    pub motion_bounds: MotionBounds,
    /// An agent that may leave its region in the next heartbeat.
    pub outran: Option<u32>,
    /// Changes by agents to stems, ropes and bars.
    pub obstacle_changes: SharedObstacleChanges,
}

impl HeartbeatReduction {
    fn merged(self, other: HeartbeatReduction) -> HeartbeatReduction {
        HeartbeatReduction {
            drives: self.drives || other.drives,
            quit: self.quit || other.quit,
            motion_bounds: self.motion_bounds.max(other.motion_bounds),
            outran: self.outran.into_iter().chain(other.outran).min(),
            obstacle_changes: self.obstacle_changes.merged(other.obstacle_changes),
        }
    }

    /// Returns the verdict of all ranks in ⌈log2 n⌉ rounds for n ranks.
    ///
    /// In each round a rank receives from a rank twice as far away as in the round before. (D.
    /// Hensgen, R. Finkel and U. Manber, Two algorithms for barrier synchronization, 1988.)
    pub fn reduce(
        self,
        collectives: &mut Collectives<'_>,
    ) -> Result<HeartbeatReduction, RankError> {
        let (here, size, tick) = (collectives.rank(), collectives.size(), collectives.tick());
        let (mut joined, mut away) = (self, 1);
        while away < size {
            let bytes = encode_with_crc(&joined);
            let (to, from) = ((here + away) % size, (here + size - away) % size);
            collectives.send_and_receive(&[(to, &bytes)], &[from])?;
            joined = joined.merged(decode_checked(from, tick, "verdict", collectives.part(0))?);
            away *= 2;
        }
        Ok(joined)
    }
}
