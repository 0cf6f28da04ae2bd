//! A connection that exchanges messages with a peer, over a plain stream or a WebSocket.

use super::LinkError;
use super::admissions::{AdmissionError, ConnectionSlot};
use super::frame::{FrameDecoder, LONGEST, encode};
use super::stream::SocketStream;
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tungstenite::Message as WebSocketMessage;
use tungstenite::protocol::frame::Frame;
use tungstenite::protocol::frame::coding::{Data, OpCode};
use tungstenite::protocol::{Role, WebSocket, WebSocketConfig};

/// Bytes read at once.
const BLOCK: usize = 16 << 10;

/// A text or binary message. On a plain stream all messages are texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WireMessage {
    /// Text.
    Text(String),
    /// Bytes.
    Binary(Vec<u8>),
}

/// A connection to a peer.
pub struct Connection {
    /// Receiving side.
    pub incoming: Incoming,
    /// Sending side.
    pub outgoing: Outgoing,
    admission: Arc<ConnectionSlot>,
}

/// Receiving side of a connection.
pub struct Incoming {
    source: SocketSource,
    stream: Arc<SocketStream>,
    /// Deadline for reading. `None` for no deadline.
    until: Option<Instant>,
}

enum SocketSource {
    Frames(FrameDecoder),
    // boxed, since it is large
    WebSocket(Box<WebSocket<Duplex>>),
}

/// Sending side of a connection. Any thread may send whole messages.
#[derive(Clone)]
pub struct Outgoing {
    stream: Arc<SocketStream>,
    /// Locked while a message is written, so that messages do not interleave.
    writing: Arc<Mutex<()>>,
    web_socket: bool,
    peer: String,
}

impl Connection {
    /// Creates a connection over a plain stream.
    ///
    /// `read` holds the bytes already read. The introduction must end by `until`.
    pub(super) fn plain(
        stream: SocketStream,
        read: &[u8],
        admission: Arc<ConnectionSlot>,
        until: Instant,
    ) -> Connection {
        let mut decoder = FrameDecoder::default();
        decoder.feed(read);
        let outgoing = Outgoing::new(stream, false);
        let (source, stream) = (SocketSource::Frames(decoder), outgoing.stream.clone());
        let incoming = Incoming { source, stream, until: Some(until) };
        Connection { incoming, outgoing, admission }
    }

    /// Creates a connection over a WebSocket after its handshake.
    ///
    /// `read` holds the bytes read beyond the handshake. The introduction must end by `until`.
    pub(super) fn web_socket(
        stream: SocketStream,
        read: Vec<u8>,
        admission: Arc<ConnectionSlot>,
        until: Instant,
    ) -> Connection {
        let outgoing = Outgoing::new(stream, true);
        let stream = outgoing.stream.clone();
        let duplex = Duplex { outgoing: outgoing.clone(), until: Some(until) };
        let config = WebSocketConfig::default()
            .read_buffer_size(BLOCK)
            .write_buffer_size(0)
            .max_message_size(Some(LONGEST))
            .max_frame_size(Some(LONGEST));
        let socket = WebSocket::from_partially_read(duplex, read, Role::Server, Some(config));
        let source = SocketSource::WebSocket(Box::new(socket));
        let incoming = Incoming { source, stream, until: Some(until) };
        Connection { incoming, outgoing, admission }
    }

    /// Counts the connection as admitted and removes its deadline.
    ///
    /// # Errors
    /// [`LinkError::Refused`] when too many connections are admitted, or this one was dropped.
    pub fn admit(&mut self) -> Result<(), LinkError> {
        self.admission.admit()?;
        self.incoming.stream.set_read_timeout(None)?;
        self.incoming.until = None;
        if let SocketSource::WebSocket(socket) = &mut self.incoming.source {
            socket.get_mut().until = None;
        }
        Ok(())
    }
}

impl From<AdmissionError> for LinkError {
    fn from(error: AdmissionError) -> LinkError {
        LinkError::Refused { cause: error.to_string() }
    }
}

impl Incoming {
    /// Returns the next message, or `None` once the peer has disconnected.
    ///
    /// # Errors
    /// [`LinkError`] when the bytes are not a message or the deadline passes.
    pub fn receive(&mut self) -> Result<Option<WireMessage>, LinkError> {
        match &mut self.source {
            SocketSource::Frames(decoder) => loop {
                if let Some(text) = decoder.next_message()? {
                    return Ok(Some(WireMessage::Text(text)));
                }
                let mut block = [0; BLOCK];
                match self.stream.read_until(&mut block, self.until) {
                    Ok(0) => {
                        decoder.end()?;
                        return Ok(None);
                    }
                    Ok(read) => decoder.feed(&block[..read]),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) if is_end(&error) => return Ok(None),
                    Err(error) => return Err(error.into()),
                }
            },
            SocketSource::WebSocket(socket) => loop {
                return match socket.read() {
                    Ok(WebSocketMessage::Text(text)) => {
                        Ok(Some(WireMessage::Text(text.as_str().to_owned())))
                    }
                    Ok(WebSocketMessage::Binary(bytes)) => {
                        Ok(Some(WireMessage::Binary(bytes.to_vec())))
                    }
                    // the library answers pings
                    Ok(_) => continue,
                    Err(
                        tungstenite::Error::ConnectionClosed | tungstenite::Error::AlreadyClosed,
                    ) => Ok(None),
                    Err(tungstenite::Error::Io(error)) if is_end(&error) => Ok(None),
                    Err(tungstenite::Error::Io(error)) => Err(error.into()),
                    Err(error) => Err(LinkError::WebSocket { cause: error.to_string() }),
                };
            },
        }
    }
}

/// Whether the error means that the peer has disconnected.
fn is_end(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
}

impl Outgoing {
    fn new(stream: SocketStream, web_socket: bool) -> Outgoing {
        let peer = stream.peer();
        Outgoing { stream: Arc::new(stream), writing: Arc::default(), web_socket, peer }
    }

    /// Returns the peer's address as text.
    pub fn peer(&self) -> &str {
        &self.peer
    }

    /// Sends a text message.
    ///
    /// # Errors
    /// The system's error when the peer has disconnected or accepts no bytes for ten seconds.
    pub fn text(&self, text: &str) -> io::Result<()> {
        if self.web_socket {
            return self.frame(Data::Text, text.as_bytes());
        }
        self.write(&encode(text))
    }

    /// Sends a binary message, which only a WebSocket supports.
    ///
    /// # Errors
    /// As for [`Outgoing::text`]. On a plain stream, always.
    pub fn binary(&self, bytes: &[u8]) -> io::Result<()> {
        if self.web_socket {
            return self.frame(Data::Binary, bytes);
        }
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "a plain stream supports only text messages",
        ))
    }

    /// Closes the connection, with a close frame on a WebSocket.
    pub fn close(&self) {
        if self.web_socket {
            let mut bytes = Vec::new();
            if Frame::close(None).format(&mut bytes).is_ok() {
                let _ = self.write(&bytes);
            }
        }
        self.disconnect();
    }

    /// Closes the connection at once, even during the write of a message.
    pub fn disconnect(&self) {
        self.stream.shutdown();
    }

    fn frame(&self, kind: Data, body: &[u8]) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(body.len() + 16);
        let frame = Frame::message(body.to_vec(), OpCode::Data(kind), true);
        frame.format(&mut bytes).map_err(io::Error::other)?;
        self.write(&bytes)
    }

    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        (&*self.stream).write_all(bytes)
    }
}

/// Stream that the WebSocket library reads from and writes its replies to pings to.
///
/// The library writes whole frames, and each is sent under the lock of [`Outgoing`].
struct Duplex {
    outgoing: Outgoing,
    /// Deadline for reading. `None` for no deadline.
    until: Option<Instant>,
}

impl Read for Duplex {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.outgoing.stream.read_until(bytes, self.until)
    }
}

impl Write for Duplex {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.outgoing.write(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
