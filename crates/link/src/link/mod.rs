//! Controllers and observers from outside, over sockets.
//!
//! A [`Listener`] sorts who connects. Messages are JSON: on a plain stream each behind its
//! length ([`frame`]), on a WebSocket each one text. `docs/link.md` is the protocol.

mod address;
mod connection;
mod error;
pub mod frame;
mod http;
mod listener;
mod stream;
mod token;

pub use address::Address;
pub use connection::{Connection, Incoming, Message, Outgoing};
pub use error::LinkError;
pub use http::Target;
pub use listener::{LINK_PATH, Listener, Listening, Page, Pages, Routes, Taker};
pub use token::Token;
