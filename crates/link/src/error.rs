//! Errors of the link.

use super::frame::FrameError;
use thiserror::Error;

/// Reason why a link cannot be opened, or ends.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LinkError {
    /// The text is not an address.
    #[error("address {given:?}: must be HOST:PORT or unix:PATH")]
    Address {
        /// The text as given.
        given: String,
    },
    /// The text is not a valid token.
    #[error("token of {length} characters: must be 1 to 128 letters, digits, - and _")]
    Token {
        /// Length of the text.
        length: usize,
    },
    /// The system provides no random bytes.
    #[error("cannot generate a token: {cause}")]
    Random {
        /// Error of the system.
        cause: String,
    },
    /// The address cannot be bound.
    #[error("cannot listen on {address}: {cause}")]
    Bind {
        /// The address.
        address: String,
        /// Error of the system.
        cause: String,
    },
    /// The bytes are not messages.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The bytes are not WebSocket frames.
    #[error("{cause}")]
    WebSocket {
        /// Description of the fault.
        cause: String,
    },
    /// A request is malformed.
    #[error("request: {cause}")]
    Request {
        /// Description of the fault.
        cause: String,
    },
    /// The connection is not admitted.
    #[error("{cause}")]
    Refused {
        /// Reason.
        cause: String,
    },
    /// The stream failed.
    #[error("{0}")]
    Stream(#[from] std::io::Error),
}
