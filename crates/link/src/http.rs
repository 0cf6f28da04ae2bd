//! The subset of HTTP/1.1 that pages and WebSockets need: the head of a GET request, and a
//! response.

use super::LinkError;
use percent_encoding::percent_decode_str;
use std::fmt::Write as _;
use std::io::{Read, Write};

/// Longest request head that is read, bytes.
const LONGEST: usize = 16 << 10;
/// Maximum number of headers that are read.
const HEADERS: usize = 64;

/// Target of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// Decoded path, starting with `/`.
    pub path: String,
    /// Query after the `?`, not decoded.
    pub query: String,
}

impl Target {
    fn parse(text: &str) -> Target {
        let (path, query) = text.split_once('?').unwrap_or((text, ""));
        Target { path: decoded(path), query: query.into() }
    }

    /// Returns a decoded parameter of the query.
    pub fn parameter(&self, name: &str) -> Option<String> {
        let pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.into_iter().find(|(key, _)| *key == name).map(|(_, value)| decoded(value))
    }
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// Head of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RequestHead {
    pub target: Target,
    pub host: Option<String>,
    pub origin: Option<String>,
    /// Key of the WebSocket handshake, if the request is one.
    pub web_socket: Option<String>,
    pub cookies: Vec<(String, String)>,
    /// WebSocket subprotocols that the client supports, in order of preference.
    pub protocols: Vec<String>,
}

/// Reads a request head and returns it with the bytes read beyond it.
///
/// `bytes` holds what was already read.
pub(super) fn read_head(
    stream: &mut impl Read,
    mut bytes: Vec<u8>,
) -> Result<(RequestHead, Vec<u8>), LinkError> {
    let mut block = [0; 4096];
    loop {
        if let Some((request, length)) = parse(&bytes)? {
            return Ok((request, bytes.split_off(length)));
        }
        if bytes.len() > LONGEST {
            return Err(LinkError::Request { cause: format!("HTTP header above {LONGEST} bytes") });
        }
        match stream.read(&mut block)? {
            0 => return Err(LinkError::Request { cause: "incomplete HTTP header".into() }),
            read => bytes.extend_from_slice(&block[..read]),
        }
    }
}

/// Returns the head and its length once it is complete.
fn parse(bytes: &[u8]) -> Result<Option<(RequestHead, usize)>, LinkError> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut head = httparse::Request::new(&mut headers);
    let refused = |cause: String| LinkError::Request { cause };
    let httparse::Status::Complete(length) =
        head.parse(bytes).map_err(|error| refused(error.to_string()))?
    else {
        return Ok(None);
    };
    if head.method != Some("GET") {
        return Err(refused("must be a GET".into()));
    }
    let mut request =
        RequestHead { target: Target::parse(head.path.unwrap_or("/")), ..RequestHead::default() };
    let mut upgrades = false;
    let mut key = None;
    for header in head.headers.iter() {
        let value = String::from_utf8_lossy(header.value).trim().to_owned();
        match header.name.to_ascii_lowercase().as_str() {
            "host" => request.host = Some(value),
            "origin" => request.origin = Some(value),
            "upgrade" => upgrades = value.eq_ignore_ascii_case("websocket"),
            "sec-websocket-key" => key = Some(value),
            "sec-websocket-protocol" => {
                request.protocols.extend(value.split(',').map(|own| own.trim().to_owned()));
            }
            "cookie" => {
                let pairs = value.split(';').filter_map(|pair| pair.trim().split_once('='));
                request.cookies.extend(pairs.map(|(key, own)| (key.into(), own.into())));
            }
            _ => {}
        }
    }
    request.web_socket = key.filter(|_| upgrades);
    Ok(Some((request, length)))
}

/// Writes a response with a body, and announces that the connection closes.
pub(super) fn write_response(
    stream: &mut impl Write,
    status: &str,
    more: &[(&str, String)],
    content_type: &str,
    body: &[u8],
) -> std::io::Result<()> {
    let mut head = format!("HTTP/1.1 {status}\r\n");
    let length = body.len().to_string();
    let fixed = [
        ("Content-Type", content_type),
        ("Content-Length", length.as_str()),
        ("Cache-Control", "no-store"),
        ("Connection", "close"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Content-Type-Options", "nosniff"),
    ];
    let more = more.iter().map(|(name, value)| (*name, value.as_str()));
    for (name, value) in fixed.into_iter().chain(more) {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    stream.flush()
}

/// Accepts the WebSocket handshake with this key and one of the offered subprotocols.
pub(super) fn switch(
    stream: &mut impl Write,
    key: &str,
    protocol: Option<&str>,
) -> std::io::Result<()> {
    let accept = tungstenite::handshake::derive_accept_key(key.as_bytes());
    let chosen =
        protocol.map_or_else(String::new, |own| format!("Sec-WebSocket-Protocol: {own}\r\n"));
    let head = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {accept}\r\n{chosen}\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "GET /a%20b?token=x%2Fy&z=1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\
        Cookie: a=1; bekker_token=t\r\nUpgrade: WebSocket\r\nSec-WebSocket-Key: k\r\n\r\n";

    #[test]
    fn a_head_is_read_in_any_fragments() {
        for first in 0..HEAD.len() {
            let mut rest = [&HEAD.as_bytes()[first..], b"beyond"].concat();
            let mut rest: &[u8] = &rest.split_off(0);
            let (request, beyond) =
                read_head(&mut rest, HEAD.as_bytes()[..first].to_vec()).unwrap();
            assert_eq!(beyond, b"beyond");
            assert_eq!(request.target.path, "/a b");
            assert_eq!(request.target.parameter("token").as_deref(), Some("x/y"));
            assert_eq!(request.web_socket.as_deref(), Some("k"));
            assert_eq!(request.cookies[1], ("bekker_token".into(), "t".into()));
        }
    }

    #[test]
    fn other_methods_than_get_are_refused() {
        let large = format!("GET / HTTP/1.1\r\nA: {}", "a".repeat(LONGEST));
        for text in ["POST / HTTP/1.1\r\n\r\n", "GET \0 HTTP/1.1\r\n\r\n", "GET / HT", &large] {
            assert!(read_head(&mut text.as_bytes(), Vec::new()).is_err(), "{text:.20}");
        }
    }
}
