//! Chrono's rule for truck tires, and the loads of load indices.

use bekker_math::numeric::pow;
use bekker_vehicle::tire::{PneumaticTrail, SlipCurve, TMeasy};

/// Load capacity by load index, kg, from index 80 on; 80 indices are a factor of ten (ISO 4000-1).
const LOAD_INDEX: [f64; 80] = [
    450.0, 462.0, 475.0, 487.0, 500.0, 515.0, 530.0, 545.0, 560.0, 580.0, 600.0, 615.0, 630.0,
    650.0, 670.0, 690.0, 710.0, 730.0, 750.0, 775.0, 800.0, 825.0, 850.0, 875.0, 900.0, 925.0,
    950.0, 975.0, 1000.0, 1030.0, 1060.0, 1090.0, 1120.0, 1150.0, 1180.0, 1215.0, 1250.0, 1285.0,
    1320.0, 1360.0, 1400.0, 1450.0, 1500.0, 1550.0, 1600.0, 1650.0, 1700.0, 1750.0, 1800.0, 1850.0,
    1900.0, 1950.0, 2000.0, 2060.0, 2120.0, 2180.0, 2240.0, 2300.0, 2360.0, 2430.0, 2500.0, 2575.0,
    2650.0, 2725.0, 2800.0, 2900.0, 3000.0, 3075.0, 3150.0, 3250.0, 3350.0, 3450.0, 3550.0, 3650.0,
    3750.0, 3875.0, 4000.0, 4125.0, 4250.0, 4375.0,
];

/// Returns the load capacity of a load index, kg.
pub(super) fn load_capacity(index: usize) -> f64 {
    let decade = (index / 80) as f64 - 1.0;
    LOAD_INDEX[index % 80] * pow(10.0, decade)
}

/// Chrono's rule for truck tires of aspect ratio 80 % (`GuessTruck80Par` at 7689fbc).
///
/// The full load deflects the tire by 16 % of its section height, and half of it is the nominal
/// load. The nominal load scales with the inflation to the power of 0.8; slip curves are multiples
/// of it. The damping is half of the critical damping of the tire's own mass.
pub(super) fn truck_tire(
    load: f64,
    inflated: f64,
    radius: f64,
    width: f64,
    section: f64,
    mass: f64,
) -> TMeasy {
    let stiffness = load / (0.16 * section);
    let nominal = 0.5 * load * pow(inflated, 0.8);
    let carcass = [0.9 * stiffness, 0.8 * stiffness];
    let damping = |stiffness: f64| (stiffness * mass).sqrt();
    let shares =
        |at_nominal: f64, at_double: f64| [at_nominal * nominal, at_double * 2.0 * nominal];
    TMeasy {
        unloaded_radius: radius,
        width,
        vertical_stiffness: stiffness,
        vertical_progression: 0.0,
        vertical_damping: damping(stiffness),
        nominal_load: nominal,
        max_load: 3.5 * nominal,
        friction: 0.8,
        rolling_resistance: 0.015,
        carcass_stiffness: carcass,
        carcass_damping: carcass.map(damping),
        longitudinal: SlipCurve {
            initial_slope: shares(17.7764, 14.5301),
            max_force: shares(0.89965, 0.77751),
            max_slip: [0.10811, 0.12389],
            sliding_force: shares(0.46183, 0.42349),
            sliding_slip: [0.66667, 0.66667],
        },
        lateral: SlipCurve {
            initial_slope: shares(7.4013, 6.8505),
            max_force: shares(0.75876, 0.72628),
            max_slip: [0.33167, 0.33216],
            sliding_force: shares(0.68276, 0.65319),
            sliding_slip: [1.0296, 1.0296],
        },
        trail: TRAIL,
    }
}

/// Pneumatic trail of that rule.
pub(super) const TRAIL: PneumaticTrail = PneumaticTrail {
    initial: [0.178, 0.19],
    zero_slip: [0.36484, 0.36538],
    end_slip: [1.0296, 1.0296],
};

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_vehicle::find_wheeled;

    /// The same rule yields the HMMWV's tire from 3850 lbf and 37/12.5/16.5 in.
    #[test]
    fn the_rule_gives_the_hmmwv_s_tire() {
        let known = find_wheeled("hmmwv").unwrap().tire;
        let load = 2.0 * known.handling.nominal_load;
        let TMeasy { unloaded_radius, width, .. } = known.handling;
        let section = unloaded_radius - 0.5 * 16.5 * 0.0254;
        let own = truck_tire(load, 1.0, unloaded_radius, width, section, known.mass);
        let figures = |tire: &TMeasy| {
            let curves = [tire.longitudinal, tire.lateral];
            let each = curves
                .map(|curve| [curve.initial_slope, curve.max_force, curve.sliding_force].concat());
            let [along, aside] = tire.carcass_stiffness;
            let [slow, slower] = tire.carcass_damping;
            let upright = [tire.vertical_stiffness, tire.vertical_damping, tire.max_load];
            [each.concat(), upright.to_vec(), vec![along, aside, slow, slower]].concat()
        };
        // the file has ten digits
        for (a, b) in figures(&own).iter().zip(figures(&known.handling)) {
            assert!((a / b - 1.0).abs() < 1e-8, "{a} is not {b}");
        }
    }

    #[test]
    fn load_indices_are_those_of_the_table() {
        // from the standard's table: 108, 121, 159, 164 and 60
        for (index, mass) in [(108, 1000.0), (121, 1450.0), (159, 4375.0), (164, 5000.0)] {
            assert!(
                (load_capacity(index) / mass - 1.0).abs() < 1e-12,
                "{index}: {}",
                load_capacity(index)
            );
        }
        assert!((load_capacity(60) - 250.0).abs() < 1e-9);
    }
}
