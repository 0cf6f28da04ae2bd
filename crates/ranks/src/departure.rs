//! Whether a rank leaves while the run continues.

use crate::collectives::Collectives;
use crate::rank_error::RankError;
use bekker_agent::Clock;

/// Simulated time between two queries whether a rank requests to leave, s.
const INTERVAL: f64 = 1.0;

/// Requests of ranks to leave.
pub(crate) struct Departure {
    /// Whether ranks may leave.
    is_allowed: bool,
    /// Whether this rank requests to leave.
    is_requested: bool,
    has_left: bool,
    /// Tick of the last query.
    queried_at: u64,
}

impl Departure {
    pub fn new(is_allowed: bool, tick: u64) -> Departure {
        Departure { is_allowed, is_requested: false, has_left: false, queried_at: tick }
    }

    /// Requests that a rank leave. Returns whether it will.
    pub fn request(&mut self, rank: usize) -> bool {
        self.is_requested = self.is_allowed && rank > 0;
        self.is_requested
    }

    /// Whether this rank has left.
    pub fn has_left(&self) -> bool {
        self.has_left
    }

    /// Records that this rank has left.
    pub fn complete(&mut self) {
        self.has_left = true;
    }

    /// Returns the ranks that request to leave, if a query is due.
    pub fn leaving_ranks(
        &mut self,
        clock: &Clock,
        collectives: &mut Collectives<'_>,
    ) -> Result<Vec<usize>, RankError> {
        let tick = collectives.tick();
        if !self.is_allowed
            || tick == self.queried_at
            || !tick.is_multiple_of(clock.ticks_in(INTERVAL))
        {
            return Ok(Vec::new());
        }
        self.queried_at = tick;
        let own = if self.is_requested { vec![collectives.rank()] } else { Vec::new() };
        collectives.all_reduce("leaving", own, |one, other| [one, other].concat())
    }
}
