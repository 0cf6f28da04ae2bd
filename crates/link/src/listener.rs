//! A listener that sorts who connects: plain link sessions, WebSockets, and pages.
//!
//! The first four bytes decide: `GET ` is HTTP, anything else the length of a first message
//! (that one would be of more than a thousand megabytes, beyond any that is taken).

use super::address::Address;
use super::admissions::{Admission, Admissions};
use super::connection::Connection;
use super::foxglove::SUBPROTOCOLS;
use super::frame::PREFIX;
use super::http::{Request, Target, answer, read_head, switch};
use super::stream::{ReadUntil, Stream};
use super::{LinkError, Token};
use std::io::Read;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
#[cfg(unix)]
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Path of the link among WebSockets.
pub const LINK_PATH: &str = "/link";
/// Time for the whole introduction of a peer: head and token.
const INTRODUCTION: Duration = Duration::from_secs(10);
/// Time within which a peer must accept some of the bytes sent.
const PATIENCE: Duration = Duration::from_secs(10);

/// A page, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its media type, as `text/html; charset=utf-8`.
    pub content_type: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Pages by their paths.
pub trait Pages: Send + Sync {
    /// The page at a path, decoded from its `/` on, with what follows the `?`; none where
    /// there is none. Called from any thread.
    fn page(&self, path: &str, query: &str) -> Option<Page>;
}

/// No pages.
impl Pages for () {
    fn page(&self, _: &str, _: &str) -> Option<Page> {
        None
    }
}

/// Takes a connection, for as long as it lasts: on a thread of its own.
pub type Taker = Box<dyn FnOnce(Connection) + Send>;

/// Says who takes a WebSocket at a target, if anybody does.
pub type WebSockets = Box<dyn Fn(&Target) -> Option<Taker> + Send + Sync>;

/// To whom connections go. All but plain ones, which say the token in their first message,
/// have given the token.
pub struct Routes {
    /// Takes a session of the link; of plain ones and WebSockets on [`LINK_PATH`] alike the
    /// token is in the first message.
    pub link: Box<dyn Fn(Connection) + Send + Sync>,
    /// Says who takes a WebSocket on another path, if anybody does.
    pub web_socket: WebSockets,
    /// The pages.
    pub pages: Box<dyn Pages>,
    /// Takes clients of Foxglove, on any path, if somebody does.
    pub foxglove: Option<Box<dyn Fn(Connection) + Send + Sync>>,
}

enum Socket {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixListener),
}

/// A bound address at which nobody is let in yet.
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
    /// [`LinkError::Bind`] when it cannot be had.
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
                // one that nobody listens at was left behind by a run that was killed
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

    /// Where it listens, with the port that it got.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Lets everybody in, until what is returned is dropped; sessions then go on.
    ///
    /// # Errors
    /// [`LinkError::Bind`] when the system gives no thread.
    pub fn open(self, routes: Routes) -> Result<Listening, LinkError> {
        let Listener { socket, address, token, introduction } = self;
        let closing = Arc::new(AtomicBool::new(false));
        let door = Arc::new(Door {
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
                    Socket::Tcp(own) => own.accept().map(|(stream, _)| Stream::Tcp(stream)),
                    #[cfg(unix)]
                    Socket::Unix(own) => own.accept().map(|(stream, _)| Stream::Unix(stream)),
                };
                if closed.load(Ordering::Relaxed) {
                    return;
                }
                match accepted {
                    Ok(stream) => door.clone().let_in(stream),
                    // too many files are open, or the like: it may pass
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

/// A listener that lets peers in.
pub struct Listening {
    address: Address,
    closing: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Listening {
    /// Where it listens.
    pub fn address(&self) -> &Address {
        &self.address
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.closing.store(true, Ordering::Relaxed);
        // wakes the thread, which then finds itself closed
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

/// What every connection is judged by.
struct Door {
    routes: Routes,
    address: Address,
    token: Token,
    /// Name of the cookie that a browser keeps the token in for the parts of a page.
    cookie: String,
    admissions: Arc<Admissions>,
    introduction: Duration,
}

impl Door {
    fn let_in(self: Arc<Door>, stream: Stream) {
        // without a descriptor or a thread the connection is dropped
        let Ok(admission) = self.admissions.enter(&stream) else { return };
        let serve = move || {
            // what went wrong was said to the peer where it could be
            let _ = self.serve(stream, &Arc::new(admission));
        };
        let _ = std::thread::Builder::new().name("connection".into()).spawn(serve);
    }

    fn serve(&self, stream: Stream, admission: &Arc<Admission>) -> Result<(), LinkError> {
        let until = Instant::now() + self.introduction;
        if let Stream::Tcp(own) = &stream {
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
                refuse(&stream, "400 Bad Request", &error.to_string())?;
                return Err(error);
            }
        };
        if let Some(cause) = self.is_bent(&request) {
            return refuse(&stream, "403 Forbidden", &cause);
        }
        let protocol =
            SUBPROTOCOLS.into_iter().find(|own| request.protocols.iter().any(|p| p == own));
        if let (Some(protocol), Some(key)) = (protocol, &request.web_socket) {
            let peer = Introduced { stream, admission, beyond, until };
            return self.tell_foxglove(peer, &request, [protocol, key]);
        }
        if let Some(cause) = self.is_foreign(&request) {
            return refuse(&stream, "403 Forbidden", &cause);
        }
        let trusted = self.is_trusted(&request);
        let Some(key) = &request.web_socket else {
            return self.show(&stream, admission, &request, trusted);
        };
        if request.target.path == LINK_PATH {
            switch(&mut &stream, key, None)?;
            let own = Connection::web_socket(stream, beyond, admission.clone(), until);
            (self.routes.link)(own);
            return Ok(());
        }
        if !trusted {
            return refuse(&stream, "403 Forbidden", NO_TOKEN);
        }
        let Some(taker) = (self.routes.web_socket)(&request.target) else {
            return refuse(&stream, "404 Not Found", "nothing listens at this path");
        };
        taker(Introduced { stream, admission, beyond, until }.switched(key, None)?);
        Ok(())
    }

    /// Lets a client of Foxglove in, whose page may be of any origin, so that it must give the token
    /// in its address: a browser adds that of its own accord to nothing.
    fn tell_foxglove(
        &self,
        peer: Introduced<'_>,
        request: &Request,
        [protocol, key]: [&str; 2],
    ) -> Result<(), LinkError> {
        let given = request.target.parameter(TOKEN);
        if !given.is_some_and(|given| self.token.is(&given)) {
            return refuse(&peer.stream, "403 Forbidden", NO_TOKEN);
        }
        let Some(taker) = &self.routes.foxglove else {
            return refuse(&peer.stream, "404 Not Found", "no run is streamed to Foxglove here");
        };
        taker(peer.switched(key, Some(protocol))?);
        Ok(())
    }

    /// Sends a page; who gave the token in the address keeps it as a cookie, so that the parts
    /// of the page need not name it.
    fn show(
        &self,
        stream: &Stream,
        admission: &Admission,
        request: &Request,
        trusted: bool,
    ) -> Result<(), LinkError> {
        if !trusted {
            return refuse(stream, "403 Forbidden", NO_TOKEN);
        }
        admit(stream, admission)?;
        let Target { path, query } = &request.target;
        let Some(page) = self.routes.pages.page(path, query) else {
            return refuse(stream, "404 Not Found", "there is no such page");
        };
        let given = request.target.parameter(TOKEN);
        let keep = given.map(|token| {
            let Door { cookie, .. } = self;
            ("Set-Cookie", format!("{cookie}={token}; HttpOnly; SameSite=Strict; Path=/"))
        });
        let keep: Vec<(&str, String)> = keep.into_iter().collect();
        answer(&mut &*stream, "200 OK", &keep, &page.content_type, &page.bytes)?;
        Ok(())
    }

    fn is_trusted(&self, request: &Request) -> bool {
        let kept = request.cookies.iter().find(|(name, _)| *name == self.cookie);
        let given = request.target.parameter(TOKEN).or_else(|| kept.map(|(_, own)| own.clone()));
        given.is_some_and(|given| self.token.is(&given))
    }

    /// Why a request on the loopback is for another host than that, if it is: a name that was bent
    /// to it.
    fn is_bent(&self, request: &Request) -> Option<String> {
        let Address::Tcp(address) = &self.address else { return None };
        let host = request.host.clone().unwrap_or_default();
        let name = host.rsplit_once(':').map_or(host.as_str(), |(name, _)| name);
        let loopback =
            ["127.0.0.1", "localhost", "[::1]"].contains(&name) || name == address.ip().to_string();
        let bent = address.ip().is_loopback() && !loopback;
        bent.then(|| format!("host {host:?}: must be this machine's loopback"))
    }

    /// Why a request comes from a page of another origin than this host, if it does.
    fn is_foreign(&self, request: &Request) -> Option<String> {
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

/// A peer whose request for a WebSocket has been read.
struct Introduced<'a> {
    stream: Stream,
    admission: &'a Arc<Admission>,
    /// What was read beyond the request.
    beyond: Vec<u8>,
    /// When its introduction ends.
    until: Instant,
}

impl Introduced<'_> {
    /// Counts it among those that have given the token, then makes it a WebSocket.
    fn switched(self, key: &str, protocol: Option<&str>) -> Result<Connection, LinkError> {
        let Introduced { stream, admission, beyond, until } = self;
        admit(&stream, admission)?;
        switch(&mut &stream, key, protocol)?;
        let mut connection = Connection::web_socket(stream, beyond, admission.clone(), until);
        // counted already: only the deadline goes
        connection.admit()?;
        Ok(connection)
    }
}

/// Name of the parameter that holds the token.
const TOKEN: &str = "token";
const NO_TOKEN: &str = "the token is missing or wrong: add ?token=TOKEN, as the run printed it";

/// Counts a connection among those that have given the token, or refuses it.
fn admit(stream: &Stream, admission: &Admission) -> Result<(), LinkError> {
    let admitted = admission.admit().map_err(LinkError::from);
    if let Err(error) = &admitted {
        refuse(stream, "503 Service Unavailable", &error.to_string())?;
    }
    admitted
}

fn refuse(mut stream: &Stream, status: &str, cause: &str) -> Result<(), LinkError> {
    let body = format!("{cause}\n");
    Ok(answer(&mut stream, status, &[], "text/plain; charset=utf-8", body.as_bytes())?)
}

#[cfg(test)]
mod tests {
    use super::super::connection::Message;
    use super::super::frame::encode;
    use super::*;
    use std::io::Write;
    use tungstenite::client::client_with_config;
    use tungstenite::handshake::client::generate_key;

    struct One;

    impl Pages for One {
        fn page(&self, path: &str, query: &str) -> Option<Page> {
            let bytes = query.as_bytes().to_vec();
            (path == "/page").then(|| Page { content_type: "text/plain".into(), bytes })
        }
    }

    /// Says back what it hears.
    fn echo(mut connection: Connection) {
        while let Ok(Some(Message::Text(text))) = connection.incoming.receive() {
            connection.outgoing.text(&text).unwrap();
        }
        connection.outgoing.close();
    }

    /// Echoes messages to peers whose first message is the token.
    fn echo_to_holders(mut connection: Connection) {
        let first = connection.incoming.receive();
        if !matches!(first, Ok(Some(Message::Text(text))) if text == "secret") {
            return connection.outgoing.close();
        }
        if let Err(error) = connection.admit() {
            connection.outgoing.text(&error.to_string()).unwrap();
            return connection.outgoing.close();
        }
        connection.outgoing.text("welcome").unwrap();
        echo(connection);
    }

    /// Whether the other end has closed the connection.
    fn is_closed(stream: &mut TcpStream) -> bool {
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        match stream.read(&mut [0; 64]) {
            Ok(read) => read == 0,
            Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
        }
    }

    /// The answer to a peer with the token; none if the connection is closed.
    fn introduced(listening: &Listening) -> (TcpStream, Option<String>) {
        let (mut stream, _) = tcp(listening);
        stream.write_all(&encode("secret")).unwrap();
        let mut length = [0; PREFIX];
        let mut answer = || {
            stream.read_exact(&mut length).ok()?;
            let mut text = vec![0; u32::from_be_bytes(length) as usize];
            stream.read_exact(&mut text).ok()?;
            String::from_utf8(text).ok()
        };
        let answer = answer();
        (stream, answer)
    }

    fn for_holders(introduction: Duration) -> Listening {
        let routes = Routes {
            link: Box::new(echo_to_holders),
            web_socket: Box::new(|_| None),
            pages: Box::new(One),
            foxglove: None,
        };
        let token = Token::fixed("secret").unwrap();
        let listener = Listener::bind(&Address::default(), token).unwrap();
        Listener { introduction, ..listener }.open(routes).unwrap()
    }

    /// Partial introductions of any kind do not keep a peer with the token out.
    #[test]
    fn connections_without_the_token_lock_nobody_out() {
        let listening = for_holders(Duration::from_secs(600));
        let begun: [&[u8]; 4] = [b"", b"\0\x10\0\0{", b"GET ", b"GET /page HTTP/1.1\r\nA: "];
        let mut held: Vec<TcpStream> = Vec::new();
        for round in 0..4 {
            for number in 0..80 {
                let (mut stream, _) = tcp(&listening);
                // it may be dropped already
                let _ = stream.write_all(begun[number % begun.len()]);
                held.push(stream);
            }
            let (_, answer) = introduced(&listening);
            assert_eq!(answer.as_deref(), Some("welcome"), "round {round}");
            assert!(get(&listening, "/page?token=secret", "").starts_with("HTTP/1.1 200"));
            // pending peers send a byte now and then
            held.iter_mut().for_each(|stream| drop(stream.write_all(b"{")));
        }
        assert!(is_closed(&mut held[0]), "the oldest must be dropped");
    }

    /// Bytes that come one by one do not lengthen an introduction.
    #[test]
    fn an_introduction_ends_however_its_bytes_are_spread() {
        let listening = for_holders(Duration::from_millis(300));
        for begun in [&b"\0\x10\0\0"[..], b"GET /page HTTP/1.1\r\nA: ", b"\0"] {
            let (mut stream, _) = tcp(&listening);
            stream.write_all(begun).unwrap();
            let mut drops = stream.try_clone().unwrap();
            let drip = std::thread::spawn(move || {
                // ends once the other end has closed, and only then
                while drops.write_all(b"a").is_ok() {
                    std::thread::sleep(Duration::from_millis(20));
                }
            });
            // a deadline that is not kept fails here, and does not hang
            stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            let ended = stream.read_to_end(&mut Vec::new()).map_err(|error| error.kind());
            let is_late =
                matches!(ended, Err(std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut));
            assert!(!is_late, "the introduction of {begun:?} has no end");
            drop(stream);
            drip.join().unwrap();
        }
        // no deadline applies after the introduction
        let (mut stream, answer) = introduced(&listening);
        assert_eq!(answer.as_deref(), Some("welcome"));
        std::thread::sleep(Duration::from_millis(700));
        stream.write_all(&encode("late")).unwrap();
        let mut back = [0; 8];
        stream.read_exact(&mut back).unwrap();
        assert_eq!(back, *encode("late"));
    }

    /// Sessions with the token have a separate limit, and a session beyond it gets the reason.
    #[test]
    fn holders_of_the_token_have_a_limit_of_their_own() {
        let listening = for_holders(Duration::from_secs(600));
        let mut sessions: Vec<TcpStream> = Vec::new();
        for _ in 0..64 {
            let (stream, answer) = introduced(&listening);
            assert_eq!(answer.as_deref(), Some("welcome"));
            sessions.push(stream);
        }
        let (_, answer) = introduced(&listening);
        let told = answer.unwrap();
        assert!(told.starts_with("64 connections are open, the most"), "{told}");
        let page = get(&listening, "/page?token=secret", "");
        assert!(page.starts_with("HTTP/1.1 503") && page.contains("64 connections"), "{page}");
        // one that ends makes room
        drop(sessions.pop());
        let admitted = (0..600).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            introduced(&listening).1.as_deref() == Some("welcome")
        });
        assert!(admitted);
    }

    fn listening(address: &Address) -> Listening {
        let token = Token::fixed("secret").unwrap();
        let web_socket = |target: &Target| -> Option<Taker> {
            (target.path == "/view").then(|| Box::new(echo) as Taker)
        };
        let routes = Routes {
            link: Box::new(echo),
            web_socket: Box::new(web_socket),
            pages: Box::new(One),
            foxglove: None,
        };
        Listener::bind(address, token).unwrap().open(routes).unwrap()
    }

    fn tcp(listening: &Listening) -> (TcpStream, String) {
        let Address::Tcp(address) = listening.address() else { panic!("no TCP") };
        (TcpStream::connect(address).unwrap(), address.to_string())
    }

    fn get(listening: &Listening, target: &str, more: &str) -> String {
        let (mut stream, host) = tcp(listening);
        write!(stream, "GET {target} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn pages_need_the_token_by_address_or_cookie() {
        let listening = listening(&Address::default());
        let (_, host) = tcp(&listening);
        let port = host.rsplit_once(':').unwrap().1;
        let page = get(&listening, "/page?token=secret", "");
        assert!(page.starts_with("HTTP/1.1 200 OK") && page.ends_with("token=secret"), "{page}");
        let cookie = format!("Cookie: bekker_token_{port}=secret\r\n");
        assert!(page.contains(&format!("Set-Cookie: bekker_token_{port}=secret; HttpOnly")));
        assert!(get(&listening, "/page", &cookie).starts_with("HTTP/1.1 200 OK"));
        for target in ["/page", "/page?token=other", "/page?token="] {
            assert!(get(&listening, target, "").starts_with("HTTP/1.1 403"), "{target}");
        }
        assert!(get(&listening, "/other?token=secret", "").starts_with("HTTP/1.1 404"));
    }

    #[test]
    fn pages_of_others_are_kept_out() {
        let listening = listening(&Address::default());
        let (_, host) = tcp(&listening);
        let own = format!("Origin: http://{host}\r\n");
        assert!(get(&listening, "/page?token=secret", &own).starts_with("HTTP/1.1 200"));
        let other = "Origin: http://evil.example\r\n";
        assert!(get(&listening, "/page?token=secret", other).starts_with("HTTP/1.1 403"));
        let (mut stream, _) = tcp(&listening);
        write!(stream, "GET /page?token=secret HTTP/1.1\r\nHost: evil.example\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        assert!(text.starts_with("HTTP/1.1 403"), "{text}");
    }

    #[test]
    fn plain_streams_and_web_sockets_share_a_port() {
        let listening = listening(&Address::default());
        let (mut stream, host) = tcp(&listening);
        stream.write_all(&encode("{}")).unwrap();
        let mut back = [0; 6];
        stream.read_exact(&mut back).unwrap();
        assert_eq!(back, *encode("{}"));

        let socket = |path: &str| {
            let (stream, host) = tcp(&listening);
            let request = tungstenite::http::Request::builder()
                .uri(format!("ws://{host}{path}"))
                .header("Host", host)
                .header("Connection", "Upgrade")
                .header("Upgrade", "websocket")
                .header("Sec-WebSocket-Version", "13")
                .header("Sec-WebSocket-Key", generate_key());
            client_with_config(request.body(()).unwrap(), stream, None).ok()
        };
        for path in ["/link", "/view?token=secret"] {
            let (mut socket, _) = socket(path).unwrap();
            socket.send(tungstenite::Message::Ping(vec![1].into())).unwrap();
            socket.send(tungstenite::Message::text("hello")).unwrap();
            assert_eq!(socket.read().unwrap(), tungstenite::Message::Pong(vec![1].into()));
            assert_eq!(socket.read().unwrap().to_text().unwrap(), "hello");
        }
        for path in ["/view", "/other?token=secret"] {
            assert!(socket(path).is_none(), "{path}");
        }
        drop(listening);
        assert!(TcpStream::connect(host).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_unix_socket_is_there_while_it_is_listened_at() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.socket");
        let address = Address::Unix(path.clone());
        // one that was left behind is no obstacle
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        let listening = listening(&address);
        let mut stream = UnixStream::connect(&path).unwrap();
        stream.write_all(&encode("over it")).unwrap();
        let mut back = vec![0; 11];
        stream.read_exact(&mut back).unwrap();
        assert_eq!(back, encode("over it"));
        let taken = Listener::bind(&address, Token::fixed("t").unwrap());
        assert!(taken.is_err_and(|error| error.to_string().contains("cannot listen")));
        drop(listening);
        assert!(!path.exists());
        // what is no socket is never removed
        std::fs::write(&path, "mine").unwrap();
        assert!(Listener::bind(&address, Token::fixed("t").unwrap()).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    }
}
