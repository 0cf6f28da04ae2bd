//! Messages from one process to another under MPI, whenever they come: for work that is dealt, not
//! for heartbeats, which all exchange together.

use super::mpi::MpiSession;
use mpi::point_to_point::MatchedReceiveVec as _;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator as _, Destination as _, Source as _};

/// Tag of these messages.
const TAG: i32 = 9;

/// This process among those that send each other messages. To be used by one thread alone: the
/// one that MPI began on.
pub struct PointToPoint {
    world: SimpleCommunicator,
}

impl MpiSession {
    /// This process as one that sends and receives messages.
    pub fn point_to_point(&self) -> PointToPoint {
        PointToPoint { world: self.world() }
    }
}

impl PointToPoint {
    /// Number of this process.
    pub fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    /// How many there are.
    pub fn size(&self) -> usize {
        self.world.size() as usize
    }

    /// Sends bytes to another; may wait until it looks for them.
    pub fn send(&self, to: usize, message: &[u8]) {
        self.world.process_at_rank(to as i32).send_with_tag(message, TAG);
    }

    /// The next message that has come, with who sent it; none if none has.
    pub fn receive(&self) -> Option<(usize, Vec<u8>)> {
        let (message, status) = self.world.any_process().immediate_matched_probe_with_tag(TAG)?;
        let from = status.source_rank() as usize;
        let (bytes, _) = (message, status).matched_receive_vec::<u8>();
        Some((from, bytes))
    }
}
