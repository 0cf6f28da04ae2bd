//! Limits on a listener's concurrent connections, separately for those with and without the token.

use super::stream::SocketStream;
use bekker_sync::PendingConnections;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum number of connections that have not presented the token. Beyond it the oldest are
/// dropped.
const MOST_PENDING: usize = 64;
/// Maximum number of connections that have presented the token. Further ones are rejected.
const MOST_ADMITTED: usize = 64;

/// The open connections of a listener.
pub(super) struct Admissions {
    pending: Mutex<PendingConnections<SocketStream>>,
    admitted: Mutex<usize>,
}

/// Registration of a connection at its listener, until it is dropped.
pub(super) struct ConnectionSlot {
    admissions: Arc<Admissions>,
    number: u64,
    is_admitted: Mutex<bool>,
}

/// Reason why a connection is not admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum AdmissionError {
    /// Too many connections have presented the token.
    #[error("{MOST_ADMITTED} connections are open, the maximum; close one and connect again")]
    Full,
    /// The connection was dropped because too many had not presented the token.
    #[error("the connection was dropped: too many connections were waiting")]
    Dropped,
}

impl Admissions {
    pub fn new() -> Arc<Admissions> {
        let pending = Mutex::new(PendingConnections::new(MOST_PENDING));
        Arc::new(Admissions { pending, admitted: Mutex::new(0) })
    }

    /// Registers a connection as pending. May drop another pending connection.
    pub fn enter(self: &Arc<Admissions>, stream: &SocketStream) -> io::Result<ConnectionSlot> {
        let own = stream.try_clone()?;
        let (number, dropped) = self.pending().add(stream.address(), own);
        if let Some(dropped) = dropped {
            dropped.shutdown();
        }
        let admissions = self.clone();
        Ok(ConnectionSlot { admissions, number, is_admitted: Mutex::new(false) })
    }

    fn pending(&self) -> MutexGuard<'_, PendingConnections<SocketStream>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn admitted(&self) -> MutexGuard<'_, usize> {
        self.admitted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionSlot {
    /// Moves the connection from the pending to the admitted ones.
    pub fn admit(&self) -> Result<(), AdmissionError> {
        let mut is_admitted = self.is_admitted.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_admitted {
            return Ok(());
        }
        let mut admitted = self.admissions.admitted();
        if *admitted >= MOST_ADMITTED {
            return Err(AdmissionError::Full);
        }
        if self.admissions.pending().remove(self.number).is_none() {
            return Err(AdmissionError::Dropped);
        }
        *admitted += 1;
        *is_admitted = true;
        Ok(())
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        if *self.is_admitted.get_mut().unwrap_or_else(PoisonError::into_inner) {
            *self.admissions.admitted() -= 1;
        } else {
            self.admissions.pending().remove(self.number);
        }
    }
}
