//! The single-wheel rig compared with integrals of the same laws and with runs of Project Chrono.
//!
//! A rigid wheel of radius 0.467 m and width 0.254 m runs at 1 m/s. The integrals are over the arc
//! of a continuous contact, by adaptive quadrature, computed independently of this code. The runs
//! are of Project Chrono (commit 7689fbc, August 2026): a mesh wheel of 360 facets, nodes 2 cm
//! apart, 1 ms.

use bekker::numeric;
use bekker::rig::{Rig, WheelResult, WheelRig, WheelRigMotion};
use bekker::scm::{Lugs, Underside};
use bekker::soil::{
    DeformableSoil, Laws, ShearStrength, SnowCover, Soil, SoilKind, Tread, catalog::catalog,
};

fn bed(yielding: DeformableSoil) -> Soil {
    Soil {
        name: "bed".into(),
        source: "Project Chrono".into(),
        kind: SoilKind::Deformable(yielding),
    }
}

fn mid() -> DeformableSoil {
    DeformableSoil {
        k_phi: 2e6,
        k_c: 0.0,
        n: 1.1,
        cohesion: 0.0,
        friction_angle: 30_f64.to_radians(),
        shear_modulus: 0.01,
        elastic_stiffness: 2e8,
        damping: 0.0,
        bulldozing: None,
        details: Default::default(),
    }
}

fn soft() -> DeformableSoil {
    DeformableSoil { k_phi: 0.2e6, elastic_stiffness: 4e7, ..mid() }
}

fn hard() -> DeformableSoil {
    DeformableSoil {
        k_phi: 5.301e6,
        k_c: 102e3,
        n: 0.793,
        cohesion: 1.3e3,
        friction_angle: 31.1_f64.to_radians(),
        shear_modulus: 0.012,
        elastic_stiffness: 4e8,
        ..mid()
    }
}

/// Returns the hard soil under a patch of fixed width, 1/b in 1/m.
fn hard_of_width(inverse: f64) -> DeformableSoil {
    DeformableSoil { k_phi: 5.301e6 + 102e3 * inverse, k_c: 0.0, ..hard() }
}

fn rig(soil: DeformableSoil, damping: f64, load: f64, motion: WheelRigMotion) -> WheelRig {
    let wheel = Underside::cylinder(0.467, 0.254).unwrap();
    WheelRig::new(bed(DeformableSoil { damping, ..soil }), wheel, load, motion)
}

fn rolling(slip: f64) -> WheelRigMotion {
    WheelRigMotion::Rolling { speed: 1.0, slip }
}

fn assert_within(part: f64, got: f64, expected: f64, what: &str) {
    let error = got / expected - 1.0;
    assert!(error.abs() <= part, "{what}: {got} for {expected}, {:+.2} %", 100.0 * error);
}

/// Soil, load, then rows of slip, damping, sinkage, drawbar, torque.
type Table = (DeformableSoil, f64, &'static [[f64; 5]]);

#[test]
fn a_rolling_wheel_agrees_with_the_integrals_of_its_laws() {
    let tables: [Table; 3] = [
        (
            mid(),
            6311.6,
            &[
                [0.05, 0.0, 0.082916, 1323.3, 1188.7],
                [0.1, 0.0, 0.082916, 1947.2, 1463.7],
                [0.2, 0.0, 0.082916, 3045.2, 1957.9],
                [0.4, 0.0, 0.082916, 3580.0, 2190.0],
                [0.8, 0.0, 0.082916, 3642.9, 2215.6],
                [0.05, 3e4, 0.078102, 1170.0, 1151.5],
                [0.2, 3e4, 0.077239, 2945.7, 1950.3],
                [0.4, 3e4, 0.075458, 3506.4, 2203.0],
            ],
        ),
        (
            soft(),
            3000.0,
            &[
                [0.05, 0.0, 0.2294, 157.24, 551.08],
                [0.1, 0.0, 0.2294, 712.12, 790.57],
                [0.2, 0.0, 0.2294, 1283.7, 1018.0],
                [0.4, 0.0, 0.2294, 1614.3, 1135.4],
                [0.8, 0.0, 0.2294, 1731.0, 1173.7],
                [0.05, 3e4, 0.16989, -84.816, 518.45],
                [0.2, 3e4, 0.16089, 1028.1, 980.11],
                [0.4, 3e4, 0.14392, 1519.2, 1173.5],
            ],
        ),
        (
            hard_of_width(6.437),
            6311.6,
            &[
                [0.05, 0.0, 0.017143, 834.96, 645.61],
                [0.1, 0.0, 0.017143, 1761.6, 1076.4],
                [0.2, 0.0, 0.017143, 2865.2, 1588.7],
                [0.4, 0.0, 0.017143, 3623.4, 1939.1],
                [0.8, 0.0, 0.017143, 3845.7, 2040.7],
                [0.05, 3e4, 0.016869, 824.65, 644.6],
                [0.2, 3e4, 0.016818, 2830.4, 1576.9],
                [0.4, 3e4, 0.016712, 3593.1, 1930.8],
            ],
        ),
    ];
    for (soil, load, rows) in tables {
        for &[slip, damping, sinkage, drawbar, torque] in rows {
            let mut rig = rig(soil.clone(), damping, load, rolling(slip));
            // The soft bed still deforms after 4 s.
            rig.duration = if load < 5000.0 { 8.0 } else { 4.0 };
            let got = rig.run().unwrap();
            let case = format!("k_phi {} slip {slip} damping {damping}", soil.k_phi);
            println!("{case}: {got:?}");
            assert_within(0.005, got.sinkage, sinkage, &format!("{case}: sinkage"));
            assert_within(0.03, got.drawbar, drawbar, &format!("{case}: drawbar"));
            assert_within(0.03, got.torque, torque, &format!("{case}: torque"));
            assert_within(0.001, got.vertical, load, &format!("{case}: vertical"));
        }
    }
}

#[test]
fn a_rolling_wheel_agrees_with_project_chrono() {
    // Columns: slip, damping, drawbar, torque, sinkage. Chrono's soft wheel at slip 0.05 is left
    // out. There it has not settled after its 4 s (it carries 2987 of 3000 N), and at 176 and -66 N
    // is itself 12 and 22 % from the integrals. Chrono's sinkage grows with slip by 13 % and more,
    // although its law of pressure does not depend on slip; it is compared at slip 0.1.
    //
    // The width of its patch is that of every node within 0.1 m below the wheel, loaded or not:
    // 0.58 m by 0.24 m. Of these soils only `hard` has a k_c for it.
    let tables: [(DeformableSoil, f64, &[[f64; 5]]); 3] = [
        (
            mid(),
            6311.6,
            &[
                [0.05, 0.0, 1324.74, 1218.554, 0.08178],
                [0.1, 0.0, 1939.69, 1494.122, 0.08251],
                [0.2, 0.0, 3007.22, 1976.179, 0.08421],
                [0.4, 0.0, 3562.64, 2210.793, 0.0877],
                [0.8, 0.0, 3641.65, 2222.112, 0.09498],
                [0.05, 3e4, 1170.06, 1179.418, 0.07673],
                [0.1, 3e4, 1779.92, 1455.072, 0.07715],
                [0.2, 3e4, 2907.65, 1968.148, 0.07828],
                [0.4, 3e4, 3486.59, 2223.824, 0.08021],
                [0.8, 3e4, 3609.87, 2307.822, 0.07575],
            ],
        ),
        (
            hard_of_width(1.0 / 0.58 + 1.0 / 0.24),
            6311.6,
            &[
                [0.05, 0.0, 861.79, 688.575, 0.01661],
                [0.1, 0.0, 1764.11, 1114.592, 0.01692],
                [0.2, 0.0, 2838.55, 1621.265, 0.0174],
                [0.4, 0.0, 3600.94, 1965.625, 0.01786],
                [0.8, 0.0, 3841.79, 2064.605, 0.01913],
                [0.05, 3e4, 851.52, 687.174, 0.0163],
                [0.1, 3e4, 1740.54, 1106.512, 0.01656],
                [0.2, 3e4, 2804.75, 1608.07, 0.01697],
                [0.4, 3e4, 3569.48, 1956.99, 0.01738],
                [0.8, 3e4, 3823.23, 2072.212, 0.01773],
            ],
        ),
        (
            soft(),
            3000.0,
            &[
                [0.1, 0.0, 713.87, 798.942, 0.22584],
                [0.2, 0.0, 1262.99, 1020.375, 0.22931],
                [0.4, 0.0, 1591.40, 1132.523, 0.23965],
                [0.8, 0.0, 1711.36, 1141.913, 0.26348],
                [0.2, 3e4, 1006.30, 983.685, 0.16001],
                [0.4, 3e4, 1480.00, 1172.587, 0.15497],
                [0.8, 3e4, 1690.81, 1232.569, 0.10055],
            ],
        ),
    ];
    for (soil, load, rows) in tables {
        for &[slip, damping, drawbar, torque, sinkage] in rows {
            let got = rig(soil.clone(), damping, load, rolling(slip)).run().unwrap();
            let case = format!("k_phi {} slip {slip} damping {damping}", soil.k_phi);
            let off = |got: f64, reference: f64| 100.0 * (got / reference - 1.0);
            println!(
                "{case}: drawbar {:+.2} %, torque {:+.2} %, sinkage {:+.2} %",
                off(got.drawbar, drawbar),
                off(got.torque, torque),
                off(got.sinkage, sinkage)
            );
            assert_within(0.03, got.drawbar, drawbar, &format!("{case}: drawbar"));
            assert_within(0.03, got.vertical, load, &format!("{case}: vertical"));
            if slip == 0.1 {
                assert_within(0.03, got.sinkage, sinkage, &format!("{case}: sinkage"));
            }
            // On `hard` at small slip the reference's torque is itself up to 7 % from the integral
            // of its laws (688.6 for 645.6 N m at 0.05).
            let small_slip_on_hard = soil.k_phi > 5e6 && slip <= 0.1;
            let share = if small_slip_on_hard { 0.065 } else { 0.03 };
            assert_within(share, got.torque, torque, &format!("{case}: torque"));
        }
    }
}

#[test]
fn a_wheel_pressed_straight_down_sinks_as_in_closed_form() {
    for (soil, load, sinkage) in [
        (mid(), 6311.6, 0.056538),
        (soft(), 6311.6, 0.24852),
        (DeformableSoil { k_phi: 5.301e6 + 102e3 / 0.254, k_c: 0.0, ..hard() }, 6311.6, 0.011742),
    ] {
        // At most r / 50.
        for spacing in [0.009, 0.005] {
            let mut rig = rig(soil.clone(), 0.0, load, WheelRigMotion::Pressed);
            rig.spacing = spacing;
            let got: WheelResult = rig.run().unwrap();
            println!("{} {spacing}: {:+.3} %", soil.k_phi, 100.0 * (got.sinkage / sinkage - 1.0));
            assert_within(0.01, got.sinkage, sinkage, "sinkage");
            assert_within(0.001, got.vertical, load, "vertical");
            // Symmetric and at rest: no pull.
            assert!(got.drawbar.abs() < 1e-6 * load, "{}", got.drawbar);
        }
    }
}

#[test]
fn steps_of_one_to_four_milliseconds_agree() {
    for (soil, slip) in [(mid(), 0.05), (mid(), 0.2), (hard(), 0.2)] {
        let run = |step| {
            let mut rig = rig(soil.clone(), 3e4, 6311.6, rolling(slip));
            rig.step = step;
            rig.run().unwrap()
        };
        let fine = run(1e-3);
        for step in [2e-3, 3e-3, 4e-3] {
            let coarse = run(step);
            assert_within(0.01, coarse.drawbar, fine.drawbar, "drawbar");
            assert_within(0.01, coarse.torque, fine.torque, "torque");
            assert_within(0.01, coarse.sinkage, fine.sinkage, "sinkage");
        }
    }
}

fn towed(slip_angle: f64) -> WheelRigMotion {
    WheelRigMotion::Towed { speed: 1.0, slip_angle }
}

/// A free axle gives the forces of one turned at the same speed, and no torque.
#[test]
fn a_towed_wheel_is_one_turned_without_torque() {
    for (soil, slip_angle) in [(mid(), 0.0), (hard(), 0.2)] {
        let motion = towed(slip_angle);
        let free = WheelRig { laws: Laws::refined(), ..rig(soil, 0.0, 6311.6, motion) };
        let found = free.run().unwrap();
        let skid = 1.0 - found.rim_speed / slip_angle.cos();
        assert!(skid > 0.0 && skid < 0.1 && found.drawbar < 0.0, "{skid}, {found:?}");
        // The axle's speed varies slightly as nodes enter and leave. The torque of the mean speed
        // is not the mean torque: a slip of 0.001 gives ten times this tolerance.
        let turning = 0.003 * 6311.6 * 0.467;
        assert!(found.torque.abs() < turning, "{}", found.torque);
        let rim_speed = found.rim_speed;
        let motion = WheelRigMotion::Drawn { speed: 1.0, rim_speed, slip_angle };
        let turned = WheelRig { motion, ..free }.run().unwrap();
        assert!(turned.torque.abs() < turning, "{}", turned.torque);
        assert_within(0.02, turned.drawbar, found.drawbar, "towed resistance");
        assert_within(0.01, turned.sinkage, found.sinkage, "sinkage");
        // The towing work is the only input.
        let drawn = -(found.drawbar * slip_angle.cos() + found.lateral * slip_angle.sin());
        assert_within(0.01, found.works.total(), drawn, "works");
    }
}

/// Where pressure acts vertically, a locked wheel's force is shear alone.
///
/// It opposes the velocity and, fully mobilized, equals the load times tan φ.
#[test]
fn a_locked_wheel_drags_against_its_velocity() {
    for degrees in [0.0_f64, 15.0, 45.0] {
        let slip_angle = degrees.to_radians();
        let motion = WheelRigMotion::Drawn { speed: 1.0, rim_speed: 0.0, slip_angle };
        let found = rig(mid(), 0.0, 6311.6, motion).run().unwrap();
        let whole = found.drawbar.hypot(found.lateral);
        let limit = found.vertical * 30_f64.to_radians().tan();
        // K = 1 cm and a contact of tens of centimeters: a few percent are not mobilized.
        assert!(whole < 1.001 * limit && whole > 0.93 * limit, "{whole} N of {limit} N");
        let direction = (-found.lateral).atan2(-found.drawbar).to_degrees();
        assert!((direction - degrees).abs() < 0.5, "{direction}, not {degrees}");
    }
}

/// Steering to the left gives the mirrored forces of steering to the right.
#[test]
fn steering_is_the_same_on_both_sides() {
    for slip_angle in [0.1, 0.3] {
        let [left, right] = [slip_angle, -slip_angle].map(|angle| {
            WheelRig { laws: Laws::refined(), ..rig(mid(), 0.0, 6311.6, towed(angle)) }
                .run()
                .unwrap()
        });
        // ISO 8855: a velocity to the left of the wheel's plane pushes it to the right.
        assert!(left.lateral < 0.0, "{}", left.lateral);
        // The node positions differ between the two sides of an obliquely rolling wheel.
        assert_within(0.01, -right.lateral, left.lateral, "side force");
        assert_within(0.01, right.drawbar, left.drawbar, "drawbar");
        assert_within(0.01, right.sinkage, left.sinkage, "sinkage");
        let part = (left.aligning + right.aligning).abs() / (6311.6 * 0.467);
        assert!(part < 0.005, "{} and {}", left.aligning, right.aligning);
    }
}

/// CRREL report 95-7, equation 8: the second wheel in a rut of shallow snow resists by 0.0475 of its
/// load, the third by 0.0246.
#[test]
fn wheels_in_a_rut_of_snow_resist_as_crrel_has_it() {
    let load = 6800.0;
    let resistance = |trailing_resistance: f64| -> Vec<f64> {
        let cover = SnowCover {
            depth: 0.18,
            density: 220.0,
            packed_density: 550.0,
            share_leaving: 0.42,
            crushing_pressure: None,
            trailing_resistance,
        };
        let mut soil = catalog().find("deep_snow").unwrap().to_soil();
        let SoilKind::Deformable(snow) = &mut soil.kind else { unreachable!() };
        [snow.k_phi, snow.k_c, snow.n] = cover.pressure_sinkage();
        cover.apply_to(&mut snow.details);
        let wheel = Underside::cylinder(0.38, 0.235).unwrap();
        let motion = WheelRigMotion::Rolling { speed: 1.0, slip: 0.05 };
        let rig = WheelRig { laws: Laws::refined(), ..WheelRig::new(soil, wheel, load, motion) };
        let passes = rig.passes(3).unwrap();
        passes.iter().map(|run| (run.compaction + run.works.bulldozing) / load).collect()
    };
    let (with, without) = (resistance(0.035), resistance(0.0));
    println!("{with:?} {without:?}");
    for (found, crrel) in with[1..].iter().zip([0.0475, 0.0246]) {
        assert!((found - crrel).abs() < 0.02, "{found} for {crrel}");
    }
    // the first wheel has no rut; the key adds what it says, where the wheel before has been
    assert!((with[0] - without[0]).abs() < 2e-3, "{with:?} {without:?}");
    assert!((with[1] - without[1] - 0.035).abs() < 6e-3, "{with:?} {without:?}");
}

/// A wheel 0.3 m in radius and 0.2 m wide with lugs, in soil that shears at once.
fn lugged(lugs: Lugs) -> WheelRig {
    let soil = DeformableSoil { cohesion: 2e3, shear_modulus: 1e-4, ..mid() };
    let motion = WheelRigMotion::Rolling { speed: 0.2, slip: 0.9 };
    let wheel = Underside::new(lugs.outline(vec![[0.1, 0.3]]), None).unwrap();
    let tread = lugs.tread(Tread::rough(), 0.3, 0.2);
    let laws = Laws { bulldozing: false, ..Laws::reference() };
    let rig = WheelRig::new(bed(soil), wheel, 2e3, motion);
    WheelRig { laws, tread, spacing: 0.01, ..rig }
}

/// Bekker's thrust of a spud: c A (1 + 2 h/b) + W tan φ (1 + 0.64 (h/b) acot(h/b)), here with lugs
/// so close that they hold all soil between them.
#[test]
fn lugs_add_the_shear_on_the_ends_of_the_soil_that_they_hold() {
    let lugs = Lugs { count: 60, height: 0.03 };
    assert_eq!(lugs.held(0.3), 1.0);
    let found = lugged(lugs).run().unwrap();
    let slender: f64 = 0.03 / 0.2;
    let cohesive = 2e3 * found.area * (1.0 + 2.0 * slender);
    let tan = 30_f64.to_radians().tan();
    let frictional = found.vertical * tan * (1.0 + 0.64 * slender * (1.0 / slender).atan());
    // under the reference laws pressure is vertical, so the drawbar is the thrust; nodes at the
    // front have slid for less than the whole strength
    let expected = cohesive + frictional;
    assert!((found.drawbar / expected - 1.0).abs() < 0.01, "{} {expected}", found.drawbar);
}

/// A rim of metal is one whose friction, in numbers, is two thirds of the soil's angle, under both presets.
#[test]
fn a_rim_of_metal_slides_at_two_thirds_of_the_soils_angle_of_friction() {
    let soil = DeformableSoil { cohesion: 2e3, ..mid() };
    let friction = numeric::tan(2.0 / 3.0 * soil.friction_angle);
    let rubber = ShearStrength { cohesion: 0.0, friction, modulus: soil.shear_modulus };
    let numbers = Tread { rubber_share: 1.0, rubber, ..Tread::rough() };
    for laws in [Laws::reference(), Laws::refined()] {
        let run = |tread: Tread| {
            let rig = lugged(Lugs { count: 0, height: 0.0 });
            let rig = WheelRig { soil: bed(soil.clone()), laws, tread, ..rig };
            rig.run().unwrap()
        };
        let metal = run(Tread::metal());
        assert_eq!(metal, run(numbers));
        assert!(metal.drawbar < 0.8 * run(Tread::rough()).drawbar);
    }
}

#[test]
fn no_lugs_are_a_smooth_wheel_to_the_bit_and_half_the_spacing_holds_half_the_soil() {
    let smooth = WheelRig {
        wheel: Underside::cylinder(0.6 / 2.0, 0.2).unwrap(),
        tread: Tread::rough(),
        ..lugged(Lugs { count: 0, height: 0.0 })
    };
    let smooth = smooth.run().unwrap();
    for lugs in [Lugs { count: 0, height: 0.02 }, Lugs { count: 24, height: 0.0 }] {
        assert_eq!(lugged(lugs).run().unwrap(), smooth);
    }
    let held = |count| Lugs { count, height: 0.02 }.held(0.3);
    // a wedge ahead of a lug is tan 60° times as long as the lug is high
    assert!((held(12) - 12.0 * 0.02 * 3_f64.sqrt() / (0.6 * std::f64::consts::PI)).abs() < 1e-12);
    assert!((held(24) / held(12) - 2.0).abs() < 1e-12);
}
