//! A TCP or Unix byte stream.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Shutdown, TcpStream};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

#[derive(Debug)]
pub(super) enum SocketStream {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

/// Calls the same method on either stream type.
macro_rules! either {
    ($stream:expr, $own:ident => $what:expr) => {
        match $stream {
            SocketStream::Tcp($own) => $what,
            #[cfg(unix)]
            SocketStream::Unix($own) => $what,
        }
    };
}

impl SocketStream {
    pub fn try_clone(&self) -> io::Result<SocketStream> {
        Ok(match self {
            SocketStream::Tcp(own) => SocketStream::Tcp(own.try_clone()?),
            #[cfg(unix)]
            SocketStream::Unix(own) => SocketStream::Unix(own.try_clone()?),
        })
    }

    /// Sets the timeout of reads. `None` waits forever.
    pub fn set_read_timeout(&self, time: Option<Duration>) -> io::Result<()> {
        either!(self, own => own.set_read_timeout(time))
    }

    /// Reads, waiting until `until` at most. Without a deadline the timeout that is set applies.
    pub fn read_until(&self, bytes: &mut [u8], until: Option<Instant>) -> io::Result<usize> {
        let late =
            || io::Error::new(io::ErrorKind::TimedOut, "timed out before a complete message");
        if let Some(until) = until {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(late());
            }
            self.set_read_timeout(Some(left))?;
        }
        let read = either!(self, own => { let mut own = own; own.read(bytes) });
        read.map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => late(),
            _ => error,
        })
    }

    /// Sets the timeout of writes.
    pub fn set_write_timeout(&self, time: Option<Duration>) -> io::Result<()> {
        either!(self, own => own.set_write_timeout(time))
    }

    /// Closes both directions, for all clones.
    pub fn shutdown(&self) {
        // fails only if the peer is gone
        let _ = either!(self, own => own.shutdown(Shutdown::Both));
    }

    /// Returns the peer's IP address, if it has one.
    pub fn address(&self) -> Option<IpAddr> {
        match self {
            SocketStream::Tcp(own) => own.peer_addr().ok().map(|peer| peer.ip()),
            #[cfg(unix)]
            SocketStream::Unix(_) => None,
        }
    }

    /// Returns the peer's address as text.
    pub fn peer(&self) -> String {
        match self {
            SocketStream::Tcp(own) => {
                own.peer_addr().map_or("gone".into(), |peer| peer.to_string())
            }
            #[cfg(unix)]
            SocketStream::Unix(_) => "unix".into(),
        }
    }
}

impl Write for &SocketStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        either!(self, own => { let mut own = own; own.write(bytes) })
    }

    fn flush(&mut self) -> io::Result<()> {
        either!(self, own => { let mut own = own; own.flush() })
    }
}

/// A stream that is read until a deadline, however few bytes each read returns.
pub(super) struct ReadUntil<'a> {
    pub stream: &'a SocketStream,
    pub until: Instant,
}

impl Read for ReadUntil<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stream.read_until(bytes, Some(self.until))
    }
}
