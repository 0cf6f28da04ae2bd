//! A custom soil law: a vehicle on organic terrain, with Bekker's law and with Wong's law for a mat
//! of living fibers over peat.
//!
//! `cargo run --release --example own_soil_law`

use bekker::prelude::*;
use std::path::Path;

const SCENARIO: &str = r#"
format = 1
name = "own_soil_law"
time = { duration = 5 }
soil = { default = "chrono_mid" }
[[vehicle]]
name = "explorer"
model = "hmmwv"
position = [0, 0]
driver = { kind = "table", rows = [{ time = 0, throttle = 0.3 }] }
"#;

/// Pressure-sinkage law p = k_p z + 4 m_m z²/D_h (J. Y. Wong, *Theory of Ground Vehicles*: organic
/// terrain).
///
/// The hydraulic diameter D_h of a long patch is twice its width.
#[derive(Debug)]
struct Muskeg {
    /// Stiffness of the peat k_p, Pa/m.
    peat: f64,
    /// Strength of the mat m_m, Pa/m.
    mat: f64,
    name: String,
}

impl Muskeg {
    fn new(peat: f64, mat: f64) -> Muskeg {
        Muskeg { peat, mat, name: format!("muskeg, k_p {peat} Pa/m, m_m {mat} Pa/m") }
    }
}

impl SoilLaw for Muskeg {
    fn name(&self) -> &str {
        &self.name
    }

    fn pressure(&self, _soil: &Soil, sinkage: f64, width: f64) -> Loading {
        let mat = 4.0 * self.mat / (2.0 * width);
        Loading {
            pressure: self.peat * sinkage + mat * sinkage * sinkage,
            slope: self.peat + 2.0 * mat * sinkage,
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = ScenarioFile::parse("own_soil_law", SCENARIO, Path::new("."), &[])?;
    let usual = build::world(&file)?.world;
    let mut own = usual.clone();
    // these parameters are made up for this example
    own.ground = own.ground.with_law(Muskeg::new(600e3, 200e3));
    for (law, model) in [("Bekker", usual), ("Wong", own)] {
        let mut world = World::new(model);
        while world.time() < 5.0 {
            world.advance();
        }
        let seen = world.sample(0).ok_or("no vehicle")?;
        let sinkage: Vec<String> =
            seen.wheels.iter().map(|wheel| format!("{:.1}", 100.0 * wheel.sinkage)).collect();
        println!(
            "{law:6}: {:5.2} m, sinkage of the wheels {} cm",
            seen.pose.position.x,
            sinkage.join(", ")
        );
    }
    Ok(())
}
