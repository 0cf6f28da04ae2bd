//! The chassis, in one body.

use super::ImportError;
use super::library::{Library, Source};
use super::log::Log;
use super::part::{rotation, tensor, vec3};
use crate::spatial::{Mat3, Vec3};
use crate::vehicle::spec::{Chassis, Point};
use serde::Deserialize;

#[derive(Deserialize)]
struct Figures {
    #[serde(rename = "Components")]
    components: Vec<Component>,
    #[serde(rename = "Driver Position")]
    driver: Option<Located>,
    #[serde(rename = "Rear Connector Location")]
    rear_connector: Option<Point>,
}

#[derive(Deserialize)]
struct Located {
    #[serde(rename = "Location")]
    location: Point,
    #[serde(rename = "Orientation", default = "level")]
    orientation: [f64; 4],
}

fn level() -> [f64; 4] {
    [1.0, 0.0, 0.0, 0.0]
}

#[derive(Deserialize)]
struct Component {
    #[serde(rename = "Centroidal Frame")]
    frame: Located,
    #[serde(rename = "Mass")]
    mass: f64,
    #[serde(rename = "Moments of Inertia")]
    moments: Point,
    #[serde(rename = "Products of Inertia", default)]
    products: Point,
    /// Whether it is a hole.
    #[serde(rename = "Void", default)]
    void: bool,
}

/// A chassis behind another, and what joins them.
#[derive(Deserialize)]
pub(super) struct Rear {
    #[serde(rename = "Input File")]
    file: String,
    #[serde(rename = "Connector Input File")]
    connector: String,
    #[serde(rename = "Chassis Index")]
    #[allow(dead_code)] // all become one body
    index: Option<i64>,
}

/// Its figures, and those of what is joined to it by a torsion spring, which is rigid here.
pub(super) fn chassis(
    library: &Library,
    vehicle: &Source,
    file: &str,
    rear: &[Rear],
    log: &mut Log,
) -> Result<Chassis, ImportError> {
    let source = library.read(vehicle, "Chassis / Input File", file, log)?;
    template(&source, "RigidChassis")?;
    log.origin("chassis", &source);
    let figures: Figures = source.figures(log)?;
    let mut components = figures.components;
    for (index, behind) in rear.iter().enumerate() {
        let key = |own: &str| format!("Rear Chassis / {index} / {own}");
        let connector =
            library.read(vehicle, &key("Connector Input File"), &behind.connector, log)?;
        template(&connector, "ChassisConnectorTorsion")?;
        log.omit(&connector, "Torsional Stiffness", "both halves of the frame are one body here");
        let source = library.read(vehicle, &key("Input File"), &behind.file, log)?;
        template(&source, "RigidChassisRear")?;
        components.extend(source.figures::<Behind>(log)?.components);
    }
    let mass: f64 = components.iter().map(Component::signed_mass).sum();
    if mass <= 0.0 {
        return Err(source.refused("Components", &format!("{mass} kg"), "a mass above 0 kg"));
    }
    let of = |component: &Component| vec3(component.frame.location) * component.signed_mass();
    let com = components.iter().map(of).fold(Vec3::zeros(), |sum, part| sum + part) / mass;
    let inertia = components.iter().fold(Mat3::zeros(), |sum, part| sum + part.about(&com));
    let moments = closed([inertia[(0, 0)], inertia[(1, 1)], inertia[(2, 2)]], log);
    Ok(Chassis {
        mass,
        inertia: moments,
        products: [inertia[(0, 1)], inertia[(0, 2)], inertia[(1, 2)]],
        com: [com.x, com.y, com.z],
        driver: figures.driver.map(|own| own.location),
        rear_coupling: figures.rear_connector,
        belly: None,
        footprint: None,
        hulls: Vec::new(),
    })
}

/// The moments, none above the sum of the others, as no body has them.
fn closed(moments: Point, log: &mut Log) -> Point {
    let sum: f64 = moments.iter().sum();
    let closed = moments.map(|moment| moment.min(sum - moment));
    if closed != moments {
        log.assume(
            "chassis.inertia",
            format!("as large as a body's can be, not {moments:?} kg m²"),
        );
    }
    closed
}

/// A rear chassis; its connectors hold it to the front one.
#[derive(Deserialize)]
struct Behind {
    #[serde(rename = "Components")]
    components: Vec<Component>,
}

fn template(source: &Source, known: &str) -> Result<(), ImportError> {
    let own = source.template()?;
    if own == known { Ok(()) } else { Err(source.refused("Template", own, known)) }
}

impl Component {
    /// Its mass, below 0 where it is a hole.
    fn signed_mass(&self) -> f64 {
        if self.void { -self.mass } else { self.mass }
    }

    /// Its tensor of inertia about a point, chassis axes (Huygens and Steiner).
    fn about(&self, point: &Vec3) -> Mat3 {
        let turn = rotation(self.frame.orientation);
        let own = turn * tensor(self.moments, self.products) * turn.transpose();
        let lever = vec3(self.frame.location) - point;
        let sign = if self.void { -1.0 } else { 1.0 };
        let shift = Mat3::identity() * lever.norm_squared() - lever * lever.transpose();
        (own + shift * self.mass) * sign
    }
}
