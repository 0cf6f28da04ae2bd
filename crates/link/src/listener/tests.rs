use super::super::connection::WireMessage;
use super::super::frame::encode;
use super::*;
use std::io::Write;
use tungstenite::client::client_with_config;
use tungstenite::handshake::client::generate_key;

struct OnePage;

impl Pages for OnePage {
    fn page(&self, path: &str, query: &str) -> Option<WebPage> {
        let bytes = query.as_bytes().to_vec();
        (path == "/page").then(|| WebPage { content_type: "text/plain".into(), bytes })
    }
}

/// Sends received messages back.
fn echo(mut connection: Connection) {
    while let Ok(Some(WireMessage::Text(text))) = connection.incoming.receive() {
        connection.outgoing.text(&text).unwrap();
    }
    connection.outgoing.close();
}

/// Sends messages back to peers whose first message is the token.
fn echo_to_holders(mut connection: Connection) {
    let first = connection.incoming.receive();
    if !matches!(first, Ok(Some(WireMessage::Text(text))) if text == "secret") {
        return connection.outgoing.close();
    }
    if let Err(error) = connection.admit() {
        connection.outgoing.text(&error.to_string()).unwrap();
        return connection.outgoing.close();
    }
    connection.outgoing.text("welcome").unwrap();
    echo(connection);
}

/// Whether the peer has closed the connection.
fn is_closed(stream: &mut TcpStream) -> bool {
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    match stream.read(&mut [0; 64]) {
        Ok(read) => read == 0,
        Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
    }
}

/// Returns a connection that presented the token, and the answer. `None` if the connection is
/// closed.
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
        pages: Box::new(OnePage),
        foxglove: None,
    };
    let token = Token::fixed("secret").unwrap();
    let listener = Listener::bind(&Address::default(), token).unwrap();
    Listener { introduction, ..listener }.open(routes).unwrap()
}

/// Partial introductions of any kind do not lock out a peer with the token.
#[test]
fn connections_without_the_token_do_not_block_others() {
    let listening = for_holders(Duration::from_secs(600));
    let begun: [&[u8]; 4] = [b"", b"\0\x10\0\0{", b"GET ", b"GET /page HTTP/1.1\r\nA: "];
    let mut held: Vec<TcpStream> = Vec::new();
    for round in 0..4 {
        for number in 0..80 {
            let (mut stream, _) = tcp(&listening);
            // it may already be dropped
            let _ = stream.write_all(begun[number % begun.len()]);
            held.push(stream);
        }
        let (_, answer) = introduced(&listening);
        assert_eq!(answer.as_deref(), Some("welcome"), "round {round}");
        assert!(get(&listening, "/page?token=secret", "").starts_with("HTTP/1.1 200"));
        // pending peers send a byte from time to time
        held.iter_mut().for_each(|stream| drop(stream.write_all(b"{")));
    }
    assert!(is_closed(&mut held[0]), "the oldest must be dropped");
}

/// Bytes that arrive one by one do not prolong an introduction.
#[test]
fn an_introduction_ends_however_its_bytes_are_spread() {
    let listening = for_holders(Duration::from_millis(300));
    for begun in [&b"\0\x10\0\0"[..], b"GET /page HTTP/1.1\r\nA: ", b"\0"] {
        let (mut stream, _) = tcp(&listening);
        stream.write_all(begun).unwrap();
        let mut drops = stream.try_clone().unwrap();
        let drip = std::thread::spawn(move || {
            // ends only when the listener has closed the connection
            while drops.write_all(b"a").is_ok() {
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        // a missed deadline fails here instead of blocking
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
fn authenticated_connections_have_a_separate_limit() {
    let listening = for_holders(Duration::from_secs(600));
    let mut sessions: Vec<TcpStream> = Vec::new();
    for _ in 0..64 {
        let (stream, answer) = introduced(&listening);
        assert_eq!(answer.as_deref(), Some("welcome"));
        sessions.push(stream);
    }
    let (_, answer) = introduced(&listening);
    let told = answer.unwrap();
    assert!(told.starts_with("64 connections are open, the maximum"), "{told}");
    let page = get(&listening, "/page?token=secret", "");
    assert!(page.starts_with("HTTP/1.1 503") && page.contains("64 connections"), "{page}");
    // a session that ends frees capacity
    drop(sessions.pop());
    let admitted = (0..600).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        introduced(&listening).1.as_deref() == Some("welcome")
    });
    assert!(admitted);
}

fn listening(address: &Address) -> Listening {
    let token = Token::fixed("secret").unwrap();
    let web_socket = |target: &Target| -> Option<ConnectionHandler> {
        (target.path == "/view").then(|| Box::new(echo) as ConnectionHandler)
    };
    let routes = Routes {
        link: Box::new(echo),
        web_socket: Box::new(web_socket),
        pages: Box::new(OnePage),
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
fn cross_origin_pages_are_refused() {
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
fn a_unix_socket_exists_while_it_listens() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.socket");
    let address = Address::Unix(path.clone());
    // a socket left behind is no obstacle
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
    // a file that is not a socket is never removed
    std::fs::write(&path, "mine").unwrap();
    assert!(Listener::bind(&address, Token::fixed("t").unwrap()).is_err());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
}
