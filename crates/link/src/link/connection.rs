//! A peer with whom messages are exchanged, over a plain stream or a WebSocket.

use super::LinkError;
use super::frame::{FrameDecoder, LONGEST, encode};
use super::stream::Stream;
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tungstenite::Message as WebSocketMessage;
use tungstenite::protocol::frame::Frame;
use tungstenite::protocol::frame::coding::{Data, OpCode};
use tungstenite::protocol::{Role, WebSocket, WebSocketConfig};

/// Bytes read at once.
const BLOCK: usize = 16 << 10;

/// A message of either kind; on a plain stream all are texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Text.
    Text(String),
    /// Bytes.
    Binary(Vec<u8>),
}

/// A peer.
pub struct Connection {
    /// What comes from it.
    pub incoming: Incoming,
    /// What goes to it.
    pub outgoing: Outgoing,
}

/// What comes from a peer.
pub struct Incoming {
    source: Source,
    stream: Stream,
}

enum Source {
    Frames(FrameDecoder),
    // large, and there are few
    WebSocket(Box<WebSocket<Duplex>>),
}

/// What goes to a peer: whole messages, from any thread.
#[derive(Clone)]
pub struct Outgoing {
    stream: Arc<Mutex<Stream>>,
    web_socket: bool,
    peer: String,
}

impl Connection {
    /// A plain stream of which some bytes were read.
    pub(super) fn plain(stream: Stream, read: &[u8]) -> io::Result<Connection> {
        let mut decoder = FrameDecoder::default();
        decoder.feed(read);
        let outgoing = Outgoing::new(&stream, false)?;
        Ok(Connection { incoming: Incoming { source: Source::Frames(decoder), stream }, outgoing })
    }

    /// A WebSocket after its handshake, with what was read beyond that.
    pub(super) fn web_socket(stream: Stream, read: Vec<u8>) -> io::Result<Connection> {
        let outgoing = Outgoing::new(&stream, true)?;
        let duplex = Duplex { stream: stream.try_clone()?, outgoing: outgoing.stream.clone() };
        let config = WebSocketConfig::default()
            .read_buffer_size(BLOCK)
            .write_buffer_size(0)
            .max_message_size(Some(LONGEST))
            .max_frame_size(Some(LONGEST));
        let socket = WebSocket::from_partially_read(duplex, read, Role::Server, Some(config));
        let source = Source::WebSocket(Box::new(socket));
        Ok(Connection { incoming: Incoming { source, stream }, outgoing })
    }
}

impl Incoming {
    /// The next message; none once the peer has ended.
    ///
    /// # Errors
    /// [`LinkError`] when what comes are no messages, or nothing in time.
    pub fn receive(&mut self) -> Result<Option<Message>, LinkError> {
        match &mut self.source {
            Source::Frames(decoder) => loop {
                if let Some(text) = decoder.next_message()? {
                    return Ok(Some(Message::Text(text)));
                }
                let mut block = [0; BLOCK];
                match self.stream.read(&mut block) {
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
            Source::WebSocket(socket) => loop {
                return match socket.read() {
                    Ok(WebSocketMessage::Text(text)) => {
                        Ok(Some(Message::Text(text.as_str().to_owned())))
                    }
                    Ok(WebSocketMessage::Binary(bytes)) => {
                        Ok(Some(Message::Binary(bytes.to_vec())))
                    }
                    // pings are answered by the library
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

    /// How long [`Incoming::receive`] waits; without end if none.
    pub fn set_timeout(&self, time: Option<Duration>) {
        // a stream that is gone says so when it is read
        let _ = self.stream.set_read_timeout(time);
    }
}

/// Whether the peer is gone rather than wrong.
fn is_end(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
}

impl Outgoing {
    fn new(stream: &Stream, web_socket: bool) -> io::Result<Outgoing> {
        let peer = stream.peer();
        Ok(Outgoing { stream: Arc::new(Mutex::new(stream.try_clone()?)), web_socket, peer })
    }

    /// Who it is, in words.
    pub fn peer(&self) -> &str {
        &self.peer
    }

    /// Sends a text.
    ///
    /// # Errors
    /// What the system says when the peer is gone or takes nothing for ten seconds.
    pub fn text(&self, text: &str) -> io::Result<()> {
        if self.web_socket {
            return self.frame(Data::Text, text.as_bytes());
        }
        self.write(&encode(text))
    }

    /// Sends bytes, which only a WebSocket tells from texts.
    ///
    /// # Errors
    /// As of [`Outgoing::text`], and on a plain stream.
    pub fn binary(&self, bytes: &[u8]) -> io::Result<()> {
        if self.web_socket {
            return self.frame(Data::Binary, bytes);
        }
        Err(io::Error::new(io::ErrorKind::Unsupported, "a plain stream carries texts alone"))
    }

    /// Ends the connection, with the farewell of a WebSocket.
    pub fn close(&self) {
        if self.web_socket {
            let mut bytes = Vec::new();
            if Frame::close(None).format(&mut bytes).is_ok() {
                let _ = self.write(&bytes);
            }
        }
        self.lock().shutdown();
    }

    fn frame(&self, kind: Data, body: &[u8]) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(body.len() + 16);
        let frame = Frame::message(body.to_vec(), OpCode::Data(kind), true);
        frame.format(&mut bytes).map_err(io::Error::other)?;
        self.write(&bytes)
    }

    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        self.lock().write_all(bytes)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Stream> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the library reads from, and answers pings to, among the messages that are sent
/// beside it: it hands over whole frames, which are written whole.
struct Duplex {
    stream: Stream,
    outgoing: Arc<Mutex<Stream>>,
}

impl Read for Duplex {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stream.read(bytes)
    }
}

impl Write for Duplex {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut stream = self.outgoing.lock().unwrap_or_else(PoisonError::into_inner);
        stream.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
