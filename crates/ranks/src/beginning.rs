//! The start of a run on ranks: each places its own agents, then sends their states to the others.

use crate::rank_error::RankError;
use crate::ranks::Ranks;
use bekker_agent::Stand;
use bekker_sync::Communicator;
use bekker_world::RankAccess;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Time, s, after which a rank that is still placing agents sends a sign of life.
///
/// The other ranks wait for it and would otherwise time out.
const SIGN_OF_LIFE: Duration = Duration::from_millis(100);

impl Ranks<'_> {
    /// Places own agents and receives the initial states of other ranks' agents.
    pub(crate) fn begin(&mut self, interrupted: &AtomicBool) -> Result<(), RankError> {
        self.set_down(interrupted)?;
        if self.size() > 1 {
            self.census()?;
            self.introduce()?;
        }
        Ok(())
    }

    /// Places own agents while other ranks place theirs.
    ///
    /// Rank 0 receives the agents that are not in equilibrium. All ranks stop once one of them is
    /// `interrupted`.
    fn set_down(&mut self, interrupted: &AtomicBool) -> Result<(), RankError> {
        let own = self.world.own_agents().to_vec();
        let mut portions = own.chunks(rayon::current_num_threads());
        loop {
            let begun = self.communicator.elapsed();
            while self.communicator.elapsed() - begun < SIGN_OF_LIFE
                && let Some(portion) = portions.next()
            {
                self.world.place_agents(portion);
            }
            let own = [portions.len() > 0, interrupted.load(Ordering::Relaxed)];
            let either = |[a, b]: [bool; 2], [c, d]: [bool; 2]| [a || c, b || d];
            match self.reduced("beginning", own, either)? {
                [true, true] => return Err(RankError::Interrupted),
                [true, false] => {}
                [false, _] => break,
            }
        }
        let stands = own.iter().map(|&agent| (agent as u32, self.world.stands()[agent]));
        let others = stands.filter(|(_, stand)| *stand != Stand::Still).collect();
        let all: Option<Vec<(u32, Stand)>> = self.collected("stands", others)?;
        self.world.set_stands(&all.unwrap_or_default());
        Ok(())
    }
}
