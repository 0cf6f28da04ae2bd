//! Why a link cannot be, or ends.

use super::frame::FrameError;
use thiserror::Error;

/// Why a link cannot be, or ends.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LinkError {
    /// No address.
    #[error("address {given:?}: must be HOST:PORT or unix:PATH")]
    Address {
        /// What was given.
        given: String,
    },
    /// A token that cannot be one.
    #[error("a token of {length} characters: must be 1 to 128 letters, digits, - and _")]
    Token {
        /// Its length.
        length: usize,
    },
    /// The system draws none.
    #[error("no token can be drawn: {cause}")]
    Random {
        /// What the system says.
        cause: String,
    },
    /// An address that cannot be had.
    #[error("cannot listen at {address}: {cause}")]
    Bind {
        /// The address.
        address: String,
        /// What the system says.
        cause: String,
    },
    /// Bytes that are no messages.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// Bytes that are no WebSocket's.
    #[error("{cause}")]
    WebSocket {
        /// What is wrong with them.
        cause: String,
    },
    /// A request that is not understood.
    #[error("request: {cause}")]
    Request {
        /// What is wrong with it.
        cause: String,
    },
    /// A connection that is not admitted.
    #[error("{cause}")]
    Refused {
        /// Why.
        cause: String,
    },
    /// A stream that broke.
    #[error("{0}")]
    Stream(#[from] std::io::Error),
}
