//! External controllers and observers of a run, over sockets.
//!
//! A [`Listener`] classifies connections. Messages are JSON. On a plain stream each message follows
//! its length ([`frame`]), and on a WebSocket each is one text ([`message`]; `docs/link.md`
//! describes the protocol).
//!
//! A [`Server`] serves the drivers and observers of a run. The run calls its [`Server::controller`]
//! before each heartbeat. A [`FoxgloveServer`] publishes a run to Foxglove clients. [`Pacing`]
//! limits a run to the pace of the wall clock.
//!
//! This crate is a layer of the crate `bekker`, whose page starts with examples. `ARCHITECTURE.md`
//! describes all layers.

mod address;
mod admissions;
mod connection;
mod error;
mod foxglove;
pub mod frame;
mod http;
mod listener;
pub mod message;
mod pacing;
mod radio_message;
mod reading;
mod run_description;
mod server;
mod sessions;
mod stream;
mod token;
mod writers;

pub use address::Address;
pub use connection::{Connection, Incoming, Outgoing, WireMessage};
pub use error::LinkError;
pub use foxglove::{FoxgloveServer, Publication};
pub use http::Target;
pub use listener::{
    ConnectionHandler, LINK_PATH, Listener, Listening, Pages, Routes, WebPage, WebSockets,
};
pub use pacing::Pacing;
pub use server::{ServedController, Server};
pub use token::Token;
