//! Whether a vehicle gains more energy than was put into it.
//!
//! Balance = energy of the vehicle (motion, gravity, springs, tires) - work put in (engine and
//! converter, other vehicles, obstacles). Ground, dampers and brakes only take: the balance
//! never rises, but for what is stored where the account does not look (soil, pads, rims,
//! play). It is taken at heartbeats; its rise above its least value is what came from nothing.
//! Energy that appears while as much is taken elsewhere in the same heartbeat is not seen.

use super::agent::{AgentModel, AgentState, AgentWorkspace};
use serde::{Deserialize, Serialize};

/// Rise of the balance that is reported, over the vehicle's mass, J/kg: a resting vehicle would
/// move at 2 m/s. Landings and curbs store up to a third of it in parts without an account.
const REPORTED: f64 = 2.0;

/// Energy of an agent's vehicle against what was put into it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct EnergyAccount {
    /// Work put in since the start, J.
    input: f64,
    /// Least balance so far, J; none before the first heartbeat.
    least: Option<f64>,
    /// Greatest rise of the balance above its least value before, J.
    risen: f64,
}

impl EnergyAccount {
    /// Adds work put in, J. What is not finite belongs to a drive that fails, and must not reach a
    /// checkpoint.
    pub fn add(&mut self, work: f64) {
        if work.is_finite() {
            self.input += work;
        }
    }

    /// Takes the vehicle's energy at a heartbeat, J. What is not finite belongs to a drive that
    /// fails.
    pub fn take(&mut self, energy: f64) {
        let balance = energy - self.input;
        if !balance.is_finite() {
            return;
        }
        let least = self.least.map_or(balance, |least| least.min(balance));
        self.least = Some(least);
        self.risen = self.risen.max(balance - least);
    }

    /// Whether the energy at the start has been taken.
    pub fn has_begun(&self) -> bool {
        self.least.is_some()
    }

    /// Energy that came from nothing, J, if a vehicle of `mass` kg gained as much as is reported.
    pub fn gained(&self, mass: f64) -> Option<f64> {
        (self.risen > REPORTED * mass).then_some(self.risen)
    }

    /// Whether a checkpoint can hold it.
    pub fn is_sound(&self) -> bool {
        self.input.is_finite()
            && self.least.is_none_or(f64::is_finite)
            && self.risen.is_finite()
            && self.risen >= 0.0
    }
}

impl AgentModel {
    /// Energy of the vehicle, J: of motion and gravity, and stored in springs and tires.
    pub(super) fn stored_energy(&self, state: &AgentState, workspace: &AgentWorkspace) -> f64 {
        self.vehicle.stored_energy(&state.vehicle, &state.tyres, &workspace.vehicle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rise_counts_from_the_least_balance_before_it() {
        let mut account = EnergyAccount::default();
        // loses 30 J, is given 10, keeps them
        for (energy, given) in [(100.0, 0.0), (70.0, 0.0), (80.0, 10.0), (75.0, 0.0)] {
            account.add(given);
            account.take(energy);
        }
        assert_eq!(account.risen, 0.0);
        account.take(f64::NAN);
        for energy in [68.0, 70.5, 69.0, 72.0, 60.0] {
            account.take(energy);
        }
        // 10 J of each were put in
        assert_eq!(account.risen, 72.0 - 68.0);
        assert!(account.is_sound());
    }

    #[test]
    fn a_gain_is_reported_by_the_mass() {
        let mut account = EnergyAccount::default();
        account.take(0.0);
        account.take(2001.0);
        assert_eq!(account.gained(1000.0), Some(2001.0));
        assert_eq!(account.gained(1001.0), None);
    }
}
