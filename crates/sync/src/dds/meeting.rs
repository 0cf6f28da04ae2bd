//! Rendezvous over DDS: participants of a domain become the ranks of one run.

use super::admission::{Admission, GONE};
use super::endpoint::{Channel, Endpoint, best_effort, reliable};
use super::message::{HELLO, Hello, PORTION, PROTOCOL, REFUSAL, Refusal, to_rank};
use super::receiver::{BEAT, Receiver, Shared, WINDOW, refuse};
use super::{Dds, Outbox};
use crate::{DdsDomain, Rendezvous, RendezvousError};
use sha2::{Digest, Sha256};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum number of ranks over DDS: each has a writer to each other, and all receive all hellos.
pub const MOST_RANKS: usize = 32;
/// Interval between two checks whether to continue waiting.
const POLL: Duration = Duration::from_millis(50);

impl Rendezvous {
    /// Joins a run as a rank among the participants of a DDS domain, as admitted by rank 0.
    ///
    /// `goes_on` is called regularly. An error that it returns ends the wait with that reason. The
    /// token separates runs in one domain. It does not protect against participants that read the
    /// domain's traffic.
    ///
    /// # Errors
    /// [`RendezvousError`] when some ranks do not join, rank 0 rejects this one, or there are more
    /// than [`MOST_RANKS`].
    pub fn meet_over_dds(
        &self,
        rank: usize,
        domain: DdsDomain,
        goes_on: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<Dds, RendezvousError> {
        if self.size > MOST_RANKS {
            return Err(RendezvousError::TooMany { size: self.size, most: MOST_RANKS });
        }
        let begun = Instant::now();
        let failed = |what| move |cause| system(what, cause);
        let endpoint = Endpoint::open(domain).map_err(failed("join the domain"))?;
        let own = self.hello(rank)?;
        let table = Table::open(endpoint, own).map_err(failed("open topics"))?;
        let at = format!("DDS domain {domain}");
        let (table, run, admission) = self.seated(table, &at, begun, goes_on)?;
        let dds = self.opened(table, run, admission).map_err(failed("open topics"))?;
        self.ready(dds, begun, goes_on)
    }

    /// Returns the group that separates runs in one domain: 32 hexadecimal digits of a token hash.
    pub fn dds_group(&self) -> String {
        let hash = Sha256::digest(["bekker over DDS ", &self.token].concat());
        base16ct::lower::encode_string(&hash[..16])
    }

    fn hello(&self, rank: usize) -> Result<Hello, RendezvousError> {
        let mut drawn = [0; 8];
        getrandom::fill(&mut drawn)
            .map_err(|error| system("draw a random number", error.to_string()))?;
        Ok(Hello {
            protocol: PROTOCOL,
            rank: rank as u16,
            size: self.size as u16,
            participant: u64::from_le_bytes(drawn),
            group: self.dds_group(),
            program: self.program.clone(),
            place: format!("process {}", std::process::id()),
            ..Hello::default()
        })
    }

    /// Sends hellos until rank 0 announces the participants, and returns these.
    fn seated(
        &self,
        table: Table,
        at: &str,
        begun: Instant,
        goes_on: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<(Table, Vec<u64>, Option<Admission>), RendezvousError> {
        let (own, size) = (&table.own, self.size);
        let mut admission = (own.rank == 0).then(|| Admission::new(own));
        let mut heard: Vec<Option<Instant>> = vec![None; size];
        let mut run = Vec::new();
        let mut said: Option<Instant> = None;
        loop {
            let now = Instant::now();
            if said.is_none_or(|said| now - said >= BEAT) {
                // repeated if it is lost
                let _ = table.hellos.writer.write(own.clone(), None);
                said = Some(now);
            }
            table.hellos.reader.take_all(|hello| {
                if let Some(admission) = &mut admission {
                    let verdict = admission.hear(&hello, now);
                    refuse(verdict, hello.participant, &table.refusals.writer);
                } else if hello.group == own.group && hello.participant != own.participant {
                    if let Some(heard) = heard.get_mut(usize::from(hello.rank)) {
                        *heard = Some(now);
                    }
                    let is_of_it = hello.run.get(usize::from(own.rank)) == Some(&own.participant);
                    if hello.rank == 0 && is_of_it && hello.run.len() == size {
                        run = hello.run;
                    }
                }
            });
            let mut cause = None;
            table.refusals.reader.take_all(|refusal| {
                if refusal.participant == own.participant {
                    cause = Some(format!("refused: {}", refusal.why));
                }
            });
            if let Some(cause) = cause {
                return Err(RendezvousError::Refused { rank: 0, at: at.to_owned(), cause });
            }
            let missing = match &mut admission {
                Some(admission) => {
                    let missing = admission.missing(now);
                    if missing.is_empty() {
                        run = admission.complete(now);
                    }
                    missing
                }
                None => {
                    let is_there =
                        |heard: Option<Instant>| heard.is_some_and(|heard| now - heard < GONE);
                    let others = (0..size).filter(|&rank| rank != usize::from(own.rank));
                    others.filter(|&rank| !is_there(heard[rank])).collect()
                }
            };
            if !run.is_empty() {
                return Ok((table, run, admission));
            }
            goes_on().map_err(|cause| RendezvousError::Ended { cause })?;
            if begun.elapsed() > self.patience {
                return Err(self.missing(missing, at));
            }
            table.endpoint.bell.wait(POLL);
        }
    }

    fn missing(&self, ranks: Vec<usize>, at: &str) -> RendezvousError {
        let (size, after) = (self.size, self.patience);
        match ranks.is_empty() {
            false => RendezvousError::Missing { ranks, size, after },
            true => RendezvousError::Refused {
                rank: 0,
                at: at.to_owned(),
                cause: format!(
                    "did not confirm within {:.0} s that all ranks joined",
                    after.as_secs_f64()
                ),
            },
        }
    }

    /// Opens the topics of a run and starts the receiving thread.
    fn opened(
        &self,
        table: Table,
        run: Vec<u64>,
        admission: Option<Admission>,
    ) -> Result<Dds, String> {
        let Table { endpoint, mut own, hellos, refusals } = table;
        let (rank, size) = (usize::from(own.rank), self.size);
        // each rank sends a window and its control messages; twice that is never in transit
        let qos = reliable(4 * WINDOW as usize * size);
        let name = |rank| to_rank(run[0], rank);
        let portions = endpoint.reader([&name(rank), PORTION], &qos)?;
        let writers = (0..size)
            .map(|other| {
                let is_other = other != rank;
                is_other.then(|| endpoint.writer([&name(other), PORTION], &qos)).transpose()
            })
            .collect::<Result<Vec<_>, _>>()?;
        own.run.clone_from(&run);
        let outbox = Arc::new(Outbox::new(writers));
        let shared = Arc::new(Shared::new(size));
        let receiver = Receiver {
            endpoint,
            rank,
            own,
            run,
            admission,
            hellos,
            refusals: refusals.writer,
            portions,
            outbox: outbox.clone(),
            shared: shared.clone(),
        };
        Dds::new(rank, size, self.timeout, outbox, shared, receiver)
    }

    /// Waits until each rank has received from each other.
    fn ready(
        &self,
        mut dds: Dds,
        begun: Instant,
        goes_on: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<Dds, RendezvousError> {
        loop {
            let unheard = dds.say_ready();
            if unheard.is_empty() {
                return Ok(dds);
            }
            goes_on().map_err(|cause| RendezvousError::Ended { cause })?;
            if begun.elapsed() > self.patience {
                let (size, after) = (self.size, self.patience);
                return Err(RendezvousError::Missing { ranks: unheard, size, after });
            }
        }
    }
}

/// Topics on which participants join.
struct Table {
    endpoint: Endpoint,
    own: Hello,
    hellos: Channel<Hello>,
    refusals: Channel<Refusal>,
}

impl Table {
    fn open(endpoint: Endpoint, own: Hello) -> Result<Table, String> {
        let qos = best_effort();
        let hellos = endpoint.channel(HELLO, &qos)?;
        let refusals = endpoint.channel(REFUSAL, &qos)?;
        Ok(Table { endpoint, own, hellos, refusals })
    }
}

fn system(what: &'static str, cause: String) -> RendezvousError {
    RendezvousError::System { what, cause: io::Error::other(cause) }
}
