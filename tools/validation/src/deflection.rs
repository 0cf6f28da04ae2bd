//! Pull, towed resistance and the weakest passable soil over the deflection of a tire.

use super::page::{Page, ValidationError, line, panel, percent};
use bekker_agent::{belt, tread, underside};
use bekker_ground::scm::{Ring, Underside};
use bekker_ground::soil::catalog::catalog;
use bekker_ground::soil::{DeformableSoil, Laws, Soil, SoilKind, Tread};
use bekker_rig::{
    DeflectionRelation, InParallel, LineStyle, LoadedTire, PlotLine, PlotPanel, Rig, RigError,
    WheelRig, WheelRigMotion, vehicle_cone_index_factor,
};
use bekker_scenario::build::vehicle_spec;
use bekker_vehicle::tire::RingParameters;
use std::path::Path;

/// Deflections over the section height; relations are matched at the second, [`MATCHED`].
const DEFLECTIONS: [f64; 4] = [0.10, 0.15, 0.25, 0.35];
const MATCHED: usize = 1;
const FLATTER: usize = 2;
/// Loads, N: of the HMMWV in the catalog, and of an HMMWV of 8600 lb.
const LOADS: [f64; 2] = [6300.0, 9560.0];
const SLIP: f64 = 0.2;

const SANDS: [&str; 5] =
    ["push_pull_silica_2020", "azimi_sand_2013", "dry_sand_lll", "chrono_mid", "lete_sand_chrono"];
const CLAYS: [&str; 5] = [
    "clayey_55_thailand",
    "clayey_38_thailand",
    "lean_clay_32_wes",
    "heavy_clay_40_wes",
    "north_gower_clayey_loam",
];

/// Tire with the rolling resistance of its rubber.
struct RubberTire {
    underside: Underside,
    tread: Tread,
    ring: Ring,
    figures: RingParameters,
    /// 37x12.5R16.5 of the HMMWV.
    section: LoadedTire,
    /// Rolling resistance on a plate over the deflection, N/m.
    rubber: f64,
}

impl RubberTire {
    /// Returns the HMMWV's tire.
    fn hmmwv() -> Result<RubberTire, ValidationError> {
        let spec = vehicle_spec("hmmwv", Path::new(""))?;
        let none = || ValidationError::NoBelt("hmmwv");
        let spec = spec.wheeled().ok_or_else(none)?;
        let (ring, inflation) = belt(spec).ok_or_else(none)?;
        let flexible = spec.tire.flexible.as_ref().ok_or_else(none)?;
        let figures = flexible.ring(spec.tire.rigid.radius()).map_err(|_| none())?;
        let handling = &spec.tire.handling;
        let nominal = figures.deflection(inflation, handling.nominal_load);
        let section = LoadedTire {
            diameter: 2.0 * figures.radius,
            width: 12.5 * 0.0254,
            section_height: flexible.section_height,
            load: 0.0,
            deflection: 0.0,
        };
        Ok(RubberTire {
            underside: underside(&spec.tire.rigid)?,
            tread: tread(&spec.tire.rigid),
            ring,
            figures,
            section,
            rubber: handling.rolling_resistance * handling.nominal_load / nominal,
        })
    }

    /// Returns the tire under a load, N, at a deflection on a hard plate, over the section height.
    fn loaded(&self, load: f64, deflection: f64) -> LoadedTire {
        LoadedTire { load, deflection, ..self.section }
    }

    /// Returns the inflation of that state, Pa; `None` where the tire deflects less even without
    /// inflation.
    fn inflation(&self, load: f64, deflection: f64) -> Option<f64> {
        let wanted = deflection * self.section.section_height;
        let (mut low, mut high) = (0.0, 2e6);
        if self.figures.deflection(low, load) < wanted {
            return None;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.figures.deflection(middle, load) > wanted {
                low = middle
            } else {
                high = middle
            }
        }
        Some(high)
    }

    /// Returns the resistance of the rubber over the load, at a deflection over the section height.
    fn rubber_resistance(&self, load: f64, deflection: f64) -> f64 {
        self.rubber * deflection * self.section.section_height / load
    }

    fn rig(&self, soil: &Soil, load: f64, inflation: f64, motion: WheelRigMotion) -> WheelRig {
        WheelRig {
            laws: Laws::refined(),
            tread: self.tread,
            belt: Some((self.ring.clone(), inflation)),
            ..WheelRig::new(soil.clone(), self.underside.clone(), load, motion)
        }
    }
}

fn pulling(slip: f64) -> WheelRigMotion {
    WheelRigMotion::Rolling { speed: 1.0, slip }
}

const TOWED: WheelRigMotion = WheelRigMotion::Towed { speed: 1.0, slip_angle: 0.0 };

/// Pull at [`SLIP`] and towed resistance over load, at every deflection that the tire reaches.
#[derive(Clone, Copy, Debug, Default)]
struct DeflectionSweep {
    pull: [Option<f64>; DEFLECTIONS.len()],
    towed: [Option<f64>; DEFLECTIONS.len()],
}

impl DeflectionSweep {
    /// Computes them by the rig; the rubber's resistance is added to the towed resistance of the
    /// soil.
    fn run(tire: &RubberTire, soil: &Soil, load: f64) -> Result<DeflectionSweep, ValidationError> {
        let mut found = DeflectionSweep::default();
        for (k, deflection) in DEFLECTIONS.into_iter().enumerate() {
            let Some(inflation) = tire.inflation(load, deflection) else { continue };
            let drawbar = |motion| -> Result<f64, RigError> {
                Ok(tire.rig(soil, load, inflation, motion).run()?.drawbar / load)
            };
            let rubber = tire.rubber_resistance(load, deflection);
            found.pull[k] = Some(drawbar(pulling(SLIP))?);
            found.towed[k] = Some(rubber - drawbar(TOWED)?);
        }
        Ok(found)
    }

    /// Computes them by a relation at a cone index.
    fn new(
        relation: DeflectionRelation,
        tire: &RubberTire,
        load: f64,
        cone_index: f64,
    ) -> DeflectionSweep {
        let at = DEFLECTIONS.map(|deflection| tire.loaded(load, deflection));
        DeflectionSweep {
            pull: at.map(|tire| Some(relation.drawbar_pull(&tire, cone_index))),
            towed: at.map(|tire| Some(relation.towed_resistance(&tire, cone_index))),
        }
    }
}

/// Returns the ratio of the value at 25 % to that at 15 %.
fn ratio(figures: &[Option<f64>; DEFLECTIONS.len()]) -> Option<f64> {
    Some(figures[FLATTER]? / figures[MATCHED]?)
}

/// Range of the same ratio of the towed resistance, for every soil.
const TOWED_BAND: [f64; 2] = [0.75, 0.93];

/// Returns whether a soil's strength is within a quarter of that of a band.
fn is_near(strength: f64, band: f64) -> bool {
    (strength / band - 1.0).abs() <= 0.25
}

/// Returns the expected range of P20(25 %)/P20(15 %) of sand with a gradient of penetration
/// resistance, MPa/m.
///
/// The ranges are from the research notes: the span of the relations under [`LOADS`]`[0]`.
fn sand_band(gradient: f64) -> Option<[f64; 2]> {
    match gradient {
        g if is_near(g, 2.0) => Some([1.3, 1.9]),
        g if is_near(g, 4.0) => Some([1.15, 1.3]),
        _ => None,
    }
}

/// Returns the expected range of the same ratio of clay with a cone index, kPa.
fn clay_band(cone_index: f64) -> Option<[f64; 2]> {
    is_near(cone_index, 200.0).then_some([1.1, 1.45])
}

/// Returns whether a value is inside a band.
fn is_inside(value: f64, [low, high]: [f64; 2]) -> bool {
    (low..=high).contains(&value)
}

/// Soil with the results of the rig and of the relations.
struct DeflectionCase {
    soil: &'static str,
    load: f64,
    sandy: bool,
    found: DeflectionSweep,
}

impl DeflectionCase {
    fn relations(&self) -> &'static [(DeflectionRelation, &'static str)] {
        use DeflectionRelation::{Brixius, GeeClough, Sand, Vti, WismerLuth};
        if self.sandy {
            &[(Sand, "NRMM, Williams"), (Brixius, "Brixius"), (WismerLuth, "Wismer and Luth")]
        } else {
            &[
                (Vti, "VTI"),
                (GeeClough, "Gee-Clough"),
                (Brixius, "Brixius"),
                (WismerLuth, "Wismer and Luth"),
            ]
        }
    }

    /// Returns the cone index, kPa, at which a relation has the rig's pull at 15 %.
    fn cone_index(&self, tire: &RubberTire, relation: DeflectionRelation) -> Option<f64> {
        let at = tire.loaded(self.load, DEFLECTIONS[MATCHED]);
        Some(1e-3 * relation.cone_index(&at, self.found.pull[MATCHED]?)?)
    }

    /// Returns the cone index that is compared with the bands, kPa.
    ///
    /// It is by the relation from which the bands of the soil's kind were made, scaled to their
    /// load. Every mobility numeric is proportional to cone index over load.
    fn strength(&self, tire: &RubberTire) -> Option<f64> {
        let relation = if self.sandy { DeflectionRelation::Sand } else { DeflectionRelation::Vti };
        Some(self.cone_index(tire, relation)? * LOADS[0] / self.load)
    }

    fn band(&self, tire: &RubberTire) -> Option<[f64; 2]> {
        let cone_index = self.strength(tire)?;
        if self.sandy { sand_band(gradient(cone_index)) } else { clay_band(cone_index) }
    }

    /// Returns a value for every relation that includes the deflection, each at its own cone index.
    fn by_relations(
        &self,
        tire: &RubberTire,
        figure: fn(&DeflectionSweep) -> Option<f64>,
    ) -> Vec<f64> {
        let known = self.relations().iter().map(|(relation, _)| *relation);
        known
            .filter(|relation| *relation != DeflectionRelation::WismerLuth)
            .filter_map(|relation| {
                let index = 1e3 * self.cone_index(tire, relation)?;
                figure(&DeflectionSweep::new(relation, tire, self.load, index))
            })
            .collect()
    }
}

/// Returns the gradient of penetration resistance, MPa/m, of sand with a cone index, kPa.
fn gradient(cone_index: f64) -> f64 {
    1e-3 * cone_index / LoadedTire::INDEX_DEPTH
}

/// Loads with their soils, run over the deflection.
pub(super) struct DeflectionCases {
    tire: RubberTire,
    cases: Vec<DeflectionCase>,
}

/// Ratios of a soil at 25 and 15 %.
pub(super) struct DeflectionRatios {
    pub(super) soil: &'static str,
    pub(super) sandy: bool,
    /// Load, N.
    pub(super) load: f64,
    /// Pull over load at 15 %.
    pub(super) matched: f64,
    /// Ratio of pull, and mean of the relations at equal pull at 15 %.
    pub(super) pull: [f64; 2],
    /// The same of the towed resistance.
    pub(super) towed: [f64; 2],
    /// Share of the rubber in the towed resistance at 25 %.
    pub(super) rubber: f64,
    /// Whether the ratio of pull is inside its band, where there is one.
    pub(super) pull_inside: Option<bool>,
    /// Whether the ratio of towed resistance is inside its band.
    pub(super) towed_inside: bool,
}

impl DeflectionCases {
    /// Runs all soils under both loads.
    pub(super) fn run() -> Result<DeflectionCases, ValidationError> {
        let tire = RubberTire::hmmwv()?;
        let kinds = [(true, SANDS), (false, CLAYS)];
        let jobs: Vec<(f64, bool, &'static str)> = LOADS
            .into_iter()
            .flat_map(|load| {
                let of_kind = move |(sandy, soils): (bool, [&'static str; 5])| {
                    soils.into_iter().map(move |soil| (load, sandy, soil))
                };
                kinds.into_iter().flat_map(of_kind)
            })
            .collect();
        let cases = jobs
            .in_parallel(|&(load, sandy, soil)| {
                let found = DeflectionSweep::run(&tire, &catalog().find(soil)?.to_soil(), load)?;
                Ok(DeflectionCase { soil, load, sandy, found })
            })
            .collect::<Result<Vec<_>, ValidationError>>()?;
        Ok(DeflectionCases { tire, cases })
    }

    /// Returns the ratios of each case.
    pub(super) fn ratios(&self) -> Vec<DeflectionRatios> {
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
        let of_case = |case: &DeflectionCase| {
            let own = [ratio(&case.found.pull)?, ratio(&case.found.towed)?];
            let band = case.band(&self.tire);
            Some(DeflectionRatios {
                soil: case.soil,
                sandy: case.sandy,
                load: case.load,
                matched: case.found.pull[MATCHED]?,
                pull: [own[0], mean(case.by_relations(&self.tire, |found| ratio(&found.pull)))],
                towed: [own[1], mean(case.by_relations(&self.tire, |found| ratio(&found.towed)))],
                rubber: self.tire.rubber_resistance(case.load, DEFLECTIONS[FLATTER])
                    / case.found.towed[FLATTER]?,
                pull_inside: band.map(|band| is_inside(own[0], band)),
                towed_inside: is_inside(own[1], TOWED_BAND),
            })
        };
        self.cases.iter().filter_map(of_case).collect()
    }

    /// Returns panels of pull over deflection on a sand and a clay.
    pub(super) fn panels(&self) -> Vec<PlotPanel> {
        let across = "deflection on a plate, % of the section height";
        ["dry_sand_lll", "heavy_clay_40_wes"]
            .map(|soil| panel(soil, across, "pull at slip 0.2 / load", self.lines(soil)))
            .into()
    }

    fn lines(&self, soil: &str) -> Vec<PlotLine> {
        let points = |figures: &[Option<f64>; DEFLECTIONS.len()]| -> Vec<[f64; 2]> {
            let each = DEFLECTIONS.into_iter().zip(figures);
            each.filter_map(|(deflection, figure)| Some([100.0 * deflection, (*figure)?])).collect()
        };
        let mut lines: Vec<PlotLine> = Vec::new();
        for case in self.cases.iter().filter(|case| case.soil == soil && case.load == LOADS[1]) {
            lines.push(line("default laws", LineStyle::Line, points(&case.found.pull)));
            for &(relation, name) in case.relations() {
                let Some(index) = case.cone_index(&self.tire, relation) else { continue };
                // Wismer and Luth have no term of deflection
                if relation == DeflectionRelation::WismerLuth {
                    continue;
                }
                let found = DeflectionSweep::new(relation, &self.tire, case.load, 1e3 * index);
                lines.push(line(name, LineStyle::Dashes, points(&found.pull)));
            }
        }
        lines
    }

    /// Adds how pull and towed resistance change with half the spacing, on a sand and a clay.
    pub(super) fn convergence(&self, page: &mut Page) -> Result<(), ValidationError> {
        let load = LOADS[1];
        let mut jobs = Vec::new();
        for soil in [SANDS[2], CLAYS[3]] {
            for motion in [pulling(SLIP), TOWED] {
                jobs.extend([(soil, motion, 0.02), (soil, motion, 0.01)]);
            }
        }
        let found = jobs
            .in_parallel(|&(soil, motion, spacing)| {
                let inflation = self.tire.inflation(load, DEFLECTIONS[FLATTER]).unwrap_or_default();
                let bed = catalog().find(soil)?.to_soil();
                let rig = self.tire.rig(&bed, load, inflation, motion);
                Ok(WheelRig { spacing, ..rig }.run()?.drawbar / load)
            })
            .collect::<Result<Vec<f64>, ValidationError>>()?;
        let changes = found.chunks(2).map(|own| own[1] - own[0]);
        page.text(format!(
            "Half the spacing of 2 cm changes pull and towed resistance on {} and {} at 25 % by at \
             most {} of the load.",
            SANDS[2],
            CLAYS[3],
            percent(super::page::worst(changes))
        ));
        Ok(())
    }

    /// Returns the strengths of the weakest passable clay at 10, 25 and 35 % over that at 15 %, each with
    /// that of the one-pass vehicle cone index.
    ///
    /// One factor multiplies k_c, k_φ, cohesion and elastic stiffness of the catalog's clay. Clay has
    /// almost no friction, so its cone index is proportional to that factor.
    pub(super) fn weakest_clay(&self) -> Result<Vec<[f64; 2]>, ValidationError> {
        let load = LOADS[1];
        let soil = catalog().find(CLAYS[3])?.to_soil();
        let found = DEFLECTIONS
            .in_parallel(|&deflection| {
                let inflation = self.tire.inflation(load, deflection).unwrap_or_default();
                Ok(weakest(&self.tire, &soil, load, inflation)?)
            })
            .collect::<Result<Vec<f64>, ValidationError>>()?;
        let others =
            DEFLECTIONS.into_iter().zip(&found).filter(|(own, _)| *own != DEFLECTIONS[MATCHED]);
        Ok(others
            .map(|(deflection, own)| [own / found[MATCHED], vehicle_cone_index_factor(deflection)])
            .collect())
    }
}

/// Slips among which the maximum pull is searched on soil that barely carries the tire.
const STRUGGLING: [f64; 4] = [0.1, 0.2, 0.4, 0.6];
/// Range of strengths in which the weakest soil is searched, relative to the catalog's.
const STRENGTHS: [f64; 2] = [0.05, 4.0];

/// Returns the soil with all its strength times a factor.
fn weakened(soil: &Soil, factor: f64) -> Soil {
    let mut weak = soil.clone();
    if let SoilKind::Deformable(own) = &mut weak.kind {
        *own = DeformableSoil {
            k_phi: factor * own.k_phi,
            k_c: factor * own.k_c,
            cohesion: factor * own.cohesion,
            elastic_stiffness: factor * own.elastic_stiffness,
            ..own.clone()
        };
    }
    weak
}

/// Returns whether the tire has positive pull at any slip.
fn passes(tire: &RubberTire, soil: &Soil, load: f64, inflation: f64) -> Result<bool, RigError> {
    for slip in STRUGGLING {
        match tire.rig(soil, load, inflation, pulling(slip)).run() {
            Ok(found) if found.drawbar > 0.0 => return Ok(true),
            // soil that does not carry the tire is not passable
            Ok(_) | Err(RigError::NotCarried { .. } | RigError::NotFinite { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

/// Returns the strength of the weakest passable soil, relative to the catalog's.
fn weakest(tire: &RubberTire, soil: &Soil, load: f64, inflation: f64) -> Result<f64, RigError> {
    let [mut low, mut high] = STRENGTHS;
    for _ in 0..10 {
        let middle = (low * high).sqrt();
        let on = passes(tire, &weakened(soil, middle), load, inflation)?;
        if on { high = middle } else { low = middle }
    }
    Ok(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inflations_give_their_deflections() {
        let tire = RubberTire::hmmwv().unwrap();
        for load in LOADS {
            for deflection in DEFLECTIONS {
                let Some(inflation) = tire.inflation(load, deflection) else {
                    assert_eq!((load, deflection), (LOADS[0], 0.35));
                    continue;
                };
                let found = tire.figures.deflection(inflation, load);
                assert!((found / (0.26 * deflection) - 1.0).abs() < 1e-6, "{found}");
            }
        }
    }

    /// The gain is within the span of the relations, at the strength of sand that the rig's own
    /// pull indicates.
    #[test]
    fn a_flatter_tire_gains_on_sand_as_the_relations_have_it() {
        let tire = RubberTire::hmmwv().unwrap();
        for soil in ["dry_sand_lll", "push_pull_silica_2020"] {
            let bed = catalog().find(soil).unwrap().to_soil();
            let found = DeflectionSweep::run(&tire, &bed, LOADS[0]).unwrap();
            let case = DeflectionCase { soil, load: LOADS[0], sandy: true, found };
            let band = case.band(&tire).unwrap();
            let [pull, towed] =
                [&case.found.pull, &case.found.towed].map(|own| ratio(own).unwrap());
            assert!(is_inside(pull, band), "{soil}: {pull}");
            assert!(is_inside(towed, TOWED_BAND), "{soil}: {towed}");
        }
    }
}
