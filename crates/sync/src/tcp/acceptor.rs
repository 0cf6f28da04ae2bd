//! Accepts connections of other ranks and rejects those that may not join.

use super::deadline_stream::DeadlineStream;
use super::handshake::{JoinHello, Nonce, server_handshake};
use crate::PendingConnections;
use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Timeout of a whole handshake, however its bytes are spread.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);
/// Interval between two polls of the listener: while ranks are missing, and afterwards.
const POLL_INTERVALS: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(200)];
/// Maximum number of concurrent handshakes, unless there are more ranks. Beyond it the oldest are
/// dropped.
const MAX_HANDSHAKES: usize = 256;

/// Conditions that an acceptor checks.
#[derive(Debug)]
pub(super) struct AdmissionRules {
    pub program: String,
    pub token: String,
    /// The accepting rank. Only higher ranks are admitted.
    pub host: usize,
    pub size: usize,
    /// The run's nonce, drawn by rank 0. `None` at rank 0's own acceptor.
    pub run: Option<Nonce>,
}

/// A rank that was admitted.
#[derive(Debug)]
pub(super) struct Participant {
    pub rank: usize,
    pub stream: TcpStream,
    /// Address of the rank's own acceptor.
    pub address: SocketAddr,
}

/// An acceptor, open until it is dropped.
#[derive(Debug)]
pub(super) struct Acceptor {
    pub participants: Receiver<Participant>,
    table: Arc<JoinTable>,
}

/// State shared by the threads of an acceptor.
#[derive(Debug)]
struct JoinTable {
    admission: AdmissionRules,
    /// Address from which each rank has connected.
    taken: Mutex<Vec<Option<SocketAddr>>>,
    /// Time at which the last rank joined.
    complete: Mutex<Option<Instant>>,
    pending: Mutex<PendingConnections<TcpStream>>,
    is_closed: AtomicBool,
}

impl Acceptor {
    /// Opens an acceptor with its own thread.
    pub fn open(listener: TcpListener, admission: AdmissionRules) -> io::Result<Acceptor> {
        listener.set_nonblocking(true)?;
        let (to, from) = channel();
        let table = Arc::new(JoinTable {
            taken: Mutex::new(vec![None; admission.size]),
            complete: Mutex::new(None),
            pending: Mutex::new(PendingConnections::new(MAX_HANDSHAKES.max(admission.size))),
            is_closed: AtomicBool::new(false),
            admission,
        });
        let own = table.clone();
        std::thread::Builder::new().name("acceptor".into()).spawn(move || {
            while !own.is_closed.load(Ordering::Relaxed) {
                match listener.accept() {
                    Ok((stream, from)) => JoinTable::accept_connection(&own, stream, from, &to),
                    Err(_) => std::thread::sleep(POLL_INTERVALS[usize::from(own.is_complete())]),
                }
            }
        })?;
        Ok(Acceptor { participants: from, table })
    }
}

impl Drop for Acceptor {
    fn drop(&mut self) {
        self.table.is_closed.store(true, Ordering::Relaxed);
    }
}

impl JoinTable {
    fn is_complete(&self) -> bool {
        self.complete.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Handles a new connection in a separate thread.
    fn accept_connection(
        table: &Arc<JoinTable>,
        stream: TcpStream,
        from: SocketAddr,
        to: &Sender<Participant>,
    ) {
        let Ok(own) = stream.try_clone() else { return };
        let (number, dropped) = table.pending().add(Some(from.ip()), own);
        if let Some(dropped) = dropped {
            // this ends the thread of the dropped connection
            let _ = dropped.shutdown(Shutdown::Both);
        }
        let (own, to) = (table.clone(), to.clone());
        let thread = std::thread::Builder::new().name("participant".into());
        let started = thread.spawn(move || {
            // a client that does not complete the handshake is disconnected without an answer
            let result = own.perform_handshake(stream, from, number);
            own.pending().remove(number);
            if let Ok(Some(participant)) = result {
                // the receiver is dropped once no rank is awaited
                let _ = to.send(participant);
            }
        });
        if started.is_err() {
            table.pending().remove(number);
        }
    }

    fn pending(&self) -> MutexGuard<'_, PendingConnections<TcpStream>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Performs the handshake on the pending connection `number`.
    ///
    /// The connection is removed from the pending set before the peer is admitted. So an admitted
    /// peer is never dropped in favor of others.
    fn perform_handshake(
        &self,
        stream: TcpStream,
        from: SocketAddr,
        number: u64,
    ) -> io::Result<Option<Participant>> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        let mut rank = None;
        let mut timed =
            DeadlineStream { stream: &stream, until: Instant::now() + HANDSHAKE_TIMEOUT };
        let result = server_handshake(&mut timed, &self.admission.token, |hello| {
            if self.pending().remove(number).is_none() {
                return Err("connection dropped: too many connections were pending".into());
            }
            rank = Some(self.admit(hello, from)?);
            Ok(())
        });
        match (result, rank) {
            (Ok(Some(hello)), Some(rank)) => {
                let address = SocketAddr::new(from.ip(), hello.port);
                Ok(Some(Participant { rank, stream, address }))
            }
            (result, rank) => {
                // a peer that disconnects before it receives the answer may connect again
                if let (Err(_), Some(rank)) = (&result, rank) {
                    let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
                    taken[rank] = None;
                }
                result.map(|_| None)
            }
        }
    }

    /// Returns the rank of an admissible peer, or the reason for rejecting it.
    fn admit(&self, hello: &JoinHello, from: SocketAddr) -> Result<usize, String> {
        let AdmissionRules { program, host, size, run, .. } = &self.admission;
        let rank = hello.rank as usize;
        if hello.program != *program {
            return Err(format!("rank {rank} runs {}, rank {host} runs {program}", hello.program));
        }
        if hello.size as usize != *size {
            return Err(format!(
                "rank {rank} expects {} ranks, rank {host} expects {size}",
                hello.size
            ));
        }
        if hello.run != *run {
            return Err(format!("rank {rank} belongs to another run than rank {host}"));
        }
        if rank <= *host || rank >= *size {
            let last = size - 1;
            return Err(format!("rank {rank} cannot join; allowed: {} to {last}", host + 1));
        }
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let mut complete = self.complete.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(other) = taken[rank] {
            let late = complete.map_or(String::new(), |since| {
                let since = since.elapsed().as_secs();
                format!("; all {size} ranks joined {since} s ago, late join is not supported")
            });
            return Err(format!("rank {rank} has already joined, from {other}{late}"));
        }
        taken[rank] = Some(from);
        if taken.iter().skip(host + 1).all(Option::is_some) {
            *complete = Some(Instant::now());
        }
        Ok(rank)
    }
}
