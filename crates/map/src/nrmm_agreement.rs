//! Comparison of driven cells with NRMM.

use super::cell_metrics::CellMetrics;
use super::cone_index::NrmmCell;

/// Least probability with which a cell counts as go.
const GO: f32 = 0.5;

/// Comparison of a driven cell with NRMM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum NrmmAgreement {
    /// Both go.
    BothGo = 0,
    /// Neither goes.
    NeitherGoes = 1,
    /// Only the driven vehicle goes.
    OnlyDriven = 2,
    /// Only NRMM's vehicle goes.
    OnlyNrmm = 3,
    /// Not compared: closed, without data, under snow or on frost.
    NotCompared = 255,
}

impl NrmmAgreement {
    /// All results of a comparison, by code.
    pub const ALL: [NrmmAgreement; 4] = [
        NrmmAgreement::BothGo,
        NrmmAgreement::NeitherGoes,
        NrmmAgreement::OnlyDriven,
        NrmmAgreement::OnlyNrmm,
    ];

    /// Returns the name in a few words.
    pub fn name(self) -> &'static str {
        match self {
            NrmmAgreement::BothGo => "both go",
            NrmmAgreement::NeitherGoes => "neither",
            NrmmAgreement::OnlyDriven => "drive only",
            NrmmAgreement::OnlyNrmm => "NRMM only",
            NrmmAgreement::NotCompared => "not compared",
        }
    }

    /// Compares a driven cell with NRMM: each goes with a probability of at least a half.
    pub fn new(driven: &CellMetrics, nrmm: Option<&NrmmCell>) -> NrmmAgreement {
        let Some(nrmm) = nrmm.filter(|_| driven.has_data()) else {
            return NrmmAgreement::NotCompared;
        };
        match (driven.p_go >= GO, nrmm.p_go >= GO) {
            (true, true) => NrmmAgreement::BothGo,
            (false, false) => NrmmAgreement::NeitherGoes,
            (true, false) => NrmmAgreement::OnlyDriven,
            (false, true) => NrmmAgreement::OnlyNrmm,
        }
    }
}
