//! Rendezvous over DDS: participants of a domain become the ranks of one run.

use super::admission::{Admission, PEER_TIMEOUT};
use super::endpoint::{Endpoint, TopicChannel, best_effort, reliable};
use super::message::{
    FRAGMENT, HELLO, PROTOCOL, ParticipantHello, ParticipantRefusal, REFUSAL, to_rank,
};
use super::receiver::{HELLO_INTERVAL, Receiver, ReceiverState, WINDOW, refuse};
use super::{Dds, Outbox};
use crate::{DdsDomain, Rendezvous, RendezvousError};
use sha2::{Digest, Sha256};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum number of ranks over DDS: each has a writer to each other, and all receive all hellos.
pub const MAX_DDS_RANKS: usize = 32;
/// Interval between two checks whether to continue waiting.
const POLL: Duration = Duration::from_millis(50);

impl Rendezvous {
    /// Joins a run as a rank among the participants of a DDS domain, as admitted by rank 0.
    ///
    /// `keep_waiting` is called regularly. An error that it returns ends the wait with that reason.
    /// The token separates runs in one domain. It does not protect against participants that read
    /// the domain's traffic.
    ///
    /// # Errors
    /// [`RendezvousError`] when some ranks do not join, rank 0 rejects this one, or there are more
    /// than [`MAX_DDS_RANKS`].
    pub fn join_over_dds(
        &self,
        rank: usize,
        domain: DdsDomain,
        keep_waiting: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<Dds, RendezvousError> {
        if self.size > MAX_DDS_RANKS {
            return Err(RendezvousError::TooMany { size: self.size, most: MAX_DDS_RANKS });
        }
        let begun = Instant::now();
        let failed = |what| move |cause| system(what, cause);
        let endpoint = Endpoint::open(domain).map_err(failed("join the domain"))?;
        let own = self.hello(rank)?;
        let table = JoinTopics::open(endpoint, own).map_err(failed("open topics"))?;
        let at = format!("DDS domain {domain}");
        let (table, run, admission) = self.await_admission(table, &at, begun, keep_waiting)?;
        let dds = self.open_topics(table, run, admission).map_err(failed("open topics"))?;
        self.await_ready(dds, begun, keep_waiting)
    }

    /// Returns the group that separates runs in one domain: 32 hexadecimal digits of a token hash.
    pub fn dds_group(&self) -> String {
        let hash = Sha256::digest(["bekker over DDS ", &self.token].concat());
        base16ct::lower::encode_string(&hash[..16])
    }

    fn hello(&self, rank: usize) -> Result<ParticipantHello, RendezvousError> {
        let mut drawn = [0; 8];
        getrandom::fill(&mut drawn)
            .map_err(|error| system("draw a random number", error.to_string()))?;
        Ok(ParticipantHello {
            protocol: PROTOCOL,
            rank: rank as u16,
            size: self.size as u16,
            participant: u64::from_le_bytes(drawn),
            group: self.dds_group(),
            program: self.program.clone(),
            place: format!("process {}", std::process::id()),
            ..ParticipantHello::default()
        })
    }

    /// Sends hellos until rank 0 announces the participants, and returns these.
    fn await_admission(
        &self,
        table: JoinTopics,
        at: &str,
        begun: Instant,
        keep_waiting: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<(JoinTopics, Vec<u64>, Option<Admission>), RendezvousError> {
        let (own, size) = (&table.own, self.size);
        let mut admission = (own.rank == 0).then(|| Admission::new(own));
        let mut heard: Vec<Option<Instant>> = vec![None; size];
        let mut run = Vec::new();
        let mut said: Option<Instant> = None;
        loop {
            let now = Instant::now();
            if said.is_none_or(|said| now - said >= HELLO_INTERVAL) {
                // repeated if it is lost
                let _ = table.hellos.writer.write(own.clone(), None);
                said = Some(now);
            }
            table.hellos.reader.take_all(|hello| {
                if let Some(admission) = &mut admission {
                    let decision = admission.decide(&hello, now);
                    refuse(decision, hello.participant, &table.refusals.writer);
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
                    cause = Some(format!("refused: {}", refusal.reason));
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
                    let is_there = |heard: Option<Instant>| {
                        heard.is_some_and(|heard| now - heard < PEER_TIMEOUT)
                    };
                    let others = (0..size).filter(|&rank| rank != usize::from(own.rank));
                    others.filter(|&rank| !is_there(heard[rank])).collect()
                }
            };
            if !run.is_empty() {
                return Ok((table, run, admission));
            }
            keep_waiting().map_err(|cause| RendezvousError::Ended { cause })?;
            if begun.elapsed() > self.join_timeout {
                return Err(self.missing_error(missing, at));
            }
            table.endpoint.arrivals_event.wait(POLL);
        }
    }

    fn missing_error(&self, ranks: Vec<usize>, at: &str) -> RendezvousError {
        let (size, after) = (self.size, self.join_timeout);
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
    fn open_topics(
        &self,
        table: JoinTopics,
        run: Vec<u64>,
        admission: Option<Admission>,
    ) -> Result<Dds, String> {
        let JoinTopics { endpoint, mut own, hellos, refusals } = table;
        let (rank, size) = (usize::from(own.rank), self.size);
        // each rank sends a window and its control messages; twice that is never in transit
        let qos = reliable(4 * WINDOW as usize * size);
        let name = |rank| to_rank(run[0], rank);
        let fragments = endpoint.reader([&name(rank), FRAGMENT], &qos)?;
        let writers = (0..size)
            .map(|other| {
                let is_other = other != rank;
                is_other.then(|| endpoint.writer([&name(other), FRAGMENT], &qos)).transpose()
            })
            .collect::<Result<Vec<_>, _>>()?;
        own.run.clone_from(&run);
        let outbox = Arc::new(Outbox::new(writers));
        let shared = Arc::new(ReceiverState::new(size));
        let receiver = Receiver {
            endpoint,
            rank,
            own,
            run,
            admission,
            hellos,
            refusals: refusals.writer,
            fragments,
            outbox: outbox.clone(),
            shared: shared.clone(),
        };
        Dds::new(rank, size, self.timeout, outbox, shared, receiver)
    }

    /// Waits until each rank has received from each other.
    fn await_ready(
        &self,
        mut dds: Dds,
        begun: Instant,
        keep_waiting: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<Dds, RendezvousError> {
        loop {
            let unconnected = dds.send_ready();
            if unconnected.is_empty() {
                return Ok(dds);
            }
            keep_waiting().map_err(|cause| RendezvousError::Ended { cause })?;
            if begun.elapsed() > self.join_timeout {
                let (size, after) = (self.size, self.join_timeout);
                return Err(RendezvousError::Missing { ranks: unconnected, size, after });
            }
        }
    }
}

/// Topics on which participants join.
struct JoinTopics {
    endpoint: Endpoint,
    own: ParticipantHello,
    hellos: TopicChannel<ParticipantHello>,
    refusals: TopicChannel<ParticipantRefusal>,
}

impl JoinTopics {
    fn open(endpoint: Endpoint, own: ParticipantHello) -> Result<JoinTopics, String> {
        let qos = best_effort();
        let hellos = endpoint.channel(HELLO, &qos)?;
        let refusals = endpoint.channel(REFUSAL, &qos)?;
        Ok(JoinTopics { endpoint, own, hellos, refusals })
    }
}

fn system(what: &'static str, cause: String) -> RendezvousError {
    RendezvousError::System { what, cause: io::Error::other(cause) }
}
