//! Asynchronous messages between two MPI processes.
//!
//! They distribute work. Heartbeats use the collective exchanges of the communicator instead.

use super::mpi::MpiSession;
use mpi::point_to_point::MatchedReceiveVec as _;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator as _, Destination as _, Source as _};

/// MPI tag of these messages.
const TAG: i32 = 9;

/// Endpoint for point-to-point messages of this process.
///
/// Only the thread that initialized MPI may use it.
pub struct PointToPoint {
    world: SimpleCommunicator,
}

impl MpiSession {
    /// Returns the endpoint for point-to-point messages of this process.
    pub fn point_to_point(&self) -> PointToPoint {
        PointToPoint { world: self.world() }
    }
}

impl PointToPoint {
    /// Returns the number of this process.
    pub fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    /// Returns the number of processes.
    pub fn size(&self) -> usize {
        self.world.size() as usize
    }

    /// Sends bytes to another process. May block until that process receives.
    pub fn send(&self, to: usize, message: &[u8]) {
        self.world.process_at_rank(to as i32).send_with_tag(message, TAG);
    }

    /// Returns the next message that has arrived with its sender, or `None`.
    pub fn receive(&self) -> Option<(usize, Vec<u8>)> {
        let (message, status) = self.world.any_process().immediate_matched_probe_with_tag(TAG)?;
        let from = status.source_rank() as usize;
        let (bytes, _) = (message, status).matched_receive_vec::<u8>();
        Some((from, bytes))
    }
}
