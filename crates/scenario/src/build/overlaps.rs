//! Vehicles that overlap at the start.

use crate::ScenarioFile;
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use bekker_agent::{AgentModel, GroundVehicle};
use bekker_vehicle::spec::VehicleFootprint;
use std::collections::BTreeMap;

/// Minimum cell size of the grid in which neighbors are searched, m.
const MIN_CELL: f64 = 1.0;

/// Faults of vehicles that overlap an earlier one, one per vehicle, with the latest such vehicle.
///
/// Thousands of vehicles at one position have millions of overlapping pairs. As the latest are
/// tested first, each vehicle finds an overlapping neighbor at once.
pub(super) fn overlaps(file: &ScenarioFile, agents: &[AgentModel]) -> Vec<Diagnostic> {
    let footprints: Vec<VehicleFootprint> =
        agents.iter().map(|agent| agent.vehicle.footprint()).collect();
    let reach = footprints.iter().map(VehicleFootprint::reach).fold(0.0, f64::max);
    // overlapping vehicles are in the same or adjacent cells
    let side = (2.0 * reach).max(MIN_CELL);
    let mut cells: BTreeMap<[i64; 2], Vec<usize>> = BTreeMap::new();
    let mut diagnostics = Vec::new();
    for (index, agent) in agents.iter().enumerate() {
        let [x, y] = [agent.start.position.x, agent.start.position.y];
        let cell = [x, y].map(|place| (place / side).floor() as i64);
        let own = &footprints[index];
        let meets =
            |&other: &usize| own.overlaps(&agent.start, &footprints[other], &agents[other].start);
        if let Some(other) = latest_first(&cells, cell).find(meets) {
            let [size, other_size] =
                [own, &footprints[other]].map(|size| [size.length(), size.width]);
            let (name, other) = (agent.name.clone(), agents[other].name.clone());
            let problem = DiagnosticKind::Overlap { name, size, other, other_size };
            diagnostics
                .push(file.document.diagnostic(&format!("vehicle[{index}].position"), problem));
        }
        cells.entry(cell).or_default().push(index);
    }
    diagnostics
}

/// The vehicles in a cell and the eight around it, latest first.
fn latest_first(
    cells: &BTreeMap<[i64; 2], Vec<usize>>,
    [x, y]: [i64; 2],
) -> impl Iterator<Item = usize> {
    let around = (x - 1..=x + 1).flat_map(|x| (y - 1..=y + 1).map(move |y| [x, y]));
    let mut near: Vec<&[usize]> =
        around.filter_map(|cell| cells.get(&cell)).map(Vec::as_slice).collect();
    std::iter::from_fn(move || {
        let latest = near.iter_mut().max_by_key(|own| own.last().copied())?;
        let (&index, before) = latest.split_last()?;
        *latest = before;
        Some(index)
    })
}
