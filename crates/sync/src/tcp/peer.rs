//! A connection to another rank.
//!
//! A separate thread receives incoming frames, so two ranks that send each other large parts never
//! block each other.
//!
//! A frame consists of its kind (one byte), its length (eight bytes, little-endian) and its bytes.

use super::RollCall;
use crate::communicator::CommError;
use crate::disconnect_reason::{decode, encode};
use std::io::{self, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Bytes of an exchange.
const PAYLOAD: u8 = 1;
/// Roll call: the sender has timed out and asks which ranks are present. No bytes.
const ROLL: u8 = 2;
/// The sender disconnects. The bytes encode the reason.
const LEAVE: u8 = 3;

/// Length of a frame's header (kind and length), bytes.
const HEADER: usize = 9;
/// Longest frame that is accepted, bytes: more than any state of a world. Memory is allocated as
/// bytes arrive, so an announced length alone allocates none.
const MAX_FRAME_BYTES: u64 = 1 << 36;
/// Longest disconnect reason, bytes: a few for each of 65,535 ranks.
const MAX_REASON_BYTES: u64 = 1 << 18;

/// An event received from a peer.
#[derive(Debug)]
pub(super) enum TcpArrival {
    Length(u64),
    Bytes(Vec<u8>),
    /// The peer has disconnected for this reason.
    Left(CommError),
}

/// A connection to another rank.
#[derive(Debug)]
pub(super) struct TcpPeer {
    stream: TcpStream,
    outgoing: Vec<u8>,
    pub arrivals: Receiver<TcpArrival>,
}

impl TcpPeer {
    /// Takes over the connection to a rank. Its receiving thread ends with the connection.
    pub fn new(
        rank: usize,
        stream: TcpStream,
        timeout: Duration,
        roll_call: &Arc<RollCall>,
    ) -> io::Result<TcpPeer> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(None)?;
        stream.set_write_timeout(Some(timeout))?;
        let (to, arrivals) = channel();
        let (incoming, roll_call) = (stream.try_clone()?, roll_call.clone());
        let thread = std::thread::Builder::new().name(format!("from rank {rank}"));
        thread.spawn(move || receive_frames(rank, incoming, &roll_call, &to))?;
        Ok(TcpPeer { stream, outgoing: Vec::new(), arrivals })
    }

    /// Sends bytes of an exchange.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.frame(PAYLOAD, bytes)
    }

    /// Reports that this rank is present and waiting, and asks the same of the peer.
    pub fn report_presence(&mut self) {
        // a peer that is gone does not answer either
        let _ = self.frame(ROLL, &[]);
    }

    /// Sends the reason why this rank disconnects.
    pub fn send_disconnect(&mut self, reason: &CommError) {
        // a peer that cannot be reached detects the loss itself; the short timeout avoids waiting
        // for it
        let _ = self.stream.set_write_timeout(Some(Duration::from_millis(100)));
        let _ = self.frame(LEAVE, &encode(reason));
    }

    fn frame(&mut self, kind: u8, bytes: &[u8]) -> io::Result<()> {
        self.outgoing.clear();
        self.outgoing.push(kind);
        self.outgoing.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.outgoing.extend_from_slice(bytes);
        self.stream.write_all(&self.outgoing)
    }
}

impl Drop for TcpPeer {
    fn drop(&mut self) {
        // bytes in transit still arrive; the thread ends when the peer has closed its side too
        let _ = self.stream.shutdown(Shutdown::Write);
    }
}

/// Receives frames until the connection ends or a frame is malformed.
fn receive_frames(rank: usize, stream: TcpStream, roll_call: &RollCall, to: &Sender<TcpArrival>) {
    let mut stream = BufReader::with_capacity(1 << 16, stream);
    // ends when either end of the channel is dropped
    while let Some(()) = receive_frame(rank, &mut stream, roll_call, to) {}
}

fn receive_frame(
    rank: usize,
    stream: &mut impl Read,
    roll_call: &RollCall,
    to: &Sender<TcpArrival>,
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
        PAYLOAD if length <= MAX_FRAME_BYTES => {
            to.send(TcpArrival::Length(length)).ok()?;
            to.send(TcpArrival::Bytes(bytes(MAX_FRAME_BYTES)?)).ok()
        }
        ROLL if length == 0 => {
            roll_call.present[rank].store(true, Ordering::Relaxed);
            roll_call.is_called.store(true, Ordering::Relaxed);
            Some(())
        }
        LEAVE => to.send(TcpArrival::Left(decode(&bytes(MAX_REASON_BYTES)?)?)).ok(),
        _ => {
            let what = format!("rank {rank} sent a frame of unknown kind, of {length} bytes");
            to.send(TcpArrival::Left(CommError::Transport { what })).ok()?;
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    fn roll_call() -> RollCall {
        let present = (0..3).map(|_| AtomicBool::new(false)).collect();
        RollCall { is_called: AtomicBool::new(false), present }
    }

    fn received(bytes: &[u8]) -> (Vec<TcpArrival>, bool) {
        let (to, from) = channel();
        let keep_waiting = receive_frame(1, &mut &bytes[..], &roll_call(), &to).is_some();
        (from.try_iter().collect(), keep_waiting)
    }

    #[test]
    fn lengths_beyond_the_bound_and_unknown_kinds_end_the_connection() {
        let frame = |kind: u8, length: u64, bytes: &[u8]| {
            [&[kind][..], &length.to_le_bytes(), bytes].concat()
        };
        let (arrivals, keep_waiting) = received(&frame(PAYLOAD, 3, b"abc"));
        assert!(
            keep_waiting && matches!(&arrivals[1], TcpArrival::Bytes(bytes) if bytes == b"abc")
        );
        // truncated: the length arrives, the bytes never do
        assert!(!received(&frame(PAYLOAD, 4, b"abc")).1);
        for (kind, length) in
            [(PAYLOAD, MAX_FRAME_BYTES + 1), (LEAVE, MAX_REASON_BYTES + 1), (9, 0)]
        {
            assert!(!received(&frame(kind, length, b"")).1, "kind {kind} of {length} bytes");
        }
    }
}
