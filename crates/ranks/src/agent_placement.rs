//! The start of a run on ranks: each places its own agents.

use crate::collectives::Collectives;
use crate::rank_error::RankError;
use bekker_agent::StartCondition;
use bekker_world::{RankAccess, World};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Time, s, after which a rank that is still placing agents sends a sign of life.
///
/// The other ranks wait for it and would otherwise time out.
const SIGN_OF_LIFE: Duration = Duration::from_millis(100);

/// Places own agents while other ranks place theirs.
///
/// Rank 0 receives the agents that are not in equilibrium. All ranks stop once one of them is
/// `interrupted`.
pub(crate) fn place_agents(
    world: &mut World,
    collectives: &mut Collectives<'_>,
    interrupted: &AtomicBool,
) -> Result<(), RankError> {
    let own = world.own_agents().to_vec();
    let mut portions = own.chunks(rayon::current_num_threads());
    loop {
        let begun = collectives.elapsed();
        while collectives.elapsed() - begun < SIGN_OF_LIFE
            && let Some(portion) = portions.next()
        {
            world.place_agents(portion);
        }
        let own = [portions.len() > 0, interrupted.load(Ordering::Relaxed)];
        let either = |[a, b]: [bool; 2], [c, d]: [bool; 2]| [a || c, b || d];
        match collectives.all_reduce("beginning", own, either)? {
            [true, true] => return Err(RankError::Interrupted),
            [true, false] => {}
            [false, _] => break,
        }
    }
    let start_conditions = own.iter().map(|&agent| (agent as u32, world.start_conditions()[agent]));
    let others =
        start_conditions.filter(|(_, stand)| *stand != StartCondition::Equilibrium).collect();
    let all: Option<Vec<(u32, StartCondition)>> = collectives.gather_on_root("stands", others)?;
    world.set_start_conditions(&all.unwrap_or_default());
    Ok(())
}
