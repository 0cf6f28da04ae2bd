//! Detection of energy that a vehicle gains without input.
//!
//! Balance = energy of the vehicle (motion, gravity, springs, tires) - work put in (engine and
//! converter, other vehicles, obstacles). Ground, dampers and brakes only dissipate, so the balance
//! never rises, except for energy stored outside the account (soil, pads, rims, play).
//!
//! The balance is taken at heartbeats. Its rise above its minimum is spurious energy. Spurious
//! energy is not detected if the same heartbeat dissipates as much elsewhere.

use serde::{Deserialize, Serialize};

/// Rise of the balance that is reported, relative to the vehicle's mass, J/kg: it moves a resting
/// vehicle at 2 m/s.
///
/// Landings and curbs store up to a third of it in parts outside the account.
const REPORTED: f64 = 2.0;

/// Energy of an agent's vehicle compared with the work put into it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EnergyAccount {
    /// Work put in since the start, J.
    input: f64,
    /// Minimum of the balance so far, J; `None` before the first heartbeat.
    least: Option<f64>,
    /// Largest rise of the balance above its earlier minimum, J.
    risen: f64,
}

impl EnergyAccount {
    /// Adds work put in, J.
    ///
    /// Non-finite work belongs to a failing drive and must not enter a checkpoint.
    pub fn add(&mut self, work: f64) {
        if work.is_finite() {
            self.input += work;
        }
    }

    /// Records the vehicle's energy at a heartbeat, J.
    ///
    /// Non-finite energy belongs to a failing drive and is ignored.
    pub fn record_energy(&mut self, energy: f64) {
        let balance = energy - self.input;
        if !balance.is_finite() {
            return;
        }
        let least = self.least.map_or(balance, |least| least.min(balance));
        self.least = Some(least);
        self.risen = self.risen.max(balance - least);
    }

    /// Returns whether the energy at the start is recorded.
    pub fn has_start(&self) -> bool {
        self.least.is_some()
    }

    /// Returns the spurious energy, J, if it exceeds the reported limit for a vehicle of `mass` kg.
    pub fn gained(&self, mass: f64) -> Option<f64> {
        (self.risen > REPORTED * mass).then_some(self.risen)
    }

    /// Returns whether the values are valid in a checkpoint.
    pub fn is_valid(&self) -> bool {
        self.input.is_finite()
            && self.least.is_none_or(f64::is_finite)
            && self.risen.is_finite()
            && self.risen >= 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rise_counts_from_the_least_balance_before_it() {
        let mut account = EnergyAccount::default();
        // loses 30 J, receives 10 J and keeps them
        for (energy, given) in [(100.0, 0.0), (70.0, 0.0), (80.0, 10.0), (75.0, 0.0)] {
            account.add(given);
            account.record_energy(energy);
        }
        assert_eq!(account.risen, 0.0);
        account.record_energy(f64::NAN);
        for energy in [68.0, 70.5, 69.0, 72.0, 60.0] {
            account.record_energy(energy);
        }
        // 10 J of work in both values
        assert_eq!(account.risen, 72.0 - 68.0);
        assert!(account.is_valid());
    }

    #[test]
    fn a_gain_is_reported_by_the_mass() {
        let mut account = EnergyAccount::default();
        account.record_energy(0.0);
        account.record_energy(2001.0);
        assert_eq!(account.gained(1000.0), Some(2001.0));
        assert_eq!(account.gained(1001.0), None);
    }
}
