//! Warnings about a scenario before it is driven.

use serde::Serialize;
use std::fmt;

/// Part of a vehicle's route.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RouteSegment {
    /// First distance along the route, m.
    pub from: f64,
    /// Last distance along the route, m.
    pub to: f64,
    /// Position of the worst point, m.
    pub position: [f64; 2],
}

/// A warning about a vehicle.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// Name of the vehicle.
    pub vehicle: String,
    /// Part of its route; `None` where the route is irrelevant.
    pub stretch: Option<RouteSegment>,
    /// Kind of the warning.
    #[serde(flatten)]
    pub risk: Risk,
}

/// Kinds of warnings, with the value found and its limit.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "code")]
#[non_exhaustive]
pub enum Risk {
    /// A grade beyond the soil's strength, up or down.
    Wall {
        /// Grade, rise over run.
        grade: f64,
        /// Limit of the soil's shear strength, over weight.
        strength: f64,
        /// Name of the soil.
        soil: String,
    },
    /// A grade that the vehicle does not climb by the classic theory.
    SteepGrade {
        /// Grade, rise over run.
        grade: f64,
        /// Drawbar pull over weight.
        drawbar: f64,
        /// Name of the soil.
        soil: String,
    },
    /// A side slope on which the vehicle tips onto its lower wheels.
    SideSlope {
        /// Rise over run, across the route.
        slope: f64,
        /// Half the track width over the height of the center of mass.
        limit: f64,
    },
    /// Soil with little drawbar pull, or with the vehicle high-centered.
    SoftSoil {
        /// Name of the soil.
        soil: String,
        /// Estimated sinkage, m.
        sinkage: f64,
        /// Drawbar pull over weight on level ground.
        drawbar: f64,
        /// Whether the belly touches the ground.
        hung_up: bool,
    },
    /// The route leads beyond the terrain.
    LeavesTerrain,
    /// The route leads over ground without elevation data.
    UnmappedGround,
    /// The route leads through a static obstacle.
    Obstacle {
        /// Kind of the obstacle.
        kind: String,
        /// Distance of its center from the center line of the route, m.
        clearance: f64,
        /// Distance that the vehicle needs, m.
        needed: f64,
    },
    /// A bend tighter than the vehicle's turning radius.
    TightBend {
        /// Radius of the route, m.
        radius: f64,
        /// Smallest turning radius of the vehicle, m.
        least: f64,
    },
    /// The vehicle does not start on its route.
    StartsBeside {
        /// Distance from the route, m.
        offset: f64,
    },
    /// A lidar mounted inside the vehicle's hull, which blocks its view.
    HiddenLidar {
        /// Name of the lidar.
        sensor: String,
        /// Depth inside the hull, m.
        depth: f64,
    },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.vehicle)?;
        match &self.risk {
            Risk::Wall { grade, strength, soil } => write!(
                f,
                "impassable grade of {}: traction on {soil} is at most {:.0} %",
                graded(*grade),
                100.0 * strength
            ),
            Risk::SteepGrade { grade, drawbar, soil } => write!(
                f,
                "grade of {}, but drawbar pull on {soil} is {:.0} % (classical theory); it may not \
                 climb this",
                graded(*grade),
                100.0 * drawbar.max(0.0)
            ),
            Risk::SideSlope { slope, limit } => write!(
                f,
                "side slope of {:.0} %; the vehicle rolls over above {:.0} %",
                100.0 * slope.abs(),
                100.0 * limit
            ),
            Risk::SoftSoil { soil, sinkage, drawbar, hung_up } => {
                write!(f, "{soil}: sinkage about {:.0} cm", 100.0 * sinkage)?;
                if *hung_up {
                    write!(f, ", high-centered")?;
                }
                let left = 100.0 * drawbar;
                if left >= 1.0 {
                    write!(f, ", drawbar pull {left:.0} % of weight for grades and bends")
                } else {
                    write!(f, ", no drawbar pull; it may get stuck")
                }
            }
            Risk::LeavesTerrain => write!(f, "the route leaves the terrain; the drive ends there"),
            Risk::UnmappedGround => {
                write!(f, "the route enters ground without elevation data; the drive ends there")
            }
            Risk::Obstacle { kind, clearance, needed } => write!(
                f,
                "the route passes {clearance:.1} m from the center of a {kind}, but the vehicle \
                 needs {needed:.1} m; it collides there"
            ),
            Risk::TightBend { radius, least } => write!(
                f,
                "bend of {radius:.1} m radius, but the turning radius is {least:.1} m; the vehicle \
                 leaves the route"
            ),
            Risk::StartsBeside { offset } => write!(f, "starts {offset:.1} m off its route"),
            Risk::HiddenLidar { sensor, depth } => write!(
                f,
                "lidar {sensor} is mounted {depth:.2} m inside the hull, which blocks its view"
            ),
        }?;
        if let Some(RouteSegment { from, to, position: [x, y] }) = self.stretch {
            if to - from < 1.0 {
                write!(f, ", at {from:.0} m along the route, ({x:.0}, {y:.0}) m")?;
            } else {
                write!(
                    f,
                    ", from {from:.0} to {to:.0} m along the route, near ({x:.0}, {y:.0}) m"
                )?;
            }
        }
        Ok(())
    }
}

fn graded(grade: f64) -> String {
    let way = if grade > 0.0 { "up" } else { "down" };
    format!("{:.0} % {way}", 100.0 * grade.abs())
}
