//! Messages between ranks and the transports that carry them.
//!
//! Each rank steps its own agents. At a heartbeat all ranks exchange the states of their vehicles
//! and patches of deformed ground. [`Communicator`] is the transport: [`Loopback`], [`Threads`],
//! [`Tcp`], and `Mpi` and `Dds` with the cargo features of those names. [`message`] is the wire
//! format and [`Partition`] the assignment of agents to ranks. `bekker_ranks::Ranks` applies the
//! messages.

mod bits;
mod communicator;
pub mod contract;
#[cfg(feature = "dds")]
mod dds;
mod dds_domain;
mod partition;
mod pending_connections;
#[allow(warnings, clippy::all, missing_docs, unsafe_code)]
#[rustfmt::skip]
mod generated;
mod disconnect_reason;
pub mod ghost;
pub mod ground_code;
mod live_ranks;
mod loopback;
pub mod message;
#[cfg(feature = "mpi")]
mod mpi;
#[cfg(feature = "mpi")]
mod point_to_point;
mod tcp;
mod threads;

pub use communicator::{CommError, Communicator, ExchangeTimes, RankBuffers, star_all_gather};
#[cfg(feature = "dds")]
pub use dds::{Dds, MAX_DDS_RANKS};
pub use dds_domain::{DdsDomain, DdsDomainError};
pub use live_ranks::LiveRanks;
pub use loopback::Loopback;
#[cfg(feature = "mpi")]
pub use mpi::{AbortHook, Mpi, MpiSession};
pub use partition::{Partition, PartitionError, partition_by_position};
pub use pending_connections::PendingConnections;
#[cfg(feature = "mpi")]
pub use point_to_point::PointToPoint;
pub use tcp::{Rendezvous, RendezvousError, Tcp};
pub use threads::Threads;
