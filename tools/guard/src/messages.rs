//! Hashes of all bytes that two ranks send each other in heartbeats.

use super::{MeasuredValues, MeasurementResult};
use bekker::scenario::{ScenarioFile, build};
use bekker::simulation::{MessageRoute, Ranks, Sharing};
use bekker::sync::{CommError, Communicator, ExchangeTimes, RankBuffers, Threads};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Scenarios and their number of heartbeats.
const SCENARIOS: [(&str, usize); 3] =
    [("convoy_mud", 100), ("tracked_mud", 40), ("platoon_radio", 100)];

/// Timeout after which a rank counts as lost.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Hashes the messages of two ranks, separately for each.
pub(super) fn measure(root: &Path, values: &mut MeasuredValues) -> MeasurementResult<()> {
    for (scenario, heartbeats) in SCENARIOS {
        for route in [MessageRoute::All, MessageRoute::Star, MessageRoute::Neighbor] {
            let hashes = sent(&root.join(format!("examples/{scenario}.toml")), heartbeats, route)?;
            for (rank, hash) in hashes.into_iter().enumerate() {
                let route = format!("{route:?}").to_lowercase();
                let name =
                    format!("messages/{scenario}/{heartbeats}_heartbeats/{route}/rank_{rank}");
                values.insert(name, hash);
            }
        }
    }
    Ok(())
}

/// Drives a scenario on two ranks; returns a hash of the bytes that each sends.
fn sent(scenario: &Path, heartbeats: usize, route: MessageRoute) -> MeasurementResult<Vec<String>> {
    let drive = |rank: Threads| -> MeasurementResult<String> {
        let sent = Arc::new(Mutex::new(Sha256::new()));
        let recorder = HashingCommunicator { rank, sent: sent.clone() };
        let model = build::world(&ScenarioFile::read(scenario, &[])?)?.world;
        let sharing = Sharing { route, ..Sharing::default() };
        let mut ranks = Ranks::new(recorder, model, None, &sharing, &[])?;
        // discard the bytes sent while vehicles settle: they include keep-alives at wall-clock
        // times
        *sent.lock().unwrap_or_else(PoisonError::into_inner) = Sha256::new();
        for _ in 0..heartbeats {
            ranks.advance(false)?;
        }
        let hash = sent.lock().unwrap_or_else(PoisonError::into_inner).clone().finalize();
        Ok(base16ct::lower::encode_string(&hash))
    };
    std::thread::scope(|scope| {
        let ranks = Threads::ranks(2, TIMEOUT);
        let drive = &drive;
        let threads: Vec<_> =
            ranks.into_iter().map(|rank| scope.spawn(move || drive(rank))).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined.map(|hash| hash.unwrap_or_else(|_| Err("a rank panicked".into()))).collect()
    })
}

/// Communicator that hashes all bytes that it sends.
struct HashingCommunicator {
    rank: Threads,
    sent: Arc<Mutex<Sha256>>,
}

impl HashingCommunicator {
    /// Adds bytes and their length to the hash.
    fn record(&self, bytes: &[u8]) {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        sent.update((bytes.len() as u64).to_le_bytes());
        sent.update(bytes);
    }
}

impl Communicator for HashingCommunicator {
    fn rank(&self) -> usize {
        self.rank.rank()
    }

    fn size(&self) -> usize {
        self.rank.size()
    }

    fn elapsed(&self) -> Duration {
        self.rank.elapsed()
    }

    fn all_gather(
        &mut self,
        mine: &[u8],
        meanwhile: &mut dyn FnMut(),
        all: &mut RankBuffers,
    ) -> Result<ExchangeTimes, CommError> {
        self.record(mine);
        self.rank.all_gather(mine, meanwhile, all)
    }

    fn exchange(
        &mut self,
        to: &[(usize, &[u8])],
        from: &[usize],
        meanwhile: &mut dyn FnMut(),
        received: &mut RankBuffers,
    ) -> Result<ExchangeTimes, CommError> {
        to.iter().for_each(|(_, bytes)| self.record(bytes));
        self.rank.exchange(to, from, meanwhile, received)
    }
}
