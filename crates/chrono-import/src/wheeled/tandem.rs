//! Walking beams.

use super::super::ImportError;
use super::super::library::Library;
use super::super::log::ImportLog;
use super::super::part::{BodyParams, translated};
use super::super::source::JsonSource;
use super::WheeledVehicleParams;
use bekker_vehicle::spec::{Axle, Point, Tandem};
use serde::Deserialize;

/// Walking beam entry of a vehicle file.
#[derive(Deserialize)]
pub(super) struct Subchassis {
    #[serde(rename = "Input File")]
    pub file: String,
    #[serde(rename = "Subchassis Location")]
    pub location: Point,
    #[serde(rename = "Chassis Index")]
    #[allow(dead_code)] // all chassis become one body
    pub chassis: Option<i64>,
}

#[derive(Deserialize)]
struct Balancer {
    #[serde(rename = "Beam")]
    beam: Beam,
    #[serde(rename = "Maximum Pitch")]
    most: f64,
}

#[derive(Deserialize)]
struct Beam {
    #[serde(rename = "Mass")]
    mass: f64,
    #[serde(rename = "Inertia", alias = "Moments of Inertia")]
    inertia: Point,
    #[serde(rename = "Pin Location")]
    pin: Point,
}

/// Reads the walking beams, and the axles whose springs each supports.
pub(super) fn tandems(
    library: &Library,
    vehicle: &JsonSource,
    own: &WheeledVehicleParams,
    axles: &[Axle],
    order: &[usize],
    log: &mut ImportLog,
) -> Result<Vec<Tandem>, ImportError> {
    let mut tandems = Vec::new();
    for (index, entry) in own.subchassis.iter().enumerate() {
        let key = format!("Subchassis / {index} / Input File");
        let source = library.read(vehicle, &key, &entry.file, log)?;
        if source.template()? != "Balancer" {
            return Err(source.refused("Template", source.template()?, "Balancer"));
        }
        let on = |at: &&usize| own.axles[**at].subchassis == Some(index);
        let names: Vec<String> = order
            .iter()
            .enumerate()
            .filter(|(_, at)| on(at))
            .map(|(place, _)| axles[place].name.clone())
            .collect();
        let count = names.len();
        let Ok(names) = <[String; 2]>::try_from(names) else {
            let allowed = "that of two axles, which a walking beam connects";
            let value = format!("given for {count} axles");
            return Err(vehicle.refused("Axles / Subchassis Index", &value, allowed));
        };
        let params: Balancer = source.params(log)?;
        let key = format!("tandems[{index}]");
        log.origin(&key, &source);
        let beam = &params.beam;
        tandems.push(Tandem {
            axles: names,
            pin: translated(beam.pin, entry.location),
            beam: BodyParams::new(beam.mass, beam.pin, beam.inertia, [0.0; 3])
                .part(&format!("{key}.beam"), log),
            max_pitch_deg: params.most.to_degrees(),
        });
    }
    Ok(tandems)
}
