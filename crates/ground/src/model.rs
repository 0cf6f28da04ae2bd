//! The undisturbed ground on its lattice, with its soils and laws.

use super::NodeState;
use super::tile_cache::{TileCache, UndisturbedTile};
use crate::soil::{
    DeepFooting, DeformableSoil, Laws, MultiPass, ParameterError, PassiveWedge, ShearStrength,
    Soil, SoilId, SoilKind, SoilLaw, StiffParameter,
};
use crate::terrain::Terrain;
use bekker_math::grid::{Lattice, Node, TileKey};
use bekker_math::numeric::tan;
use bekker_math::spatial::Vec3;
use std::sync::Arc;

/// Error in the definition of a ground.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GroundError {
    /// The spacing is not a positive finite length.
    #[error("node spacing is {spacing} m; must be positive and finite")]
    Spacing {
        /// Spacing given, m.
        spacing: f64,
    },
    /// There are no soils.
    #[error("the ground must have at least one soil")]
    NoSoils,
    /// A soil has an invalid parameter.
    #[error("soil {soil}: {error}")]
    Soil {
        /// Name of the soil.
        soil: String,
        /// The error in its parameters.
        error: ParameterError,
    },
    /// A soil is so stiff that a step of this length would create energy.
    #[error("soil {soil}: {stiff}")]
    TooStiff {
        /// Name of the soil.
        soil: String,
        /// The parameter that is too stiff.
        stiff: StiffParameter,
    },
}

/// A deformable soil with the coefficients that its laws need at every node.
#[derive(Clone, Debug, PartialEq)]
pub struct SoilCoefficients {
    /// Parameters.
    pub soil: DeformableSoil,
    /// Mohr–Coulomb strength of the soil.
    pub strength: ShearStrength,
    /// Strength between the soil and metal.
    pub metal: ShearStrength,
    /// Tangent of the slope at which heaped soil slides.
    pub erosion_slope: f64,
    /// Resistance to a face that advances sideways.
    pub passive: PassiveWedge,
    /// Bearing of a wheel where soil has been pushed away.
    pub footing: Option<DeepFooting>,
    /// Hardening by repeated passes, if that law is active.
    pub multi_pass: Option<MultiPass>,
}

/// Undisturbed ground at one node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BaseNode {
    /// Height, m.
    pub height: f64,
    /// Unit normal from the heights of the four neighbors, pointing up.
    pub normal: Vec3,
}

/// The undisturbed ground and the laws of its deformation.
///
/// It is immutable, except for a cache of undisturbed tiles that does not affect results.
#[derive(Clone, Debug)]
pub struct GroundModel {
    lattice: Lattice,
    terrain: Terrain,
    soils: Vec<Soil>,
    laws: Laws,
    coefficients: Vec<Option<SoilCoefficients>>,
    law: Option<Arc<dyn SoilLaw>>,
    /// Shared by clones, which have the same terrain.
    cache: Arc<TileCache>,
}

impl GroundModel {
    /// Creates a ground of `terrain`, whose soil ids index `soils`.
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
        let cache = Arc::new(TileCache::new());
        Ok(GroundModel { lattice, terrain, soils, laws, coefficients, law: None, cache })
    }

    /// Checks that no soil is too stiff for a step, s, which would create energy.
    ///
    /// The stiffness of a custom [`SoilLaw`] is unknown, so under such a law all soils are
    /// accepted.
    ///
    /// # Errors
    ///
    /// [`GroundError::TooStiff`] for the first soil that is too stiff.
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

    /// Returns the ground with a custom law for the response of its deformable soils; firm ground
    /// is unchanged.
    pub fn with_law(self, law: impl SoilLaw + 'static) -> GroundModel {
        GroundModel { law: Some(Arc::new(law)), ..self }
    }

    /// Returns the custom law, if any.
    pub fn law(&self) -> Option<&dyn SoilLaw> {
        self.law.as_deref()
    }

    /// Returns the lattice of nodes.
    pub fn lattice(&self) -> Lattice {
        self.lattice
    }

    /// Returns the undisturbed terrain.
    pub fn terrain(&self) -> &Terrain {
        &self.terrain
    }

    /// Returns the soils, by id.
    pub fn soils(&self) -> &[Soil] {
        &self.soils
    }

    /// Returns the active laws.
    pub fn laws(&self) -> Laws {
        self.laws
    }

    /// Returns the soil under (x, y).
    pub fn soil_at(&self, x: f64, y: f64) -> &Soil {
        &self.soils[self.soil_index(x, y)]
    }

    /// Returns the coefficients of the soil of index `soil`; `None` if it is firm.
    #[inline]
    pub fn coefficients(&self, soil: usize) -> Option<&SoilCoefficients> {
        self.coefficients[soil].as_ref()
    }

    /// Returns the passive wedge of the soil under (x, y); `None` if it is firm.
    pub fn passive_wedge(&self, x: f64, y: f64) -> Option<&PassiveWedge> {
        self.coefficients(self.soil_index(x, y)).map(|soil| &soil.passive)
    }

    /// Returns whether any soil is firm.
    pub fn has_firm_soil(&self) -> bool {
        self.coefficients.iter().any(Option::is_none)
    }

    /// Returns the index of the soil under (x, y); an id beyond the table selects the last soil.
    fn soil_index(&self, x: f64, y: f64) -> usize {
        self.index_of(self.terrain.soil(x, y))
    }

    pub(super) fn index_of(&self, soil: SoilId) -> usize {
        usize::from(soil.0).min(self.soils.len() - 1)
    }

    /// Returns the undisturbed height at a node, m.
    pub fn base_height(&self, node: Node) -> f64 {
        let [x, y] = self.lattice.position(node);
        self.terrain.height(x, y)
    }

    /// Computes the undisturbed heights at many nodes, m, bit-identical to
    /// [`GroundModel::base_height`]; faster where successive nodes are close to each other.
    ///
    /// # Panics
    ///
    /// If `nodes` and `heights` differ in length.
    pub fn base_heights(&self, nodes: &[Node], heights: &mut [f64]) {
        let places: Vec<[f64; 2]> = nodes.iter().map(|&node| self.lattice.position(node)).collect();
        self.terrain.heights(&places, heights);
    }

    /// Returns the undisturbed ground of a tile.
    pub(super) fn undisturbed(&self, key: TileKey) -> UndisturbedTile {
        self.cache.tile(self, key)
    }

    /// Returns the undisturbed height and normal at a node.
    pub fn base(&self, node: Node) -> BaseNode {
        let height = |di, dj| self.base_height(Node { i: node.i + di, j: node.j + dj });
        let normal = normal_of(
            height(-1, 0) - height(1, 0),
            height(0, -1) - height(0, 1),
            self.lattice.spacing,
        );
        BaseNode { height: height(0, 0), normal }
    }

    /// Returns the depth of a node's unloaded surface below the undisturbed ground, m; negative
    /// where soil is heaped.
    ///
    /// It is measured along the normal of that ground, like the sinkage of the laws. Heaps rise
    /// along the vertical, and contribute n_z times their height.
    pub fn depth(&self, node: Node, state: &NodeState) -> f64 {
        let heaped = state.berm_m();
        let along = if heaped == 0.0 { 0.0 } else { heaped * self.base(node).normal.z };
        state.plastic_sinkage_m() - along
    }
}

/// Returns the unit normal from the drops of height along x and y over two spacings.
#[inline]
pub(super) fn normal_of(drop_x: f64, drop_y: f64, spacing: f64) -> Vec3 {
    let up = 2.0 * spacing;
    Vec3::new(drop_x, drop_y, up) / (drop_x * drop_x + drop_y * drop_y + up * up).sqrt()
}

fn coefficients(soil: &Soil, laws: Laws) -> Result<Option<SoilCoefficients>, GroundError> {
    soil.check().map_err(|error| GroundError::Soil { soil: soil.name.clone(), error })?;
    let SoilKind::Deformable(yielding) = &soil.kind else { return Ok(None) };
    Ok(Some(SoilCoefficients {
        // where heaps are part of the ground, the face already reaches up to their top
        passive: PassiveWedge::from_soil(
            yielding,
            laws.plowing && !(laws.bulldozing && yielding.bulldozing.is_some()),
            laws.gravity,
        ),
        footing: if laws.plowing { DeepFooting::from_soil(yielding, laws.gravity) } else { None },
        multi_pass: laws.multi_pass.then(|| MultiPass::from_soil(yielding)),
        strength: ShearStrength::from_soil(yielding),
        metal: ShearStrength::of_metal_on(yielding),
        erosion_slope: yielding.bulldozing.map_or(f64::INFINITY, |law| tan(law.erosion_angle)),
        soil: yielding.clone(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_grounds_are_refused() {
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
