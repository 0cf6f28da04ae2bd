//! Mutual authentication of two processes before they become ranks of one run.
//!
//! The server sends a nonce. The client answers with its rank, the rank count, its program, and an
//! HMAC (RFC 2104) with SHA-256 over both nonces that proves possession of the token. The server
//! proves the same, or sends the reason for rejection. So neither a foreign client nor an impostor
//! at rank 0's address learns the token or joins the run.

use hmac::{Hmac, KeyInit, Mac};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use std::io::{self, Read, Write};
use std::net::SocketAddr;

/// First bytes that the server sends.
const MAGIC: [u8; 8] = *b"bekker\r\n";
/// Version of the protocol that follows.
const PROTOCOL: u16 = 1;
/// Longest handshake message, bytes. A table has 20 bytes for each of a thousand ranks.
const MAX_MESSAGE_BYTES: u32 = 1 << 16;

pub(super) type Nonce = [u8; 32];

/// Draws a random nonce.
pub(super) fn nonce() -> io::Result<Nonce> {
    let mut nonce = [0; 32];
    getrandom::fill(&mut nonce).map_err(io::Error::other)?;
    Ok(nonce)
}

#[derive(Serialize, Deserialize)]
struct Challenge {
    magic: [u8; 8],
    protocol: u16,
    nonce: Nonce,
}

/// Introduction of a process that requests to join.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct JoinHello {
    /// Program and version.
    pub program: String,
    /// Rank count.
    pub size: u32,
    /// Requested rank.
    pub rank: u32,
    /// Port of the acceptor for higher ranks.
    pub port: u16,
    /// The run's nonce, drawn by rank 0. `None` in the introduction to rank 0 itself.
    pub run: Option<Nonce>,
}

#[derive(Serialize, Deserialize)]
struct SignedHello {
    hello: JoinHello,
    nonce: Nonce,
    proof: [u8; 32],
}

#[derive(Serialize, Deserialize)]
enum HandshakeReply {
    Welcome { proof: [u8; 32] },
    Refused { reason: String },
}

/// Table that rank 0 sends to all ranks once all have joined.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Addresses {
    pub run: Nonce,
    /// Address of each rank's acceptor for higher ranks.
    pub addresses: Vec<Option<SocketAddr>>,
}

/// Reason why a handshake failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum HandshakeError {
    #[error("{0}")]
    Connection(#[from] io::Error),
    #[error("the peer is not a bekker rank")]
    OtherProtocol,
    #[error("the peer uses protocol {theirs}, this bekker uses {PROTOCOL}")]
    Protocol { theirs: u16 },
    #[error("the peer does not have the token of this run")]
    Impostor,
    #[error("{reason}")]
    Refused { reason: String },
}

fn proof(token: &str, role: &[u8], nonces: [&Nonce; 2], hello: &JoinHello) -> Hmac<Sha256> {
    let mut mac =
        Hmac::<Sha256>::new_from_slice(token.as_bytes()).expect("HMAC accepts keys of any length");
    let hello = postcard::to_stdvec(hello).expect("plain data serializes into memory");
    [role, nonces[0], nonces[1], &hello].iter().for_each(|part| mac.update(part));
    mac
}

/// Performs the client's side of the handshake.
pub(super) fn client_handshake(
    stream: &mut (impl Read + Write),
    token: &str,
    hello: &JoinHello,
) -> Result<(), HandshakeError> {
    let foreign = |error: io::Error| match error.kind() {
        io::ErrorKind::InvalidData => HandshakeError::OtherProtocol,
        _ => HandshakeError::Connection(error),
    };
    let challenge: Challenge = read(stream).map_err(foreign)?;
    if challenge.magic != MAGIC {
        return Err(HandshakeError::OtherProtocol);
    }
    if challenge.protocol != PROTOCOL {
        return Err(HandshakeError::Protocol { theirs: challenge.protocol });
    }
    let nonce = nonce()?;
    let nonces = [&challenge.nonce, &nonce];
    let own = proof(token, b"joins", nonces, hello).finalize().into_bytes().into();
    write(stream, &SignedHello { hello: hello.clone(), nonce, proof: own })?;
    match read(stream)? {
        HandshakeReply::Refused { reason } => Err(HandshakeError::Refused { reason }),
        HandshakeReply::Welcome { proof: theirs } => proof(token, b"admits", nonces, hello)
            .verify_slice(&theirs)
            .map_err(|_| HandshakeError::Impostor),
    }
}

/// Performs the server's side of the handshake.
///
/// `admit` returns the reason if the peer may not join. Returns `None` for a rejected peer.
pub(super) fn server_handshake(
    stream: &mut (impl Read + Write),
    token: &str,
    admit: impl FnOnce(&JoinHello) -> Result<(), String>,
) -> io::Result<Option<JoinHello>> {
    let challenge = Challenge { magic: MAGIC, protocol: PROTOCOL, nonce: nonce()? };
    write(stream, &challenge)?;
    let SignedHello { hello, nonce, proof: theirs } = read(stream)?;
    let nonces = [&challenge.nonce, &nonce];
    let admitted = proof(token, b"joins", nonces, &hello)
        .verify_slice(&theirs)
        .map_err(|_| "the tokens differ: give all ranks the same token".to_owned())
        .and_then(|()| admit(&hello));
    let answer = match &admitted {
        Ok(()) => {
            let proof = proof(token, b"admits", nonces, &hello).finalize().into_bytes().into();
            HandshakeReply::Welcome { proof }
        }
        Err(reason) => HandshakeReply::Refused { reason: reason.clone() },
    };
    write(stream, &answer)?;
    Ok(admitted.is_ok().then_some(hello))
}

/// Writes a message: its length in four bytes, little-endian, then its bytes.
pub(super) fn write(stream: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let bytes = postcard::to_stdvec(message).expect("plain data serializes into memory");
    stream.write_all(&[&(bytes.len() as u32).to_le_bytes()[..], &bytes].concat())
}

/// Reads a message.
pub(super) fn read<T: DeserializeOwned>(stream: &mut impl Read) -> io::Result<T> {
    let invalid = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > MAX_MESSAGE_BYTES {
        return Err(invalid(format!(
            "message of {length} bytes; must be at most {MAX_MESSAGE_BYTES}"
        )));
    }
    let mut bytes = vec![0; length as usize];
    stream.read_exact(&mut bytes)?;
    postcard::from_bytes(&bytes).map_err(|error| invalid(error.to_string()))
}
