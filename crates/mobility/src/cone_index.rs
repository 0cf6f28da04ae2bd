//! Drawbar pull and motion resistance of the whole vehicle by relations of the cone index.
//!
//! They are compared with the driven values, for a cone index that the user gives. The soils of
//! the drives have no cone index, so nothing checks that both are the same soil.

use super::MobilityError;
use super::findings::EventMetric;
use super::subject::Subject;
use super::vehicle_sheet::cone_index_vehicle;
use bekker_rig::{
    DeflectionRelation, FineGrainedSoil, LineStyle, LoadedTire, PlotLine, loaded_tire,
};
use bekker_vehicle::AnySpec;

/// Number of slips of a plotted line, up to 1.
const SLIPS: u32 = 50;
/// Name of NRMM's relations as the law of a metric.
const LAW: &str = "NRMM, cone index";

/// Relations of a vehicle on fine-grained soil of one cone index.
#[derive(Clone, Debug)]
pub(super) struct ConeIndexEstimate {
    /// Rating cone index, Pa.
    cone_index: f64,
    soil: FineGrainedSoil,
    /// Tire of each axle under an equal share of the weight, and whether it is driven; empty for
    /// tracks.
    tires: Vec<(LoadedTire, bool)>,
}

impl ConeIndexEstimate {
    /// Creates the relations for the cone index of a subject; `None` if it has none.
    pub fn new(subject: &Subject) -> Result<Option<ConeIndexEstimate>, MobilityError> {
        let Some(cone_index) = subject.cone_index else { return Ok(None) };
        let vehicle = cone_index_vehicle(&subject.spec)?;
        let tires = match &subject.spec {
            AnySpec::Tracked(_) => Vec::new(),
            AnySpec::Wheeled(own) => {
                let axles = own.tractor_axles().len();
                let tire = |axle: usize| {
                    let tires = 2 * axles * own.tire_offsets(axle).len();
                    (loaded_tire(own, axle, vehicle.weight / tires as f64), own.is_driven(axle))
                };
                (0..axles).map(tire).collect()
            }
        };
        Ok(Some(ConeIndexEstimate { cone_index, soil: FineGrainedSoil::new(&vehicle), tires }))
    }

    /// Adds NRMM's pull to a metric of the pull or the grade that is climbed.
    pub fn with_pull(&self, metric: EventMetric) -> EventMetric {
        metric.with_closed_form(LAW, self.soil.drawbar_pull(self.cone_index))
    }

    /// Adds NRMM's motion resistance to the note of a metric.
    pub fn with_resistance(&self, metric: EventMetric) -> EventMetric {
        let resistance = self.soil.motion_resistance(self.cone_index);
        let told = match self.soil.is_go(self.cone_index) {
            true => format!("{LAW}: {resistance:.3}"),
            false => format!("{LAW}: NO-GO"),
        };
        let note = if metric.note.is_empty() { told } else { format!("{}; {told}", metric.note) };
        metric.with_note(note)
    }

    /// Returns the curve of VTI's pull over slip for wheels, and NRMM's greatest pull near a slip of
    /// 20 %.
    pub fn lines(&self) -> Vec<PlotLine> {
        let at = format!("cone index {:.0} kPa", 1e-3 * self.cone_index);
        let nrmm = PlotLine {
            name: format!("NRMM, {at}"),
            points: vec![[0.2, self.soil.drawbar_pull(self.cone_index)]],
            mark: LineStyle::Dots,
        };
        let slips = (1..=SLIPS).map(|n| f64::from(n) / f64::from(SLIPS));
        let points: Vec<[f64; 2]> =
            slips.filter_map(|slip| Some([slip, self.vti_pull(slip)?])).collect();
        // below about 2 % of slip the logarithm of the relation falls without bound
        let points = points.into_iter().filter(|point| point[1] > -0.2).collect();
        let vti = PlotLine { name: format!("VTI, {at}"), points, mark: LineStyle::Dashes };
        if self.tires.is_empty() { vec![nrmm] } else { vec![nrmm, vti] }
    }

    /// Returns VTI's pull over the weight at a slip; axles without drive have their resistance.
    fn vti_pull(&self, slip: f64) -> Option<f64> {
        let vti = DeflectionRelation::Vti;
        let pulls = self.tires.iter().map(|(tire, is_driven)| match is_driven {
            true => vti.drawbar_pull_at_slip(tire, self.cone_index, slip),
            false => Some(-vti.towed_resistance(tire, self.cone_index)),
        });
        let pulls: Vec<f64> = pulls.collect::<Option<_>>()?;
        (!pulls.is_empty()).then(|| pulls.iter().sum::<f64>() / pulls.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn estimate(model: &str, cone_index: f64) -> ConeIndexEstimate {
        let mut subject = Subject::new(model, Path::new("")).unwrap();
        subject.cone_index = Some(cone_index);
        ConeIndexEstimate::new(&subject).unwrap().unwrap()
    }

    /// A vehicle of equal tires has the pull of its tire; tracks have no line of VTI.
    #[test]
    fn the_vehicle_pulls_as_its_tires() {
        let hmmwv = estimate("hmmwv", 300e3);
        let tires =
            hmmwv.tires.iter().map(|own| DeflectionRelation::Vti.drawbar_pull(&own.0, 300e3));
        let mean = tires.sum::<f64>() / 2.0;
        assert!((hmmwv.vti_pull(0.2).unwrap() - mean).abs() < 1e-12);
        assert!((0.3..0.6).contains(&mean), "{mean}");
        let names = |own: &ConeIndexEstimate| own.lines().len();
        assert_eq!([names(&hmmwv), names(&estimate("m113", 300e3))], [2, 1]);
        let weak = estimate("hmmwv", 50e3);
        let metric = weak.with_resistance(EventMetric::new("motion_resistance", None, ""));
        assert_eq!(metric.note, "NRMM, cone index: NO-GO");
    }
}
