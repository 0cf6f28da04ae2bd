//! An autonomous vehicle's estimate, plan and map, for observers of the run.

use super::exploration::CellClasses;
use super::world::World;
use bekker_agent::{AgentState, Autonomy};
use bekker_math::spatial::Pose;
use serde::{Deserialize, Serialize};

/// Half the side of the map patch around a vehicle, m.
const HALF_PATCH: f64 = 30.0;

/// An autonomous vehicle's estimated pose, goal, plan, and map of the ground around it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AutonomyView {
    /// Estimated pose of the chassis frame.
    pub believed: Pose,
    /// Goal, m, if any.
    pub goal: Option<[f64; 2]>,
    /// Route to the goal, m.
    pub route: Vec<[f64; 2]>,
    /// Path that the vehicle follows, m.
    pub path: Vec<[f64; 2]>,
    /// Corner of the map patch with the least coordinates, m.
    pub corner: [f64; 2],
    /// Side of a cell, m.
    pub cell: f64,
    /// Number of cells in a row.
    pub columns: u32,
    /// The cells, row by row.
    pub cells: Vec<CellView>,
}

/// A cell of the map patch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellView {
    /// Height of the lowest return, and this height plus the greatest rise of a scan, m; NaN if
    /// unseen.
    pub heights: [f32; 2],
    /// 0 unknown, 1 free, 2 obstacle, 3 hole.
    pub class: u8,
}

impl World {
    /// Returns the view of an own autonomous agent; `None` for other agents.
    pub fn autonomy_view(&self, agent: usize) -> Option<AutonomyView> {
        let autonomy = self.model().agents.get(agent)?.autonomy.as_ref()?;
        AutonomyView::from_state(autonomy, self.state().agents.get(agent)?)
    }
}

impl AutonomyView {
    /// Returns the view of an autonomous agent in a state.
    pub fn from_state(autonomy: &Autonomy, state: &AgentState) -> Option<AutonomyView> {
        let own = state.autonomy.as_ref()?;
        let (map, believed) = (own.member.map(), own.navigator.estimate().pose);
        let cell = map.model().cell;
        let columns = (2.0 * HALF_PATCH / cell).round() as u32;
        let [i, j] =
            map.cell_of(believed.position.x - HALF_PATCH, believed.position.y - HALF_PATCH);
        let mut classes = CellClasses::new(map, autonomy.navigator.obstacles);
        let mut view = |at: [i32; 2]| {
            let known = map.cell(at);
            let meters = |height: i32| 1e-3 * height as f32;
            let heights = match known.is_seen() {
                true => [meters(known.lowest), meters(known.lowest.saturating_add(known.rise))],
                false => [f32::NAN; 2],
            };
            CellView { heights, class: classes.class(at) as u8 }
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
