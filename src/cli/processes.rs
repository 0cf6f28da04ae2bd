//! Ranks as processes that connect over TCP or DDS: started here, or each by hand on its machine.

use super::Failure;
use crate::sync::{Communicator, DdsDomain, Rendezvous, RendezvousError};
use clap::Args;
use std::ffi::OsString;
use std::net::{TcpListener, ToSocketAddrs};
use std::num::NonZero;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Environment variable with the secret that the ranks of a run share.
const TOKEN: &str = "BEKKER_TOKEN";
/// Maximum number of processes of a run.
pub const MOST_RANKS: usize = 1024;
/// Time for processes started here to end before they are killed.
const GRACE: Duration = Duration::from_secs(10);

/// Ranks of a run as processes, and the rank of this process.
#[derive(Debug, Default, Args)]
pub struct Processes {
    /// Number of ranks, each a process, that communicate over TCP. All start on this machine, or
    /// each by hand with --rank and --meet. If all start here, SIGUSR2 to this process adds a rank.
    /// Results do not depend on it
    #[arg(long, value_name = "N", conflicts_with = "ranks", allow_negative_numbers = true,
          value_parser = clap::value_parser!(u16).range(2..=MOST_RANKS as i64))]
    processes: Option<u16>,
    /// Rank of this process, counted from 0. Rank 0 writes the results
    #[arg(long, value_name = "RANK", requires = "processes", requires = "meet")]
    rank: Option<u16>,
    /// Address where rank 0 waits; all ranks must be able to reach it. All ranks must share the
    /// environment variable BEKKER_TOKEN. With dds:DOMAIN, or dds:DOMAIN@ADDRESS for one network,
    /// ranks discover each other without authentication
    #[arg(long, value_name = "HOST:PORT", requires = "rank", value_parser = rendezvous_point)]
    meet: Option<RendezvousPoint>,
    /// This rank was started by rank 0, which reports common errors on the same standard error
    #[arg(long, requires = "rank", hide = true)]
    started_by_first: bool,
}

/// How ranks connect to each other.
#[derive(Clone, Debug)]
enum RendezvousPoint {
    /// Address at which rank 0 waits.
    Address(String),
    /// DDS domain in which ranks discover each other.
    Dds(DdsDomain),
}

fn rendezvous_point(text: &str) -> Result<RendezvousPoint, String> {
    match text.strip_prefix("dds:") {
        None => match text.rsplit_once(':') {
            Some((host, port))
                if !host.is_empty() && port.parse().is_ok_and(|port: u16| port > 0) =>
            {
                Ok(RendezvousPoint::Address(text.to_owned()))
            }
            _ => Err("must be HOST:PORT with a port from 1 to 65535, or dds:DOMAIN".into()),
        },
        Some(domain) => {
            domain.parse().map(RendezvousPoint::Dds).map_err(|error| format!("{error}"))
        }
    }
}

/// This process, connected to the other ranks.
pub struct ConnectedRank {
    /// Connections to the other ranks.
    pub rank: Box<dyn Communicator>,
    /// Other ranks that were started here.
    pub started: ChildRanks,
}

impl Processes {
    /// Whether this process is one of several that are started by hand.
    pub fn is_one_of_several(&self) -> bool {
        self.rank.is_some()
    }

    /// Whether this process was started by hand, so that output of other ranks is not visible here.
    pub fn is_apart(&self) -> bool {
        self.rank.is_some() && !self.started_by_first
    }

    /// Number of processes to start here; `None` if each is started by hand.
    pub fn started_here(&self) -> Option<u16> {
        self.processes.filter(|_| self.rank.is_none())
    }

    /// Refuses restarts if rank 0 was started by hand.
    ///
    /// Other ranks, which rank 0 may have started, leave this check to rank 0.
    ///
    /// # Errors
    /// [`Failure::Usage`].
    pub fn check_restarts(&self, restarts: u16) -> Result<(), Failure> {
        if restarts == 0 || self.rank != Some(0) {
            return Ok(());
        }
        Err(Failure::Usage {
            argument: "--restarts",
            value: restarts.to_string(),
            allowed:
                "omitted with --rank: only ranks that --processes starts here can be restarted"
                    .into(),
        })
    }

    /// Number of threads per process if all are started here: its share of the cores.
    pub fn threads(&self) -> Option<u16> {
        let processes = self.started_here()?;
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        u16::try_from((cores / usize::from(processes)).max(1)).ok()
    }

    /// Connects to the other ranks, if there are any.
    ///
    /// # Errors
    /// [`Failure`] when a rank does not connect, refuses, or has other options.
    pub fn connect(
        &self,
        timeout: Duration,
        threads: Option<u16>,
        quiet: bool,
        interrupted: &AtomicBool,
    ) -> Result<Option<ConnectedRank>, Failure> {
        let Some(size) = self.processes else { return Ok(None) };
        let waits = || match interrupted.load(Ordering::Relaxed) {
            true => Err("interrupted before all ranks had connected".to_owned()),
            false => Ok(()),
        };
        let rendezvous = |token| Rendezvous {
            size: size.into(),
            token,
            program: format!(
                "bekker {}, source {}",
                env!("CARGO_PKG_VERSION"),
                crate::scenario::SOURCE
            ),
            join_timeout: timeout,
            timeout,
        };
        let (Some(rank), Some(rendezvous_point)) = (self.rank, &self.meet) else {
            let token =
                Rendezvous::generate_token().map_err(|error| failed("--processes", &error))?;
            return launch_ranks(&rendezvous(token), threads, waits).map(Some);
        };
        if rank >= size {
            let allowed = format!("below {size}, the number of --processes");
            return Err(Failure::Usage { argument: "--rank", value: rank.to_string(), allowed });
        }
        let says = |at: &str| {
            if rank == 0 && !quiet {
                eprintln!("rank 0 is listening on {at} for {} more ranks", size - 1);
            }
        };
        let rank = match rendezvous_point {
            RendezvousPoint::Address(address) => {
                connect_at(address, rank.into(), &rendezvous(token(address)?), says, &mut {
                    waits
                })?
            }
            RendezvousPoint::Dds(domain) => {
                says(&format!("DDS domain {domain}"));
                connect_over_dds(*domain, rank.into(), &rendezvous(secret()), &mut { waits })?
            }
        };
        Ok(Some(ConnectedRank { rank, started: ChildRanks(Vec::new()) }))
    }
}

/// Connects to the other ranks at the address of rank 0.
fn connect_at(
    address: &str,
    rank: usize,
    rendezvous: &Rendezvous,
    says: impl Fn(&str),
    waits: &mut dyn FnMut() -> Result<(), String>,
) -> Result<Box<dyn Communicator>, Failure> {
    let met = if rank == 0 {
        let listener = TcpListener::bind(address).map_err(|error| Failure::Input {
            subject: format!("--meet {address}"),
            cause: format!("rank 0 cannot listen on this address: {error}"),
        })?;
        says(address);
        rendezvous.host(listener, waits)
    } else {
        rendezvous.join(rank, address, waits)
    };
    let met = met.map_err(|error| failed(&format!("--meet {address}"), &error))?;
    Ok(Box::new(met))
}

/// Connects to the other ranks in a DDS domain.
#[cfg(feature = "dds")]
fn connect_over_dds(
    domain: DdsDomain,
    rank: usize,
    rendezvous: &Rendezvous,
    waits: &mut dyn FnMut() -> Result<(), String>,
) -> Result<Box<dyn Communicator>, Failure> {
    let met = rendezvous.join_over_dds(rank, domain, waits);
    Ok(Box::new(met.map_err(|error| failed(&format!("--meet dds:{domain}"), &error))?))
}

/// Returns the error that this build has no DDS support.
#[cfg(not(feature = "dds"))]
fn connect_over_dds(
    domain: DdsDomain,
    _: usize,
    _: &Rendezvous,
    _: &mut dyn FnMut() -> Result<(), String>,
) -> Result<Box<dyn Communicator>, Failure> {
    Err(Failure::Input {
        subject: format!("--meet dds:{domain}"),
        cause: "this bekker is built without DDS; build it with `cargo build --release --features \
             dds`"
            .into(),
    })
}

/// Returns the shared secret in the environment; empty without one.
fn secret() -> String {
    std::env::var(TOKEN).unwrap_or_default().trim().to_owned()
}

/// Returns the shared secret; without one, only loopback addresses are allowed.
fn token(address: &str) -> Result<String, Failure> {
    let token = secret();
    let is_own = |mut all: std::vec::IntoIter<std::net::SocketAddr>| {
        all.all(|address| address.ip().is_loopback())
    };
    if token.is_empty() && !address.to_socket_addrs().is_ok_and(is_own) {
        let cause = format!(
            "must be set to the same secret on all ranks when --meet is {address}: otherwise any \
             host that reaches this address could join"
        );
        return Err(Failure::Input { subject: TOKEN.into(), cause });
    }
    Ok(token)
}

fn failed(subject: &str, error: &RendezvousError) -> Failure {
    Failure::Run { subject: subject.to_owned(), cause: error.to_string() }
}

/// Starts this command again for each of the other ranks, and connects to them.
fn launch_ranks(
    rendezvous: &Rendezvous,
    threads: Option<u16>,
    mut waits: impl FnMut() -> Result<(), String>,
) -> Result<ConnectedRank, Failure> {
    let cannot = |cause: std::io::Error| Failure::Run {
        subject: "--processes".into(),
        cause: cause.to_string(),
    };
    let listener = TcpListener::bind("127.0.0.1:0").map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?.to_string();
    let program = super::program::program().map_err(cannot)?;
    let mut started = ChildRanks(Vec::new());
    for rank in 1..rendezvous.size {
        let mut more = vec!["--rank".to_owned(), rank.to_string()];
        more.extend(["--meet".to_owned(), address.clone(), "--started-by-first".to_owned()]);
        let given: Vec<OsString> = std::env::args_os().skip(1).collect();
        let says_threads = given.iter().any(|word| word.to_string_lossy().starts_with("--threads"));
        if let (Some(threads), false) = (threads, says_threads) {
            more.extend(["--threads".to_owned(), threads.to_string()]);
        }
        let mut command = Command::new(&program);
        command.args(with_arguments(given, more));
        command.env(TOKEN, &rendezvous.token).stdin(Stdio::null()).stdout(Stdio::null());
        started.0.push((rank, command.spawn().map_err(cannot)?));
    }
    let met = rendezvous.host(listener, &mut || {
        waits()?;
        started.ended_rank().map_or(Ok(()), Err)
    });
    match met {
        Ok(rank) => Ok(ConnectedRank { rank: Box::new(rank), started }),
        Err(error) => {
            started.end();
            Err(failed("--processes", &error))
        }
    }
}

/// Adds options to a command line, before a `--`.
fn with_arguments(mut arguments: Vec<OsString>, more: Vec<String>) -> Vec<OsString> {
    let end = arguments.iter().position(|word| word == "--").unwrap_or(arguments.len());
    arguments.splice(end..end, more.into_iter().map(OsString::from));
    arguments
}

/// Processes that were started here, each with its rank. They end with the run; those that do not
/// are killed.
pub struct ChildRanks(Vec<(usize, Child)>);

impl ChildRanks {
    /// Describes a process that has ended, if there is one.
    fn ended_rank(&mut self) -> Option<String> {
        self.0.iter_mut().find_map(|(rank, child)| {
            let status = child.try_wait().ok().flatten()?;
            Some(format!("rank {rank} exited before all ranks had connected ({status})"))
        })
    }

    fn end(&mut self) {
        for (_, child) in &mut self.0 {
            // fails for a process that has already ended
            let _ = child.kill();
            let _ = child.wait();
        }
        self.0.clear();
    }
}

impl Drop for ChildRanks {
    fn drop(&mut self) {
        let begun = Instant::now();
        let runs = |child: &mut Child| matches!(child.try_wait(), Ok(None));
        while begun.elapsed() < GRACE && self.0.iter_mut().any(|(_, child)| runs(child)) {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.end();
    }
}
