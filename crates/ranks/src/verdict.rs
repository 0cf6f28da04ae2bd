//! Values that all ranks must agree on at a heartbeat, where their messages do not contain them.

use crate::rank_error::RankError;
use crate::ranks::Ranks;
use crate::sealed::{opened, sealed};
use bekker_world::{FastestMotion, Wear};
use serde::{Deserialize, Serialize};

/// One rank's values, and after the exchange those of all ranks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Verdict {
    /// Whether any agent still drives.
    pub drives: bool,
    pub quit: bool,
    pub fastest_motion: FastestMotion,
    /// An agent that may leave its region in the next heartbeat.
    pub outran: Option<u32>,
    /// Changes by agents to stems, ropes and bars.
    pub wear: Wear,
}

impl Verdict {
    fn or(self, other: Verdict) -> Verdict {
        Verdict {
            drives: self.drives || other.drives,
            quit: self.quit || other.quit,
            fastest_motion: self.fastest_motion.or(other.fastest_motion),
            outran: self.outran.into_iter().chain(other.outran).min(),
            wear: self.wear.or(other.wear),
        }
    }
}

impl Ranks<'_> {
    /// Returns the verdict of all ranks in ⌈log2 n⌉ rounds for n ranks.
    ///
    /// In each round a rank receives from a rank twice as far away as in the round before. (D.
    /// Hensgen, R. Finkel and U. Manber, Two algorithms for barrier synchronization, 1988.)
    pub(crate) fn joined(&mut self, own: Verdict) -> Result<Verdict, RankError> {
        let (here, size, tick) = (self.rank(), self.size(), self.tick());
        let (mut joined, mut away) = (own, 1);
        while away < size {
            let bytes = sealed(&joined);
            let (to, from) = ((here + away) % size, (here + size - away) % size);
            self.pass(&[(to, &bytes)], &[from])?;
            joined = joined.or(opened(from, tick, "verdict", self.incoming.part(0))?);
            away *= 2;
        }
        Ok(joined)
    }
}
