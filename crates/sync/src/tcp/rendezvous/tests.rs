use super::*;
use crate::{CommError, Communicator, RankBuffers, contract, star_all_gather};
use std::io::{Read, Write};
use std::thread;

const ON: fn() -> Result<(), String> = || Ok(());

fn rendezvous(size: usize) -> Rendezvous {
    let (token, program) = ("open sesame".to_owned(), "bekker 0".to_owned());
    let (join_timeout, timeout) = (Duration::from_secs(60), Duration::from_secs(60));
    Rendezvous { size, token, program, join_timeout, timeout }
}

fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap().to_string();
    (listener, at)
}

/// Runs `act` on all ranks of a rendezvous, one thread each. Returns its results in rank order.
fn on_all_ranks<T: Send>(rendezvous: &Rendezvous, act: impl Fn(Tcp) -> T + Sync) -> Vec<T> {
    let (listener, at) = listener();
    thread::scope(|scope| {
        let (act, at) = (&act, &at[..]);
        let others: Vec<_> = (1..rendezvous.size)
            .map(|rank| scope.spawn(move || act(rendezvous.join(rank, at, &mut { ON }).unwrap())))
            .collect();
        let first = act(rendezvous.host(listener, &mut { ON }).unwrap());
        let others = others.into_iter().map(|other| other.join().unwrap());
        std::iter::once(first).chain(others).collect()
    })
}

#[test]
fn tcp_keeps_the_contract() {
    for size in 1..6 {
        for kept in on_all_ranks(&rendezvous(size), |mut rank| contract::check(&mut rank)) {
            kept.unwrap();
        }
    }
}

#[test]
fn parts_larger_than_the_socket_buffers_cross_each_other() {
    let bytes = |rank: usize| vec![rank as u8; 20_000_000];
    let gathered = on_all_ranks(&rendezvous(3), |mut rank| {
        let (mut parts, mine) = (RankBuffers::default(), bytes(rank.rank()));
        rank.all_gather(&mine, &mut || (), &mut parts).unwrap();
        (0..3).all(|rank| parts.part(rank) == bytes(rank))
    });
    assert_eq!(gathered, [true; 3]);
}

/// All ranks name a rank that disconnects without a message, even those that wait for another rank.
#[test]
fn a_rank_that_is_gone_is_named_on_all_at_once() {
    let begun = Instant::now();
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
    // far below the timeout of a minute
    assert!(begun.elapsed() < Duration::from_secs(30));
}

/// In a star rank 1 waits for rank 0, which waits for rank 2. The rank that hangs is rank 2.
#[test]
fn the_roll_names_the_rank_that_hangs_and_not_one_that_waits_for_it() {
    let timeout = Duration::from_millis(300);
    let found = on_all_ranks(&Rendezvous { timeout, ..rendezvous(3) }, |mut rank| {
        if rank.rank() == 2 {
            thread::sleep(Duration::from_secs(4));
            return None;
        }
        star_all_gather(&mut rank, b"here", &mut || (), &mut RankBuffers::default()).err()
    });
    let silent = Some(CommError::Silent { ranks: vec![2], after: timeout });
    assert_eq!(found, [silent.clone(), silent, None]);
}

#[test]
fn missing_ranks_are_named() {
    let (listener, at) = listener();
    let rendezvous = Rendezvous { join_timeout: Duration::from_millis(700), ..rendezvous(4) };
    thread::scope(|scope| {
        let joined = scope.spawn(|| rendezvous.join(2, &at, &mut { ON }));
        let missing = rendezvous.host(listener, &mut { ON }).unwrap_err().to_string();
        assert_eq!(missing, "2 of 4 ranks did not join within 1 s: rank 1, 3");
        let left = joined.join().unwrap().unwrap_err().to_string();
        assert!(left.contains("disconnected before all ranks had joined"), "{left}");
    });
    // and no process listens at the address any more
    let absent = rendezvous.join(1, &at, &mut { ON }).unwrap_err().to_string();
    // its acceptor may still be closing: then the connection is reset
    assert!(absent.starts_with("rank 0 "), "{absent}");
}

#[test]
fn unauthorized_peers_are_refused_by_name_without_effect() {
    let (listener, at) = listener();
    let own = rendezvous(3);
    thread::scope(|scope| {
        let refused = |other: Rendezvous, rank: usize| {
            other.join(rank, &at, &mut { ON }).unwrap_err().to_string()
        };
        let first = scope.spawn(|| own.host(listener, &mut { ON }).unwrap());
        let one = scope.spawn(|| own.join(1, &at, &mut { ON }).unwrap());
        // foreign clients: one silent, one that sends garbage, one that speaks HTTP
        let _silent = TcpStream::connect(&at).unwrap();
        let mut noisy = TcpStream::connect(&at).unwrap();
        noisy.write_all(&[0xff; 4096]).unwrap();
        let mut web = TcpStream::connect(&at).unwrap();
        web.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        let token = "open barley".to_owned();
        let told = refused(Rendezvous { token, ..own.clone() }, 2);
        assert!(told.contains("the tokens differ"), "{told}");
        let program = "bekker 1".to_owned();
        let told = refused(Rendezvous { program, ..own.clone() }, 2);
        assert!(told.contains("rank 2 runs bekker 1, rank 0 runs bekker 0"), "{told}");
        let told = refused(rendezvous(4), 2);
        assert!(told.contains("rank 2 expects 4 ranks, rank 0 expects 3"), "{told}");
        for rank in [0, 3] {
            let told = refused(own.clone(), rank);
            assert!(told.contains(&format!("rank {rank} cannot join")), "{told}");
        }
        // a second rank 1 before all have joined; wait for the first, which may connect later
        thread::sleep(Duration::from_millis(300));
        let told = refused(own.clone(), 1);
        assert!(told.contains("rank 1 has already joined, from 127.0.0.1:"), "{told}");
        let two = scope.spawn(|| own.join(2, &at, &mut { ON }).unwrap());
        let ranks = [first, one, two].map(|rank| rank.join().unwrap());
        // and one that connects after all have joined
        let told = refused(own.clone(), 2);
        assert!(told.contains("late join is not supported"), "{told}");
        let checks = ranks.map(|mut rank| scope.spawn(move || contract::check(&mut rank)));
        checks.into_iter().for_each(|check| check.join().unwrap().unwrap());
    });
}

/// A process at rank 0's address without the token is detected.
#[test]
fn an_impostor_as_rank_0_receives_no_secret() {
    let (listener, at) = listener();
    let own = rendezvous(2);
    thread::scope(|scope| {
        let joined = scope.spawn(|| own.join(1, &at, &mut { ON }));
        let (mut stream, _) = listener.accept().unwrap();
        // it can claim to admit the rank, but cannot prove that it has the token
        let other = "another".to_owned();
        let heard =
            super::super::handshake::server_handshake(&mut stream, &other, |_| Ok(())).unwrap();
        assert!(heard.is_none());
        drop(stream);
        assert!(joined.join().unwrap().is_err());
    });
    let (listener, at) = self::listener();
    let own = rendezvous(2);
    thread::scope(|scope| {
        let joined = scope.spawn(|| own.join(1, &at, &mut { ON }));
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"SSH-2.0-OpenSSH_9.6\r\n").unwrap();
        let told = joined.join().unwrap().unwrap_err().to_string();
        assert!(told.contains("the peer is not a bekker rank"), "{told}");
        let _ = stream.read(&mut [0; 8]);
    });
}

#[test]
fn a_waiting_rank_can_be_stopped() {
    let (listener, _) = listener();
    let mut stop = || Err("interrupted".to_owned());
    let ended = rendezvous(2).host(listener, &mut stop).unwrap_err();
    assert!(matches!(ended, RendezvousError::Ended { cause } if cause == "interrupted"));
}
