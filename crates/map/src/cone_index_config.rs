//! Cone index of a map's ground, for a comparison of NRMM's relations with the drives.

use super::conditions::Layer;
use super::uscs::UscsClass;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Rating cone index (RCI) of the ground. Give exactly one of `rci_kpa`, `rci_psi` and `uscs`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConeIndexConfig {
    /// RCI, kPa.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rci_kpa: Option<Layer<f64>>,
    /// RCI, psi.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rci_psi: Option<Layer<f64>>,
    /// Classes of the Unified Soil Classification System. RCI follows from the class and
    /// `conditions.moisture` by SMSP II.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uscs: Option<Layer<UscsClass>>,
    /// Soil on which the cells of each class of `uscs` are driven, replacing
    /// `soil.raster`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub soils: BTreeMap<String, UscsSoil>,
    /// Standard deviation of ln RCI. Where absent, it is 0.55 for `uscs`, as soils scatter about
    /// SMSP II by a factor of 3, and 0 for a given RCI.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 2.0))]
    pub sigma_ln: Option<f64>,
}

/// A soil that stands for a class, with its uncertainty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UscsSoil {
    /// Name of the soil: from `bekker soils`, or of a custom soil.
    pub soil: String,
    /// Standard deviation of the logarithm of its strength. Where absent, it is
    /// `strength.sigma_ln`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 2.0))]
    pub sigma_ln: Option<f64>,
}
