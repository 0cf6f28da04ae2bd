//! Rendezvous: processes join rank 0 and become the ranks of one run.

use super::Tcp;
use super::acceptor::{Acceptor, AdmissionRules, Participant};
use super::deadline_stream::DeadlineStream;
use super::handshake::{self, Addresses, HandshakeError, JoinHello, client_handshake, nonce};
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// Interval between two attempts to reach a rank, which may start later.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);
/// Interval between two checks whether to continue waiting.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Timeout for one connection attempt and for one complete answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// Reason why ranks did not join.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RendezvousError {
    /// Some ranks did not join within the timeout.
    #[error("{} of {size} ranks did not join within {:.0} s: rank {}",
            ranks.len(), after.as_secs_f64(), list(ranks))]
    Missing {
        /// Numbers of the ranks.
        ranks: Vec<usize>,
        /// Expected number of ranks.
        size: usize,
        /// Time waited.
        after: Duration,
    },
    /// A rank cannot be reached.
    #[error("rank {rank} cannot be reached at {at} within {:.0} s: {cause}", after.as_secs_f64())]
    Unreachable {
        /// Number of the rank.
        rank: usize,
        /// Its expected address.
        at: String,
        /// Time waited.
        after: Duration,
        /// Error of the system.
        cause: String,
    },
    /// A rank rejected this one, or the peer is not a rank.
    #[error("rank {rank} at {at}: {cause}")]
    Refused {
        /// Number of the rank.
        rank: usize,
        /// Its address.
        at: String,
        /// Reason of the rejection.
        cause: String,
    },
    /// The number of ranks exceeds the limit of the transport.
    #[error("{size} ranks; must be at most {most} over DDS")]
    TooMany {
        /// Requested number of ranks.
        size: usize,
        /// Greatest number of ranks.
        most: usize,
    },
    /// The caller stopped waiting.
    #[error("{cause}")]
    Ended {
        /// Reason given by the caller.
        cause: String,
    },
    /// The system reported an error.
    #[error("{what}: {cause}")]
    System {
        /// The operation that failed.
        what: &'static str,
        /// Error of the system.
        cause: io::Error,
    },
}

fn list(ranks: &[usize]) -> String {
    ranks.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// Parameters on which all ranks of a run agree, and timeouts.
#[derive(Clone, Debug)]
pub struct Rendezvous {
    /// Number of ranks.
    pub size: usize,
    /// Shared secret. With an empty one any process that reaches the address can join.
    pub token: String,
    /// Program and version. Processes of other programs or versions are rejected.
    pub program: String,
    /// Timeout for other ranks to join.
    pub join_timeout: Duration,
    /// Timeout of an exchange, after which a rank that does not answer counts as lost.
    pub timeout: Duration,
}

impl Rendezvous {
    /// Draws a secret that cannot be guessed, for ranks started by one process.
    ///
    /// # Errors
    /// [`RendezvousError::System`] when the system provides no random numbers.
    pub fn generate_token() -> Result<String, RendezvousError> {
        let nonce = nonce().map_err(system("draw a token"))?;
        Ok(base16ct::lower::encode_string(&nonce))
    }

    /// Waits as rank 0 for all other ranks.
    ///
    /// `keep_waiting` is called regularly. An error that it returns ends the wait with that reason.
    ///
    /// # Errors
    /// [`RendezvousError`] when some ranks do not join.
    pub fn host(
        &self,
        listener: TcpListener,
        keep_waiting: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<Tcp, RendezvousError> {
        let begun = Instant::now();
        let acceptor = self.acceptor(listener, 0, None)?;
        let participants = self.await_participants(&acceptor, 0, begun, keep_waiting)?;
        let run = nonce().map_err(system("draw a nonce"))?;
        let addresses = participants
            .iter()
            .map(|participant| participant.as_ref().map(|own| own.address))
            .collect();
        let table = Addresses { run, addresses };
        for participant in participants.iter().flatten() {
            let mut timed = DeadlineStream {
                stream: &participant.stream,
                until: Instant::now() + ANSWER_TIMEOUT,
            };
            handshake::write(&mut timed, &table)
                .map_err(system("send the addresses to the ranks"))?;
        }
        let streams =
            participants.into_iter().map(|participant| participant.map(|own| own.stream)).collect();
        // the acceptor stays open to reject ranks that connect late
        self.tcp(0, streams, Some(acceptor))
    }

    /// Joins rank 0 as another rank.
    ///
    /// Rank 0 listens at `address` (`HOST:PORT`), or will do so later. `keep_waiting` is used as in
    /// [`Rendezvous::host`].
    ///
    /// # Errors
    /// [`RendezvousError`] when a rank cannot be reached or rejects this one, or some do not join.
    pub fn join(
        &self,
        rank: usize,
        address: &str,
        keep_waiting: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<Tcp, RendezvousError> {
        let begun = Instant::now();
        let mut first = self.connect_to(0, address, begun, keep_waiting)?;
        let here = first.local_addr().map_err(system("get the local address"))?;
        let listener = TcpListener::bind(SocketAddr::new(here.ip(), 0));
        let listener = listener.map_err(system("listen for other ranks"))?;
        let port = listener.local_addr().map_err(system("get the local address"))?.port();
        let hello = JoinHello {
            program: self.program.clone(),
            size: self.size as u32,
            rank: rank as u32,
            port,
            run: None,
        };
        self.perform_handshake(0, address, &mut first, &hello)?;
        let Addresses { run, addresses } = self.await_addresses(&mut first, begun, keep_waiting)?;
        let acceptor = self.acceptor(listener, rank, Some(run))?;
        let hello = JoinHello { run: Some(run), ..hello };
        let mut streams = vec![Some(first)];
        for (below, place) in addresses.iter().enumerate().take(rank).skip(1) {
            let place = place.map_or(String::new(), |place| place.to_string());
            let mut stream = self.connect_to(below, &place, begun, keep_waiting)?;
            self.perform_handshake(below, &place, &mut stream, &hello)?;
            streams.push(Some(stream));
        }
        let above =
            self.await_participants(&acceptor, rank, begun, keep_waiting)?.into_iter().skip(rank);
        streams.extend(above.map(|participant| participant.map(|own| own.stream)));
        self.tcp(rank, streams, None)
    }

    fn tcp(
        &self,
        rank: usize,
        streams: Vec<Option<TcpStream>>,
        acceptor: Option<Acceptor>,
    ) -> Result<Tcp, RendezvousError> {
        Tcp::new(rank, streams, self.timeout, acceptor).map_err(system("receive from other ranks"))
    }

    fn acceptor(
        &self,
        listener: TcpListener,
        host: usize,
        run: Option<handshake::Nonce>,
    ) -> Result<Acceptor, RendezvousError> {
        let (program, token) = (self.program.clone(), self.token.clone());
        let admission = AdmissionRules { program, token, host, size: self.size, run };
        Acceptor::open(listener, admission).map_err(system("listen for other ranks"))
    }

    /// Waits for all ranks above `host`, which accepts their connections.
    fn await_participants(
        &self,
        acceptor: &Acceptor,
        host: usize,
        begun: Instant,
        keep_waiting: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<Vec<Option<Participant>>, RendezvousError> {
        let mut participants: Vec<Option<Participant>> = (0..self.size).map(|_| None).collect();
        let missing = |participants: &[Option<Participant>]| -> Vec<usize> {
            (host + 1..self.size).filter(|&rank| participants[rank].is_none()).collect()
        };
        while !missing(&participants).is_empty() {
            match acceptor.participants.recv_timeout(POLL_INTERVAL) {
                Ok(participant) => {
                    let rank = participant.rank;
                    participants[rank] = Some(participant);
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    keep_waiting().map_err(|cause| RendezvousError::Ended { cause })?;
                    if begun.elapsed() > self.join_timeout {
                        let (ranks, size) = (missing(&participants), self.size);
                        return Err(RendezvousError::Missing {
                            ranks,
                            size,
                            after: self.join_timeout,
                        });
                    }
                }
            }
        }
        Ok(participants)
    }

    /// Connects to a rank, which may start to listen later.
    fn connect_to(
        &self,
        rank: usize,
        at: &str,
        begun: Instant,
        keep_waiting: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<TcpStream, RendezvousError> {
        loop {
            let cause = match connect(at) {
                Ok(stream) => return Ok(stream),
                Err(cause) => cause.to_string(),
            };
            keep_waiting().map_err(|cause| RendezvousError::Ended { cause })?;
            if begun.elapsed() > self.join_timeout {
                let (at, after) = (at.to_owned(), self.join_timeout);
                return Err(RendezvousError::Unreachable { rank, at, after, cause });
            }
            std::thread::sleep(RETRY_INTERVAL);
        }
    }

    fn perform_handshake(
        &self,
        rank: usize,
        at: &str,
        stream: &mut TcpStream,
        hello: &JoinHello,
    ) -> Result<(), RendezvousError> {
        let mut timed = DeadlineStream { stream, until: Instant::now() + ANSWER_TIMEOUT };
        client_handshake(&mut timed, &self.token, hello).map_err(|error| {
            let cause = match error {
                HandshakeError::Refused { reason } => format!("refused: {reason}"),
                error => error.to_string(),
            };
            RendezvousError::Refused { rank, at: at.to_owned(), cause }
        })
    }

    /// Waits until rank 0 sends the addresses of all ranks, which it does once all have joined.
    fn await_addresses(
        &self,
        first: &mut TcpStream,
        begun: Instant,
        keep_waiting: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<Addresses, RendezvousError> {
        let gone = |cause: io::Error| RendezvousError::Refused {
            rank: 0,
            at: "the rendezvous".into(),
            cause: format!("disconnected before all ranks had joined ({cause})"),
        };
        first.set_read_timeout(Some(POLL_INTERVAL)).map_err(gone)?;
        let mut byte = [0];
        // rank 0 times out first and names the missing ranks
        while begun.elapsed() < self.join_timeout + ANSWER_TIMEOUT {
            match first.peek(&mut byte) {
                Ok(0) => return Err(gone(io::ErrorKind::UnexpectedEof.into())),
                Ok(_) => {
                    let mut timed =
                        DeadlineStream { stream: first, until: Instant::now() + ANSWER_TIMEOUT };
                    let addresses: Addresses = handshake::read(&mut timed).map_err(gone)?;
                    let complete = addresses.addresses.len() == self.size;
                    let short =
                        io::Error::new(io::ErrorKind::InvalidData, "wrong number of addresses");
                    return if complete { Ok(addresses) } else { Err(gone(short)) };
                }
                Err(error) if is_timeout(&error) => {
                    keep_waiting().map_err(|cause| RendezvousError::Ended { cause })?;
                }
                Err(error) => return Err(gone(error)),
            }
        }
        Err(gone(io::ErrorKind::TimedOut.into()))
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

fn system(what: &'static str) -> impl Fn(io::Error) -> RendezvousError {
    move |cause| RendezvousError::System { what, cause }
}

/// Connects to the first address of a host that answers.
fn connect(at: &str) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "no such host");
    for address in at.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, ANSWER_TIMEOUT) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(ANSWER_TIMEOUT))?;
                stream.set_write_timeout(Some(ANSWER_TIMEOUT))?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests;
