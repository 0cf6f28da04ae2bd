//! Chassis: one body, or two that are connected by a torsion joint.

use super::ImportError;
use super::library::Library;
use super::log::ImportLog;
use super::part::{rotation, tensor, vec3};
use super::source::JsonSource;
use bekker_math::spatial::{Mat3, Vec3};
use bekker_vehicle::spec::{Chassis, Point, RearFrame};
use serde::Deserialize;

/// Ratio of damping to stiffness of a torsion joint in Chrono, s.
const DAMPING_TIME: f64 = 0.01;

#[derive(Deserialize)]
struct ChassisParams {
    #[serde(rename = "Components")]
    components: Vec<Component>,
    #[serde(rename = "Driver Position")]
    driver: Option<ChassisLocation>,
    #[serde(rename = "Rear Connector Location")]
    rear_connector: Option<Point>,
}

#[derive(Deserialize)]
struct ChassisLocation {
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
    frame: ChassisLocation,
    #[serde(rename = "Mass")]
    mass: f64,
    #[serde(rename = "Moments of Inertia")]
    moments: Point,
    #[serde(rename = "Products of Inertia", default)]
    products: Point,
    /// Whether the component is a hole.
    #[serde(rename = "Void", default)]
    void: bool,
}

/// Rear chassis and its connector to the chassis in front of it.
#[derive(Deserialize)]
pub(super) struct Rear {
    #[serde(rename = "Input File")]
    file: String,
    #[serde(rename = "Connector Input File")]
    connector: String,
    #[serde(rename = "Chassis Index")]
    index: Option<i64>,
}

/// Reads the chassis, including a rear chassis that is connected by a torsion spring.
///
/// Where there are several rear chassis, all are merged into one body.
pub(super) fn chassis(
    library: &Library,
    vehicle: &JsonSource,
    file: &str,
    rear: &[Rear],
    log: &mut ImportLog,
) -> Result<(Chassis, Option<RearFrame>), ImportError> {
    let source = library.read(vehicle, "Chassis / Input File", file, log)?;
    check_template(&source, "RigidChassis")?;
    log.origin("chassis", &source);
    let params: ChassisParams = source.params(log)?;
    let mut components = params.components;
    let joint = params.rear_connector.filter(|_| rear.len() == 1);
    let mut rear_frame = None;
    for (index, behind) in rear.iter().enumerate() {
        let key = |own: &str| format!("Rear Chassis / {index} / {own}");
        let connector =
            library.read(vehicle, &key("Connector Input File"), &behind.connector, log)?;
        check_template(&connector, "ChassisConnectorTorsion")?;
        let spring: TorsionJoint = connector.params(log)?;
        let source = library.read(vehicle, &key("Input File"), &behind.file, log)?;
        check_template(&source, "RigidChassisRear")?;
        let part = source.params::<RearChassis>(log)?.components;
        match joint.filter(|_| behind.index.is_none_or(|index| index < 0)) {
            Some(joint) => {
                let MassSum { mass, com, tensor } = sum_components(&part);
                if mass <= 0.0 {
                    let value = format!("{mass} kg");
                    return Err(source.refused("Components", &value, "a mass above 0 kg"));
                }
                log.origin("rear_frame", &source);
                log.assume("rear_frame.damping", "a hundredth of the stiffness, as in Chrono");
                rear_frame = Some(RearFrame {
                    joint,
                    stiffness: spring.stiffness,
                    damping: spring.stiffness * DAMPING_TIME,
                    mass,
                    inertia: [tensor[(0, 0)], tensor[(1, 1)], tensor[(2, 2)]],
                    products: [tensor[(0, 1)], tensor[(0, 2)], tensor[(1, 2)]],
                    com: [com.x, com.y, com.z],
                });
            }
            None => {
                let why = "a frame with more than one joint is a single body in bekker";
                log.omit(&connector, "Torsional Stiffness", why);
            }
        }
        components.extend(part);
    }
    let MassSum { mass, com, tensor: inertia } = sum_components(&components);
    if mass <= 0.0 {
        return Err(source.refused("Components", &format!("{mass} kg"), "a mass above 0 kg"));
    }
    let moments = limit_moments([inertia[(0, 0)], inertia[(1, 1)], inertia[(2, 2)]], log);
    let chassis = Chassis {
        mass,
        inertia: moments,
        products: [inertia[(0, 1)], inertia[(0, 2)], inertia[(1, 2)]],
        com: [com.x, com.y, com.z],
        driver: params.driver.map(|own| own.location),
        rear_coupling: params.rear_connector,
        belly: None,
        footprint: None,
        hulls: Vec::new(),
        drag_area: None,
    };
    Ok((chassis, rear_frame))
}

/// Components merged into one body: mass, kg, center of mass, m, and inertia tensor about it, kg
/// m².
struct MassSum {
    mass: f64,
    com: Vec3,
    tensor: Mat3,
}

fn sum_components(components: &[Component]) -> MassSum {
    let mass: f64 = components.iter().map(Component::signed_mass).sum();
    let of = |component: &Component| vec3(component.frame.location) * component.signed_mass();
    let com = components.iter().map(of).fold(Vec3::zeros(), |sum, part| sum + part) / mass;
    let tensor = components.iter().fold(Mat3::zeros(), |sum, part| sum + part.inertia_about(&com));
    MassSum { mass, com, tensor }
}

/// Limits each moment to the sum of the other two, as physics requires.
fn limit_moments(moments: Point, log: &mut ImportLog) -> Point {
    let sum: f64 = moments.iter().sum();
    let closed = moments.map(|moment| moment.min(sum - moment));
    if closed != moments {
        log.assume(
            "chassis.inertia",
            format!("limited to the sum of the other two moments, instead of {moments:?} kg m²"),
        );
    }
    closed
}

/// Torsion joint between two parts of a chassis.
#[derive(Deserialize)]
struct TorsionJoint {
    #[serde(rename = "Torsional Stiffness")]
    stiffness: f64,
}

/// Rear chassis; connectors attach it to the front one.
#[derive(Deserialize)]
struct RearChassis {
    #[serde(rename = "Components")]
    components: Vec<Component>,
}

fn check_template(source: &JsonSource, known: &str) -> Result<(), ImportError> {
    let own = source.template()?;
    if own == known { Ok(()) } else { Err(source.refused("Template", own, known)) }
}

impl Component {
    /// Returns the mass, negative for a hole.
    fn signed_mass(&self) -> f64 {
        if self.void { -self.mass } else { self.mass }
    }

    /// Returns the inertia tensor about a point, chassis axes (Huygens and Steiner).
    fn inertia_about(&self, point: &Vec3) -> Mat3 {
        let turn = rotation(self.frame.orientation);
        let own = turn * tensor(self.moments, self.products) * turn.transpose();
        let lever = vec3(self.frame.location) - point;
        let sign = if self.void { -1.0 } else { 1.0 };
        let shift = Mat3::identity() * lever.norm_squared() - lever * lever.transpose();
        (own + shift * self.mass) * sign
    }
}
