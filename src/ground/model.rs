//! The undisturbed ground on its lattice, with its soils and laws.

use crate::grid::{Lattice, Node};
use crate::numeric::tan;
use crate::soil::{Laws, ShearStrength, Soil, SoilKind, Yielding};
use crate::spatial::Vec3;
use crate::terrain::Terrain;

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
    /// A soil parameter out of its range.
    #[error("soil {soil}: {parameter} must be {allowed}, it is {value}")]
    Parameter {
        /// Name of the soil.
        soil: String,
        /// Parameter.
        parameter: &'static str,
        /// Value given.
        value: f64,
        /// Allowed range.
        allowed: &'static str,
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
/// Immutable.
#[derive(Clone, Debug)]
pub struct GroundModel {
    lattice: Lattice,
    terrain: Terrain,
    soils: Vec<Soil>,
    laws: Laws,
    coefficients: Vec<Option<SoilCoefficients>>,
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
        let coefficients = soils.iter().map(coefficients).collect::<Result<_, _>>()?;
        Ok(GroundModel { lattice, terrain, soils, laws, coefficients })
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

    /// Index of the soil under (x, y); an id beyond the table takes the last soil.
    pub(super) fn soil_index(&self, x: f64, y: f64) -> usize {
        usize::from(self.terrain.soil(x, y).0).min(self.soils.len() - 1)
    }

    /// Undisturbed height at a node, m.
    pub fn base_height(&self, node: Node) -> f64 {
        let [x, y] = self.lattice.position(node);
        self.terrain.height(x, y)
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
}

/// Unit normal from the drops of height along x and y over two spacings.
#[inline]
pub(super) fn normal_of(drop_x: f64, drop_y: f64, spacing: f64) -> Vec3 {
    let up = 2.0 * spacing;
    Vec3::new(drop_x, drop_y, up) / (drop_x * drop_x + drop_y * drop_y + up * up).sqrt()
}

fn coefficients(soil: &Soil) -> Result<Option<SoilCoefficients>, GroundError> {
    let require = |parameter, value: f64, ok: bool, allowed| {
        if ok && value.is_finite() {
            Ok(())
        } else {
            Err(GroundError::Parameter { soil: soil.name.clone(), parameter, value, allowed })
        }
    };
    let yielding = match &soil.kind {
        SoilKind::Firm { friction } => {
            require("friction", *friction, *friction >= 0.0, "0 or more")?;
            return Ok(None);
        }
        SoilKind::Yielding(yielding) => yielding,
    };
    let y = yielding;
    require("k_phi", y.k_phi, true, "finite")?;
    require("k_c", y.k_c, true, "finite")?;
    require("n", y.n, y.n > 0.0, "positive")?;
    require("cohesion", y.cohesion, y.cohesion >= 0.0, "0 or more")?;
    let phi = y.friction_angle;
    require("friction_angle", phi, (0.0..1.5).contains(&phi), "from 0 to 1.5 rad")?;
    require("shear_modulus", y.shear_modulus, y.shear_modulus > 0.0, "positive")?;
    require("elastic_stiffness", y.elastic_stiffness, y.elastic_stiffness > 0.0, "positive")?;
    require("damping", y.damping, y.damping >= 0.0, "0 or more")?;
    let mut erosion_slope = f64::INFINITY;
    if let Some(heap) = y.bulldozing {
        let share = heap.flow_factor;
        require("bulldozing.flow_factor", share, (0.0..=1.0).contains(&share), "from 0 to 1")?;
        let angle = heap.erosion_angle;
        require(
            "bulldozing.erosion_angle",
            angle,
            (0.0..1.5).contains(&angle),
            "from 0 to 1.5 rad",
        )?;
        erosion_slope = tan(angle);
    }
    let strength = ShearStrength::of_soil(yielding);
    Ok(Some(SoilCoefficients { soil: yielding.clone(), strength, erosion_slope }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soil::SoilId;

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
        assert_eq!(
            make(0.1, vec![rock]).to_string(),
            "soil rock: friction must be 0 or more, it is -1"
        );
    }
}
