//! What two processes say to each other before they are ranks of one run.
//!
//! Who is connected to sends a nonce; who connects says which rank of how many it is, of which
//! program, and proves by an HMAC (RFC 2104) with SHA-256 over both nonces that it has the
//! token; who is connected to proves the same, or says why it refuses. So neither a stranger
//! that comes nor one that waits in rank 0's place learns the token or takes part.

use hmac::{Hmac, KeyInit, Mac};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use std::io::{self, Read, Write};
use std::net::SocketAddr;

/// First bytes that who is connected to sends.
const MAGIC: [u8; 8] = *b"bekker\r\n";
/// Version of all that is said from here on.
const PROTOCOL: u16 = 1;
/// Longest word of a handshake, bytes. A table has 20 for each of a thousand ranks.
const LARGEST: u32 = 1 << 16;

pub(super) type Nonce = [u8; 32];

/// A fresh nonce.
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

/// Who wants to take part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Hello {
    /// Program and version.
    pub program: String,
    /// How many ranks there are to be.
    pub size: u32,
    /// Which this is.
    pub rank: u32,
    /// Where it waits for ranks above it.
    pub port: u16,
    /// What rank 0 has named the run; nothing to rank 0 itself.
    pub run: Option<Nonce>,
}

#[derive(Serialize, Deserialize)]
struct Signed {
    hello: Hello,
    nonce: Nonce,
    proof: [u8; 32],
}

#[derive(Serialize, Deserialize)]
enum Answer {
    Welcome { proof: [u8; 32] },
    Refused { why: String },
}

/// What rank 0 tells all when all are there.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Addresses {
    pub run: Nonce,
    /// Where each rank waits for those above it.
    pub addresses: Vec<Option<SocketAddr>>,
}

/// Why a handshake failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum HandshakeError {
    #[error("{0}")]
    Connection(#[from] io::Error),
    #[error("what waits there is no bekker")]
    OtherProtocol,
    #[error("it speaks protocol {theirs}, this bekker {PROTOCOL}")]
    Protocol { theirs: u16 },
    #[error("it does not know the token of this run")]
    Impostor,
    #[error("{why}")]
    Refused { why: String },
}

fn proof(token: &str, role: &[u8], nonces: [&Nonce; 2], hello: &Hello) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(token.as_bytes()).expect("keys of any length");
    let hello = postcard::to_stdvec(hello).expect("plain data serialises into memory");
    [role, nonces[0], nonces[1], &hello].iter().for_each(|part| mac.update(part));
    mac
}

/// Takes part at the other end of a connection that this process made.
pub(super) fn introduce(
    stream: &mut (impl Read + Write),
    token: &str,
    hello: &Hello,
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
    write(stream, &Signed { hello: hello.clone(), nonce, proof: own })?;
    match read(stream)? {
        Answer::Refused { why } => Err(HandshakeError::Refused { why }),
        Answer::Welcome { proof: theirs } => proof(token, b"admits", nonces, hello)
            .verify_slice(&theirs)
            .map_err(|_| HandshakeError::Impostor),
    }
}

/// Hears who is at the other end of a connection that was made to this process; `admit` says
/// why it may not take part. None where it may not, or says nothing that can be understood.
pub(super) fn hear(
    stream: &mut (impl Read + Write),
    token: &str,
    admit: impl FnOnce(&Hello) -> Result<(), String>,
) -> io::Result<Option<Hello>> {
    let challenge = Challenge { magic: MAGIC, protocol: PROTOCOL, nonce: nonce()? };
    write(stream, &challenge)?;
    let Signed { hello, nonce, proof: theirs } = read(stream)?;
    let nonces = [&challenge.nonce, &nonce];
    let admitted = proof(token, b"joins", nonces, &hello)
        .verify_slice(&theirs)
        .map_err(|_| "it has another token than this process: give all the same".to_owned())
        .and_then(|()| admit(&hello));
    let answer = match &admitted {
        Ok(()) => {
            let proof = proof(token, b"admits", nonces, &hello).finalize().into_bytes().into();
            Answer::Welcome { proof }
        }
        Err(why) => Answer::Refused { why: why.clone() },
    };
    write(stream, &answer)?;
    Ok(admitted.is_ok().then_some(hello))
}

/// Writes a word: its length in four bytes, the lowest first, and its bytes.
pub(super) fn write(stream: &mut impl Write, word: &impl Serialize) -> io::Result<()> {
    let bytes = postcard::to_stdvec(word).expect("plain data serialises into memory");
    stream.write_all(&[&(bytes.len() as u32).to_le_bytes()[..], &bytes].concat())
}

/// Reads a word.
pub(super) fn read<T: DeserializeOwned>(stream: &mut impl Read) -> io::Result<T> {
    let invalid = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > LARGEST {
        return Err(invalid(format!("a word of {length} bytes, at most {LARGEST} are taken")));
    }
    let mut bytes = vec![0; length as usize];
    stream.read_exact(&mut bytes)?;
    postcard::from_bytes(&bytes).map_err(|error| invalid(error.to_string()))
}
