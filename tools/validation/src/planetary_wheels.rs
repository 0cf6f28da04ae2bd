//! Single wheels in planetary simulants: Ding and others 2011, and KLS-1.

use super::closed_forms::bed;
use super::page::{ErrorRow, ValidationError, WorstError, errors, rms, unsigned_percent};
use super::reference_runs::rows;
use bekker_ground::scm::{Lugs, Underside};
use bekker_ground::soil::catalog::catalog;
use bekker_ground::soil::{DeformableSoil, Laws, SoilKind, Tread};
use bekker_rig::{InParallel, Rig, WheelResult, WheelRig, WheelRigMotion, rim_speed};

const MEASURED: &str = include_str!("measured/planetary_wheels.csv");
/// Wheels: name in the file, name in the table, soil in the catalog.
const WHEELS: [[&str; 3]; 4] = [
    ["ding smooth", "Ding (held out), smooth", "ding_simulant"],
    ["ding lugs", "Ding (held out), lugs", "ding_simulant"],
    ["kls1 smooth", "KLS-1, smooth", "kls1"],
    ["kls1 lugs", "KLS-1, lugs", "kls1"],
];

/// Comparison of wheels in simulants with measurements.
pub(super) struct PlanetaryWheels {
    /// Rows of the table of errors.
    pub rows: Vec<ErrorRow>,
    /// Errors of the drawbar of Ding's wheels over the load, rms, under both presets.
    pub ding_pull: [f64; 2],
    /// Greatest error of the drawbar of Ding's wheels.
    pub worst: WorstError,
}

/// A measured point.
struct MeasuredWheel {
    radius: f64,
    width: f64,
    lugs: Lugs,
    load: f64,
    slip: f64,
    drawbar: f64,
    sinkage: f64,
    torque: f64,
}

impl MeasuredWheel {
    fn new(row: &[f64]) -> MeasuredWheel {
        let lugs = Lugs { count: row[3] as u32, height: row[2] };
        MeasuredWheel {
            radius: row[0],
            width: row[1],
            lugs,
            load: row[4],
            slip: row[5],
            drawbar: row[6],
            sinkage: row[7],
            torque: row[8],
        }
    }

    /// Drives the wheel; a metal rim has less friction than the soil.
    fn run(
        &self,
        soil: &DeformableSoil,
        laws: Laws,
        is_metal: bool,
    ) -> Result<WheelResult, ValidationError> {
        let outline = self.lugs.outline(vec![[0.5 * self.width, self.radius]]);
        let tread = if is_metal { Tread::metal() } else { Tread::rough() };
        let tread = self.lugs.tread(tread, self.radius, self.width);
        let speed = 0.03;
        let rim_speed = rim_speed(speed, self.slip);
        let motion = WheelRigMotion::Drawn { speed, rim_speed, slip_angle: 0.0 };
        let rig =
            WheelRig::new(bed(soil.clone()), Underside::new(outline, None)?, self.load, motion);
        let (spacing, step, duration) = (0.005, 2e-3, 20.0);
        let rig = WheelRig { laws, tread, spacing, step, duration, guide_damping: 300.0, ..rig };
        Ok(rig.run()?)
    }

    /// Returns the errors of drawbar and torque over the load (and radius), and of depth, m.
    fn errors(&self, run: &WheelResult) -> [f64; 3] {
        let torque = (run.torque - self.torque) / (self.load * self.radius);
        [(run.drawbar - self.drawbar) / self.load, torque, run.sinkage - self.sinkage]
    }
}

/// Compares with all wheels, with rims as rough as the soil and with rims of metal.
pub(super) fn planetary_wheels() -> Result<PlanetaryWheels, ValidationError> {
    let mut table = Vec::new();
    let (mut ding, mut worst) = ([Vec::new(), Vec::new()], WorstError::default());
    for [key, name, soil] in WHEELS {
        let soil = catalog().find(soil).map(|own| own.to_soil().kind);
        let Ok(SoilKind::Deformable(soil)) = soil else {
            unreachable!("the catalog has the simulants")
        };
        let points: Vec<MeasuredWheel> = rows(MEASURED)
            .filter(|(wheel, _)| *wheel == key)
            .map(|(_, row)| MeasuredWheel::new(&row))
            .collect();
        for is_metal in [false, true] {
            let cases: Vec<_> = points
                .iter()
                .flat_map(|own| [(own, Laws::refined()), (own, Laws::reference())])
                .collect();
            let runs = cases
                .in_parallel(|(own, laws)| own.run(&soil, *laws, is_metal))
                .collect::<Result<Vec<WheelResult>, ValidationError>>()?;
            let error = |which: usize, quantity: usize| {
                let pairs = points.iter().enumerate();
                rms(pairs.map(|(k, own)| own.errors(&runs[2 * k + which])[quantity]))
            };
            let name = if is_metal { format!("{name}, rim of metal") } else { name.into() };
            let both = |quantity: usize| [0, 1].map(|which| error(which, quantity));
            let count = points.len();
            let share = |quantity| both(quantity).map(unsigned_percent);
            table.push(errors(&name, "drawbar over load, rms", count, share(0)));
            table.push(errors(&name, "torque over load and radius, rms", count, share(1)));
            let depths = both(2).map(|depth| format!("{:.1} mm", 1e3 * depth));
            table.push(errors(&name, "depth, rms", count, depths));
            if is_metal || !key.starts_with("ding") {
                continue;
            }
            for (k, own) in points.iter().enumerate() {
                for which in [0, 1] {
                    ding[which].push(own.errors(&runs[2 * k + which])[0]);
                }
                let (measured, found) = (own.drawbar, runs[2 * k].drawbar);
                let error = (found - measured) / measured.abs().max(0.1 * own.load);
                if error.abs() > worst.error.abs() {
                    worst = WorstError {
                        case: format!("drawbar, {name}, slip {:.1}", own.slip),
                        kind: "measured, read off a figure".into(),
                        expected: format!("{measured:.1} N"),
                        found: format!("{found:.1} N"),
                        error,
                    };
                }
            }
        }
    }
    let ding_pull = ding.map(rms);
    Ok(PlanetaryWheels { rows: table, ding_pull, worst })
}
