//! Admission of participants by rank 0.

use super::message::{PROTOCOL, ParticipantHello};
use std::time::{Duration, Instant};

/// Time without a hello after which a participant counts as gone.
pub(super) const PEER_TIMEOUT: Duration = Duration::from_secs(5);

/// Rank 0's decision on a hello.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AdmissionDecision {
    /// The hello is rank 0's own, or requests nothing: its token differs, or its run has begun.
    Ignored,
    Admitted,
    Refused(String),
}

/// Participants admitted so far.
#[derive(Debug)]
pub(super) struct Admission {
    own: ParticipantHello,
    /// By rank, with the time of the last hello. The entry of rank 0 is unused.
    admitted: Vec<Option<(ParticipantHello, Instant)>>,
    complete: Option<Instant>,
}

impl Admission {
    pub fn new(own: &ParticipantHello) -> Admission {
        let admitted = vec![None; own.size.into()];
        Admission { own: own.clone(), admitted, complete: None }
    }

    /// Decides on a hello received at `now`.
    pub fn decide(&mut self, hello: &ParticipantHello, now: Instant) -> AdmissionDecision {
        let own = &self.own;
        let is_own = hello.participant == own.participant;
        if hello.group != own.group || is_own || !hello.run.is_empty() {
            return AdmissionDecision::Ignored;
        }
        let rank = usize::from(hello.rank);
        let refused = |reason: String| AdmissionDecision::Refused(reason);
        if hello.protocol != PROTOCOL {
            let theirs = hello.protocol;
            return refused(format!("rank {rank} uses protocol {theirs}, rank 0 uses {PROTOCOL}"));
        }
        if hello.program != own.program {
            let (theirs, ours) = (&hello.program, &own.program);
            return refused(format!("rank {rank} runs {theirs}, rank 0 runs {ours}"));
        }
        if hello.size != own.size {
            return refused(format!(
                "rank {rank} expects {} ranks, rank 0 expects {}",
                hello.size, own.size
            ));
        }
        if rank >= self.admitted.len() {
            let last = self.admitted.len() - 1;
            return refused(format!("rank {rank} cannot join; allowed: 1 to {last}"));
        }
        let late = self.complete.map_or(String::new(), |since| {
            let since = now.duration_since(since).as_secs();
            format!("; all {} ranks joined {since} s ago, late join is not supported", own.size)
        });
        if rank == 0 {
            let (theirs, ours) = (&hello.place, &own.place);
            return refused(format!(
                "rank 0 is already {ours}, but {theirs} also joins as rank 0{late}"
            ));
        }
        match &mut self.admitted[rank] {
            Some((other, heard)) if other.participant == hello.participant => {
                *heard = now;
                AdmissionDecision::Admitted
            }
            // a participant that left before all had joined may be replaced
            Some((other, heard))
                if self.complete.is_some() || now.duration_since(*heard) < PEER_TIMEOUT =>
            {
                let (theirs, other) = (&hello.place, &other.place);
                refused(format!(
                    "rank {rank} is already {other}, but {theirs} also joins as this rank{late}"
                ))
            }
            free => {
                *free = Some((hello.clone(), now));
                AdmissionDecision::Admitted
            }
        }
    }

    /// Returns the ranks that are not present.
    pub fn missing(&self, now: Instant) -> Vec<usize> {
        let is_there = |own: &Option<(ParticipantHello, Instant)>| {
            own.as_ref().is_some_and(|(_, heard)| now.duration_since(*heard) < PEER_TIMEOUT)
        };
        (1..self.admitted.len()).filter(|&rank| !is_there(&self.admitted[rank])).collect()
    }

    /// Closes the run and returns all participants in rank order. Participants that arrive later
    /// are rejected.
    pub fn complete(&mut self, now: Instant) -> Vec<u64> {
        self.complete = Some(now);
        let others = self.admitted.iter().flatten().map(|(hello, _)| hello.participant);
        std::iter::once(self.own.participant).chain(others).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello(rank: u16, participant: u64) -> ParticipantHello {
        let place = format!("process {participant}");
        ParticipantHello {
            protocol: PROTOCOL,
            rank,
            size: 3,
            participant,
            place,
            ..ParticipantHello::default()
        }
    }

    #[test]
    fn each_rank_is_admitted_once_and_others_receive_the_reason() {
        let (mut admission, now) = (Admission::new(&hello(0, 9)), Instant::now());
        let mut refused = |hello: &ParticipantHello, after: u64| match admission
            .decide(hello, now + Duration::from_secs(after))
        {
            AdmissionDecision::Refused(reason) => reason,
            other => format!("{other:?}"),
        };
        assert_eq!(refused(&hello(0, 9), 0), "Ignored");
        assert_eq!(
            refused(&ParticipantHello { group: "other".into(), ..hello(1, 5) }, 0),
            "Ignored"
        );
        assert_eq!(refused(&ParticipantHello { run: vec![6, 5, 7], ..hello(1, 5) }, 0), "Ignored");
        assert_eq!(refused(&hello(1, 10), 0), "Admitted");
        assert_eq!(refused(&hello(1, 10), 1), "Admitted");
        let twice = "rank 1 is already process 10, but process 11 also joins as this rank";
        assert_eq!(refused(&hello(1, 11), 2), twice);
        let first = "rank 0 is already process 9, but process 12 also joins as rank 0";
        assert_eq!(refused(&hello(0, 12), 2), first);
        // a participant that has been silent for long is replaced
        assert_eq!(refused(&hello(1, 11), 20), "Admitted");
        assert_eq!(refused(&hello(3, 13), 20), "rank 3 cannot join; allowed: 1 to 2");
        let other = ParticipantHello { size: 4, ..hello(2, 14) };
        assert_eq!(refused(&other, 20), "rank 2 expects 4 ranks, rank 0 expects 3");
        let other = ParticipantHello { program: "bekker 1".into(), ..hello(2, 14) };
        assert_eq!(refused(&other, 20), "rank 2 runs bekker 1, rank 0 runs ");
        let other = ParticipantHello { protocol: 7, ..hello(2, 14) };
        assert_eq!(refused(&other, 20), "rank 2 uses protocol 7, rank 0 uses 1");
        let at = |seconds| now + Duration::from_secs(seconds);
        assert_eq!(admission.missing(at(20)), [2]);
        assert_eq!(admission.decide(&hello(2, 12), at(21)), AdmissionDecision::Admitted);
        assert!(admission.missing(at(22)).is_empty());
        assert_eq!(admission.complete(at(22)), [9, 11, 12]);
        let late = "rank 2 is already process 12, but process 15 also joins as this rank; all 3 \
            ranks joined 10 s ago, late join is not supported";
        let AdmissionDecision::Refused(reason) = admission.decide(&hello(2, 15), at(32)) else {
            panic!("in")
        };
        assert_eq!(reason, late);
    }
}
