//! Track shoes.

use super::super::ImportError;
use super::super::log::ImportLog;
use super::super::part::part;
use super::super::source::JsonSource;
use bekker_vehicle::spec::{Bending, Connector, Guide, Point, Shoe, ShoeFace};
use serde::Deserialize;

/// Assumed pins, bushings, guides and pads, as for the M113.
///
/// In Chrono they are rigid or use Chrono's contact model.
const PIN_STIFFNESS: f64 = 3e9;
const PIN_DAMPING_TIME: f64 = 0.002;
const BENDING: Bending = Bending { stiffness: 100.0, damping: 1.0 };
const GUIDE: Guide = Guide { clearance: 0.0198, stiffness: 1e7, friction: 0.4 };
const PAD: [f64; 2] = [4e6, 2e4];
/// Width of a shoe's underside where no box specifies it, m.
const WIDTH: f64 = 0.35;

#[derive(Deserialize)]
struct SinglePin {
    #[serde(rename = "Shoe")]
    shoe: SinglePinShoe,
    #[serde(rename = "Contact")]
    contact: Option<Contact>,
}

#[derive(Deserialize)]
struct SinglePinShoe {
    #[serde(rename = "Height")]
    height: f64,
    #[serde(rename = "Pitch")]
    pitch: f64,
    #[serde(rename = "Mass")]
    mass: f64,
    #[serde(rename = "Inertia")]
    inertia: Point,
}

#[derive(Deserialize)]
struct DoublePin {
    #[serde(rename = "Topology")]
    topology: Option<String>,
    #[serde(rename = "Shoe")]
    shoe: DoublePinShoe,
    #[serde(rename = "Connector")]
    connector: ConnectorParams,
    #[serde(rename = "Contact")]
    contact: Option<Contact>,
}

#[derive(Deserialize)]
struct DoublePinShoe {
    #[serde(rename = "Length")]
    length: f64,
    #[serde(rename = "Height")]
    height: f64,
    #[serde(rename = "Mass")]
    mass: f64,
    #[serde(rename = "Inertia")]
    inertia: Point,
}

#[derive(Deserialize)]
struct ConnectorParams {
    #[serde(rename = "Length")]
    length: f64,
    #[serde(rename = "Mass")]
    mass: f64,
    #[serde(rename = "Inertia")]
    inertia: Point,
}

#[derive(Deserialize)]
struct Contact {
    #[serde(rename = "Shoe Shapes", default)]
    shapes: Vec<Shape>,
}

#[derive(Deserialize)]
struct Shape {
    #[serde(rename = "Type")]
    kind: String,
    #[serde(rename = "Ground Contact", default)]
    on_ground: bool,
    #[serde(rename = "Location")]
    location: Option<Point>,
    #[serde(rename = "Dimensions")]
    size: Option<Point>,
}

pub(super) fn shoe(source: &JsonSource, log: &mut ImportLog) -> Result<Shoe, ImportError> {
    log.origin("shoe", source);
    log.assume("shoe", "stiffness and damping of pins, bushings, guides and pads of the M113");
    match source.template()? {
        "TrackShoeSinglePin" => {
            let SinglePin { shoe: own, contact } = source.params(log)?;
            let faces = faces(contact, own.pitch, own.height, log);
            Ok(build_shoe(own.mass, own.inertia, own.pitch, own.height, None, faces, log))
        }
        "TrackShoeDoublePin" => {
            let DoublePin { topology, shoe: own, connector, contact } = source.params(log)?;
            // one connector in the middle represents those on both ends
            let both = if topology.as_deref() == Some("One Connector") { 1.0 } else { 2.0 };
            let inertia = connector.inertia.map(|moment| both * moment);
            let mass = both * connector.mass;
            let inertia = part("shoe.connector", mass, inertia, log).inertia;
            let joined = Connector { length: connector.length, mass, inertia };
            let pitch = own.length + connector.length;
            let faces = faces(contact, own.length, own.height, log);
            Ok(build_shoe(own.mass, own.inertia, pitch, own.height, Some(joined), faces, log))
        }
        other => Err(source.refused("Template", other, "TrackShoeSinglePin, TrackShoeDoublePin")),
    }
}

fn build_shoe(
    mass: f64,
    inertia: Point,
    pitch: f64,
    height: f64,
    connector: Option<Connector>,
    faces: Vec<ShoeFace>,
    log: &mut ImportLog,
) -> Shoe {
    let [pad_stiffness, pad_damping] = PAD;
    Shoe {
        mass,
        inertia: part("shoe", mass, inertia, log).inertia,
        pitch,
        connector,
        top: 0.5 * height,
        pin_stiffness: PIN_STIFFNESS,
        pin_damping_time: PIN_DAMPING_TIME,
        bending: BENDING,
        guide: GUIDE,
        pad_stiffness,
        pad_damping,
        faces,
    }
}

/// Returns the undersides of the boxes that touch the ground.
fn faces(contact: Option<Contact>, length: f64, height: f64, log: &mut ImportLog) -> Vec<ShoeFace> {
    let shapes = contact.map(|own| own.shapes).unwrap_or_default();
    let face = |shape: Shape| {
        let ([x, y, z], [length, width, height]) = shape.location.zip(shape.size)?;
        let lowest = z - 0.5 * height;
        let on_ground = shape.on_ground && shape.kind == "BOX";
        on_ground.then_some(ShoeFace { center: [x, y, lowest], length, width })
    };
    let faces: Vec<ShoeFace> = shapes.into_iter().filter_map(face).collect();
    if !faces.is_empty() {
        return faces;
    }
    log.assume(
        "shoe.faces",
        format!("one face, {WIDTH} m wide, because no box of the source touches the ground"),
    );
    vec![ShoeFace { center: [0.0, 0.0, -0.5 * height], length: 0.8 * length, width: WIDTH }]
}
