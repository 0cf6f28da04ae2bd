//! A listener for plain link sessions, WebSockets and pages on one address.
//!
//! The first four bytes of a connection decide. `GET ` is HTTP. Anything else is the length of a
//! first message. As a length, `GET ` would exceed 1000 MB, which is beyond the limit.

use super::address::Address;
use super::admissions::{Admissions, ConnectionSlot};
use super::connection::Connection;
use super::foxglove::SUBPROTOCOLS;
use super::frame::PREFIX;
use super::http::{RequestHead, Target, read_head, switch, write_response};
use super::stream::{ReadUntil, SocketStream};
use super::{LinkError, Token};
use std::io::Read;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
#[cfg(unix)]
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// WebSocket path of the link.
pub const LINK_PATH: &str = "/link";
/// Timeout of a peer's whole introduction: request head and token.
const INTRODUCTION: Duration = Duration::from_secs(10);
/// Timeout within which a peer must accept some of the bytes sent.
const PATIENCE: Duration = Duration::from_secs(10);

/// A page, or a resource of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebPage {
    /// Media type, such as `text/html; charset=utf-8`.
    pub content_type: String,
    /// Content.
    pub bytes: Vec<u8>,
}

/// Source of pages.
pub trait Pages: Send + Sync {
    /// Returns the page at a decoded `path`, which starts with `/`, with the `query` after the `?`.
    ///
    /// Returns `None` if the page does not exist. Called from any thread.
    fn page(&self, path: &str, query: &str) -> Option<WebPage>;
}

/// A source without pages.
impl Pages for () {
    fn page(&self, _: &str, _: &str) -> Option<WebPage> {
        None
    }
}

/// Handler that serves a connection until it ends, on the connection's own thread.
pub type ConnectionHandler = Box<dyn FnOnce(Connection) + Send>;

/// Returns the handler of a WebSocket with this target, if one exists.
pub type WebSockets = Box<dyn Fn(&Target) -> Option<ConnectionHandler> + Send + Sync>;

/// Handlers of connections, by kind.
///
/// Connections have presented the token, except those passed to `link`.
pub struct Routes {
    /// Serves a link session: a plain stream, or a WebSocket on [`LINK_PATH`]. The token is in its
    /// first message.
    pub link: Box<dyn Fn(Connection) + Send + Sync>,
    /// Returns the handler of a WebSocket on another path, if one exists.
    pub web_socket: WebSockets,
    /// Source of pages.
    pub pages: Box<dyn Pages>,
    /// Serves Foxglove clients, on any path. `None` rejects them.
    pub foxglove: Option<Box<dyn Fn(Connection) + Send + Sync>>,
}

enum Socket {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixListener),
}

/// A bound address that does not accept connections yet.
pub struct Listener {
    socket: Socket,
    address: Address,
    token: Token,
    introduction: Duration,
}

impl Listener {
    /// Binds an address.
    ///
    /// # Errors
    /// [`LinkError::Bind`] when the address is not available.
    pub fn bind(address: &Address, token: Token) -> Result<Listener, LinkError> {
        let refused = |error: std::io::Error| LinkError::Bind {
            address: address.to_string(),
            cause: error.to_string(),
        };
        let introduction = INTRODUCTION;
        match address {
            Address::Tcp(wanted) => {
                let socket = TcpListener::bind(wanted).map_err(refused)?;
                let address = Address::Tcp(socket.local_addr().map_err(refused)?);
                Ok(Listener { socket: Socket::Tcp(socket), address, token, introduction })
            }
            #[cfg(unix)]
            Address::Unix(path) => {
                use std::os::unix::fs::{FileTypeExt, PermissionsExt};
                let is_socket =
                    std::fs::metadata(path).is_ok_and(|file| file.file_type().is_socket());
                // a socket that refuses connections was left behind by a killed run
                let stale = UnixStream::connect(path)
                    .is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionRefused);
                if is_socket && stale {
                    std::fs::remove_file(path).map_err(refused)?;
                }
                let socket = UnixListener::bind(path).map_err(refused)?;
                let own = std::fs::Permissions::from_mode(0o600);
                std::fs::set_permissions(path, own).map_err(refused)?;
                let (socket, address) = (Socket::Unix(socket), address.clone());
                Ok(Listener { socket, address, token, introduction })
            }
            #[cfg(not(unix))]
            Address::Unix(_) => Err(LinkError::Address { given: address.to_string() }),
        }
    }

    /// Returns the bound address, with the actual port.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Accepts connections until the returned value is dropped. Sessions then continue.
    ///
    /// # Errors
    /// [`LinkError::Bind`] when the system cannot start a thread.
    pub fn open(self, routes: Routes) -> Result<Listening, LinkError> {
        let Listener { socket, address, token, introduction } = self;
        let closing = Arc::new(AtomicBool::new(false));
        let router = Arc::new(ConnectionRouter {
            routes,
            cookie: match &address {
                Address::Tcp(own) => format!("bekker_token_{}", own.port()),
                Address::Unix(_) => "bekker_token".into(),
            },
            address: address.clone(),
            token,
            admissions: Admissions::new(),
            introduction,
        });
        let closed = closing.clone();
        let accept = move || {
            loop {
                let accepted = match &socket {
                    Socket::Tcp(own) => own.accept().map(|(stream, _)| SocketStream::Tcp(stream)),
                    #[cfg(unix)]
                    Socket::Unix(own) => own.accept().map(|(stream, _)| SocketStream::Unix(stream)),
                };
                if closed.load(Ordering::Relaxed) {
                    return;
                }
                match accepted {
                    Ok(stream) => router.clone().accept(stream),
                    // for example too many open files: this may be temporary
                    Err(_) => std::thread::sleep(Duration::from_millis(20)),
                }
            }
        };
        let thread = std::thread::Builder::new().name("listener".into()).spawn(accept);
        let thread = thread.map_err(|error| LinkError::Bind {
            address: address.to_string(),
            cause: error.to_string(),
        })?;
        Ok(Listening { address, closing, thread: Some(thread) })
    }
}

/// A listener that accepts connections.
pub struct Listening {
    address: Address,
    closing: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Listening {
    /// Returns the bound address.
    pub fn address(&self) -> &Address {
        &self.address
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.closing.store(true, Ordering::Relaxed);
        // wakes the thread, which then sees that the listener is closed
        let woken = match &self.address {
            Address::Tcp(own) => {
                let here = match own.ip() {
                    IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
                    IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
                    ip => ip,
                };
                let own = SocketAddr::new(here, own.port());
                TcpStream::connect_timeout(&own, Duration::from_secs(1)).is_ok()
            }
            #[cfg(unix)]
            Address::Unix(path) => {
                let woken = UnixStream::connect(path).is_ok();
                let _ = std::fs::remove_file(path);
                woken
            }
            #[cfg(not(unix))]
            Address::Unix(_) => false,
        };
        if let (true, Some(thread)) = (woken, self.thread.take()) {
            let _ = thread.join();
        }
    }
}

/// Policy and routes that apply to every connection.
struct ConnectionRouter {
    routes: Routes,
    address: Address,
    token: Token,
    /// Name of the cookie in which a browser keeps the token for the resources of a page.
    cookie: String,
    admissions: Arc<Admissions>,
    introduction: Duration,
}

impl ConnectionRouter {
    fn accept(self: Arc<ConnectionRouter>, stream: SocketStream) {
        // without a file descriptor or a thread the connection is dropped
        let Ok(admission) = self.admissions.enter(&stream) else { return };
        let serve = move || {
            // errors have been reported to the peer if that was possible
            let _ = self.serve(stream, &Arc::new(admission));
        };
        let _ = std::thread::Builder::new().name("connection".into()).spawn(serve);
    }

    fn serve(
        &self,
        stream: SocketStream,
        admission: &Arc<ConnectionSlot>,
    ) -> Result<(), LinkError> {
        let until = Instant::now() + self.introduction;
        if let SocketStream::Tcp(own) = &stream {
            own.set_nodelay(true)?;
        }
        stream.set_write_timeout(Some(PATIENCE))?;
        let mut incoming = ReadUntil { stream: &stream, until };
        let mut first = [0; PREFIX];
        incoming.read_exact(&mut first)?;
        if &first != b"GET " {
            (self.routes.link)(Connection::plain(stream, &first, admission.clone(), until));
            return Ok(());
        }
        let (request, beyond) = match read_head(&mut incoming, first.to_vec()) {
            Ok(head) => head,
            Err(error) => {
                reject(&stream, "400 Bad Request", &error.to_string())?;
                return Err(error);
            }
        };
        if let Some(cause) = self.host_error(&request) {
            return reject(&stream, "403 Forbidden", &cause);
        }
        let protocol =
            SUBPROTOCOLS.into_iter().find(|own| request.protocols.iter().any(|p| p == own));
        if let (Some(protocol), Some(key)) = (protocol, &request.web_socket) {
            let peer = WebSocketRequest { stream, admission, beyond, until };
            return self.serve_foxglove(peer, &request, [protocol, key]);
        }
        if let Some(cause) = self.origin_error(&request) {
            return reject(&stream, "403 Forbidden", &cause);
        }
        let trusted = self.is_trusted(&request);
        let Some(key) = &request.web_socket else {
            return self.serve_page(&stream, admission, &request, trusted);
        };
        if request.target.path == LINK_PATH {
            switch(&mut &stream, key, None)?;
            let own = Connection::web_socket(stream, beyond, admission.clone(), until);
            (self.routes.link)(own);
            return Ok(());
        }
        if !trusted {
            return reject(&stream, "403 Forbidden", NO_TOKEN);
        }
        let Some(taker) = (self.routes.web_socket)(&request.target) else {
            return reject(&stream, "404 Not Found", "no service at this path");
        };
        taker(WebSocketRequest { stream, admission, beyond, until }.switched(key, None)?);
        Ok(())
    }

    /// Serves a Foxglove client, which must give the token in its address.
    ///
    /// Its page may have any origin, so a cookie is not accepted. A browser never adds the token to
    /// an address by itself.
    fn serve_foxglove(
        &self,
        peer: WebSocketRequest<'_>,
        request: &RequestHead,
        [protocol, key]: [&str; 2],
    ) -> Result<(), LinkError> {
        let given = request.target.parameter(TOKEN);
        if !given.is_some_and(|given| self.token.matches(&given)) {
            return reject(&peer.stream, "403 Forbidden", NO_TOKEN);
        }
        let Some(taker) = &self.routes.foxglove else {
            return reject(
                &peer.stream,
                "404 Not Found",
                "this server does not stream to Foxglove",
            );
        };
        taker(peer.switched(key, Some(protocol))?);
        Ok(())
    }

    /// Sends a page.
    ///
    /// A client that gave the token in the address gets it as a cookie. So the resources of the
    /// page need no token in their addresses.
    fn serve_page(
        &self,
        stream: &SocketStream,
        admission: &ConnectionSlot,
        request: &RequestHead,
        trusted: bool,
    ) -> Result<(), LinkError> {
        if !trusted {
            return reject(stream, "403 Forbidden", NO_TOKEN);
        }
        admit(stream, admission)?;
        let Target { path, query } = &request.target;
        let Some(page) = self.routes.pages.page(path, query) else {
            return reject(stream, "404 Not Found", "page not found");
        };
        let given = request.target.parameter(TOKEN);
        let keep = given.map(|token| {
            let ConnectionRouter { cookie, .. } = self;
            ("Set-Cookie", format!("{cookie}={token}; HttpOnly; SameSite=Strict; Path=/"))
        });
        let keep: Vec<(&str, String)> = keep.into_iter().collect();
        write_response(&mut &*stream, "200 OK", &keep, &page.content_type, &page.bytes)?;
        Ok(())
    }

    fn is_trusted(&self, request: &RequestHead) -> bool {
        let kept = request.cookies.iter().find(|(name, _)| *name == self.cookie);
        let given = request.target.parameter(TOKEN).or_else(|| kept.map(|(_, own)| own.clone()));
        given.is_some_and(|given| self.token.matches(&given))
    }

    /// Returns the reason for rejection if a request to the loopback address names another host, as
    /// in DNS rebinding.
    fn host_error(&self, request: &RequestHead) -> Option<String> {
        let Address::Tcp(address) = &self.address else { return None };
        let host = request.host.clone().unwrap_or_default();
        let name = host.rsplit_once(':').map_or(host.as_str(), |(name, _)| name);
        let loopback =
            ["127.0.0.1", "localhost", "[::1]"].contains(&name) || name == address.ip().to_string();
        let bent = address.ip().is_loopback() && !loopback;
        bent.then(|| format!("host {host:?}: must be this machine's loopback"))
    }

    /// Returns the reason for rejection if a request comes from a page of another origin.
    fn origin_error(&self, request: &RequestHead) -> Option<String> {
        let Address::Tcp(_) = &self.address else { return None };
        let host = request.host.clone().unwrap_or_default();
        match &request.origin {
            Some(origin) if *origin != format!("http://{host}") => {
                Some(format!("origin {origin:?}: must be http://{host}"))
            }
            _ => None,
        }
    }
}

/// A peer whose WebSocket request has been read.
struct WebSocketRequest<'a> {
    stream: SocketStream,
    admission: &'a Arc<ConnectionSlot>,
    /// Bytes read beyond the request.
    beyond: Vec<u8>,
    /// Deadline of the introduction.
    until: Instant,
}

impl WebSocketRequest<'_> {
    /// Admits the connection, then completes the WebSocket handshake.
    fn switched(self, key: &str, protocol: Option<&str>) -> Result<Connection, LinkError> {
        let WebSocketRequest { stream, admission, beyond, until } = self;
        admit(&stream, admission)?;
        switch(&mut &stream, key, protocol)?;
        let mut connection = Connection::web_socket(stream, beyond, admission.clone(), until);
        // already counted: this only removes the deadline
        connection.admit()?;
        Ok(connection)
    }
}

/// Name of the query parameter with the token.
const TOKEN: &str = "token";
const NO_TOKEN: &str =
    "the token is missing or wrong; add ?token=TOKEN with the token that the run printed";

/// Admits a connection, or rejects it with status 503.
fn admit(stream: &SocketStream, admission: &ConnectionSlot) -> Result<(), LinkError> {
    let admitted = admission.admit().map_err(LinkError::from);
    if let Err(error) = &admitted {
        reject(stream, "503 Service Unavailable", &error.to_string())?;
    }
    admitted
}

fn reject(mut stream: &SocketStream, status: &str, cause: &str) -> Result<(), LinkError> {
    let body = format!("{cause}\n");
    Ok(write_response(&mut stream, status, &[], "text/plain; charset=utf-8", body.as_bytes())?)
}

#[cfg(test)]
mod tests;
