//! Summary statistics of a map.

use super::crossings;
use super::map_cells::MapCells;
use super::map_files::{CellValue, MapOutput, MapSource, through_band};
use super::nrmm_files::NrmmSummary;
use crate::map::{CellMetrics, CoverData, CrossingEnd, GroundCover, Reason};
use crate::report::trafficability;
use serde::Serialize;

/// Default go probabilities; for each, the fraction of the area that reaches it is reported.
pub const CONFIDENCES: [f64; 3] = [0.5, 0.8, 0.95];

/// Summary statistics of a map; fractions refer to the area with elevation data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MapSummary {
    /// Number of cells with elevation data; `area_km2` is their area.
    pub cells: usize,
    pub area_km2: f64,
    pub cells_without_data: usize,
    /// Fraction of the area for each probability to go in every direction.
    pub go_every_direction: Vec<ConfidenceShare>,
    /// Fraction where the vehicle cannot go in at least half of the draws and directions.
    pub no_go: f64,
    /// Means over the area.
    pub p_go: f64,
    pub p_go_direction: f64,
    /// Medians over the area, m/s.
    pub v_p10: f64,
    pub v_p50: f64,
    pub v_p90: f64,
    pub v_worst_direction: f64,
    pub v_omnidirectional: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub v_through: Option<f64>,
    /// Mean over the part of the area where speed varies.
    pub soil_share: Option<f64>,
    pub reasons: Vec<ReasonShare>,
    pub covers: Vec<CoverShare>,
    /// Comparison with NRMM's relations, if the map gives a cone index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nrmm: Option<NrmmSummary>,
    /// Number of crossings of the tables or of all cells; `failed_crossings` had no finite state.
    pub crossings: usize,
    pub failed_crossings: usize,
}

/// Fraction of the area where the probability to go in every direction is at least `p_go`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ConfidenceShare {
    pub p_go: f64,
    pub share: f64,
}

/// Fraction of the area that is limited by a reason.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReasonShare {
    pub code: u8,
    pub reason: &'static str,
    pub share: f64,
    pub color: String,
}

/// Fraction of the area with a soil and its cover.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CoverShare {
    pub soil: String,
    /// Description of roughness, snow, frost, stems and ridges.
    pub cover: String,
    pub share: f64,
    /// Maximum speed for ride comfort, m/s, on rough ground.
    pub ride_speed: Option<f64>,
    /// Maximum speed over its ridges, m/s; 0 if they cannot be crossed.
    pub ridge_speed: Option<f64>,
}

/// Returns the value that a fraction `share` of all values do not exceed, by nearest rank.
pub fn quantile(values: &mut [f32], share: f64) -> f32 {
    values.sort_unstable_by(f32::total_cmp);
    let rank = ((share * values.len() as f64).ceil() as usize).clamp(1, values.len());
    values[rank - 1]
}

/// Computes the summary of a map that is to be written.
pub fn summary(output: &MapOutput<'_>) -> MapSummary {
    let cells = || output.known_cells();
    let count = cells().count() as f64;
    let share =
        |is: &dyn Fn(&CellMetrics) -> bool| cells().filter(|own| is(own)).count() as f64 / count;
    let mean = |of: CellValue| cells().map(|own| f64::from(of(own))).sum::<f64>() / count;
    let median = |of: CellValue| f64::from(quantile(&mut cells().map(of).collect::<Vec<_>>(), 0.5));
    let confidences = output
        .confidences
        .iter()
        .map(|&p_go| ConfidenceShare { p_go, share: share(&|own| is_confident(own, p_go)) });
    let known: Vec<f64> =
        cells().map(|own| f64::from(own.soil_share)).filter(|share| share.is_finite()).collect();
    let reasons = Reason::ALL.into_iter().map(|reason| ReasonShare {
        code: reason as u8,
        reason: reason.name(),
        share: share(&|own| own.reason == reason),
        color: trafficability::class_color(reason as u8),
    });
    let ends: Vec<CrossingEnd> = match output.source {
        MapSource::Tables(driven) => {
            let columns = driven.iter().flat_map(|own| &own.columns);
            columns.flat_map(|own| own.driven.values()).map(|own| own.end).collect()
        }
        MapSource::RasterCells(driven) => driven.all().map(|own| own.end).collect(),
    };
    let side = output.map_cells.map.config.cell;
    MapSummary {
        cells: cells().count(),
        area_km2: count * side * side * 1e-6,
        cells_without_data: output.cells.len() - cells().count(),
        go_every_direction: confidences.collect(),
        // with a tie of the draws the median is 0, although the vehicle goes in half of them
        no_go: share(&|own| own.v_p50 == 0.0 && own.p_go < 0.5),
        p_go: mean(|own| own.p_go),
        p_go_direction: mean(|own| own.p_go_direction),
        v_p10: median(|own| own.v_p10),
        v_p50: median(|own| own.v_p50),
        v_p90: median(|own| own.v_p90),
        v_worst_direction: median(|own| own.v_worst_direction),
        v_omnidirectional: median(|own| own.v_omnidirectional),
        v_through: through_band(output).map(|band| median(band.of)),
        soil_share: (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64),
        reasons: reasons.collect(),
        covers: covers(output),
        nrmm: output.nrmm.map(|nrmm| NrmmSummary::new(output, nrmm)),
        crossings: ends.len(),
        failed_crossings: ends.iter().filter(|end| **end == CrossingEnd::Failed).count(),
    }
}

fn covers(output: &MapOutput<'_>) -> Vec<CoverShare> {
    let shares = output.map_cells.cover_shares();
    let covers = output.map_cells.covers.iter().zip(output.known).zip(shares);
    let told = |((cover, known), share): ((&GroundCover, &CoverData), f64)| CoverShare {
        soil: output.map_cells.map.soil_of(cover).name.clone(),
        cover: crossings::covered(cover),
        share,
        ride_speed: Some(known.ride).filter(|speed| speed.is_finite()),
        ridge_speed: Some(known.ridges).filter(|speed| speed.is_finite()),
    };
    covers.map(told).collect()
}

/// Whether a cell's probability to go in every direction is at least `p_go`.
pub fn is_confident(cell: &CellMetrics, p_go: f64) -> bool {
    // within the precision of an f32
    f64::from(cell.p_go) >= p_go - 1e-6
}

/// Returns the main result: a title and the text below it.
pub fn answer(map_cells: &MapCells, summary: &MapSummary) -> [String; 2] {
    let title = format!(
        "{}: GO probability in every direction {:.2} on average over {} km²",
        map_cells.vehicle,
        summary.p_go,
        area(summary.area_km2),
    );
    let shares = summary.go_every_direction.iter().enumerate().map(|(n, own)| {
        let least = if n == 0 { " or more" } else { "" };
        format!("{}{least} on {:.0} %", own.p_go, 100.0 * own.share)
    });
    let shares = shares.collect::<Vec<_>>().join(", ");
    let mut rest = format!("{shares} of the area; median speed {:.1} m/s", summary.v_p50);
    if summary.cells_without_data > 0 {
        let all = (summary.cells + summary.cells_without_data) as f64;
        let share = 100.0 * summary.cells_without_data as f64 / all;
        rest += &format!("; no elevation data in {share:.1} % of the cells");
    }
    [title, rest]
}

/// Formats an area, km2, with one decimal, or with two significant digits below 0.1 km2.
pub fn area(km2: f64) -> String {
    if km2 >= 0.1 || km2 <= 0.0 {
        return format!("{km2:.1}");
    }
    let places = 1 - km2.log10().floor() as i32;
    format!("{km2:.*}", places.max(1) as usize)
}

#[cfg(test)]
mod tests {
    use super::area;

    #[test]
    fn small_areas_have_two_significant_digits() {
        let told = [62.04, 0.96, 0.1, 0.0964, 0.04, 0.0036, 0.0004].map(area);
        assert_eq!(told, ["62.0", "1.0", "0.1", "0.096", "0.040", "0.0036", "0.00040"]);
    }
}
