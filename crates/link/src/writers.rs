//! Threads that write to peers, and their termination within a time limit.

use super::Outgoing;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Interval between two checks whether a thread has ended.
const LOOK: Duration = Duration::from_millis(5);

/// The threads that write to peers.
#[derive(Default)]
pub(super) struct Writers {
    running: Mutex<Vec<(JoinHandle<()>, Outgoing)>>,
}

impl Writers {
    /// Adds a thread and the connection that it writes to.
    pub fn add(&self, thread: JoinHandle<()>, outgoing: Outgoing) {
        let mut running = self.running();
        running.retain(|(own, _)| !own.is_finished());
        running.push((thread, outgoing));
    }

    /// Waits until all threads have ended, while `waits` returns true. Then cuts the remaining
    /// connections and returns their number.
    pub fn end(&self, waits: &mut dyn FnMut() -> bool) -> usize {
        let mut running = std::mem::take(&mut *self.running());
        loop {
            running.retain(|(own, _)| !own.is_finished());
            if running.is_empty() || !waits() {
                break;
            }
            std::thread::sleep(LOOK);
        }
        let cut = running.len();
        for (thread, outgoing) in running {
            outgoing.disconnect();
            // its write fails at once
            let _ = thread.join();
        }
        cut
    }

    fn running(&self) -> MutexGuard<'_, Vec<(JoinHandle<()>, Outgoing)>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a condition that holds for `time`.
pub(super) fn for_at_most(time: Duration) -> impl FnMut() -> bool {
    let begun = Instant::now();
    move || begun.elapsed() < time
}

#[cfg(test)]
mod tests {
    use super::super::connection::Connection;
    use super::super::listener::{Listener, Routes};
    use super::super::{Address, Token};
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::sync::Arc;

    /// Returns a listener that sends `messages` texts of 64 KiB to each peer, and one peer.
    fn sending(writers: &Arc<Writers>, messages: usize) -> (super::super::Listening, TcpStream) {
        let (own, before) = (writers.clone(), writers.running().len());
        let link = move |connection: Connection| {
            let to = connection.outgoing.clone();
            let text = "a".repeat(64 << 10);
            let write = move || {
                let _ = (0..messages).try_for_each(|_| to.text(&text));
                to.close();
            };
            own.add(std::thread::spawn(write), connection.outgoing.clone());
        };
        let routes = Routes {
            link: Box::new(link),
            web_socket: Box::new(|_| None),
            pages: Box::new(()),
            foxglove: None,
        };
        let token = Token::fixed("t").unwrap();
        let listening = Listener::bind(&Address::default(), token).unwrap().open(routes).unwrap();
        let Address::Tcp(at) = *listening.address() else { panic!("no TCP") };
        let mut stream = TcpStream::connect(at).unwrap();
        // not more than the listener reads: unread bytes would reset the connection
        stream.write_all(b"\0\0\0\x02").unwrap();
        while writers.running().len() <= before {
            std::thread::sleep(LOOK);
        }
        (listening, stream)
    }

    /// A peer that reads receives everything. A peer that reads little or nothing is cut at the
    /// end.
    #[test]
    fn reading_peers_receive_all_and_others_are_disconnected() {
        let writers = Arc::new(Writers::default());
        let (_listening, mut reads) = sending(&writers, 20);
        let reading = std::thread::spawn(move || {
            let mut all = Vec::new();
            reads.read_to_end(&mut all).unwrap();
            all.len()
        });
        assert_eq!(writers.end(&mut || true), 0);
        assert_eq!(reading.join().unwrap(), 20 * (4 + (64 << 10)));
        let (_one, _silent) = sending(&writers, 1000);
        let (_other, mut slow) = sending(&writers, 1000);
        let mut looks = 0;
        let mut waits = || {
            looks += 1;
            // a few bytes at a time
            slow.read_exact(&mut [0; 64]).unwrap();
            looks < 40
        };
        assert_eq!(writers.end(&mut waits), 2);
        assert_eq!(looks, 40);
    }
}
