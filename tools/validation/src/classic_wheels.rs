//! Towed and driven wheels of the classic theory.

use super::closed_forms::{bed, chrono, of_width};
use super::section::{Chart, Section, ValidationError, line, panel, percent};
use bekker_ground::scm::Underside;
use bekker_ground::soil::catalog::catalog;
use bekker_ground::soil::{DeformableSoil, Details, Laws, Reece, Soil, SoilKind};
use bekker_math::numeric::pow;
use bekker_rig::InParallel;
use bekker_rig::LineStyle;
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
    let elastic_stiffness = 100.0 * soil.elastic_stiffness;
    DeformableSoil { cohesion: 0.0, friction_angle: 0.0, elastic_stiffness, ..soil }
}

/// Section on towed and pressed wheels.
pub(super) fn towed() -> Result<Section, ValidationError> {
    let mut section = Section::new("Towed wheels: Bekker");
    section.text(
        "A wheel without shear is drawn at 1 m/s with its pressure along the surface \
         (`surface_reaction` only, nodes 2 cm apart, 1 ms). It is also pressed straight down \
         (nodes 1 cm apart). Both must give the integrals of Bekker's pressure over the true \
         circle and the work of compacting the rut, b k z^(n+1)/(n+1). Bekker's soil does not \
         rebound, so the elastic stiffness is 100 times Project Chrono's; with Chrono's value, \
         soil that rises behind the axle carries 9 % of the load. The table also has Bekker's \
         closed form of sinkage, which approximates the circle by a parabola. It is inaccurate \
         where n is far from 1 or the rut is deep. Where the wheel enters at 70 degrees or more \
         (soft, snow), few nodes resolve its steep front.",
    );
    towed_soils(&mut section)?;
    towed_convergence(&mut section)?;
    Ok(section)
}

/// Compares drag and sinkage on soils of all kinds.
fn towed_soils(section: &mut Section) -> Result<(), ValidationError> {
    let light = RigidWheel { load: 2500.0, ..HMMWV };
    let small = RigidWheel { radius: 0.4, width: 0.2, load: 1500.0 };
    let cases = [
        ("mid", HMMWV),
        ("hard", HMMWV),
        ("soft", HMMWV),
        ("dry sand", HMMWV),
        ("clay", HMMWV),
        ("snow", light),
        ("dry sand", small),
    ];
    let rows = cases
        .in_parallel(|(name, wheel)| {
            let strong = of_width(name, 1.0 / wheel.width);
            let soil = stiff(strong);
            let (modulus, n) = (soil.k_phi, soil.n);
            let motion = WheelRigMotion::Rolling { speed: 1.0, slip: 0.0 };
            let mut rolling = rig(wheel, bed(soil.clone()), motion)?;
            rolling.laws = TOWED;
            let found = rolling.run()?;
            let mut pressing = rig(wheel, bed(soil), WheelRigMotion::Pressed)?;
            pressing.spacing = 0.01;
            let pressed = pressing.run()?.sinkage;
            let sinkage = wheel.sinkage(modulus, n, LoadedArc::Ahead);
            let resistance = wheel.compaction(modulus, n, sinkage);
            let static_sinkage = wheel.sinkage(modulus, n, LoadedArc::Both);
            Ok(vec![
                (*name).to_string(),
                format!("{:.1}", 1e-3 * wheel.load),
                format!("{:.1}", 1e3 * wheel.bekker_sinkage(modulus, n)),
                format!("{:.2}", 1e3 * sinkage),
                percent(found.sinkage, sinkage),
                format!("{resistance:.0}"),
                percent(-found.drawbar, resistance),
                percent(found.compaction, resistance),
                format!("{:.2}", 1e3 * static_sinkage),
                percent(pressed, static_sinkage),
            ])
        })
        .collect::<Result<Vec<_>, ValidationError>>()?;
    let header = [
        "soil",
        "load, kN",
        "z Bekker, mm",
        "z circle, mm",
        "error of z",
        "R circle, N",
        "error of drag",
        "of work",
        "z vertical, mm",
        "error",
    ];
    section.table(&header, rows);
    Ok(())
}

/// Shows how the errors fall with spacing and step.
fn towed_convergence(section: &mut Section) -> Result<(), ValidationError> {
    let soil = stiff(chrono("mid"));
    let sinkage = HMMWV.sinkage(soil.k_phi, soil.n, LoadedArc::Ahead);
    let resistance = HMMWV.compaction(soil.k_phi, soil.n, sinkage);
    let against = |cases: &[[f64; 3]]| {
        cases
            .in_parallel(|&[x, spacing, step]| {
                let motion = WheelRigMotion::Rolling { speed: 1.0, slip: 0.0 };
                let mut rig = rig(&HMMWV, bed(soil.clone()), motion)?;
                (rig.laws, rig.spacing, rig.step) = (TOWED, spacing, step);
                let found = rig.run()?;
                let error = |ours: f64, closed: f64| 100.0 * (ours / closed - 1.0);
                Ok([x, error(-found.drawbar, resistance), error(found.sinkage, sinkage)])
            })
            .collect::<Result<Vec<[f64; 3]>, ValidationError>>()
    };
    let spacings = [0.05, 0.04, 0.03, 0.02, 0.015, 0.01].map(|s| [1e3 * s, s, 1e-3]);
    let steps = [8e-3, 4e-3, 2e-3, 1e-3, 5e-4].map(|s| [1e3 * s, 0.02, s]);
    let lines = |rows: &[[f64; 3]]| {
        let column = |k: usize| rows.iter().map(|r| [r[0], r[k]]).collect();
        vec![line("drag", LineStyle::Line, column(1)), line("sinkage", LineStyle::Line, column(2))]
    };
    section.chart(Chart {
        name: "towed_convergence",
        title: "A towed wheel converges with spacing and step".into(),
        subtitle: "mid without friction, 6.3 kN, against the integral; 1 ms above, 2 cm below"
            .into(),
        panels: vec![
            panel("", "distance between nodes, mm", "error, %", lines(&against(&spacings)?)),
            panel("", "step, ms", "error, %", lines(&against(&steps)?)),
        ],
    });
    Ok(())
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

/// Section on driven wheels of Wong and Reece.
pub(super) fn driven() -> Result<Section, ValidationError> {
    let mut section = Section::new("Driven wheels: Wong and Reece");
    section.text(
        "Results of the default laws for the driven wheel of J. Y. Wong and A. R. Reece (J. \
         Terramech. 4, 1967). Theirs is a different model, not a limit of this one: its maximum \
         pressure is ahead of the axle at a position fitted to measurements, its pressure behind \
         mirrors that ahead, and depth does not grow with slip. The differences are those of the \
         laws. The reference gives more pull than either (mid, slip 0.2: 3.0 kN), because its soil \
         never pushes back. *Compact* and *loose* are the sands of their table 1 in Reece's form. \
         The wheels have 0.63 m radius; they are 15 cm wide under 8.9 and 8.8 kN, and 30 cm wide \
         under 9.3 kN. `FJS-1` is the lunar simulant of Ishigami and others (J. Field Robotics 24, \
         2007; 9 cm radius, 11 cm wide, 65 N), with soil that rises to 0.9 of the depth behind the \
         wheel, as in their model.",
    );
    let cases = [
        sand("compact, 15 cm", &COMPACT, 6.0, 2006.0),
        sand("loose, 15 cm", &LOOSE, 6.0, 1986.0),
        sand("loose, 30 cm", &LOOSE, 12.0, 2085.0),
        of_bekker("hard"),
        of_bekker("mid"),
        of_bekker("dry sand"),
        lunar()?,
    ];
    let mut asked = Vec::new();
    for case in &cases {
        for slip in [0.05, 0.1, 0.2, 0.4, 0.8] {
            asked.push((case, slip));
        }
    }
    let rows = asked
        .in_parallel(|&(case, slip)| {
            let theory = case.theory.forces_at(slip);
            let found = run(case, slip)?;
            Ok(row(case.name, slip, &theory, &found))
        })
        .collect::<Result<Vec<_>, ValidationError>>()?;
    let header = [
        "soil",
        "slip",
        "drawbar theory, N",
        "default, N",
        "torque theory, N m",
        "default",
        "difference",
        "sinkage theory, cm",
        "default",
        "difference",
    ];
    section.table(&header, rows);
    section.text(
        "In loose sand torque agrees within 13 %, and pull (0.4 to 1.8 kN under 9 kN) within 0.4 \
         kN. In compact sand and on the soils of Bekker's form, their maximum pressure is further \
         ahead, and the default laws pull 0.4 to 0.8 kN more at the same torque. Depth agrees at \
         slips up to 0.2 and then grows by Lyasko's law, which their theory of 1967 does not \
         include. The lunar rover sinks deeper and pulls 7 to 16 N less: in their model, the soil \
         that rises behind the wheel to 0.9 of the depth carries load and pushes it forward.",
    );
    section.text(
        "Lunar soil at a slip angle: Ishigami gives no worked numbers for side force, and his \
         grousers only increase the wheel's radius. Side force is compared with measurements \
         below.",
    );
    Ok(section)
}

fn run(case: &WheelCase, slip: f64) -> Result<WheelResult, ValidationError> {
    let motion = WheelRigMotion::Rolling { speed: case.speed, slip };
    let mut rig = rig(&case.theory.wheel, bed(case.soil.clone()), motion)?;
    rig.laws = Laws::refined();
    rig.spacing = case.spacing;
    // 20 steps from node to node
    rig.step = 0.05 * case.spacing / case.speed;
    rig.duration = 4.0 / case.speed * (case.theory.wheel.radius / HMMWV.radius).min(1.0);
    rig.guide_damping = 5e3 * case.theory.wheel.load / HMMWV.load;
    Ok(rig.run()?)
}

fn row(name: &str, slip: f64, theory: &DrivenWheel, found: &WheelResult) -> Vec<String> {
    let places = if theory.drawbar.abs() < 100.0 { 1 } else { 0 };
    vec![
        name.to_string(),
        format!("{slip}"),
        format!("{:.places$}", theory.drawbar),
        format!("{:.places$}", found.drawbar),
        format!("{:.places$}", theory.torque),
        format!("{:.places$}", found.torque),
        percent(found.torque, theory.torque),
        format!("{:.2}", 100.0 * theory.sinkage),
        format!("{:.2}", 100.0 * found.sinkage),
        percent(found.sinkage, theory.sinkage),
    ]
}
