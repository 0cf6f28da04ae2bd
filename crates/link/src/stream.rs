//! A byte stream of either family.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Shutdown, TcpStream};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

#[derive(Debug)]
pub(super) enum Stream {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

/// The same method of either.
macro_rules! either {
    ($stream:expr, $own:ident => $what:expr) => {
        match $stream {
            Stream::Tcp($own) => $what,
            #[cfg(unix)]
            Stream::Unix($own) => $what,
        }
    };
}

impl Stream {
    pub fn try_clone(&self) -> io::Result<Stream> {
        Ok(match self {
            Stream::Tcp(own) => Stream::Tcp(own.try_clone()?),
            #[cfg(unix)]
            Stream::Unix(own) => Stream::Unix(own.try_clone()?),
        })
    }

    /// How long reading waits; without end if none.
    pub fn set_read_timeout(&self, time: Option<Duration>) -> io::Result<()> {
        either!(self, own => own.set_read_timeout(time))
    }

    /// Reads, waiting until a point in time at most; without one as long as the timeout that is set.
    pub fn read_until(&self, bytes: &mut [u8], until: Option<Instant>) -> io::Result<usize> {
        let late = || io::Error::new(io::ErrorKind::TimedOut, "nothing whole came in time");
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

    /// How long writing waits.
    pub fn set_write_timeout(&self, time: Option<Duration>) -> io::Result<()> {
        either!(self, own => own.set_write_timeout(time))
    }

    /// Ends both ways, for all clones.
    pub fn shutdown(&self) {
        // who is gone needs not be told
        let _ = either!(self, own => own.shutdown(Shutdown::Both));
    }

    /// The address of the other end, where it has one.
    pub fn address(&self) -> Option<IpAddr> {
        match self {
            Stream::Tcp(own) => own.peer_addr().ok().map(|peer| peer.ip()),
            #[cfg(unix)]
            Stream::Unix(_) => None,
        }
    }

    /// Who is at the other end, in words.
    pub fn peer(&self) -> String {
        match self {
            Stream::Tcp(own) => own.peer_addr().map_or("gone".into(), |peer| peer.to_string()),
            #[cfg(unix)]
            Stream::Unix(_) => "unix".into(),
        }
    }
}

impl Write for &Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        either!(self, own => { let mut own = own; own.write(bytes) })
    }

    fn flush(&mut self) -> io::Result<()> {
        either!(self, own => { let mut own = own; own.flush() })
    }
}

/// A stream that is read until a point in time, however few bytes each read gives.
pub(super) struct ReadUntil<'a> {
    pub stream: &'a Stream,
    pub until: Instant,
}

impl Read for ReadUntil<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stream.read_until(bytes, Some(self.until))
    }
}
