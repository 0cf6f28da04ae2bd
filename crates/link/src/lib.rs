//! Controllers and observers from outside, over sockets.
//!
//! A [`Listener`] sorts who connects. Messages are JSON: on a plain stream each behind its
//! length ([`frame`]), on a WebSocket each one text ([`message`]; `docs/link.md` is the
//! protocol). A [`Server`] speaks with those who drive or watch a run, and is asked by the run
//! before each heartbeat ([`Server::controller`]); a [`FoxgloveServer`] tells clients of Foxglove; [`Pacing`] holds a run to the clock.
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

mod address;
mod admissions;
mod connection;
mod error;
mod foxglove;
pub mod frame;
mod hearing;
mod http;
mod listener;
pub mod message;
mod outline;
mod pacing;
mod reading;
mod roster;
mod server;
mod stream;
mod token;
mod writers;

pub use address::Address;
pub use connection::{Connection, Incoming, Message, Outgoing};
pub use error::LinkError;
pub use foxglove::{FoxgloveServer, Publication};
pub use http::Target;
pub use listener::{LINK_PATH, Listener, Listening, Page, Pages, Routes, Taker, WebSockets};
pub use pacing::Pacing;
pub use server::{ServedController, Server};
pub use token::Token;
