//! A run as a page in a browser shows it.
//!
//! The page (`crates/view/page`) is one program for three sources: a run that goes on, a
//! recorded run that is simulated again, and a file that holds all it shows. All three send it
//! the same messages ([`Message`]): once the scene, that is, what does not change; then frames
//! of what moves, tiles of the ground where it has been deformed, and on demand pieces of the
//! undisturbed terrain ([`Chunk`]).
//!
//! ```text
//!   World --> Snapshot --> Encoder --> messages --> Clients --> page
//!                                              \--> HtmlFile
//! ```
//!
//! A simulation pays for a [`Snapshot`] alone, and only when somebody watches; an [`Encoder`]
//! makes messages of it on another thread. Nothing here comes back into a state.
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

mod chunk;
mod clients;
mod control;
mod due;
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
mod request;
mod scene_message;
mod snapshot;
mod traffic;

pub use chunk::{Chunk, ChunkError};
pub use clients::{Client, Clients, Next};
pub use control::{Control, Pace};
pub use encoder::Encoder;
pub use html_file::{HtmlFile, HtmlFileError};
pub use live::LiveView;
pub use message::Message;
pub use page::{Asset, asset};
pub use player::{Commands, Player};
pub use ranks_view::{RanksView, WatchedController};
pub use request::Request;
pub use scene_message::{Source, View};
pub use snapshot::Snapshot;
