//! A connection to another rank: frames go out here, and a thread of its own takes in what
//! comes, so that two ranks that send each other much never wait for each other.
//!
//! A frame is its kind (one byte), its length (eight, the lowest first) and its bytes.

use super::Roll;
use crate::communicator::CommError;
use crate::loss::{decoded, encoded};
use std::io::{self, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Bytes of an exchange.
const PAYLOAD: u8 = 1;
/// Somebody waits in vain and wants to know who is there: no bytes.
const ROLL: u8 = 2;
/// The sender leaves; why.
const LEAVE: u8 = 3;

/// Kind and length.
const HEADER: usize = 9;
/// Longest frame that is taken, bytes: above any state of a world. Room is made as bytes
/// come, so that an announced length alone takes none.
const LARGEST: u64 = 1 << 36;
/// Longest word of who leaves, bytes: a few for each of 65,535 ranks.
const LARGEST_LEAVE: u64 = 1 << 18;

/// What came from a peer.
#[derive(Debug)]
pub(super) enum Arrival {
    Length(u64),
    Bytes(Vec<u8>),
    /// It goes on no further, because of this.
    Left(CommError),
}

/// A connection to another rank.
#[derive(Debug)]
pub(super) struct Peer {
    stream: TcpStream,
    outgoing: Vec<u8>,
    pub arrivals: Receiver<Arrival>,
}

impl Peer {
    /// Takes over the connection to a rank; its thread ends with the connection.
    pub fn new(
        rank: usize,
        stream: TcpStream,
        timeout: Duration,
        roll: &Arc<Roll>,
    ) -> io::Result<Peer> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(None)?;
        stream.set_write_timeout(Some(timeout))?;
        let (to, arrivals) = channel();
        let (incoming, roll) = (stream.try_clone()?, roll.clone());
        let thread = std::thread::Builder::new().name(format!("from rank {rank}"));
        thread.spawn(move || take_in(rank, incoming, &roll, &to))?;
        Ok(Peer { stream, outgoing: Vec::new(), arrivals })
    }

    /// Sends bytes of an exchange.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.frame(PAYLOAD, bytes)
    }

    /// Says that this rank is there, and waits; and wants to know the same.
    pub fn answer_the_roll(&mut self) {
        // who is gone does not answer either
        let _ = self.frame(ROLL, &[]);
    }

    /// Says why this rank goes on no further.
    pub fn leave(&mut self, why: &CommError) {
        // one that cannot be told finds it itself; none is waited for at the end
        let _ = self.stream.set_write_timeout(Some(Duration::from_millis(100)));
        let _ = self.frame(LEAVE, &encoded(why));
    }

    fn frame(&mut self, kind: u8, bytes: &[u8]) -> io::Result<()> {
        self.outgoing.clear();
        self.outgoing.push(kind);
        self.outgoing.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.outgoing.extend_from_slice(bytes);
        self.stream.write_all(&self.outgoing)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // what is on its way still arrives; the thread ends when the other has closed too
        let _ = self.stream.shutdown(Shutdown::Write);
    }
}

/// Takes in frames until the connection ends or makes no sense.
fn take_in(rank: usize, stream: TcpStream, roll: &Roll, to: &Sender<Arrival>) {
    let mut stream = BufReader::with_capacity(1 << 16, stream);
    // either end of the channel going away ends this
    while let Some(()) = take_frame(rank, &mut stream, roll, to) {}
}

fn take_frame(
    rank: usize,
    stream: &mut impl Read,
    roll: &Roll,
    to: &Sender<Arrival>,
) -> Option<()> {
    let mut header = [0; HEADER];
    stream.read_exact(&mut header).ok()?;
    let length = u64::from_le_bytes(header[1..].try_into().expect("eight bytes"));
    let mut bytes = |most: u64| -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        if length > most {
            return None;
        }
        stream.take(length).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 == length).then_some(bytes)
    };
    match header[0] {
        PAYLOAD if length <= LARGEST => {
            to.send(Arrival::Length(length)).ok()?;
            to.send(Arrival::Bytes(bytes(LARGEST)?)).ok()
        }
        ROLL if length == 0 => {
            roll.present[rank].store(true, Ordering::Relaxed);
            roll.is_called.store(true, Ordering::Relaxed);
            Some(())
        }
        LEAVE => to.send(Arrival::Left(decoded(&bytes(LARGEST_LEAVE)?)?)).ok(),
        _ => {
            let what = format!("rank {rank} sent a frame of {length} bytes of no known kind");
            to.send(Arrival::Left(CommError::Transport { what })).ok()?;
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    fn roll() -> Roll {
        let present = (0..3).map(|_| AtomicBool::new(false)).collect();
        Roll { is_called: AtomicBool::new(false), present }
    }

    fn taken(bytes: &[u8]) -> (Vec<Arrival>, bool) {
        let (to, from) = channel();
        let goes_on = take_frame(1, &mut &bytes[..], &roll(), &to).is_some();
        (from.try_iter().collect(), goes_on)
    }

    #[test]
    fn lengths_beyond_the_bound_and_unknown_kinds_end_the_connection() {
        let frame = |kind: u8, length: u64, bytes: &[u8]| {
            [&[kind][..], &length.to_le_bytes(), bytes].concat()
        };
        let (arrivals, goes_on) = taken(&frame(PAYLOAD, 3, b"abc"));
        assert!(goes_on && matches!(&arrivals[1], Arrival::Bytes(bytes) if bytes == b"abc"));
        // cut in the middle: the length came, the bytes never will
        assert!(!taken(&frame(PAYLOAD, 4, b"abc")).1);
        for (kind, length) in [(PAYLOAD, LARGEST + 1), (LEAVE, LARGEST_LEAVE + 1), (9, 0)] {
            assert!(!taken(&frame(kind, length, b"")).1, "kind {kind} of {length} bytes");
        }
    }
}
