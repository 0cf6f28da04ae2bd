//! The published state of one node, as integers in physical units.

use serde::{Deserialize, Serialize};

/// Unit of plastic sinkage, m.
pub const SINKAGE_QUANTUM: f64 = 10e-6;
/// Unit of yield pressure, Pa.
pub const PRESSURE_QUANTUM: f64 = 32.0;
/// Unit of shear displacement, m.
pub const SHEAR_QUANTUM: f64 = 20e-6;
/// Unit of berm height, m.
///
/// Berms also move in whole quanta inside the overlays, so that heaped soil balances exactly.
pub const BERM_QUANTUM: f64 = 1e-6;

/// Agent number of nodes that belong to no agent.
pub const NO_AGENT: u16 = u16::MAX;

/// State of a deformed node, in 16 bytes.
///
/// In a patch the berm is an increment; the other fields are absolute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NodeState {
    /// Permanent sinkage, in [`SINKAGE_QUANTUM`].
    pub plastic_sinkage: u32,
    /// Height of heaped soil, in [`BERM_QUANTUM`]; negative where soil slid away.
    pub berm: i32,
    /// Pressure of the last yield, in [`PRESSURE_QUANTUM`], saturating at 2.1 MPa.
    pub yield_pressure: u16,
    /// Shear displacement, in [`SHEAR_QUANTUM`], saturating at 0.65 m. It has two components; the
    /// scalar law uses only the first.
    pub shear: [i16; 2],
    /// Number of completed wheel passes.
    pub passes: u16,
}

impl NodeState {
    /// Rounds physical values to the nearest quanta.
    pub fn quantized(
        plastic_sinkage: f64,
        yield_pressure: f64,
        shear: [f64; 2],
        berm: i32,
        passes: u16,
    ) -> NodeState {
        // Casts from float to integer saturate and convert NaN to zero. They round towards zero, so
        // a negative non-integer result is one too high.
        let round = |value: f64, quantum: f64| {
            let shifted = value * (1.0 / quantum) + 0.5;
            let whole = shifted as i64;
            whole.saturating_sub(i64::from((whole as f64) > shifted))
        };
        NodeState {
            plastic_sinkage: round(plastic_sinkage, SINKAGE_QUANTUM).clamp(0, u32::MAX.into())
                as u32,
            berm,
            yield_pressure: round(yield_pressure, PRESSURE_QUANTUM).clamp(0, u16::MAX.into())
                as u16,
            shear: shear.map(|component| {
                round(component, SHEAR_QUANTUM).clamp(i16::MIN.into(), i16::MAX.into()) as i16
            }),
            passes,
        }
    }

    /// Returns the plastic sinkage, m.
    #[inline]
    pub fn plastic_sinkage_m(&self) -> f64 {
        f64::from(self.plastic_sinkage) * SINKAGE_QUANTUM
    }

    /// Returns the yield pressure, Pa.
    #[inline]
    pub fn yield_pressure_pa(&self) -> f64 {
        f64::from(self.yield_pressure) * PRESSURE_QUANTUM
    }

    /// Returns the shear displacement, m.
    #[inline]
    pub fn shear_m(&self) -> [f64; 2] {
        self.shear.map(|component| f64::from(component) * SHEAR_QUANTUM)
    }

    /// Returns the berm height, m.
    #[inline]
    pub fn berm_m(&self) -> f64 {
        f64::from(self.berm) * BERM_QUANTUM
    }

    /// Joins another state of the same node.
    ///
    /// Plastic sinkage, yield pressure and passes take the greater value. The shear is that of the
    /// deeper state; of two equally deep ones the greater in lexicographic order. Berms add, with
    /// wrapping so that the rule is associative for all inputs.
    ///
    /// Each part is a join of a total order or an addition of integers. So the whole is commutative
    /// and associative, and idempotent except for the berm, which is an increment.
    #[inline]
    pub fn join(&mut self, other: &NodeState) {
        if (other.plastic_sinkage, other.shear) > (self.plastic_sinkage, self.shear) {
            self.plastic_sinkage = other.plastic_sinkage;
            self.shear = other.shear;
        }
        self.yield_pressure = self.yield_pressure.max(other.yield_pressure);
        self.passes = self.passes.max(other.passes);
        self.berm = self.berm.wrapping_add(other.berm);
    }

    /// Returns the agent of the state that [`NodeState::join`] keeps: that of the deeper state, and
    /// of two equal ones the lower number. This is also a maximum, and independent of order.
    #[inline]
    pub(super) fn joined_agent(&self, other: &NodeState, [own, theirs]: [u16; 2]) -> u16 {
        let account = |state: &NodeState| (state.plastic_sinkage, state.shear);
        match account(other).cmp(&account(self)) {
            std::cmp::Ordering::Greater => theirs,
            std::cmp::Ordering::Equal => own.min(theirs),
            std::cmp::Ordering::Less => own,
        }
    }

    /// Returns the state as little-endian bytes, for hashing and storage.
    pub fn to_bytes(&self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[0..4].copy_from_slice(&self.plastic_sinkage.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.berm.to_le_bytes());
        bytes[8..10].copy_from_slice(&self.yield_pressure.to_le_bytes());
        bytes[10..12].copy_from_slice(&self.shear[0].to_le_bytes());
        bytes[12..14].copy_from_slice(&self.shear[1].to_le_bytes());
        bytes[14..16].copy_from_slice(&self.passes.to_le_bytes());
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) fn any_state() -> impl Strategy<Value = NodeState> {
        // few distinct depths, so that ties occur
        (0_u32..4, -9_i32..9, any::<u16>(), any::<[i16; 2]>(), any::<u16>()).prop_map(
            |(plastic_sinkage, berm, yield_pressure, shear, passes)| NodeState {
                plastic_sinkage,
                berm,
                yield_pressure,
                shear,
                passes,
            },
        )
    }

    fn joined(mut a: NodeState, b: NodeState) -> NodeState {
        a.join(&b);
        a
    }

    proptest! {
        #[test]
        fn join_commutes(a in any_state(), b in any_state()) {
            prop_assert_eq!(joined(a, b), joined(b, a));
        }

        #[test]
        fn join_associates(a in any_state(), b in any_state(), c in any_state()) {
            prop_assert_eq!(joined(joined(a, b), c), joined(a, joined(b, c)));
        }

        #[test]
        fn join_is_idempotent_but_for_the_berm(a in any_state()) {
            let a = NodeState { berm: 0, ..a };
            prop_assert_eq!(joined(a, a), a);
        }

        #[test]
        fn rounding_stays_within_half_a_quantum(
            z in 0.0..2.0, p in 0.0..2e6, jx in -0.6..0.6, jy in -0.6..0.6,
        ) {
            let state = NodeState::quantized(z, p, [jx, jy], 0, 0);
            // half a quantum, plus a margin for the rounding of the division
            prop_assert!((state.plastic_sinkage_m() - z).abs() < 5.001e-6);
            prop_assert!((state.yield_pressure_pa() - p).abs() < 16.001);
            prop_assert!((state.shear_m()[0] - jx).abs() < 10.001e-6);
            prop_assert!((state.shear_m()[1] - jy).abs() < 10.001e-6);
        }
    }

    #[test]
    fn saturates_instead_of_wrapping() {
        let state = NodeState::quantized(-1.0, 1e9, [9.0, -9.0], 0, 0);
        assert_eq!(state.plastic_sinkage, 0);
        assert_eq!(state.yield_pressure, u16::MAX);
        assert_eq!(state.shear, [i16::MAX, i16::MIN]);
        assert_eq!(std::mem::size_of::<NodeState>(), 16);
    }
}
