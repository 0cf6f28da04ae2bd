//! Description of a run for peers, and lookup of vehicles, sensors and radios by name.

use super::message::{FaultCode, PROTOCOL, SensorInfo, VehicleInfo, Welcome};
use super::reading::kind;
use super::sessions::Refusal;
use bekker_agent::{AnyVehicle, GroundVehicle};
use bekker_world::{ExternalVehicle, WorldModel};
use std::sync::Arc;

/// The static description of a run that peers receive.
pub(super) struct RunDescription {
    pub model: Arc<WorldModel>,
    run: String,
    outside: Vec<usize>,
}

impl RunDescription {
    pub fn new(model: Arc<WorldModel>, run: &str, seats: &[ExternalVehicle]) -> RunDescription {
        RunDescription {
            model,
            run: run.into(),
            outside: seats.iter().map(|own| own.agent).collect(),
        }
    }

    /// Returns the name of a vehicle.
    pub fn name(&self, agent: usize) -> &str {
        self.model.agents.get(agent).map_or("", |own| own.name.as_str())
    }

    /// Returns the name of a radio sender: a vehicle, a traffic light or a pedestrian.
    pub fn sender(&self, from: usize) -> &str {
        let WorldModel { agents, lights, pedestrians, .. } = &*self.model;
        let agents = agents.iter().map(|own| own.name.as_str());
        let lights = lights.iter().map(|own| own.name.as_str());
        let on_foot = pedestrians.iter().map(|own| own.name.as_str());
        agents.chain(lights).chain(on_foot).nth(from).unwrap_or_default()
    }

    /// Returns the vehicles of these names, which must have radios, in ascending order.
    pub fn radios(&self, names: &[String]) -> Result<Vec<u32>, Refusal> {
        let mut found = Vec::new();
        for name in names {
            let has_radio =
                |agent: &usize| self.model.radios.iter().any(|net| net.members.contains(agent));
            let agent = self.agent(name).filter(has_radio).ok_or_else(|| {
                let members = self.model.radios.iter().flat_map(|net| &net.members);
                let all: Vec<&str> = members.map(|own| self.name(*own)).collect();
                let text = match all.is_empty() {
                    true => format!("radio of {name:?}: the scenario has no radios"),
                    false => format!("radio of {name:?}: must be one of {}", all.join(", ")),
                };
                (FaultCode::Unknown, text)
            })?;
            found.push(agent as u32);
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Returns the index of a vehicle.
    pub fn agent(&self, name: &str) -> Option<usize> {
        self.model.agents.iter().position(|own| own.name == name)
    }

    /// Returns the name of a sensor: `vehicle/sensor`.
    pub fn sensor(&self, agent: u32, sensor: u32) -> String {
        let own = self.model.agents.get(agent as usize);
        let sensor = own.and_then(|own| own.sensors.get(sensor as usize));
        format!("{}/{}", self.name(agent as usize), sensor.map_or("", |own| own.name.as_str()))
    }

    pub fn welcome(&self, tick: u64) -> Welcome {
        let clock = &self.model.clock;
        let about = |(index, own): (usize, &bekker_agent::AgentModel)| VehicleInfo {
            name: own.name.clone(),
            model: own.vehicle.name().into(),
            outside: self.outside.contains(&index),
            wheels: own.vehicle.wheels(),
            wheelbase: match &own.vehicle {
                AnyVehicle::Wheeled(own) => Some(own.vehicle.spec().steering_base()),
                AnyVehicle::Tracked(_) => None,
            },
            max_steer: own.vehicle.properties().max_steering_angle,
            gears: own.vehicle.drivetrain().gears(),
        };
        let agents = self.model.agents.iter().zip(0..);
        let sensors = agents.flat_map(|(own, agent)| {
            own.sensors.iter().zip(0..).map(move |(sensor, index)| SensorInfo {
                name: self.sensor(agent, index),
                kind: kind(&sensor.model),
                period: sensor.schedule.period(),
            })
        });
        Welcome {
            protocol: PROTOCOL,
            run: self.run.clone(),
            step_us: clock.micros(1),
            heartbeat_us: clock.micros(clock.steps_per_heartbeat()),
            tick,
            vehicles: self.model.agents.iter().enumerate().map(about).collect(),
            sensors: sensors.collect(),
        }
    }

    /// Returns the vehicles of these names, without duplicates.
    pub fn vehicles(&self, names: &[String]) -> Result<Vec<usize>, Refusal> {
        let mut agents = Vec::new();
        for name in names {
            let agent = self.agent(name).ok_or_else(|| {
                let all: Vec<&str> = self.outside.iter().map(|own| self.name(*own)).collect();
                let text = match all.is_empty() {
                    true => format!(
                        "vehicle {name:?}: the scenario has no vehicle with an external controller"
                    ),
                    false => format!("vehicle {name:?}: must be one of {}", all.join(", ")),
                };
                (FaultCode::Unknown, text)
            })?;
            if !agents.contains(&agent) {
                agents.push(agent);
            }
        }
        Ok(agents)
    }

    /// Returns the sensors selected by `vehicle/sensor` or `vehicle/*`, in ascending order.
    pub fn sensors(&self, words: &[String]) -> Result<Vec<(u32, u32)>, Refusal> {
        let mut found = Vec::new();
        for word in words {
            let before = found.len();
            // both names may contain a slash
            for (own, agent) in self.model.agents.iter().zip(0..) {
                let Some(rest) = word.strip_prefix(&own.name).and_then(|r| r.strip_prefix('/'))
                else {
                    continue;
                };
                let sensors = own.sensors.iter().zip(0..);
                let named = sensors.filter(|(sensor, _)| rest == "*" || sensor.name == rest);
                found.extend(named.map(|(_, sensor)| (agent, sensor)));
            }
            if found.len() == before {
                let text = format!("sensor {word:?}: must be VEHICLE/SENSOR or VEHICLE/*");
                return Err((FaultCode::Unknown, text));
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }
}
