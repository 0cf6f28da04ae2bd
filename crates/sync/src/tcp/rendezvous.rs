//! How processes become the ranks of one run.

use super::Tcp;
use super::acceptor::{Acceptor, Admission, Participant};
use super::handshake::{self, Addresses, HandshakeError, Hello, introduce, nonce};
use super::timed::Timed;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// Time between two attempts to reach rank 0, which may start later.
const AGAIN: Duration = Duration::from_millis(100);
/// Time between two looks whether to go on waiting.
const POLL: Duration = Duration::from_millis(50);
/// Time that one connection has to be made, and a whole answer to come.
const WORD: Duration = Duration::from_secs(10);

/// Why ranks have not met.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RendezvousError {
    /// Some did not come.
    #[error("{} of {size} ranks did not come within {:.0} s: rank {}",
            ranks.len(), after.as_secs_f64(), list(ranks))]
    Missing {
        /// Which.
        ranks: Vec<usize>,
        /// How many there are to be.
        size: usize,
        /// Time waited.
        after: Duration,
    },
    /// A rank that cannot be reached.
    #[error("rank {rank} cannot be reached at {at} within {:.0} s: {cause}", after.as_secs_f64())]
    Unreachable {
        /// Which.
        rank: usize,
        /// Where it should be.
        at: String,
        /// Time waited.
        after: Duration,
        /// What the system says.
        cause: String,
    },
    /// A rank that does not let this one take part, or is none.
    #[error("rank {rank} at {at}: {cause}")]
    Refused {
        /// Which.
        rank: usize,
        /// Where it is.
        at: String,
        /// Why.
        cause: String,
    },
    /// More than this way between them can have.
    #[error("{size} ranks are too many: at most {most} meet over DDS")]
    TooMany {
        /// How many there are to be.
        size: usize,
        /// How many there can be.
        most: usize,
    },
    /// Whoever called this did not want to wait any longer.
    #[error("{cause}")]
    Ended {
        /// Why.
        cause: String,
    },
    /// The system's error.
    #[error("{what}: {cause}")]
    System {
        /// What was tried.
        what: &'static str,
        /// What it says.
        cause: io::Error,
    },
}

fn list(ranks: &[usize]) -> String {
    ranks.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// What all who are to be ranks of one run agree on, and how long they wait.
#[derive(Clone, Debug)]
pub struct Rendezvous {
    /// How many ranks there are to be.
    pub size: usize,
    /// A secret that they share. With an empty one all who reach the address can take part.
    pub token: String,
    /// Program and version: ranks of others are refused.
    pub program: String,
    /// How long the others are waited for.
    pub patience: Duration,
    /// Time after which a rank that does not answer in an exchange is given up.
    pub timeout: Duration,
}

impl Rendezvous {
    /// A secret that nobody can guess, for ranks that one process starts.
    ///
    /// # Errors
    /// [`RendezvousError::System`] when the system has no random numbers.
    pub fn fresh_token() -> Result<String, RendezvousError> {
        let nonce = nonce().map_err(system("draw a token"))?;
        Ok(base16ct::lower::encode_string(&nonce))
    }

    /// Waits as rank 0 for all others; `goes_on` is asked now and then, and ends it by saying
    /// why.
    ///
    /// # Errors
    /// [`RendezvousError`] when some do not come.
    pub fn host(
        &self,
        listener: TcpListener,
        goes_on: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<Tcp, RendezvousError> {
        let begun = Instant::now();
        let acceptor = self.acceptor(listener, 0, None)?;
        let participants = self.received(&acceptor, 0, begun, goes_on)?;
        let run = nonce().map_err(system("draw a nonce"))?;
        let addresses = participants
            .iter()
            .map(|participant| participant.as_ref().map(|own| own.address))
            .collect();
        let table = Addresses { run, addresses };
        for participant in participants.iter().flatten() {
            let mut timed = Timed { stream: &participant.stream, until: Instant::now() + WORD };
            handshake::write(&mut timed, &table).map_err(system("tell the ranks of each other"))?;
        }
        let streams =
            participants.into_iter().map(|participant| participant.map(|own| own.stream)).collect();
        // the acceptor stays open for those who come late, to refuse them
        self.tcp(0, streams, Some(acceptor))
    }

    /// Joins rank 0, which waits or will wait at `address` (`HOST:PORT`), as one of the others;
    /// `goes_on` as with [`Rendezvous::host`].
    ///
    /// # Errors
    /// [`RendezvousError`] when rank 0 or another cannot be reached, refuses, or some do not come.
    pub fn join(
        &self,
        rank: usize,
        address: &str,
        goes_on: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<Tcp, RendezvousError> {
        let begun = Instant::now();
        let mut first = self.connected(0, address, begun, goes_on)?;
        let here = first.local_addr().map_err(system("find the own address"))?;
        let listener = TcpListener::bind(SocketAddr::new(here.ip(), 0));
        let listener = listener.map_err(system("listen for other ranks"))?;
        let port = listener.local_addr().map_err(system("find the own address"))?.port();
        let hello = Hello {
            program: self.program.clone(),
            size: self.size as u32,
            rank: rank as u32,
            port,
            run: None,
        };
        self.introduced(0, address, &mut first, &hello)?;
        let Addresses { run, addresses } = self.addresses(&mut first, begun, goes_on)?;
        let acceptor = self.acceptor(listener, rank, Some(run))?;
        let hello = Hello { run: Some(run), ..hello };
        let mut streams = vec![Some(first)];
        for (below, place) in addresses.iter().enumerate().take(rank).skip(1) {
            let place = place.map_or(String::new(), |place| place.to_string());
            let mut stream = self.connected(below, &place, begun, goes_on)?;
            self.introduced(below, &place, &mut stream, &hello)?;
            streams.push(Some(stream));
        }
        let above = self.received(&acceptor, rank, begun, goes_on)?.into_iter().skip(rank);
        streams.extend(above.map(|participant| participant.map(|own| own.stream)));
        self.tcp(rank, streams, None)
    }

    fn tcp(
        &self,
        rank: usize,
        streams: Vec<Option<TcpStream>>,
        acceptor: Option<Acceptor>,
    ) -> Result<Tcp, RendezvousError> {
        Tcp::new(rank, streams, self.timeout, acceptor).map_err(system("hear other ranks"))
    }

    fn acceptor(
        &self,
        listener: TcpListener,
        host: usize,
        run: Option<handshake::Nonce>,
    ) -> Result<Acceptor, RendezvousError> {
        let (program, token) = (self.program.clone(), self.token.clone());
        let admission = Admission { program, token, host, size: self.size, run };
        Acceptor::open(listener, admission).map_err(system("listen for other ranks"))
    }

    /// All ranks above the one that waits at an acceptor.
    fn received(
        &self,
        acceptor: &Acceptor,
        host: usize,
        begun: Instant,
        goes_on: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<Vec<Option<Participant>>, RendezvousError> {
        let mut participants: Vec<Option<Participant>> = (0..self.size).map(|_| None).collect();
        let missing = |participants: &[Option<Participant>]| -> Vec<usize> {
            (host + 1..self.size).filter(|&rank| participants[rank].is_none()).collect()
        };
        while !missing(&participants).is_empty() {
            match acceptor.participants.recv_timeout(POLL) {
                Ok(participant) => {
                    let rank = participant.rank;
                    participants[rank] = Some(participant);
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    goes_on().map_err(|cause| RendezvousError::Ended { cause })?;
                    if begun.elapsed() > self.patience {
                        let (ranks, size) = (missing(&participants), self.size);
                        return Err(RendezvousError::Missing { ranks, size, after: self.patience });
                    }
                }
            }
        }
        Ok(participants)
    }

    /// A connection to a rank, which may begin to wait later.
    fn connected(
        &self,
        rank: usize,
        at: &str,
        begun: Instant,
        goes_on: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<TcpStream, RendezvousError> {
        loop {
            let cause = match connect(at) {
                Ok(stream) => return Ok(stream),
                Err(cause) => cause.to_string(),
            };
            goes_on().map_err(|cause| RendezvousError::Ended { cause })?;
            if begun.elapsed() > self.patience {
                let (at, after) = (at.to_owned(), self.patience);
                return Err(RendezvousError::Unreachable { rank, at, after, cause });
            }
            std::thread::sleep(AGAIN);
        }
    }

    fn introduced(
        &self,
        rank: usize,
        at: &str,
        stream: &mut TcpStream,
        hello: &Hello,
    ) -> Result<(), RendezvousError> {
        let mut timed = Timed { stream, until: Instant::now() + WORD };
        introduce(&mut timed, &self.token, hello).map_err(|error| {
            let cause = match error {
                HandshakeError::Refused { why } => format!("refused: {why}"),
                error => error.to_string(),
            };
            RendezvousError::Refused { rank, at: at.to_owned(), cause }
        })
    }

    /// Waits until rank 0 says that all are there, and where.
    fn addresses(
        &self,
        first: &mut TcpStream,
        begun: Instant,
        goes_on: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<Addresses, RendezvousError> {
        let gone = |cause: io::Error| RendezvousError::Refused {
            rank: 0,
            at: "the rendezvous".into(),
            cause: format!("gave up before all ranks were there ({cause})"),
        };
        first.set_read_timeout(Some(POLL)).map_err(gone)?;
        let mut byte = [0];
        // rank 0 gives up by itself, and names who is missing
        while begun.elapsed() < self.patience + WORD {
            match first.peek(&mut byte) {
                Ok(0) => return Err(gone(io::ErrorKind::UnexpectedEof.into())),
                Ok(_) => {
                    let mut timed = Timed { stream: first, until: Instant::now() + WORD };
                    let addresses: Addresses = handshake::read(&mut timed).map_err(gone)?;
                    let complete = addresses.addresses.len() == self.size;
                    let short = io::Error::new(io::ErrorKind::InvalidData, "of other ranks");
                    return if complete { Ok(addresses) } else { Err(gone(short)) };
                }
                Err(error) if is_timeout(&error) => {
                    goes_on().map_err(|cause| RendezvousError::Ended { cause })?;
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

/// A connection to the first address of a host that answers.
fn connect(at: &str) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "no such host");
    for address in at.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, WORD) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(WORD))?;
                stream.set_write_timeout(Some(WORD))?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests;
