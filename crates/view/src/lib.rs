//! Display of a run in a page of a browser.
//!
//! The page (`crates/view/page`) is one program for three sources: a running simulation, a recorded
//! run that is simulated again, and a self-contained file. All three send it the same messages
//! ([`EncodedMessage`]). First comes the scene, which is everything constant. Then follow frames of moving
//! objects and tiles of deformed ground and, on request, chunks of the undisturbed terrain
//! ([`Chunk`]).
//!
//! ```text
//!   World --> Snapshot --> Encoder --> messages --> Clients --> page
//!                                              \--> HtmlFile
//! ```
//!
//! The simulation only takes a [`Snapshot`], and only while clients are connected. An [`EncoderThread`]
//! turns it into messages on another thread. Nothing in this crate affects the state of the
//! simulation.
//!
//! This is a layer of the crate `bekker`, whose documentation starts with examples;
//! `ARCHITECTURE.md` maps all layers.

mod chunk;
mod clients;
mod control;
mod encoder;
mod frame;
mod ground_tiles;
mod html_file;
mod live;
mod message;
mod page;
mod plan_message;
mod player;
mod ranks_view;
mod rate_limiter;
mod request;
mod scene_message;
mod snapshot;
mod traffic;

pub use chunk::{Chunk, ChunkError};
pub use clients::{ClientReceiver, Clients, PollResult};
pub use control::{Control, PlaybackClock};
pub use encoder::EncoderThread;
pub use html_file::{HtmlFile, HtmlFileError};
pub use live::LiveView;
pub use message::EncodedMessage;
pub use page::{PageAsset, asset};
pub use player::{CommandReplay, Player};
pub use ranks_view::{RanksView, WatchedController};
pub use request::PageRequest;
pub use scene_message::{DisplayedRun, MessageSource, StateSeries};
pub use snapshot::Snapshot;
