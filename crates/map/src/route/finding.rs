//! What is doubtful in a scenario before it is driven.

use serde::Serialize;
use std::fmt;

/// Where on a vehicle's way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Stretch {
    /// First distance along the way, m.
    pub from: f64,
    /// Last distance along the way, m.
    pub to: f64,
    /// Where it is worst, m.
    pub position: [f64; 2],
}

/// Something that a driver would be warned of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The vehicle.
    pub vehicle: String,
    /// Where on its way; absent where the way has no part in it.
    pub stretch: Option<Stretch>,
    /// What.
    #[serde(flatten)]
    pub risk: Risk,
}

/// Kinds of findings, with the figure found and the one that it is held against.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "code")]
#[non_exhaustive]
pub enum Risk {
    /// A grade beyond what the soil's strength bears, up or down.
    Wall {
        /// Grade, rise over run.
        grade: f64,
        /// All that the soil gives, over weight.
        strength: f64,
        /// Name of the soil.
        soil: String,
    },
    /// A grade that the classic theory does not let the vehicle climb.
    SteepGrade {
        /// Grade, rise over run.
        grade: f64,
        /// Drawbar pull over weight.
        drawbar: f64,
        /// Name of the soil.
        soil: String,
    },
    /// A side slope on which the vehicle stands on its lower wheels alone.
    SideSlope {
        /// Rise over run, across the way.
        slope: f64,
        /// Half the track over the height of the centre of mass.
        limit: f64,
    },
    /// Soil that leaves little to pull with, or that the vehicle is hung up in.
    SoftSoil {
        /// Name of the soil.
        soil: String,
        /// Estimated sinkage, m.
        sinkage: f64,
        /// Drawbar pull over weight on the level.
        drawbar: f64,
        /// Whether the belly touches.
        hung_up: bool,
    },
    /// The way leads beyond the terrain.
    LeavesTerrain,
    /// The way leads over ground without elevation data.
    UnmappedGround,
    /// The way leads through something that stands there.
    Obstacle {
        /// What.
        kind: String,
        /// Distance of its middle from the middle of the way, m.
        clearance: f64,
        /// Distance that the vehicle needs, m.
        needed: f64,
    },
    /// A bend tighter than the vehicle turns.
    TightBend {
        /// Radius of the way, m.
        radius: f64,
        /// Least radius of the vehicle, m.
        least: f64,
    },
    /// The vehicle starts beside its way.
    StartsBeside {
        /// Distance from the way, m.
        offset: f64,
    },
    /// A lidar that is mounted within the vehicle's hull, which it does not see through.
    HiddenLidar {
        /// Its name.
        sensor: String,
        /// How deep within, m.
        depth: f64,
    },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.vehicle)?;
        match &self.risk {
            Risk::Wall { grade, strength, soil } => write!(
                f,
                "a wall: {}, where {soil} bears {:.0} % at most; nothing drives this by its own traction",
                graded(*grade),
                100.0 * strength
            ),
            Risk::SteepGrade { grade, drawbar, soil } => write!(
                f,
                "{}, where {soil} leaves it {:.0} % by the classic theory; it may not climb this",
                graded(*grade),
                100.0 * drawbar.max(0.0)
            ),
            Risk::SideSlope { slope, limit } => write!(
                f,
                "a side slope of {:.0} %; it turns over beyond {:.0} %",
                100.0 * slope.abs(),
                100.0 * limit
            ),
            Risk::SoftSoil { soil, sinkage, drawbar, hung_up } => {
                write!(f, "{soil}: sinks about {:.0} cm", 100.0 * sinkage)?;
                if *hung_up {
                    write!(f, ", onto its belly")?;
                }
                let left = 100.0 * drawbar;
                if left >= 1.0 {
                    write!(
                        f,
                        " and has {left:.0} % of its weight left to pull with, for grades and bends"
                    )
                } else {
                    write!(f, " and has nothing left to pull with; it may get stuck")
                }
            }
            Risk::LeavesTerrain => write!(f, "the way leaves the terrain; the drive ends there"),
            Risk::UnmappedGround => {
                write!(f, "the way enters ground without elevation data; the drive ends there")
            }
            Risk::Obstacle { kind, clearance, needed } => write!(
                f,
                "the way passes {clearance:.1} m from the middle of a {kind}, {needed:.1} m are \
                 needed; it hits it there"
            ),
            Risk::TightBend { radius, least } => write!(
                f,
                "a bend of {radius:.1} m radius; it turns in {least:.1} m and leaves the way"
            ),
            Risk::StartsBeside { offset } => write!(f, "starts {offset:.1} m beside its way"),
            Risk::HiddenLidar { sensor, depth } => write!(
                f,
                "its lidar {sensor} is mounted {depth:.2} m within its hull, which it may not see \
                 through"
            ),
        }?;
        if let Some(Stretch { from, to, position: [x, y] }) = self.stretch {
            if to - from < 1.0 {
                write!(f, ", at {from:.0} m of the way, ({x:.0}, {y:.0}) m")?;
            } else {
                write!(f, ", from {from:.0} to {to:.0} m of the way, about ({x:.0}, {y:.0}) m")?;
            }
        }
        Ok(())
    }
}

fn graded(grade: f64) -> String {
    let way = if grade > 0.0 { "up" } else { "down" };
    format!("{:.0} % {way}", 100.0 * grade.abs())
}
