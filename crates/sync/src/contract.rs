//! The contract of [`Communicator`] as a test for any implementation.

use super::communicator::{CommError, Communicator, RankBuffers, star_all_gather};

/// Returns the test bytes that rank `rank` sends in round `round`.
///
/// Lengths range from 0 to about 300 kB and differ between ranks.
fn sent(rank: usize, round: usize) -> Vec<u8> {
    let length = match (rank + round) % 5 {
        0 => 0,
        1 => 1,
        2 => 1_000 * (rank + 1),
        3 => 65_536,
        _ => 300_000 + rank,
    };
    (0..length).map(|at| (at * 31 + rank * 7 + round) as u8).collect()
}

fn expect(right: bool, what: &str, rank: usize) -> Result<(), CommError> {
    if right {
        return Ok(());
    }
    Err(CommError::Transport { what: format!("contract violated on rank {rank}: {what}") })
}

/// Checks that a communicator fulfills its contract. Must be called on all its ranks at once.
///
/// # Errors
/// The communicator's own errors, or [`CommError::Transport`] that states the violation.
pub fn check(communicator: &mut dyn Communicator) -> Result<(), CommError> {
    let (here, size) = (communicator.rank(), communicator.size());
    expect(here < size, "rank below size", here)?;
    let mut parts = RankBuffers::default();
    for round in 0..12 {
        let mut called = 0;
        communicator.all_gather(&sent(here, round), &mut || called += 1, &mut parts)?;
        expect(called == 1, "meanwhile is called once", here)?;
        expect(parts.len() == size, "one part per rank", here)?;
        for (rank, part) in parts.iter().enumerate() {
            expect(part == sent(rank, round), "all_gather leaves parts unchanged", here)?;
        }
        let mut called = 0;
        star_all_gather(communicator, &sent(here, round + 1), &mut || called += 1, &mut parts)?;
        expect(called == 1, "meanwhile is called once", here)?;
        for (rank, part) in parts.iter().enumerate() {
            expect(
                part == sent(rank, round + 1),
                "star gives the same result as all_gather",
                here,
            )?;
        }
    }
    // each rank sends different bytes to rank 0 and to the next but one
    for round in 0..12 {
        let to = |rank: usize| {
            let mut to = vec![0, (rank + 2) % size];
            to.sort_unstable();
            to.dedup();
            to.retain(|&other| other != rank);
            to
        };
        let own = to(here);
        let bytes: Vec<Vec<u8>> = own.iter().map(|&other| sent(here + other, round)).collect();
        let outgoing: Vec<(usize, &[u8])> =
            own.iter().zip(&bytes).map(|(&rank, bytes)| (rank, &bytes[..])).collect();
        let from: Vec<usize> = (0..size).filter(|&rank| to(rank).contains(&here)).collect();
        communicator.exchange(&outgoing, &from, &mut || (), &mut parts)?;
        expect(parts.len() == from.len(), "one part per sender", here)?;
        for (&rank, part) in from.iter().zip(parts.iter()) {
            expect(part == sent(rank + here, round), "exchange leaves parts unchanged", here)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{Loopback, Threads};
    use super::*;
    use std::time::Duration;

    #[test]
    fn loopback_keeps_the_contract() {
        check(&mut Loopback::default()).unwrap();
    }

    #[test]
    fn threads_keep_it() {
        for size in 1..6 {
            std::thread::scope(|scope| {
                let ranks = Threads::ranks(size, Duration::from_secs(60));
                let threads: Vec<_> = ranks
                    .into_iter()
                    .map(|mut rank| scope.spawn(move || check(&mut rank)))
                    .collect();
                threads.into_iter().for_each(|thread| thread.join().unwrap().unwrap());
            });
        }
    }

    #[test]
    fn a_rank_that_is_gone_is_named() {
        let mut ranks = Threads::ranks(3, Duration::from_secs(60));
        drop(ranks.remove(1));
        let error = ranks[0].all_gather(b"x", &mut || (), &mut RankBuffers::default()).unwrap_err();
        assert_eq!(error, CommError::Gone { rank: 1 });
    }
}
