//! Output files and summary of the comparison of NRMM's relations with the drives of a map.

use super::map_cells::NrmmMap;
use super::map_files::MapOutput;
use crate::cli::Failure;
use crate::map::{NrmmAgreement, NrmmCell};
use crate::report::geotiff::Georeference;
use crate::report::study::TitledTable;
use crate::report::trafficability::{self, ColorScale, RasterCells};
use crate::rig::PSI;
use serde::Serialize;
use std::path::PathBuf;

/// Comparison of a map with NRMM's relations; fractions refer to the compared area.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NrmmSummary {
    /// Vehicle cone index of one pass, kPa.
    pub vehicle_cone_index_kpa: f64,
    pub nominal_ground_pressure_kpa: f64,
    /// Limits of validity that the vehicle exceeds.
    pub limits: Vec<String>,
    /// Fraction of the area with elevation data in which both are compared.
    pub compared: f64,
    pub both_go: f64,
    pub neither_goes: f64,
    pub only_driven: f64,
    pub only_nrmm: f64,
    /// Mean probability to go in every direction by NRMM, and by the drives in the same cells.
    pub p_go_nrmm: f64,
    pub p_go_driven: f64,
}

/// Value of a cell that is written as a raster band.
struct NrmmBand {
    name: &'static str,
    description: &'static str,
    is_speed: bool,
    of: fn(&NrmmCell) -> f32,
}

const BANDS: [NrmmBand; 4] = [
    NrmmBand {
        name: "nrmm_p_go",
        description: "probability to go in every direction by NRMM",
        is_speed: false,
        of: |own| own.p_go,
    },
    NrmmBand {
        name: "nrmm_speed",
        description: "speed in the steepest direction by NRMM, without slip, m/s; 0 is NO-GO",
        is_speed: true,
        of: |own| own.speed,
    },
    NrmmBand {
        name: "nrmm_drawbar",
        description: "drawbar pull over the weight by NRMM",
        is_speed: false,
        of: |own| own.drawbar_pull,
    },
    NrmmBand {
        name: "nrmm_resistance",
        description: "motion resistance over the weight by NRMM",
        is_speed: false,
        of: |own| own.motion_resistance,
    },
];

/// Returns the comparison of each cell; all are not compared if the map gives no cone index.
pub fn agreements(output: &MapOutput<'_>) -> Vec<NrmmAgreement> {
    let nrmm = |cell: usize| output.nrmm.and_then(|own| own.cells[cell].as_ref());
    let cells = output.cells.iter().enumerate();
    cells.map(|(cell, driven)| NrmmAgreement::new(driven, nrmm(cell))).collect()
}

/// Writes rasters with their styles, and the cells in which the drives and NRMM disagree.
pub fn write(
    output: &MapOutput<'_>,
    nrmm: &NrmmMap,
    georeference: &Georeference,
    named: &mut impl FnMut(String) -> PathBuf,
) -> Result<(), Failure> {
    let grid = output.map_cells.grid();
    for own in &BANDS {
        let values: Vec<f32> =
            nrmm.cells.iter().map(|cell| cell.as_ref().map_or(f32::NAN, own.of)).collect();
        let path = named(format!("{}.tif", own.name));
        let cells = RasterCells::Numbers(&values);
        trafficability::write_raster(&path, &grid, cells, georeference, own.description)?;
        let limit = output.map_cells.map.config.speed;
        let (scale, unit) = match own.is_speed {
            true => (ColorScale::Speed(limit), "m/s"),
            false => (ColorScale::Probability, ""),
        };
        trafficability::write_ramp(&named(format!("{}.qml", own.name)), scale, unit)?;
    }
    let agreements = agreements(output);
    let codes: Vec<u8> = agreements.iter().map(|own| *own as u8).collect();
    let description = "comparison of the drives with NRMM";
    let path = named("nrmm_agreement.tif".into());
    let classes = RasterCells::Classes(&codes);
    trafficability::write_raster(&path, &grid, classes, georeference, description)?;
    let names = NrmmAgreement::ALL.map(|own| (own as u8, own.name()));
    trafficability::write_palette(&named("nrmm_agreement.qml".into()), &names)?;
    disagreement(output, nrmm, &agreements).write_csv(&named("nrmm_disagreement.csv".into()))?;
    Ok(())
}

/// Returns a table of the cells in which one goes and the other does not.
fn disagreement(
    output: &MapOutput<'_>,
    nrmm: &NrmmMap,
    agreements: &[NrmmAgreement],
) -> TitledTable {
    let head = [
        "x",
        "y",
        "soil",
        "rci_kpa",
        "grade",
        "goes",
        "p_go",
        "nrmm_p_go",
        "v_worst_direction",
        "nrmm_speed",
        "reason",
    ];
    let row = |(cell, agreement): (usize, &NrmmAgreement)| {
        let differs = matches!(agreement, NrmmAgreement::OnlyDriven | NrmmAgreement::OnlyNrmm);
        let own = nrmm.cells[cell].as_ref().filter(|_| differs)?;
        let (driven, [x, y]) = (&output.cells[cell], output.map_cells.cells.center(cell));
        Some(vec![
            x.to_string(),
            y.to_string(),
            output.map_cells.soil_name(cell).to_owned(),
            (1e-3 * f64::from(own.rating_cone_index)).to_string(),
            own.grade.to_string(),
            agreement.name().to_owned(),
            driven.p_go.to_string(),
            own.p_go.to_string(),
            driven.v_worst_direction.to_string(),
            own.speed.to_string(),
            driven.reason.name().to_owned(),
        ])
    };
    TitledTable {
        title: String::new(),
        head: head.map(str::to_owned).to_vec(),
        rows: agreements.iter().enumerate().filter_map(row).collect(),
    }
}

impl NrmmSummary {
    /// Computes the summary of a map with NRMM's relations.
    pub fn new(output: &MapOutput<'_>, nrmm: &NrmmMap) -> NrmmSummary {
        let agreements = agreements(output);
        let compared: Vec<usize> = (0..agreements.len())
            .filter(|cell| agreements[*cell] != NrmmAgreement::NotCompared)
            .collect();
        let count = compared.len().max(1) as f64;
        let share = |of: NrmmAgreement| {
            compared.iter().filter(|cell| agreements[**cell] == of).count() as f64 / count
        };
        let mean = |of: &dyn Fn(usize) -> f32| {
            compared.iter().map(|cell| f64::from(of(*cell))).sum::<f64>() / count
        };
        let vehicle = &nrmm.vehicle.vehicle;
        NrmmSummary {
            vehicle_cone_index_kpa: 1e-3 * vehicle.one_pass(),
            nominal_ground_pressure_kpa: 1e-3 * vehicle.nominal_ground_pressure(),
            limits: vehicle.limits(),
            compared: compared.len() as f64 / output.known_cells().count().max(1) as f64,
            both_go: share(NrmmAgreement::BothGo),
            neither_goes: share(NrmmAgreement::NeitherGoes),
            only_driven: share(NrmmAgreement::OnlyDriven),
            only_nrmm: share(NrmmAgreement::OnlyNrmm),
            p_go_nrmm: mean(&|cell| nrmm.cells[cell].as_ref().map_or(0.0, |own| own.p_go)),
            p_go_driven: mean(&|cell| output.cells[cell].p_go),
        }
    }

    /// Returns the result in one sentence.
    pub fn sentence(&self) -> String {
        let percent = |share: f64| 100.0 * share;
        format!(
            "NRMM (VCI1 {:.0} kPa, {:.0} psi): disagrees on GO in {:.1} % of the cells compared; only \
             the drive goes in {:.1} %, only NRMM in {:.1} %; mean p_go {:.2}, driven {:.2}",
            self.vehicle_cone_index_kpa,
            1e3 * self.vehicle_cone_index_kpa / PSI,
            percent(self.only_driven + self.only_nrmm),
            percent(self.only_driven),
            percent(self.only_nrmm),
            self.p_go_nrmm,
            self.p_go_driven
        )
    }

    /// Returns the result with its limits of validity, for the report.
    pub fn report(&self) -> String {
        let limits = self.limits.iter().map(|limit| format!(" Beyond its validity: {limit}."));
        format!(
            "{}. Where they disagree is in `nrmm_agreement.tif` and `nrmm_disagreement.csv`. NRMM's \
             relations hold for fine-grained soil, and depend on soil and grade only.{}",
            self.sentence(),
            limits.collect::<String>()
        )
    }
}
