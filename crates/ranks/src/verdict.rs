//! Values that all ranks must agree on at a heartbeat, where their messages do not contain them.

use crate::collectives::Collectives;
use crate::rank_error::RankError;
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

    /// Returns the verdict of all ranks in ⌈log2 n⌉ rounds for n ranks.
    ///
    /// In each round a rank receives from a rank twice as far away as in the round before. (D.
    /// Hensgen, R. Finkel and U. Manber, Two algorithms for barrier synchronization, 1988.)
    pub fn agreed(self, collectives: &mut Collectives<'_>) -> Result<Verdict, RankError> {
        let (here, size, tick) = (collectives.rank(), collectives.size(), collectives.tick());
        let (mut joined, mut away) = (self, 1);
        while away < size {
            let bytes = sealed(&joined);
            let (to, from) = ((here + away) % size, (here + size - away) % size);
            collectives.pass(&[(to, &bytes)], &[from])?;
            joined = joined.or(opened(from, tick, "verdict", collectives.part(0))?);
            away *= 2;
        }
        Ok(joined)
    }
}
