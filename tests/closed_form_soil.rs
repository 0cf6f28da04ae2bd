//! Plates in pressure and shear, compared with closed forms.

use bekker::rig::{PlateRig, Refinement, Rig, ShearRig, converge};
use bekker::scm::PlateOutline;
use bekker::soil::{DeformableSoil, Laws, Soil, SoilKind};

fn soil(figures: [f64; 7]) -> Soil {
    let [k_phi, k_c, n, cohesion, friction_deg, shear_modulus, elastic_stiffness] = figures;
    Soil {
        name: "bed".into(),
        source: "J. Y. Wong; Project Chrono".into(),
        kind: SoilKind::Deformable(DeformableSoil {
            k_phi,
            k_c,
            n,
            cohesion,
            friction_angle: friction_deg.to_radians(),
            shear_modulus,
            elastic_stiffness,
            damping: 0.0,
            bulldozing: None,
            details: Default::default(),
        }),
    }
}

fn lete() -> Soil {
    soil([5.301e6, 102e3, 0.793, 1.3e3, 31.1, 0.012, 4e8])
}

fn mid() -> Soil {
    soil([2e6, 0.0, 1.1, 0.0, 30.0, 0.01, 2e8])
}

fn soft() -> Soil {
    soil([0.2e6, 0.0, 1.1, 0.0, 30.0, 0.01, 4e7])
}

const PLATE: PlateOutline = PlateOutline::Rectangle { length: 0.6, width: 0.2 };

/// Builds a plate rig whose plate covers whole cells.
fn aligned(soil: Soil, pressure: f64, spacing: f64) -> PlateRig {
    let mut rig = PlateRig::new(soil, PLATE, pressure);
    rig.spacing = spacing;
    // 0.6 and 0.2 m hold an even number of cells, but an odd number at 4 cm.
    rig.offset = if spacing == 0.04 { 0.0 } else { 0.5 };
    rig
}

#[test]
fn a_plate_without_cohesive_modulus_sinks_to_the_closed_form() {
    for (soil, pressure, sinkage) in [
        (mid(), 2e4, 0.015199),
        (mid(), 5e4, 0.034961),
        (mid(), 1e5, 0.065652),
        (soft(), 2e4, 0.12328),
        (soft(), 5e4, 0.28358),
        (soft(), 1e5, 0.53252),
    ] {
        let got = aligned(soil, pressure, 0.04).run().unwrap();
        assert!((got.sinkage / sinkage - 1.0).abs() < 1e-3, "{} {sinkage}", got.sinkage);
    }
}

#[test]
fn a_plate_with_cohesive_modulus_follows_the_hull_and_converges_with_the_spacing() {
    let (k_phi, k_c, n, pressure) = (5.301e6, 102e3, 0.793, 1e5);
    let sinkage = |inverse_width: f64| {
        bekker::numeric::pow(pressure / (k_c * inverse_width + k_phi), 1.0 / n)
    };
    let continuum = sinkage(1.0 / 0.2 + 1.0 / 0.6);
    assert!((continuum - 0.0057468).abs() < 1e-7);
    let mut errors = Vec::new();
    for spacing in [0.04, 0.02, 0.01, 0.005] {
        let got = aligned(lete(), pressure, spacing).run().unwrap();
        // The hull of the node centers is one cell shorter.
        let hull = sinkage(1.0 / (0.2 - spacing) + 1.0 / (0.6 - spacing));
        assert!((got.sinkage / hull - 1.0).abs() < 1e-3, "{spacing}: {} {hull}", got.sinkage);
        errors.push((got.sinkage / continuum - 1.0).abs());
    }
    for pair in errors.windows(2) {
        // First order: halving the spacing halves the error. The reciprocal of the hull's width
        // raises the order slightly at coarse spacings.
        let order = bekker::numeric::ln(pair[0] / pair[1]) / 2.0_f64.ln();
        assert!((0.9..1.4).contains(&order), "order {order} of {errors:?}");
    }
}

#[test]
fn a_plate_carries_the_same_anywhere_on_the_nodes() {
    let at = |offset| {
        let mut rig = aligned(mid(), 5e4, 0.025);
        rig.offset = offset;
        rig.run().unwrap().sinkage
    };
    // Partly covered cells add up to the plate's area at any offset.
    for offset in [0.0, 0.2, 0.37, 0.5] {
        assert!((at(offset) / 0.034961 - 1.0).abs() < 1e-3, "{offset}");
    }
}

#[test]
fn unloading_leaves_the_rut_and_reloading_adds_none() {
    let got = aligned(lete(), 1e5, 0.01).run().unwrap();
    let rebound = got.sinkage - got.residual;
    assert!((rebound / 2.5e-4 - 1.0).abs() < 1e-6, "{rebound}");
    assert!((got.reloaded / got.sinkage - 1.0).abs() < 1e-9);
    // Half the stroke, half the pressure.
    let half = got.unloading[25];
    assert!((half.pressure / 5e4 - 1.0).abs() < 1e-6, "{half:?}");
    // b l p² / (2 K_e), and the compression work p z / (n + 1). Trapezoids of 2 % increments err by
    // less than 0.1 %.
    let stored = 0.2 * 0.6 * 1e10 / (2.0 * 4e8);
    assert!((got.returned / stored - 1.0).abs() < 1e-6, "{}", got.returned);
    let work = 0.2 * 0.6 * 1e5 * got.sinkage / 1.793;
    assert!((got.work / work - 1.0).abs() < 1e-3, "{} {work}", got.work);
}

#[test]
fn a_sliding_plate_draws_the_janosi_curve() {
    // Normal pressure 50 kPa; stress after 1, 2, 5, 10, 20, 50 and 100 mm.
    let at = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1];
    for (soil, stresses) in [
        (lete(), [2515.6, 4830.0, 10721.0, 17789.0, 25520.0, 30974.0, 31454.0]),
        (mid(), [2747.1, 5232.8, 11358.0, 18248.0, 24961.0, 28673.0, 28866.0]),
        (
            soil([1528.43e3, 0.99e3, 1.1, 1040.0, 28.0, 0.025, 2e8]),
            [1083.2, 2123.9, 5007.6, 9107.6, 15213.0, 23887.0, 27119.0],
        ),
        (
            soil([692.15e3, 13.19e3, 0.5, 4140.0, 13.0, 0.025, 2e8]),
            [614.96, 1205.8, 2842.9, 5170.5, 8636.4, 13561.0, 15396.0],
        ),
    ] {
        let got = ShearRig::new(aligned(soil, 5e4, 0.02)).run().unwrap();
        assert!((got.pressure / 5e4 - 1.0).abs() < 1e-6, "{}", got.pressure);
        for (j, stress) in at.into_iter().zip(stresses) {
            let index = (j / 1e-4 + 0.5) as usize - 1;
            let point = got.curve[index];
            assert!((point.displacement - j).abs() < 1e-9);
            // The table has five digits.
            assert!((point.stress / stress - 1.0).abs() < 1e-4, "{point:?} {stress}");
        }
    }
}

#[test]
fn a_rig_reports_whether_it_has_converged() {
    let (_, report) = converge(&aligned(lete(), 1e5, 0.02), 0.005).unwrap();
    let of = |refinement, figure: &str| {
        report.iter().find(|c| c.refinement == refinement && c.figure == figure).unwrap()
    };
    // The hull changes by half a percent with the spacing, and not with the step.
    assert!(!of(Refinement::Spacing, "sinkage").converged, "{report:?}");
    assert!(of(Refinement::Step, "sinkage").converged, "{report:?}");
    let (_, report) = converge(&aligned(mid(), 5e4, 0.02), 0.005).unwrap();
    assert!(report.iter().all(|c| c.converged), "{report:?}");
    assert_eq!(Laws::default(), Laws::reference());
}
