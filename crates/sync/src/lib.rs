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
pub mod ghost;
pub mod ground_code;
mod loopback;
mod loss;
mod members;
pub mod message;
#[cfg(feature = "mpi")]
mod mpi;
#[cfg(feature = "mpi")]
mod point_to_point;
mod tcp;
mod threads;

pub use communicator::{CommError, Communicator, Parts, Phases, star};
#[cfg(feature = "dds")]
pub use dds::{Dds, MOST_RANKS};
pub use dds_domain::{DdsDomain, DdsDomainError};
pub use loopback::Loopback;
pub use members::Members;
#[cfg(feature = "mpi")]
pub use mpi::{LastWords, Mpi, MpiSession};
pub use partition::{Partition, PartitionError, by_place};
pub use pending_connections::PendingConnections;
#[cfg(feature = "mpi")]
pub use point_to_point::PointToPoint;
pub use tcp::{Rendezvous, RendezvousError, Tcp};
pub use threads::Threads;
