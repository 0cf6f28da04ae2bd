//! Prior of soil parameters: log-normal over soils of the catalog, with their correlations.

use bekker_ground::soil::{DeformableSoil, SoilKind, catalog};
use bekker_math::numeric::{atan, exp, ln, tan};
use bekker_scenario::config::CustomSoil;
use nalgebra::{SMatrix, SVector, SymmetricEigen};
use serde::Serialize;

/// Number of soil parameters.
pub const PARAMETERS: usize = 6;

/// Keys of the parameters in `[[soil.custom]]`, in the order of all vectors.
pub const PARAMETER_KEYS: [&str; PARAMETERS] =
    ["k_phi", "k_c", "n", "cohesion", "friction_angle_deg", "shear_modulus"];

/// Whitened parameters: standard normal in the prior.
pub(super) type Whitened = SVector<f64, PARAMETERS>;

/// Steepest friction angle that a scenario allows, rad, less a margin for rounding.
const STEEPEST: f64 = 59.9 * std::f64::consts::PI / 180.0;
/// Largest exponent of sinkage that a scenario allows.
const LARGEST_EXPONENT: f64 = 3.0;
/// Number of standard deviations in each whitened parameter at which the prior ends.
const PRIOR_END: f64 = 4.0;
/// Least variance along a principal direction of the correlations.
const LEAST_VARIANCE: f64 = 1e-3;

/// Parameters that a drive informs about, in SI units.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SoilParameters {
    /// Frictional modulus, N/m^(n+2).
    pub k_phi: f64,
    /// Cohesive modulus, N/m^(n+1).
    pub k_c: f64,
    /// Exponent of sinkage.
    pub n: f64,
    /// Cohesion, Pa.
    pub cohesion: f64,
    /// Angle of internal friction, rad.
    pub friction_angle: f64,
    /// Shear deformation modulus, m.
    pub shear_modulus: f64,
}

impl SoilParameters {
    /// Returns the parameters of a soil.
    pub fn new(soil: &DeformableSoil) -> SoilParameters {
        SoilParameters {
            k_phi: soil.k_phi,
            k_c: soil.k_c,
            n: soil.n,
            cohesion: soil.cohesion,
            friction_angle: soil.friction_angle,
            shear_modulus: soil.shear_modulus,
        }
    }

    /// Returns the values in the units of their keys.
    pub fn by_key(&self) -> [f64; PARAMETERS] {
        let angle = self.friction_angle.to_degrees();
        [self.k_phi, self.k_c, self.n, self.cohesion, angle, self.shear_modulus]
    }

    /// Returns an entry of `[[soil.custom]]` with these parameters.
    pub fn to_custom_soil(&self, name: &str) -> CustomSoil {
        let [k_phi, k_c, n, cohesion, angle, shear_modulus] = self.by_key().map(Some);
        CustomSoil {
            name: name.into(),
            k_phi,
            k_c,
            n,
            cohesion,
            friction_angle_deg: angle,
            shear_modulus,
            ..CustomSoil::default()
        }
    }

    /// Returns the logarithms; of the friction angle that of its tangent.
    fn logarithms(&self) -> Whitened {
        let values = [
            self.k_phi,
            self.k_c,
            self.n,
            self.cohesion,
            tan(self.friction_angle),
            self.shear_modulus,
        ];
        Whitened::from(values.map(ln))
    }

    fn from_logarithms(logarithms: &Whitened) -> SoilParameters {
        let value = |index: usize| exp(logarithms[index]);
        SoilParameters {
            k_phi: value(0),
            k_c: value(1),
            n: value(2).min(LARGEST_EXPONENT),
            cohesion: value(3),
            friction_angle: atan(value(4)).min(STEEPEST),
            shear_modulus: value(5).min(1.0),
        }
    }
}

/// Log-normal prior.
///
/// Logarithm l = mean + D R^(1/2) z with standard normal z, the deviations D and the correlations R.
/// With the symmetric root, z stays close to the standardized parameters.
#[derive(Clone, Debug)]
pub struct SoilPrior {
    mean: Whitened,
    deviation: Whitened,
    root: SMatrix<f64, PARAMETERS, PARAMETERS>,
    inverse_root: SMatrix<f64, PARAMETERS, PARAMETERS>,
    /// Ids of the soils in the catalog, for the report.
    pub soils: Vec<String>,
}

impl SoilPrior {
    /// Creates the prior from the soils of the catalog of a family, or of all families but presets.
    ///
    /// Simulants are left out: most of their figures are those of other soils. Only soils with
    /// cohesion and a cohesive modulus above zero have logarithms. The correlations are always those
    /// of all families, as single families have too few soils. `None` if the family has fewer than
    /// three such soils.
    pub fn from_catalog(family: Option<&str>) -> Option<SoilPrior> {
        let soils = catalog()
            .soils
            .iter()
            .filter(|soil| !["preset", "simulant"].contains(&soil.family.as_str()));
        let soils = soils.filter_map(|soil| match &soil.kind {
            SoilKind::Deformable(law) if law.k_c > 0.0 && law.cohesion > 0.0 => {
                Some((soil, SoilParameters::new(law).logarithms()))
            }
            _ => None,
        });
        // two entries with the same parameters count once
        let mut all: Vec<(&str, &str, Whitened)> = Vec::new();
        for (soil, logarithms) in soils {
            if all.iter().all(|(_, _, other)| *other != logarithms) {
                all.push((&soil.id, &soil.family, logarithms));
            }
        }
        let (_, _, correlation) = moments(all.iter().map(|(_, _, own)| own))?;
        let chosen = || all.iter().filter(|(_, own, _)| family.is_none_or(|name| name == *own));
        let (mean, deviation, _) = moments(chosen().map(|(_, _, own)| own))?;
        let soils = chosen().map(|(id, _, _)| (*id).to_owned()).collect();
        let SymmetricEigen { eigenvalues, eigenvectors } = correlation.symmetric_eigen();
        let roots = eigenvalues.map(|value| value.max(LEAST_VARIANCE).sqrt());
        let diagonal = |own: &Whitened| SMatrix::from_diagonal(own);
        let root = eigenvectors * diagonal(&roots) * eigenvectors.transpose();
        let inverse =
            eigenvectors * diagonal(&roots.map(|own| 1.0 / own)) * eigenvectors.transpose();
        Some(SoilPrior { mean, deviation, root, inverse_root: inverse, soils })
    }

    /// Families of the catalog that a prior can be made of.
    pub fn families() -> Vec<&'static str> {
        let mut families: Vec<&str> =
            catalog().soils.iter().map(|soil| soil.family.as_str()).collect();
        families.sort_unstable();
        families.dedup();
        families.retain(|family| SoilPrior::from_catalog(Some(family)).is_some());
        families
    }

    /// Returns the parameters at whitened coordinates.
    pub(super) fn parameters(&self, whitened: &Whitened) -> SoilParameters {
        let scaled = (self.root * whitened).component_mul(&self.deviation);
        SoilParameters::from_logarithms(&(self.mean + scaled))
    }

    /// Returns the whitened coordinates of parameters, which must be above zero.
    #[cfg(test)]
    fn whitened(&self, parameters: &SoilParameters) -> Whitened {
        let scaled = (parameters.logarithms() - self.mean).component_div(&self.deviation);
        self.inverse_root * scaled
    }

    /// Returns the weights of the standardized logarithms in a direction of whitened coordinates.
    pub(super) fn weights(&self, direction: &Whitened) -> Whitened {
        self.inverse_root * direction
    }

    /// Returns the variances of the standardized logarithms with a covariance of whitened coordinates.
    pub(super) fn variances(&self, covariance: &SMatrix<f64, PARAMETERS, PARAMETERS>) -> Whitened {
        (self.root * covariance * self.root.transpose()).diagonal()
    }

    /// Returns the change of whitened coordinates with a change of the logarithms.
    pub(super) fn whitened_direction(&self, logarithms: &Whitened) -> Whitened {
        self.inverse_root * logarithms.component_div(&self.deviation)
    }

    /// Whether the prior has density there.
    pub(super) fn has_density(&self, whitened: &Whitened) -> bool {
        let logarithms = self.mean + (self.root * whitened).component_mul(&self.deviation);
        whitened.amax() <= PRIOR_END
            && exp(logarithms[2]) < LARGEST_EXPONENT
            && atan(exp(logarithms[4])) < STEEPEST
            && logarithms[5] < 0.0
    }

    /// Returns the soil with the median of each parameter.
    pub fn median(&self) -> SoilParameters {
        self.parameters(&Whitened::zeros())
    }

    /// Returns the parameters with given standard normal numbers, or `None` outside the prior.
    pub fn draw(&self, normals: [f64; PARAMETERS]) -> Option<SoilParameters> {
        let whitened = Whitened::from(normals);
        self.has_density(&whitened).then(|| self.parameters(&whitened))
    }
}

/// Mean, standard deviations and correlations; `None` of fewer than three vectors or without spread.
fn moments<'a>(
    vectors: impl Iterator<Item = &'a Whitened> + Clone,
) -> Option<(Whitened, Whitened, SMatrix<f64, PARAMETERS, PARAMETERS>)> {
    let count = vectors.clone().count() as f64;
    if count < 3.0 {
        return None;
    }
    let mean = vectors.clone().sum::<Whitened>() / count;
    let products = vectors.map(|own| (own - mean) * (own - mean).transpose());
    let covariance = products.fold(SMatrix::zeros(), |sum, own| sum + own) / (count - 1.0);
    let deviation = covariance.diagonal().map(f64::sqrt);
    if deviation.min() <= 0.0 {
        return None;
    }
    let correlation = SMatrix::from_fn(|i, j| covariance[(i, j)] / (deviation[i] * deviation[j]));
    Some((mean, deviation, correlation))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whitened_coordinates_are_inverted() {
        let prior = SoilPrior::from_catalog(None).unwrap();
        assert!(prior.soils.len() >= 20, "{:?}", prior.soils);
        let sand = catalog().find("dry_sand_lll").unwrap();
        let SoilKind::Deformable(sand) = &sand.kind else { panic!("sand deforms") };
        let parameters = SoilParameters::new(sand);
        let again = prior.parameters(&prior.whitened(&parameters));
        for (own, other) in parameters.by_key().iter().zip(again.by_key()) {
            // rounding of a logarithm and an exponential
            assert!((own / other - 1.0).abs() < 1e-9, "{own} {other}");
        }
    }

    #[test]
    fn the_soils_of_the_catalog_have_the_moments_of_the_prior() {
        let prior = SoilPrior::from_catalog(None).unwrap();
        let whitened: Vec<Whitened> = prior
            .soils
            .iter()
            .filter_map(|id| match &catalog().find(id).ok()?.kind {
                SoilKind::Deformable(law) => Some(prior.whitened(&SoilParameters::new(law))),
                SoilKind::Firm { .. } => None,
            })
            .collect();
        let (mean, deviation, correlation) = moments(whitened.iter()).unwrap();
        assert!(mean.amax() < 1e-9, "{mean}");
        for i in 0..PARAMETERS {
            assert!((deviation[i] - 1.0).abs() < 1e-6, "{deviation}");
            for j in 0..i {
                assert!(correlation[(i, j)].abs() < 1e-6, "{correlation}");
            }
        }
    }

    #[test]
    fn families_with_few_soils_have_no_prior() {
        let families = SoilPrior::families();
        assert!(families.contains(&"clay") && families.contains(&"snow"), "{families:?}");
        assert!(!families.contains(&"rigid") && !families.contains(&"preset"));
        assert!(SoilPrior::from_catalog(Some("rigid")).is_none());
    }
}
