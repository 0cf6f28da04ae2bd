//! A byte stream of either family.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::time::Duration;

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

    /// How long writing waits.
    pub fn set_write_timeout(&self, time: Option<Duration>) -> io::Result<()> {
        either!(self, own => own.set_write_timeout(time))
    }

    /// Ends both ways, for all clones.
    pub fn shutdown(&self) {
        // who is gone needs not be told
        let _ = either!(self, own => own.shutdown(Shutdown::Both));
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

impl Read for Stream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        either!(self, own => own.read(bytes))
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        either!(self, own => own.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        either!(self, own => own.flush())
    }
}
