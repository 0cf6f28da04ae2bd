//! Towed and driven wheels of the classic theory.

use super::closed_forms::{bed, chrono, of_width};
use super::page::{ValidationError, worst};
use bekker_ground::scm::Underside;
use bekker_ground::soil::catalog::catalog;
use bekker_ground::soil::{DeformableSoil, Details, Laws, Reece, Soil, SoilKind};
use bekker_math::numeric::{cos, pow};
use bekker_rig::InParallel;
use bekker_rig::{
    DrivenWheel, LoadedArc, Rig, RigidWheel, WheelResult, WheelRig, WheelRigMotion, WongReece,
};

const HMMWV: RigidWheel = RigidWheel { radius: 0.467, width: 0.254, load: 6311.6 };

/// Laws of Bekker's towed wheel: pressure along the surface, no shear.
const TOWED: Laws = Laws { bulldozing: false, surface_reaction: true, ..Laws::reference() };

fn rig(
    wheel: &RigidWheel,
    soil: Soil,
    motion: WheelRigMotion,
) -> Result<WheelRig, ValidationError> {
    let underside = Underside::cylinder(wheel.radius, wheel.width)?;
    Ok(WheelRig::new(soil, underside, wheel.load, motion))
}

/// Returns the soil without shear strength and with nearly no rebound.
fn stiff(soil: DeformableSoil) -> DeformableSoil {
    // the ground refuses stiffer soil
    let elastic_stiffness = (100.0 * soil.elastic_stiffness).min(1e10);
    DeformableSoil { cohesion: 0.0, friction_angle: 0.0, elastic_stiffness, ..soil }
}

/// Soils and wheels of the comparison with Bekker's towed wheel.
const TOWED_CASES: [(&str, RigidWheel); 7] = [
    ("mid", HMMWV),
    ("hard", HMMWV),
    ("soft", HMMWV),
    ("dry sand", HMMWV),
    ("clay", HMMWV),
    ("snow", RigidWheel { load: 2500.0, ..HMMWV }),
    ("dry sand", RigidWheel { radius: 0.4, width: 0.2, load: 1500.0 }),
];
/// Number of runs of [`towed_errors`].
pub(super) const TOWED_RUNS: usize = TOWED_CASES.len();

/// Returns the worst errors of drag and sinkage of a towed wheel without shear, by whether the wheel
/// enters the soil at less than 70 degrees.
///
/// They are against the integrals of Bekker's pressure over the true circle. Steeper fronts (soft,
/// snow) are resolved by few nodes.
pub(super) fn towed_errors() -> Result<[[f64; 2]; 2], ValidationError> {
    let found = TOWED_CASES
        .in_parallel(|(name, wheel)| {
            let soil = stiff(of_width(name, 1.0 / wheel.width));
            let sinkage = wheel.sinkage(soil.k_phi, soil.n, LoadedArc::Ahead);
            let resistance = wheel.compaction(soil.k_phi, soil.n, sinkage);
            let motion = WheelRigMotion::Rolling { speed: 1.0, slip: 0.0 };
            let rolling = WheelRig { laws: TOWED, ..rig(wheel, bed(soil), motion)? };
            let found = rolling.run()?;
            let flat = sinkage < wheel.radius * (1.0 - cos(70_f64.to_radians()));
            Ok((flat, [-found.drawbar / resistance - 1.0, found.sinkage / sinkage - 1.0]))
        })
        .collect::<Result<Vec<(bool, [f64; 2])>, ValidationError>>()?;
    Ok([true, false].map(|flat| {
        let own = || found.iter().filter(move |(own, _)| *own == flat);
        [0, 1].map(|k| worst(own().map(|(_, errors)| errors[k])))
    }))
}

/// Soil of Wong and Reece: (k1 + k2 b)(z/b)^n.
struct WongSoil {
    k1: f64,
    k2: f64,
    n: f64,
    cohesion: f64,
    friction_deg: f64,
    peak: [f64; 2],
}

/// Table 1 of Wong and Reece, from psi and psi/in.
const COMPACT: WongSoil = WongSoil {
    k1: 137_895.146,
    k2: 678_617.844,
    n: 0.47,
    cohesion: 689.475_73,
    friction_deg: 33.3,
    peak: [0.43, 0.32],
};
const LOOSE: WongSoil = WongSoil {
    k1: 0.0,
    k2: 542_894.275,
    n: 1.15,
    cohesion: 827.370_88,
    friction_deg: 31.1,
    peak: [0.18, 0.32],
};
const INCH: f64 = 0.0254;
const POUND: f64 = 4.448_221_6;
/// Assumed specific weight of the sands, N/m³; their strength does not depend on it.
const WEIGHT: f64 = 16e3;

impl WongSoil {
    fn theory(&self, wheel: RigidWheel) -> WongReece {
        WongReece {
            wheel,
            modulus: (self.k1 + self.k2 * wheel.width) / pow(wheel.width, self.n),
            exponent: self.n,
            cohesion: self.cohesion,
            friction_angle: self.friction_deg.to_radians(),
            shear_modulus: 1.5 * INCH,
            peak: self.peak,
            exit: 0.0,
        }
    }

    /// Converts to Reece's form, whose moduli are k1/c and k2/γ.
    fn soil(&self) -> DeformableSoil {
        let reece = Reece { cohesive: self.k1 / self.cohesion, frictional: self.k2 / WEIGHT };
        let density = Some(WEIGHT / bekker_math::numeric::GRAVITY);
        DeformableSoil {
            k_phi: self.k2,
            n: self.n,
            cohesion: self.cohesion,
            friction_angle: self.friction_deg.to_radians(),
            shear_modulus: 1.5 * INCH,
            details: Details { reece: Some(reece), density, ..Details::default() },
            ..chrono("mid")
        }
    }
}

struct WheelCase {
    name: &'static str,
    theory: WongReece,
    soil: DeformableSoil,
    spacing: f64,
    speed: f64,
}

/// Returns the case of a wheel of Wong and Reece, in inches and pounds, on one of their sands.
fn sand(name: &'static str, soil: &WongSoil, width: f64, load: f64) -> WheelCase {
    let wheel = RigidWheel { radius: 24.7 * INCH, width: width * INCH, load: load * POUND };
    WheelCase { name, theory: soil.theory(wheel), soil: soil.soil(), spacing: 0.02, speed: 1.0 }
}

/// Returns the case of the HMMWV's wheel on a soil of Bekker's form.
fn of_bekker(name: &'static str) -> WheelCase {
    let soil = of_width(name, 1.0 / HMMWV.width);
    let theory = WongReece {
        wheel: HMMWV,
        modulus: soil.k_phi,
        exponent: soil.n,
        cohesion: soil.cohesion,
        friction_angle: soil.friction_angle,
        shear_modulus: soil.shear_modulus,
        peak: [0.4, 0.2],
        exit: 0.0,
    };
    WheelCase { name, theory, soil, spacing: 0.02, speed: 1.0 }
}

/// Returns the case of Ishigami's rover on simulated lunar soil.
fn lunar() -> Result<WheelCase, ValidationError> {
    let SoilKind::Deformable(simulant) =
        catalog().find("lunar_simulant_fjs1_ishigami")?.to_soil().kind
    else {
        unreachable!("the simulant yields")
    };
    let rover = RigidWheel { radius: 0.09, width: 0.11, load: 64.68 };
    let simulant = DeformableSoil {
        k_phi: simulant.k_phi + simulant.k_c / rover.width,
        k_c: 0.0,
        damping: 0.0,
        ..simulant
    };
    Ok(WheelCase {
        name: "FJS-1",
        theory: WongReece {
            wheel: rover,
            modulus: simulant.k_phi,
            exponent: simulant.n,
            cohesion: simulant.cohesion,
            friction_angle: simulant.friction_angle,
            shear_modulus: simulant.shear_modulus,
            peak: [0.4, 0.15],
            exit: 0.9,
        },
        soil: simulant,
        spacing: 0.005,
        speed: 0.03,
    })
}

/// Slips of the comparison with Wong and Reece.
pub(super) const SLIPS: [f64; 5] = [0.05, 0.1, 0.2, 0.4, 0.8];

/// Driven wheel of Wong and Reece on a soil, at the slips [`SLIPS`].
pub(super) struct TheoryComparison {
    pub(super) name: &'static str,
    pub(super) load: f64,
    pub(super) theory: [DrivenWheel; SLIPS.len()],
    /// Default laws.
    pub(super) default: [WheelResult; SLIPS.len()],
    /// Reference laws.
    pub(super) reference: [WheelResult; SLIPS.len()],
}

/// Runs the driven wheels of Wong and Reece.
pub(super) fn wong_reece() -> Result<Vec<TheoryComparison>, ValidationError> {
    let cases = [
        sand("compact sand, 15 cm", &COMPACT, 6.0, 2006.0),
        sand("loose sand, 15 cm", &LOOSE, 6.0, 1986.0),
        sand("loose sand, 30 cm", &LOOSE, 12.0, 2085.0),
        of_bekker("hard"),
        of_bekker("mid"),
        of_bekker("dry sand"),
        lunar()?,
    ];
    let mut jobs = Vec::new();
    for case in &cases {
        for laws in [Laws::refined(), Laws::reference()] {
            jobs.extend(SLIPS.map(|slip| (case, slip, laws)));
        }
    }
    let runs = jobs
        .in_parallel(|&(case, slip, laws)| run(case, slip, laws))
        .collect::<Result<Vec<_>, ValidationError>>()?;
    let results = cases.iter().zip(runs.chunks(2 * SLIPS.len())).map(|(case, runs)| {
        let of_laws = |first: usize| {
            let mut own = [WheelResult::default(); SLIPS.len()];
            own.copy_from_slice(&runs[first..first + SLIPS.len()]);
            own
        };
        TheoryComparison {
            name: case.name,
            load: case.theory.wheel.load,
            theory: SLIPS.map(|slip| case.theory.forces_at(slip)),
            default: of_laws(0),
            reference: of_laws(SLIPS.len()),
        }
    });
    Ok(results.collect())
}

fn run(case: &WheelCase, slip: f64, laws: Laws) -> Result<WheelResult, ValidationError> {
    let motion = WheelRigMotion::Rolling { speed: case.speed, slip };
    let mut rig = rig(&case.theory.wheel, bed(case.soil.clone()), motion)?;
    rig.laws = laws;
    rig.spacing = case.spacing;
    // 20 steps from node to node
    rig.step = 0.05 * case.spacing / case.speed;
    rig.duration = 4.0 / case.speed * (case.theory.wheel.radius / HMMWV.radius).min(1.0);
    rig.guide_damping = 5e3 * case.theory.wheel.load / HMMWV.load;
    Ok(rig.run()?)
}
