use super::*;
use crate::soil::pressure_sinkage::virgin_pressure;
use crate::soil::{Details, Loading, SoilKind};
use bekker_math::numeric::exp;
use proptest::prelude::*;

/// Evaluates a law in lanes that all hold the given numbers.
macro_rules! one {
    (|$all:ident| $law:expr) => {
        dispatch!(Level::baseline(), simd => {
            let $all = |number: f64| Lanes::new(simd, number);
            $law.to_array()[0]
        })
    };
}

fn mobilized(m: f64, way: f64, speed: f64, time: f64, modulus: f64) -> f64 {
    one!(|all| {
        let (kept, pull) = mobilize(all(way), all(speed.abs()), all(time), modulus);
        m * kept + speed * pull
    })
}

#[test]
fn lyasko_s_formula_comes_back_at_the_end_of_a_contact() {
    for slip in [0.0, 0.1, 0.3, 0.5] {
        let way = 0.4 * slip / (1.0 - slip);
        let expected = (1.0 - 0.5 * slip) / (1.0 + slip);
        assert!((one!(|all| slip_sinkage(all(way), 0.4)) - expected).abs() < 1e-12);
    }
}

/// Beyond a slip of one half the ratio stays at 2.
#[test]
fn slip_sinkage_is_held_at_the_end_of_its_trials() {
    let factor = |way: f64| 1.0 / one!(|all| slip_sinkage(all(way), 0.4));
    assert!((factor(0.4) - 2.0).abs() < 1e-12);
    for way in [0.5, 4.0, 1e6] {
        assert_eq!(factor(way), factor(0.4));
    }
}

#[test]
fn bearing_under_inclined_load_is_meyerhof_s() {
    assert_eq!(inclined_bearing(0.0), 1.0);
    assert!((inclined_bearing(PI / 4.0) - 0.25).abs() < 1e-12);
    assert_eq!(inclined_bearing(-PI / 4.0), inclined_bearing(PI / 4.0));
    assert_eq!(inclined_bearing(3.0), 0.01);
}

#[test]
fn shear_follows_janosi_and_turns_back_at_once() {
    let (speed, step, modulus) = (0.01, 0.05, 0.02);
    let mut m = 0.0;
    for _ in 0..80 {
        m = mobilized(m, speed * step, speed, step, modulus);
    }
    // 4 cm are two moduli
    assert!((m - (1.0 - exp(-2.0))).abs() < 1e-9);
    let back = mobilized(m, 0.02, -speed, 2.0, modulus);
    assert!((back - ((1.0 + m) * exp(-1.0) - 1.0)).abs() < 1e-9);
}

/// Returns arbitrary numbers, selected by depth.
#[derive(Debug)]
struct Whims([f64; 7]);

impl SoilLaw for Whims {
    fn name(&self) -> &str {
        "whims"
    }

    fn pressure(&self, _soil: &Soil, sinkage: f64, width: f64) -> Loading {
        assert!(sinkage > 0.0 && width == 0.2);
        let at = |of: f64| self.0[(sinkage * of) as usize % self.0.len()];
        Loading { pressure: at(1e3), slope: at(3e3) }
    }
}

fn yielding() -> DeformableSoil {
    DeformableSoil {
        k_phi: 2e6,
        k_c: 0.0,
        n: 1.1,
        cohesion: 1e3,
        friction_angle: 0.5,
        shear_modulus: 0.01,
        elastic_stiffness: 2e8,
        damping: 3e4,
        bulldozing: None,
        details: Default::default(),
    }
}

fn named(soil: &DeformableSoil) -> Soil {
    Soil { name: "mid".into(), source: String::new(), kind: SoilKind::Deformable(soil.clone()) }
}

/// Bekker's curve as a custom law.
#[derive(Debug)]
struct Bekker;

impl SoilLaw for Bekker {
    fn name(&self) -> &str {
        "Bekker"
    }

    fn pressure(&self, soil: &Soil, sinkage: f64, width: f64) -> Loading {
        let SoilKind::Deformable(soil) = &soil.kind else { return Loading::default() };
        let pressure = virgin_pressure(soil, 1.0 / width, sinkage);
        Loading { pressure, slope: soil.n * pressure / sinkage }
    }
}

#[test]
fn bekkers_curve_as_a_custom_law_equals_the_builtin_law() {
    let soil = DeformableSoil { k_c: 1e5, ..yielding() };
    let (named, laws) = (named(&soil), Laws::reference());
    let usual = Bearing::new(&soil, laws, 5.0);
    let own = usual.with_custom_law(&Bekker, &named, 5.0);
    for sinkage in [1e-4, 0.01, 0.1, 0.4] {
        macro_rules! answer {
            ($bearing:expr) => {
            dispatch!(Level::baseline(), simd => {
                let bearing = $bearing;
                let all = |number: f64| Lanes::new(simd, number);
                let virgin = bearing.virgin_lanes(all(sinkage), all(1.0), all(0.0));
                let pressed = press_refined(
                    &bearing, virgin, all(sinkage), all(1e-3), all(0.0), all(0.0),
                );
                let tread = Tread::rough();
                let strength = ShearStrength::from_soil(&soil);
                let shear = bearing.shear_strength(&tread, &strength, virgin, all(0.1));
                [pressed.pressure, pressed.slope, pressed.sinkage, shear]
                    .map(|lanes| lanes.to_array()[0])
            })
            };
        }
        for (usual, own) in answer!(usual).into_iter().zip(answer!(own)) {
            // 1/5 and back, z n p/z: a few roundings
            assert!((own / usual - 1.0).abs() < 1e-14, "{own} {usual} at {sinkage}");
        }
    }
}

/// LETE sand with the given unloading under a patch 0.2 m wide.
fn lete(k0: f64, growth: f64) -> DeformableSoil {
    let (reload_stiffness, reload_growth) = (Some(k0), Some(growth));
    DeformableSoil {
        k_phi: 5.301e6,
        k_c: 102e3,
        n: 0.793,
        elastic_stiffness: 4e8,
        details: Details { reload_stiffness, reload_growth, ..Details::default() },
        ..yielding()
    }
}

/// A spot of soil, pressed step by step.
#[derive(Clone, Copy, Default)]
struct PressedSoil {
    residual: f64,
    yielded_at: f64,
    pressure: f64,
    /// Work of permanent sinkage, J/m².
    compaction: f64,
}

impl PressedSoil {
    fn press(&mut self, soil: &DeformableSoil, sinkage: f64) {
        let bearing = Bearing::new(soil, Laws::refined(), 5.0);
        let [pressure, residual, yielded_at, stiffening] = dispatch!(Level::baseline(), simd => {
            let all = |number: f64| Lanes::new(simd, number);
            let virgin = bearing.virgin_lanes(all(sinkage), all(1.0), all(0.0));
            let pressed = press_refined(
                &bearing, virgin, all(sinkage), all(0.0), all(self.residual),
                all(self.yielded_at),
            );
            [pressed.pressure, pressed.sinkage, pressed.yield_pressure, pressed.stiffening]
                .map(|lanes| lanes.to_array()[0])
        });
        let sunk = residual - self.residual;
        if sunk > 0.0 {
            self.compaction += 0.5 * (self.yielded_at + pressure) * sunk + stiffening;
        }
        *self = PressedSoil { residual, yielded_at, pressure, ..*self };
    }
}

/// With k₀ of 1e5 Pa/m and no limit of the rebound, 100 kPa need 1 m on the line of unloading.
#[test]
fn first_loading_follows_bekker_s_curve_whatever_the_unloading() {
    for (k0, growth) in [(1e5, 0.0), (0.0, 5.03e8), (0.0, 1e5), (1e5, 1e10), (4e8, 0.0)] {
        let soil = lete(k0, growth);
        let (mut spot, mut work) = (PressedSoil::default(), 0.0);
        for step in 1..=600 {
            let (z, before) = (1e-5 * f64::from(step), spot.pressure);
            spot.press(&soil, z);
            work += 0.5e-5 * (before + spot.pressure);
            let bekker = virgin_pressure(&soil, 5.0, z);
            assert!((spot.pressure / bekker - 1.0).abs() < 1e-8, "{k0} {growth} at {z}");
            // at least a third of it stays
            assert!(spot.residual >= 0.3333 * z, "{k0} {growth} at {z}: {}", spot.residual);
        }
        // energy: the loading work is that of compaction and what unloading returns
        let stored = 0.5 * spot.pressure * (0.006 - spot.residual);
        let total = spot.compaction + stored;
        assert!((total / work - 1.0).abs() < 5e-3, "{k0} {growth}: {total} of {work}");
        // unloading returns that energy, and reloading meets the curve where it left it
        let (top, mut returned) = (spot, 0.0);
        let stroke = 0.006 - top.residual;
        for step in (0..100).rev() {
            let before = spot.pressure;
            spot.press(&soil, top.residual + 0.01 * f64::from(step) * stroke);
            returned += 0.5 * (before + spot.pressure) * 0.01 * stroke;
        }
        assert!((returned / stored - 1.0).abs() < 1e-6, "{k0} {growth}: {returned}, {stored}");
        assert_eq!((spot.residual, spot.pressure), (top.residual, 0.0));
        spot.press(&soil, 0.006);
        assert!((spot.pressure / top.pressure - 1.0).abs() < 1e-6, "{k0} {growth}");
        spot.press(&soil, 0.0065);
        let bekker = virgin_pressure(&soil, 5.0, 0.0065);
        assert!((spot.pressure / bekker - 1.0).abs() < 1e-8, "{k0} {growth}");
    }
}

proptest! {
    #[test]
    fn under_any_law_pressure_is_never_negative_and_sinkage_never_decreases(
        whims in proptest::array::uniform7(prop_oneof![
            -1e6..1e6_f64, 0.0..1e5_f64,
            Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY), Just(f64::MAX),
        ]),
        ways in proptest::collection::vec((0.0..0.3_f64, -0.01..0.01_f64), 1..30),
        growth in prop_oneof![Just(0.0), 1e6..1e9_f64],
    ) {
        let mut soil = yielding();
        soil.details.reload_growth = Some(growth);
        let (law, named) = (Whims(whims), named(&soil));
        let bearing = Bearing::new(&soil, Laws::refined(), 5.0).with_custom_law(&law, &named, 5.0);
        let [mut residual, mut yielded_at] = [0.0; 2];
        for (sinkage, advance) in ways {
            let [pressure, slope, stays, yields_at] =
                dispatch!(Level::baseline(), simd => {
                    let all = |number: f64| Lanes::new(simd, number);
                    let virgin = bearing.virgin_lanes(all(sinkage), all(1.0), all(0.0));
                    let [residual, yielded_at] = [all(residual), all(yielded_at)];
                    let pressed = press_refined(
                        &bearing, virgin, all(sinkage), all(advance), residual, yielded_at,
                    );
                    [pressed.pressure, pressed.slope, pressed.sinkage, pressed.yield_pressure]
                        .map(|lanes| lanes.to_array()[0])
                });
            let steepest = bearing.loading.max(soil.elastic_stiffness + growth * 0.3);
            prop_assert!((0.0..=steepest * 0.3).contains(&pressure), "{pressure}");
            // a secant of a line: only rounding can make it steeper than the line
            prop_assert!((0.0..=steepest * (1.0 + 1e-9)).contains(&slope), "{slope}");
            prop_assert!(stays >= residual && stays <= residual.max(sinkage));
            prop_assert!(yields_at >= 0.0 && yields_at.is_finite());
            (residual, yielded_at) = (stays, yields_at);
        }
    }

    #[test]
    fn mobilized_shear_never_exceeds_the_strength(
        m in -1.0..1.0_f64, way in 0.0..1.0, modulus in 1e-3..0.1,
    ) {
        // only rounding can make it exceed one
        prop_assert!(mobilized(m, way, 1.0, way, modulus).abs() <= 1.0 + 1e-9);
    }

    #[test]
    fn the_line_of_reloading_is_found_from_what_is_remembered(
        z in 1e-4..0.3, p in 1.0..1e6, k0 in prop_oneof![Just(0.0), 1e5..1e9_f64],
        growth in 1e6..1e11,
    ) {
        let soil = lete(k0, growth);
        let bearing = Bearing::new(&soil, Laws::refined(), 5.0);
        let [k, found, depth] = dispatch!(Level::baseline(), simd => {
            let all = |number: f64| Lanes::new(simd, number);
            let k = bearing.unloading(all(z), all(p));
            let line = bearing.reload_line(all(z) - all(p) / k, all(p));
            [k, line.stiffness, line.depth].map(|lanes| lanes.to_array()[0])
        });
        // soil that never yielded is loaded along the stiff line
        prop_assume!(p / k < z);
        prop_assert!((found / k - 1.0).abs() < 1e-6, "{found} for {k}");
        prop_assert!((depth / z - 1.0).abs() < 1e-6, "{depth} for {z}");
    }

    #[test]
    fn the_reload_line_passes_through_the_unloading_point(
        zp in 0.0..0.3, p in 1.0..1e6, k0 in 1e6..1e9, growth in 1e6..1e11,
    ) {
        let k = one!(|all| reload_stiffness(k0, growth, all(zp), all(p)));
        let unloaded_at = zp + p / k;
        prop_assert!(((k0 + growth * unloaded_at) / k - 1.0).abs() < 1e-9);
    }
}
