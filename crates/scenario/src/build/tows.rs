//! Ropes and bars between the vehicles of a scenario.

use crate::ScenarioFile;
use crate::config::{TowKind, VehicleEnd};
use bekker_agent::{AgentModel, GroundVehicle, TowLink};
use bekker_math::spatial::Vec3;
use bekker_vehicle::collision::Tow;

/// Damping ratio of a rope or bar with the lighter of its vehicles (assumed).
const DAMPING_RATIO: f64 = 0.1;

/// The tow links of a scenario; the cross-checks ensure that their vehicles exist.
pub(super) fn tows(file: &ScenarioFile, agents: &[AgentModel]) -> Vec<TowLink> {
    let named = |name: &str| agents.iter().position(|agent| agent.name == name);
    let link = |tow: &crate::config::TowConfig| {
        let (from, to) = (named(&tow.from)?, named(&tow.to)?);
        let mut ends = [(from, tow.from_end), (to, tow.to_end)];
        ends.sort_by_key(|end| end.0);
        let places = ends.map(|(agent, end)| coupling_point(&agents[agent], end));
        let agents_of = ends.map(|end| end.0);
        let lighter = agents_of.map(|agent| agents[agent].vehicle.mass());
        let mass = lighter[0].min(lighter[1]);
        Some(TowLink {
            agents: agents_of,
            tow: Tow {
                anchors: places,
                slack: tow.slack,
                stiffness: tow.stiffness,
                damping: 2.0 * DAMPING_RATIO * (tow.stiffness * mass).sqrt(),
                pushes: tow.kind == TowKind::Bar,
                breaking: tow.breaking_load,
            },
        })
    };
    file.scenario.tow.iter().filter_map(link).collect()
}

/// Attachment point of a rope or bar in the chassis frame, m.
fn coupling_point(agent: &AgentModel, end: VehicleEnd) -> Vec3 {
    let footprint = agent.vehicle.footprint();
    let coupling = agent.vehicle.chassis().rear_coupling.map(Vec3::from);
    let height = coupling.map_or(0.0, |coupling| coupling.z);
    match end {
        VehicleEnd::Rear => coupling.unwrap_or(Vec3::new(footprint.rear, 0.0, height)),
        VehicleEnd::Front => Vec3::new(footprint.front, 0.0, height),
    }
}
