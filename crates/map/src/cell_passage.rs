//! Speed through a cell that is entered at a given speed.
//!
//! The steady speeds over grades give the force at full throttle: at a speed v it exceeds soil and
//! air resistance by the grade G(v) on which v is steady. On a grade s the vehicle therefore
//! accelerates by g (sin atan G(v) - sin atan s). The inertia of rotating parts is left out.

use super::table::InterpolatedCurve;
use bekker_math::numeric::{GRAVITY, hypot};

/// Number of steps over a cell, each with a constant force.
const STEPS: u32 = 64;

/// Passage straight through a cell at full throttle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellPassage {
    /// Speed at which the cell is entered, m/s.
    pub entry: f64,
    /// Speed limit of driver and ride, m/s.
    pub limit: f64,
    /// Length of the cell, m.
    pub length: f64,
}

impl CellPassage {
    /// Returns the length over the time of the passage on a grade, m/s; 0 if it is impassable.
    pub fn speed(&self, curve: &InterpolatedCurve<'_>, grade: f64) -> f64 {
        let steady = curve.speed(grade).min(self.limit);
        if steady <= 0.0 {
            return 0.0;
        }
        let points = curve.points();
        let step = self.length / f64::from(STEPS);
        let (mut speed, mut time) = (self.entry.min(self.limit), 0.0);
        for _ in 0..STEPS {
            let surplus = sine(steady_grade(&points, speed)) - sine(grade);
            let acceleration = GRAVITY * surplus;
            // the speed approaches the steady one and does not pass it
            let distance = (steady * steady - speed * speed) / (2.0 * acceleration);
            if speed == steady || (0.0..step).contains(&distance) {
                let approach = if speed == steady {
                    [0.0; 2]
                } else {
                    [distance, (steady - speed) / acceleration]
                };
                time += approach[1] + (step - approach[0]) / steady;
                speed = steady;
            } else {
                let next = (speed * speed + 2.0 * acceleration * step).max(0.0).sqrt();
                let next = next.min(self.limit);
                time += 2.0 * step / (speed + next);
                speed = next;
            }
        }
        self.length / time
    }
}

/// Returns the sine of the angle of a grade, rise over run.
fn sine(grade: f64) -> f64 {
    grade / hypot(1.0, grade)
}

/// Returns the steepest grade on which a speed, m/s, is held, of points of grade and steady speed.
///
/// It is the last grade for lower and the first for higher speeds than those of the points.
fn steady_grade(points: &[[f64; 2]], speed: f64) -> f64 {
    let Some(at) = points.iter().rposition(|[_, steady]| *steady >= speed) else {
        return points[0][0];
    };
    let Some([end, slower]) = points.get(at + 1) else { return points[at][0] };
    let [begin, faster] = points[at];
    begin + (faster - speed) / (faster - slower) * (end - begin)
}

#[cfg(test)]
mod tests {
    use super::super::config::TableConfig;
    use super::super::{Crossing, CrossingEnd, SpeedTable, TableAxes, TableColumn};
    use super::*;

    /// Speed through a cell of 20 m on a grade, m/s, with these steady speeds over grades.
    fn through(steady: impl Fn(f64) -> f64, grade: f64, [entry, limit]: [f64; 2]) -> f64 {
        let config = TableConfig { strengths: 2, side_slopes: 2, steepest: 0.8 };
        let axes = TableAxes::new(&config, [1.0, 0.0], [0.0; 2]);
        let cross = |grade: f64| {
            let speed = steady(grade).max(0.0);
            let end = if speed > 0.0 { CrossingEnd::Crossed } else { CrossingEnd::Stuck };
            Crossing { end, speed, slip: 0.0, energy: 0.0 }
        };
        let columns: Vec<_> = (0..axes.columns()).map(|_| TableColumn::drive(0.8, cross)).collect();
        let table = SpeedTable::new(&axes, &columns);
        let curve = table.interpolate(table.strength(0.0), 0.0).unwrap();
        CellPassage { entry, limit, length: 20.0 }.speed(&curve, grade)
    }

    /// A vehicle that holds 6 m/s on all grades up to 0.3 has a constant force.
    ///
    /// v² = v0² + 2 a x up to the steady speed.
    #[test]
    fn a_constant_force_accelerates_by_the_closed_form() {
        let climbs = |grade: f64| if grade <= 0.305 { 6.0 } else { 0.0 };
        // bisection ends in the middle of a step of 0.0125
        let bound: f64 = 0.30625;
        let angle = |grade: f64| grade.atan().sin();
        for (grade, entry) in [(0.0, 1.0), (0.25, 1.0), (0.28, 0.0), (0.28, 2.0), (-0.1, 0.5)] {
            let a = 9.81 * (angle(bound) - angle(grade));
            let reached = (36.0_f64.min(entry * entry + 2.0 * a * 20.0)).sqrt();
            let along = (reached * reached - entry * entry) / (2.0 * a);
            let time = (reached - entry) / a + (20.0 - along) / reached;
            let found = through(climbs, grade, [entry, 10.0]);
            assert!((found / (20.0 / time) - 1.0).abs() < 1e-9, "{grade}: {found}");
        }
        // at the steady speed, or at a limit below it, the speed does not change
        assert!((through(climbs, 0.1, [6.0, 10.0]) - 6.0).abs() < 1e-12);
        assert!((through(climbs, 0.1, [5.0, 4.0]) - 4.0).abs() < 1e-12);
        assert_eq!(through(climbs, 0.35, [6.0, 10.0]), 0.0);
    }

    /// Where the steady speed falls linearly with the grade, by 10 m/s for 1, the speed approaches
    /// it exponentially, with the time constant 10 m/s over g.
    #[test]
    fn a_linear_curve_approaches_the_steady_speed_exponentially() {
        let steady = |grade: f64| if grade <= 0.305 { 4.0 - 10.0 * grade } else { 0.0 };
        for (entry, grade) in [(2.0, 0.0), (1.5, 0.1), (4.0, 0.15), (3.5, 0.0)] {
            let (end, time_constant) = (4.0 - 10.0 * grade, 10.0 / 9.81);
            let place = |time: f64| {
                end * time + (entry - end) * time_constant * (1.0 - (-time / time_constant).exp())
            };
            let (mut low, mut high) = (0.0, 100.0);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if place(middle) < 20.0 { low = middle } else { high = middle }
            }
            let found = through(steady, grade, [entry, 10.0]);
            // sine and tangent of the angles differ by up to 2 %, on the tenth of the time in which the
            // speed is not steady; the steps add half a percent
            assert!((found / (20.0 / low) - 1.0).abs() < 0.01, "{found} {}", 20.0 / low);
        }
    }
}
