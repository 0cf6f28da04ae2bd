//! Validation of soil parameters.

use bekker_math::numeric::GRAVITY;

use super::{Bulldozing, DeformableSoil, Details, Soil, SoilKind};

/// Contact widths for which the pressure must be positive, m: from a grouser to a large plate.
const WIDTHS: [f64; 2] = [0.05, 1.0];

/// Error in the parameters of a soil.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// A parameter is outside the range in which the laws are valid.
    #[error("{parameter} is {value}; allowed: {allowed}")]
    OutOfRange {
        /// Name of the parameter and its unit.
        parameter: &'static str,
        /// The value given.
        value: f64,
        /// The allowed range.
        allowed: &'static str,
    },
    /// k_c/b + k_φ is not positive for a width b that wheels and plates have.
    #[error(
        "k_c/b + k_phi is {modulus} at a width b of {width} m (k_c = {k_c}, k_phi = {k_phi}); \
         allowed: positive for b from 0.05 to 1 m"
    )]
    NotResisting {
        /// Width of the contact, m.
        width: f64,
        /// k_c/b + k_φ at that width, N/m^(n+2).
        modulus: f64,
        /// Cohesive modulus given, N/m^(n+1).
        k_c: f64,
        /// Frictional modulus given, N/m^(n+2).
        k_phi: f64,
    },
}

fn check_range(
    parameter: &'static str,
    value: f64,
    allowed: &'static str,
    test: impl Fn(f64) -> bool,
) -> Result<(), ParameterError> {
    // NaN fails every comparison; infinity is rejected here
    if value.is_finite() && test(value) {
        Ok(())
    } else {
        Err(ParameterError::OutOfRange { parameter, value, allowed })
    }
}

impl Soil {
    /// Checks that the laws can be evaluated with these parameters.
    pub fn check(&self) -> Result<(), ParameterError> {
        match &self.kind {
            SoilKind::Firm { friction } => {
                check_range("friction", *friction, "above 0 to 2", |v| v > 0.0 && v <= 2.0)
            }
            SoilKind::Deformable(yielding) => yielding.check(),
        }
    }
}

impl DeformableSoil {
    /// Checks that the laws can be evaluated with these parameters.
    ///
    /// The ranges are those in which the laws are valid, not those of typical soils: a sinkage
    /// exponent in (0, 3], a friction angle in [0°, 60°), finite positive stiffnesses and lengths.
    /// The pressure modulus must be positive under every contact from 0.05 to 1 m wide (published
    /// k_c may be negative).
    pub fn check(&self) -> Result<(), ParameterError> {
        check_range("n", self.n, "above 0 to 3", |v| v > 0.0 && v <= 3.0)?;
        check_range("k_phi, N/m^(n+2)", self.k_phi, "a finite number", |_| true)?;
        check_range("k_c, N/m^(n+1)", self.k_c, "a finite number", |_| true)?;
        for width in WIDTHS {
            let modulus = self.k_c / width + self.k_phi;
            if modulus <= 0.0 {
                return Err(ParameterError::NotResisting {
                    width,
                    modulus,
                    k_c: self.k_c,
                    k_phi: self.k_phi,
                });
            }
        }
        check_range("cohesion, Pa", self.cohesion, "0 or above", |v| v >= 0.0)?;
        let steepest = 60.0_f64.to_radians();
        check_range(
            "friction angle, rad",
            self.friction_angle,
            "0 to below 1.0472 (60 deg)",
            |v| (0.0..steepest).contains(&v),
        )?;
        check_range("shear modulus, m", self.shear_modulus, "above 0", |v| v > 0.0)?;
        check_range("elastic stiffness, Pa/m", self.elastic_stiffness, "above 0", |v| v > 0.0)?;
        check_range("damping, Pa s/m", self.damping, "0 or above", |v| v >= 0.0)?;
        self.details.check()?;
        if let Some(reece) = self.details.reece {
            let weight = self.details.density.unwrap_or(0.0) * GRAVITY;
            let modulus = self.cohesion * reece.cohesive + weight * reece.frictional;
            check_range(
                "Reece's c k_c' + gamma k_phi', Pa",
                modulus,
                "above 0: give density",
                |v| v > 0.0,
            )?;
        }
        self.bulldozing.map_or(Ok(()), |bulldozing| bulldozing.check())
    }
}

impl Details {
    /// Checks that the refined laws can be evaluated with these parameters.
    pub fn check(&self) -> Result<(), ParameterError> {
        let positive = |name, value| check_range(name, value, "above 0", |v| v > 0.0);
        let none = |name, value| check_range(name, value, "0 or above", |v| v >= 0.0);
        self.density.map_or(Ok(()), |v| positive("density, kg/m^3", v))?;
        self.multi_pass.map_or(Ok(()), |v| {
            check_range("multi-pass exponent", v, "1 or above", |v| v >= 1.0)
        })?;
        self.reload_growth.map_or(Ok(()), |v| none("reload growth, Pa/m^2", v))?;
        let growth = self.reload_growth.unwrap_or(0.0);
        self.reload_stiffness.map_or(Ok(()), |v| {
            let allowed = "0 or above; above 0 without reload growth";
            check_range("reload stiffness, Pa/m", v, allowed, |v| {
                v > 0.0 || v == 0.0 && growth > 0.0
            })
        })?;
        self.trailing_resistance.map_or(Ok(()), |v| none("trailing resistance", v))?;
        if let Some(reece) = self.reece {
            none("Reece's cohesive modulus", reece.cohesive)?;
            none("Reece's frictional modulus", reece.frictional)?;
        }
        if let Some(below) = self.below {
            none("depth of the layer below, m", below.depth)?;
            positive("modulus of the layer below, N/m^(n+2)", below.modulus)?;
            check_range("n of the layer below", below.n, "above 0 to 3", |v| v > 0.0 && v <= 3.0)?;
        }
        if let Some(crust) = self.crust {
            none("strength of the crust, Pa", crust.strength)?;
            positive("depth of the crust, m", crust.depth)?;
        }
        if let Some(peak_shear) = self.peak_shear {
            check_range("residual of peak_shear", peak_shear.residual, "above 0 to 1", |v| {
                v > 0.0 && v <= 1.0
            })?;
        }
        if let Some(rate) = self.rate {
            check_range("exponent of the rate", rate.exponent, "0 to 1", |v| {
                (0.0..=1.0).contains(&v)
            })?;
            positive("reference speed of the rate, m/s", rate.speed)?;
        }
        Ok(())
    }
}

impl Bulldozing {
    /// Checks that berms can be modeled with these parameters.
    pub fn check(&self) -> Result<(), ParameterError> {
        check_range("flow factor", self.flow_factor, "0 to 1", |v| (0.0..=1.0).contains(&v))?;
        let vertical = 90.0_f64.to_radians();
        check_range("erosion angle, rad", self.erosion_angle, "0 to below 1.5708 (90 deg)", |v| {
            (0.0..vertical).contains(&v)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loose() -> DeformableSoil {
        DeformableSoil {
            k_phi: 2e6,
            k_c: 0.0,
            n: 1.1,
            cohesion: 0.0,
            friction_angle: 0.5,
            shear_modulus: 0.01,
            elastic_stiffness: 2e8,
            damping: 0.0,
            bulldozing: None,
            details: Default::default(),
        }
    }

    #[test]
    fn a_plain_soil_passes() {
        assert_eq!(loose().check(), Ok(()));
        // a published k_c can be negative, which is valid while k_phi outweighs it
        assert_eq!(DeformableSoil { k_c: -5e4, ..loose() }.check(), Ok(()));
    }

    #[test]
    fn each_parameter_is_held_to_its_range() {
        let refused = [
            ("n", DeformableSoil { n: 0.0, ..loose() }),
            ("n", DeformableSoil { n: 3.1, ..loose() }),
            ("n", DeformableSoil { n: f64::NAN, ..loose() }),
            ("k_phi", DeformableSoil { k_phi: f64::INFINITY, ..loose() }),
            ("k_c/b + k_phi", DeformableSoil { k_c: -2e6, ..loose() }),
            ("k_c/b + k_phi", DeformableSoil { k_phi: 0.0, ..loose() }),
            ("cohesion", DeformableSoil { cohesion: -1.0, ..loose() }),
            ("friction angle", DeformableSoil { friction_angle: 1.05, ..loose() }),
            ("shear modulus", DeformableSoil { shear_modulus: 0.0, ..loose() }),
            ("elastic stiffness", DeformableSoil { elastic_stiffness: -1.0, ..loose() }),
            ("damping", DeformableSoil { damping: -1.0, ..loose() }),
            (
                "flow factor",
                DeformableSoil {
                    bulldozing: Some(Bulldozing {
                        flow_factor: 1.2,
                        erosion_angle: 0.5,
                        erosion_sweeps: 3,
                        erosion_rings: 10,
                    }),
                    ..loose()
                },
            ),
        ];
        for (parameter, soil) in refused {
            let message = soil.check().unwrap_err().to_string();
            assert!(message.starts_with(parameter), "{parameter}: {message}");
        }
    }
}
