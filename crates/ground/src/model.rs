//! The undisturbed ground on its lattice, with its soils and laws.

use super::NodeState;
use super::undisturbed::{KeptTiles, UndisturbedTile};
use crate::soil::{
    DeepFooting, Laws, MultiPass, ParameterError, PassiveWedge, ShearStrength, Soil, SoilId,
    SoilKind, SoilLaw, StiffParameter, Yielding,
};
use crate::terrain::Terrain;
use bekker_math::grid::{Lattice, Node, TileKey};
use bekker_math::numeric::tan;
use bekker_math::spatial::Vec3;
use std::sync::Arc;

/// Why a ground cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GroundError {
    /// Spacing that is not a length.
    #[error("spacing of nodes must be positive and finite, it is {spacing} m")]
    Spacing {
        /// Spacing given, m.
        spacing: f64,
    },
    /// No soils.
    #[error("a ground needs at least one soil")]
    NoSoils,
    /// A soil that cannot be used.
    #[error("soil {soil}: {error}")]
    Soil {
        /// Name of the soil.
        soil: String,
        /// What is wrong with it.
        error: ParameterError,
    },
    /// A soil that creates energy by a step as long.
    #[error("soil {soil}: {stiff}")]
    TooStiff {
        /// Name of the soil.
        soil: String,
        /// Its parameter.
        stiff: StiffParameter,
    },
}

/// A yielding soil with what its laws need at every node.
#[derive(Clone, Debug, PartialEq)]
pub struct SoilCoefficients {
    /// Parameters.
    pub soil: Yielding,
    /// Mohr–Coulomb strength of the soil against itself.
    pub strength: ShearStrength,
    /// Tangent of the slope at which heaped soil slides.
    pub erosion_slope: f64,
    /// Resistance to a face that advances sideways.
    pub passive: PassiveWedge,
    /// What bears a wheel where soil has been pushed away.
    pub footing: Option<DeepFooting>,
    /// How it hardens from pass to pass, under a law that has it so.
    pub multi_pass: Option<MultiPass>,
}

/// Undisturbed ground at one node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BaseNode {
    /// Height, m.
    pub height: f64,
    /// Unit normal from the heights of the four neighbours, pointing up.
    pub normal: Vec3,
}

/// The ground before anything drove on it, and the laws by which it deforms.
/// Immutable: it keeps undisturbed tiles that it was asked for, so as not to find them
/// again, which shows in no answer.
#[derive(Clone, Debug)]
pub struct GroundModel {
    lattice: Lattice,
    terrain: Terrain,
    soils: Vec<Soil>,
    laws: Laws,
    coefficients: Vec<Option<SoilCoefficients>>,
    law: Option<Arc<dyn SoilLaw>>,
    /// Shared by clones: their terrain is the same.
    kept: Arc<KeptTiles>,
}

impl GroundModel {
    /// A ground of `terrain`, whose soil ids index `soils`.
    pub fn new(
        lattice: Lattice,
        terrain: Terrain,
        soils: Vec<Soil>,
        laws: Laws,
    ) -> Result<GroundModel, GroundError> {
        if !(lattice.spacing > 0.0 && lattice.spacing.is_finite()) {
            return Err(GroundError::Spacing { spacing: lattice.spacing });
        }
        if soils.is_empty() {
            return Err(GroundError::NoSoils);
        }
        let coefficients =
            soils.iter().map(|soil| coefficients(soil, laws)).collect::<Result<_, _>>()?;
        let kept = Arc::new(KeptTiles::new());
        Ok(GroundModel { lattice, terrain, soils, laws, coefficients, law: None, kept })
    }

    /// Checks the soils against a step, s: ones that are too stiff for it create energy. Under a
    /// [`SoilLaw`] of a program nothing is known of the stiffness, and all are accepted.
    ///
    /// # Errors
    /// [`GroundError::TooStiff`] of the first.
    pub fn check_step(&self, step: f64) -> Result<(), GroundError> {
        if self.law.is_some() {
            return Ok(());
        }
        for soil in &self.soils {
            if let Some(stiff) = soil.stiff_parameters(self.lattice.spacing, step).first() {
                return Err(GroundError::TooStiff { soil: soil.name.clone(), stiff: *stiff });
            }
        }
        Ok(())
    }

    /// The same ground under a law of one's own, which says how its yielding soils answer a
    /// load; firm ground stays as it is.
    pub fn with_law(self, law: impl SoilLaw + 'static) -> GroundModel {
        GroundModel { law: Some(Arc::new(law)), ..self }
    }

    /// The law of one's own, if there is one.
    pub fn law(&self) -> Option<&dyn SoilLaw> {
        self.law.as_deref()
    }

    /// The lattice of nodes.
    pub fn lattice(&self) -> Lattice {
        self.lattice
    }

    /// The undisturbed terrain.
    pub fn terrain(&self) -> &Terrain {
        &self.terrain
    }

    /// The soils, by id.
    pub fn soils(&self) -> &[Soil] {
        &self.soils
    }

    /// The laws.
    pub fn laws(&self) -> Laws {
        self.laws
    }

    /// Soil under (x, y).
    pub fn soil_at(&self, x: f64, y: f64) -> &Soil {
        &self.soils[self.soil_index(x, y)]
    }

    /// Coefficients of the soil of index `soil`, `None` if it is firm.
    #[inline]
    pub fn coefficients(&self, soil: usize) -> Option<&SoilCoefficients> {
        self.coefficients[soil].as_ref()
    }

    /// What a face that advances meets in the soil under (x, y), if that yields.
    pub fn passive_wedge(&self, x: f64, y: f64) -> Option<&PassiveWedge> {
        self.coefficients(self.soil_index(x, y)).map(|soil| &soil.passive)
    }

    /// Whether any soil is firm.
    pub fn has_firm_soil(&self) -> bool {
        self.coefficients.iter().any(Option::is_none)
    }

    /// Index of the soil under (x, y); an id beyond the table takes the last soil.
    fn soil_index(&self, x: f64, y: f64) -> usize {
        self.index_of(self.terrain.soil(x, y))
    }

    pub(super) fn index_of(&self, soil: SoilId) -> usize {
        usize::from(soil.0).min(self.soils.len() - 1)
    }

    /// Undisturbed height at a node, m.
    pub fn base_height(&self, node: Node) -> f64 {
        let [x, y] = self.lattice.position(node);
        self.terrain.height(x, y)
    }

    /// Undisturbed heights at many nodes, m, with the bits of [`GroundModel::base_height`]; faster
    /// where nodes that follow each other are close.
    ///
    /// # Panics
    /// When there is not one height for each node.
    pub fn base_heights(&self, nodes: &[Node], heights: &mut [f64]) {
        let places: Vec<[f64; 2]> = nodes.iter().map(|&node| self.lattice.position(node)).collect();
        self.terrain.heights(&places, heights);
    }

    /// The undisturbed ground of a tile.
    pub(super) fn undisturbed(&self, key: TileKey) -> UndisturbedTile {
        self.kept.tile(self, key)
    }

    /// Undisturbed height and normal at a node.
    pub fn base(&self, node: Node) -> BaseNode {
        let height = |di, dj| self.base_height(Node { i: node.i + di, j: node.j + dj });
        let normal = normal_of(
            height(-1, 0) - height(1, 0),
            height(0, -1) - height(0, 1),
            self.lattice.spacing,
        );
        BaseNode { height: height(0, 0), normal }
    }

    /// Depth of a node's unloaded surface below the undisturbed ground, m, negative
    /// where soil is heaped: along the normal of that ground, as the laws measure
    /// sinkage. Heaps rise along the vertical, of which that is the part n_z.
    pub fn depth(&self, node: Node, state: &NodeState) -> f64 {
        let heaped = state.berm_m();
        let along = if heaped == 0.0 { 0.0 } else { heaped * self.base(node).normal.z };
        state.plastic_sinkage_m() - along
    }
}

/// Unit normal from the drops of height along x and y over two spacings.
#[inline]
pub(super) fn normal_of(drop_x: f64, drop_y: f64, spacing: f64) -> Vec3 {
    let up = 2.0 * spacing;
    Vec3::new(drop_x, drop_y, up) / (drop_x * drop_x + drop_y * drop_y + up * up).sqrt()
}

fn coefficients(soil: &Soil, laws: Laws) -> Result<Option<SoilCoefficients>, GroundError> {
    soil.check().map_err(|error| GroundError::Soil { soil: soil.name.clone(), error })?;
    let SoilKind::Yielding(yielding) = &soil.kind else { return Ok(None) };
    Ok(Some(SoilCoefficients {
        // where heaps are raised as ground, the face reaches up to their top as it is
        passive: PassiveWedge::of_soil(
            yielding,
            laws.ploughing && !(laws.bulldozing && yielding.bulldozing.is_some()),
        ),
        footing: if laws.ploughing { DeepFooting::of_soil(yielding) } else { None },
        multi_pass: laws.multi_pass.then(|| MultiPass::of_soil(yielding)),
        strength: ShearStrength::of_soil(yielding),
        erosion_slope: yielding.bulldozing.map_or(f64::INFINITY, |law| tan(law.erosion_angle)),
        soil: yielding.clone(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_cannot_be_ground() {
        let flat = || Terrain::flat(0.0, SoilId(0));
        let make = |spacing, soils| {
            GroundModel::new(Lattice { spacing }, flat(), soils, Laws::reference()).unwrap_err()
        };
        assert_eq!(make(0.0, vec![]), GroundError::Spacing { spacing: 0.0 });
        assert_eq!(make(0.1, vec![]), GroundError::NoSoils);
        let rock = Soil {
            name: "rock".into(),
            source: String::new(),
            kind: SoilKind::Firm { friction: -1.0 },
        };
        let message = make(0.1, vec![rock]).to_string();
        assert!(message.starts_with("soil rock: friction is -1"), "{message}");
    }
}
