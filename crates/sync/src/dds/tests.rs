use super::*;
use crate::{DdsDomain, Rendezvous, RendezvousError, contract, star_all_gather};
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicU16, Ordering};
use std::thread;

const ON: fn() -> Result<(), String> = || Ok(());

/// Returns a DDS domain that no other test uses, on the loopback interface only.
fn domain() -> DdsDomain {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = 20 + (std::process::id() % 180) as u16;
    let number = first + NEXT.fetch_add(1, Ordering::Relaxed);
    DdsDomain { number, network: Some(Ipv4Addr::LOCALHOST) }
}

fn rendezvous(size: usize) -> Rendezvous {
    let (token, program) = ("open sesame".to_owned(), "bekker 0".to_owned());
    let (join_timeout, timeout) = (Duration::from_secs(60), Duration::from_secs(60));
    Rendezvous { size, token, program, join_timeout, timeout }
}

/// Runs `act` on all ranks of a rendezvous, one thread each. Returns its results in rank order.
fn on_all_ranks<T: Send>(rendezvous: &Rendezvous, act: impl Fn(Dds) -> T + Sync) -> Vec<T> {
    let domain = domain();
    thread::scope(|scope| {
        let act = &act;
        let meet = |rank| move || act(rendezvous.join_over_dds(rank, domain, &mut { ON }).unwrap());
        let ranks: Vec<_> = (0..rendezvous.size).map(|rank| scope.spawn(meet(rank))).collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    })
}

#[test]
fn dds_keeps_the_contract() {
    for size in [1, 2, 4] {
        for kept in on_all_ranks(&rendezvous(size), |mut rank| contract::check(&mut rank)) {
            kept.unwrap();
        }
    }
}

#[test]
fn parts_larger_than_the_send_window_cross_each_other() {
    let bytes = |rank: usize| vec![rank as u8; 5_000_000];
    let gathered = on_all_ranks(&rendezvous(3), |mut rank| {
        let (mut parts, mine) = (RankBuffers::default(), bytes(rank.rank()));
        rank.all_gather(&mine, &mut || (), &mut parts).unwrap();
        (0..3).all(|rank| parts.part(rank) == bytes(rank))
    });
    assert_eq!(gathered, [true; 3]);
}

/// The last part is not lost when its sender ends before the receiver has taken it.
#[test]
fn the_last_part_comes_though_its_sender_has_ended() {
    let rendezvous = rendezvous(4);
    for _ in 0..3 {
        let sums = on_all_ranks(&rendezvous, |mut rank| {
            let mut parts = RankBuffers::default();
            rank.all_gather(b"here", &mut || (), &mut parts).unwrap();
            if rank.rank() > 0 {
                rank.exchange(&[(0, &[rank.rank() as u8])], &[], &mut || (), &mut parts).unwrap();
                return 0;
            }
            // the other ranks end meanwhile
            let mut late = || thread::sleep(Duration::from_millis(300));
            rank.exchange(&[], &[1, 2, 3], &mut late, &mut parts).unwrap();
            parts.iter().map(|part| part[0]).sum()
        });
        assert_eq!(sums, [6, 0, 0, 0]);
    }
}

/// All ranks name a rank that disconnects, even those that wait for another rank.
#[test]
fn a_rank_that_is_gone_is_named_on_all() {
    let found = on_all_ranks(&rendezvous(4), |mut rank| {
        if rank.rank() == 2 {
            return None;
        }
        // rank 1 waits for rank 3, which waits for rank 2
        let from = [[2, 3, 0, 2][rank.rank()]];
        Some(rank.exchange(&[], &from, &mut || (), &mut RankBuffers::default()).unwrap_err())
    });
    let gone = Some(CommError::Gone { rank: 2 });
    assert_eq!(found, [gone.clone(), gone.clone(), None, gone]);
}

/// In a star rank 1 waits for rank 0, which waits for rank 2. The rank that hangs is rank 2.
#[test]
fn the_rank_that_hangs_is_named_and_not_one_that_waits_for_it() {
    let timeout = Duration::from_secs(1);
    let found = on_all_ranks(&Rendezvous { timeout, ..rendezvous(3) }, |mut rank| {
        if rank.rank() == 2 {
            thread::sleep(Duration::from_secs(6));
            return None;
        }
        star_all_gather(&mut rank, b"here", &mut || (), &mut RankBuffers::default()).err()
    });
    let silent = Some(CommError::Silent { ranks: vec![2], after: timeout });
    assert_eq!(found, [silent.clone(), silent, None]);
}

#[test]
fn missing_ranks_are_named() {
    let (domain, join_timeout) = (domain(), Duration::from_millis(1500));
    let rendezvous = Rendezvous { join_timeout, ..rendezvous(4) };
    thread::scope(|scope| {
        let missed = |rank| {
            let rendezvous = &rendezvous;
            scope.spawn(move || rendezvous.join_over_dds(rank, domain, &mut { ON }).unwrap_err())
        };
        for missed in [missed(0), missed(2)] {
            let told = missed.join().unwrap().to_string();
            assert_eq!(told, "2 of 4 ranks did not join within 2 s: rank 1, 3");
        }
    });
    let mut stop = || Err("interrupted".to_owned());
    let ended = rendezvous.join_over_dds(0, domain, &mut stop).unwrap_err();
    assert!(matches!(ended, RendezvousError::Ended { cause } if cause == "interrupted"));
    let many = Rendezvous { size: 33, ..rendezvous };
    let told = many.join_over_dds(0, domain, &mut { ON }).unwrap_err().to_string();
    assert_eq!(told, "33 ranks; must be at most 32 over DDS");
}

#[test]
fn unauthorized_peers_are_refused_by_name_without_effect() {
    let (domain, own) = (domain(), rendezvous(3));
    thread::scope(|scope| {
        let refused = |other: Rendezvous, rank: usize| {
            other.join_over_dds(rank, domain, &mut { ON }).unwrap_err().to_string()
        };
        let meet = |rank| {
            let own = &own;
            scope.spawn(move || own.join_over_dds(rank, domain, &mut { ON }).unwrap())
        };
        let (first, one) = (meet(0), meet(1));
        // wait for the first rank 1, so that the second is the one rejected
        thread::sleep(Duration::from_millis(1500));
        let told = refused(own.clone(), 1);
        assert!(told.starts_with("rank 0 at DDS domain "), "{told}");
        assert!(told.contains("refused: rank 1 is already process "), "{told}");
        let program = "bekker 1".to_owned();
        let told = refused(Rendezvous { program, ..own.clone() }, 2);
        assert!(told.ends_with("rank 2 runs bekker 1, rank 0 runs bekker 0"), "{told}");
        let told = refused(rendezvous(4), 2);
        assert!(told.ends_with("rank 2 expects 4 ranks, rank 0 expects 3"), "{told}");
        // another run in the same domain does not join this one
        let (token, join_timeout) = ("open barley".to_owned(), Duration::from_secs(1));
        let told = refused(Rendezvous { token, join_timeout, ..own.clone() }, 2);
        assert!(told.starts_with("2 of 3 ranks did not join"), "{told}");
        let ranks = [first, one, meet(2)].map(|rank| rank.join().unwrap());
        // and ranks that arrive after all have joined
        for rank in [0, 2] {
            let told = refused(own.clone(), rank);
            assert!(told.contains("late join is not supported"), "{told}");
        }
        let checks = ranks.map(|mut rank| scope.spawn(move || contract::check(&mut rank)));
        checks.into_iter().for_each(|check| check.join().unwrap().unwrap());
    });
}
