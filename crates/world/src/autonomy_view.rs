//! What an autonomous vehicle has in mind, for who watches the run.

use super::exploration::Classes;
use super::world::World;
use bekker_agent::{AgentState, Autonomy};
use bekker_math::spatial::Pose;
use serde::{Deserialize, Serialize};

/// Half the side of the patch of map about a vehicle, m.
const PATCH: f64 = 30.0;

/// Where an autonomous vehicle believes to be, where it wants to go, and what it takes the
/// ground about it for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AutonomyView {
    /// Chassis frame as it is believed.
    pub believed: Pose,
    /// Where it is to go, m, if anywhere.
    pub goal: Option<[f64; 2]>,
    /// The route to there, m.
    pub route: Vec<[f64; 2]>,
    /// The path that it follows, m.
    pub path: Vec<[f64; 2]>,
    /// Corner of the patch of its map with the least coordinates, m.
    pub corner: [f64; 2],
    /// Side of a cell, m.
    pub cell: f64,
    /// Cells in a row.
    pub columns: u32,
    /// The cells, row by row.
    pub cells: Vec<CellView>,
}

/// A cell of its map.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellView {
    /// Lowest return, and that with the greatest rise of a scan, m; NaN without.
    pub heights: [f32; 2],
    /// 0 unknown, 1 free, 2 obstacle, 3 hole.
    pub class: u8,
}

impl World {
    /// What an agent that drives itself, and steps here, has in mind.
    pub fn autonomy_view(&self, agent: usize) -> Option<AutonomyView> {
        let autonomy = self.model().agents.get(agent)?.autonomy.as_ref()?;
        AutonomyView::of(autonomy, self.state().agents.get(agent)?)
    }
}

impl AutonomyView {
    /// Of an agent that drives itself.
    pub fn of(autonomy: &Autonomy, state: &AgentState) -> Option<AutonomyView> {
        let own = state.autonomy.as_ref()?;
        let (map, believed) = (own.member.map(), own.navigator.estimate().pose);
        let cell = map.model().cell;
        let columns = (2.0 * PATCH / cell).round() as u32;
        let [i, j] = map.cell_of(believed.position.x - PATCH, believed.position.y - PATCH);
        let mut classes = Classes::new(map, autonomy.navigator.obstacles);
        let mut view = |at: [i32; 2]| {
            let known = map.cell(at);
            let metres = |height: i32| 1e-3 * height as f32;
            let heights = match known.is_seen() {
                true => [metres(known.lowest), metres(known.lowest.saturating_add(known.rise))],
                false => [f32::NAN; 2],
            };
            CellView { heights, class: classes.of(at) as u8 }
        };
        let cells = (0..columns * columns)
            .map(|k| view([i + (k % columns) as i32, j + (k / columns) as i32]))
            .collect();
        let path = own.plan.path.as_ref().map(|path| path.points().to_vec());
        Some(AutonomyView {
            believed,
            goal: own.navigator.goal(),
            route: own.plan.route.clone(),
            path: path.unwrap_or_default(),
            corner: [i, j].map(|index| f64::from(index) * cell),
            cell,
            columns,
            cells,
        })
    }
}
