//! CRREL's wheels in snow.

use super::page::{
    Page, ValidationError, WorstError, errors, grade, line, panel, percent, range, rms,
    unsigned_percent, worst,
};
use super::tracks::tracked;
use bekker_agent::{RunningGearKind, SoilClass};
use bekker_ground::scm::Underside;
use bekker_ground::soil::catalog::catalog;
use bekker_ground::soil::{Laws, SnowCover, Soil, SoilKind};
use bekker_rig::{
    InParallel, LineStyle, Rig, RigError, SnowBase, TrackMotion, TrackRig, WheelResult, WheelRig,
    WheelRigMotion, WinterSurface, packed_density, packed_rut_depth, wheel_resistance,
};

const MEASURED: &str = include_str!("measured/crrel_snow.csv");
/// Width of the instrumented wheel, m: the nominal width of its LT 235/75R15.
///
/// With it, CRREL's own formula meets the mean of the measurements (.0687 for .0685).
const WIDTH: f64 = 0.235;
/// Radius of the wheel, m.
const RADIUS: f64 = 0.38;
/// Load of the wheel, N.
const LOAD: f64 = 6800.0;

/// Drag of a wheel in the rut of one other over its load: the default of the key.
const TRAILING: f64 = 0.035;

/// Densities at which resistance is compared with CRREL's formula, kg/m³.
const DENSITIES: [f64; 7] = [110.0, 150.0, 200.0, 250.0, 300.0, 350.0, 400.0];

/// Measured row, m and kg/m³.
#[derive(Clone, Copy, Debug, PartialEq)]
struct SnowRow {
    depth: f64,
    sinkage: f64,
    resistance: f64,
    density: f64,
}

fn measured() -> Vec<SnowRow> {
    let rows = MEASURED.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.filter_map(|row| {
        let figures: Vec<f64> = row.split(',').filter_map(|cell| cell.parse().ok()).collect();
        let [depth, sinkage, resistance, density] = figures.try_into().ok()?;
        Some(SnowRow { depth, sinkage, resistance, density })
    })
    .collect()
}

/// Model of the snow under a wheel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnowModel {
    /// All snow packs to 500 kg/m³ (CRREL report 95-7, up to 210 kPa) on Harrison's curve.
    ///
    /// No parameter is fitted.
    Stays,
    /// A share of the snow leaves the track, fitted to these rows.
    ///
    /// The rest packs to 550 kg/m³ at the pressure that its density implies.
    Leaves,
}

impl SnowModel {
    /// Returns snow of a depth and density over frozen ground.
    fn soil(self, depth: f64, density: f64) -> Result<Soil, ValidationError> {
        let (packed_density, share_leaving) = match self {
            SnowModel::Stays => (500.0, 0.0),
            SnowModel::Leaves => (550.0, 0.42),
        };
        let crushing_pressure = None;
        let cover = SnowCover {
            depth,
            density,
            packed_density,
            share_leaving,
            crushing_pressure,
            trailing_resistance: TRAILING,
        };
        if self == SnowModel::Leaves {
            return crushed(&cover);
        }
        let mut soil: Soil = catalog().find("deep_snow")?.to_soil();
        if let SoilKind::Deformable(snow) = &mut soil.kind {
            cover.apply_to(&mut snow.details);
            snow.details.density = Some(density);
        }
        Ok(soil)
    }

    fn roll(self, depth: f64, density: f64) -> Result<WheelResult, ValidationError> {
        roll(self.soil(depth, density)?)
    }
}

/// Root-mean-square errors over the measured rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SnowErrors {
    /// Error of the rut, m.
    pub sinkage: f64,
    /// Mean error of the rut, m.
    pub bias: f64,
    /// Error of resistance over load.
    pub resistance: f64,
}

/// Runs each measured row.
fn runs(snow: SnowModel) -> Result<Vec<(SnowRow, WheelResult)>, ValidationError> {
    measured().in_parallel(|&row| Ok((row, snow.roll(row.depth, row.density)?))).collect()
}

fn errors_of(runs: &[(SnowRow, WheelResult)]) -> SnowErrors {
    let mean = |error: &dyn Fn(&(SnowRow, WheelResult)) -> f64| {
        runs.iter().map(error).sum::<f64>() / runs.len() as f64
    };
    let rut = |(row, run): &(SnowRow, WheelResult)| run.rut - row.sinkage;
    let resistance = |(row, run): &(SnowRow, WheelResult)| run.compaction / LOAD - row.resistance;
    SnowErrors {
        sinkage: mean(&|pair| rut(pair) * rut(pair)).sqrt(),
        bias: mean(&rut),
        resistance: mean(&|pair| resistance(pair) * resistance(pair)).sqrt(),
    }
}

/// Returns the errors of the wheel in snow for CRREL's 27 rows.
///
/// # Errors
/// A run that fails.
pub fn snow_errors(snow: SnowModel) -> Result<SnowErrors, ValidationError> {
    Ok(errors_of(&runs(snow)?))
}

/// Motion resistance of the wheel in snow of a density.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SnowResistance {
    /// Density of the snow, kg/m³.
    pub density: f64,
    /// Resistance of the rig over the load.
    pub rig: f64,
    /// Resistance by CRREL's formula at the rig's rut over the load.
    pub formula: f64,
}

/// Returns the resistance of the wheel over the density of snow.
///
/// The snow has a depth, m, and a share that leaves the track.
///
/// # Errors
/// A run that fails.
pub fn snow_resistance(
    depth: f64,
    share_leaving: f64,
    densities: &[f64],
) -> Result<Vec<SnowResistance>, ValidationError> {
    let run = |&density: &f64| {
        let (packed_density, crushing_pressure) = (550.0, None);
        let cover = SnowCover {
            depth,
            density,
            packed_density,
            share_leaving,
            crushing_pressure,
            trailing_resistance: TRAILING,
        };
        let found = roll(crushed(&cover)?)?;
        let formula = wheel_resistance(density, WIDTH, RADIUS, found.rut) / LOAD;
        Ok(SnowResistance { density, rig: found.compaction / LOAD, formula })
    };
    densities.in_parallel(run).collect()
}

/// Returns snow at its crushing pressure over frozen ground, with the shear strength of
/// `deep_snow`.
fn crushed(cover: &SnowCover) -> Result<Soil, ValidationError> {
    let mut soil: Soil = catalog().find("deep_snow")?.to_soil();
    if let SoilKind::Deformable(snow) = &mut soil.kind {
        [snow.k_phi, snow.k_c, snow.n] = cover.pressure_sinkage();
        cover.apply_to(&mut snow.details);
        snow.details.density = Some(cover.density);
    }
    Ok(soil)
}

/// Rolls the wheel through the snow.
fn roll(soil: Soil) -> Result<WheelResult, ValidationError> {
    Ok(in_snow(soil, LOAD)?.run()?)
}

/// Returns the rig of the wheel under a load, N.
fn in_snow(soil: Soil, load: f64) -> Result<WheelRig, ValidationError> {
    let wheel = Underside::cylinder(RADIUS, WIDTH)?;
    let motion = WheelRigMotion::Rolling { speed: 1.0, slip: 0.05 };
    Ok(WheelRig { laws: Laws::refined(), ..WheelRig::new(soil, wheel, load, motion) })
}

/// Returns the motion resistance of the first wheels in a rut over their load.
///
/// # Errors
/// A run that fails.
pub fn rut_resistance(
    depth: f64,
    density: f64,
    wheels: usize,
) -> Result<Vec<f64>, ValidationError> {
    let rig = in_snow(SnowModel::Leaves.soil(depth, density)?, LOAD)?;
    let resistance = |run: &WheelResult| (run.compaction + run.works.bulldozing) / LOAD;
    Ok(rig.passes(wheels)?.iter().map(resistance).collect())
}

/// Page on snow.
pub(super) fn page() -> Result<Page, ValidationError> {
    let mut page = Page::new("snow", "Snow");
    let [leaves, stays] = [runs(SnowModel::Leaves)?, runs(SnowModel::Stays)?];
    let scatter = scatter(&leaves);
    describe(&mut page, scatter);
    chart(&mut page)?;
    let reference = reference_runs();
    let [a, b] = [errors_of(&leaves), errors_of(&stays)];
    let wheels = leaves.len();
    let rut =
        |own: &SnowErrors| format!("{:.1} mm, mean {:+.1}", 1e3 * own.sinkage, 1e3 * own.bias);
    let resistance = |own: &SnowErrors| format!("{:.3}", own.resistance);
    let sinks = || format!("{} of {wheels} wheels are not carried", reference.0);
    let theirs = |of: &dyn Fn(&SnowErrors) -> String| reference.1.as_ref().map_or_else(sinks, of);
    let mut table = Vec::new();
    for (name, own) in
        [("CRREL's wheel, share 0.42 leaves", &a), ("CRREL's wheel, all snow stays", &b)]
    {
        table.push(errors(name, "rut, rms", wheels, [rut(own), theirs(&rut)]));
        table.push(errors(
            name,
            "resistance over load, rms",
            wheels,
            [resistance(own), theirs(&resistance)],
        ));
    }
    let (count, over_density) = over_density()?;
    let none = || "ignores snow".to_owned();
    table.push(errors(
        "CRREL's formula, 110 to 400 kg/m3",
        "resistance, worst",
        count,
        [percent(over_density), none()],
    ));
    let trailing = trailing()?;
    table.push(errors(
        "CRREL's formula, second and third wheel",
        "resistance over load, worst",
        3,
        [format!("{trailing:+.3}"), none()],
    ));
    let m113 = m113_in_snow()?;
    for (name, quantity, error) in [
        ("CRM-1, M113, all snow stays", "rut, worst", m113.rut),
        ("CRM-1, M113, both", "traction, worst", m113.traction),
        ("CRM-1, M113, share 0.42 leaves", "resistance of the snow, worst", m113.leaves),
        ("CRM-1, M113, all snow stays", "resistance of the snow, worst", m113.stays),
    ] {
        table.push(errors(name, quantity, 2, [percent(error), none()]));
    }
    page.errors(table);
    page.text(m113.sentence);
    let normalized = a.resistance / rms(leaves.iter().map(|(row, _)| row.resistance));
    page.verdict = format!(
        "With the fitted share of snow that leaves, the rut of a wheel is {} and its resistance {}; \
         traction of the M113, held out, is {}.",
        grade(a.sinkage / rms(leaves.iter().map(|(row, _)| row.sinkage))),
        grade(normalized),
        grade(m113.traction)
    );
    page.summary.data = "CRREL's wheel, measured; CRM-1's M113, relation, held out".into();
    page.summary.verdict = grade(normalized);
    page.summary.default_error = format!(
        "wheel: rut {:.1} mm, resistance {:.3} of the load; M113: traction {}, snow's resistance {}",
        1e3 * a.sinkage,
        a.resistance,
        unsigned_percent(m113.traction),
        unsigned_percent(m113.leaves)
    );
    page.summary.reference_error = reference.1.as_ref().map_or_else(sinks, |own| {
        format!(
            "wheel: rut {:.0} mm, resistance {:.3} of the load",
            1e3 * own.sinkage,
            own.resistance
        )
    });
    page.summary.worst = worst_mean(&leaves);
    failures(&mut page, m113.stays);
    Ok(page)
}

fn describe(page: &mut Page, scatter: f64) {
    page.data(
        "CRREL TR-01-16, table 11, rows 1 to 27: wheel of 38 cm radius, 6.8 kN, 13 to 22 cm of snow of \
         110 to 220 kg/m3",
        "measured",
        &format!(
            "depths to 1 cm; rows under equal conditions scatter by {scatter:.3} of the load; width of \
             23.5 cm assumed; the share that leaves, 0.42, is fitted to them"
        ),
    );
    page.data(
        "CRREL 95-7, equation 8: resistance of leading and trailing wheels",
        "relation",
        "the crushing pressure's exponent is its own and its factor is fitted to it",
    );
    page.data(
        "CRREL 95-1, table A5: CRM-1 (NRMM II), M113 in 12 and 15 cm of snow of 200 kg/m3",
        "relation, **held out**",
        "output of a model, reproduced to all digits by its formulas; nothing is fitted to a track",
    );
    page.range = format!(
        "wheels {}; tracks {}",
        range(RunningGearKind::RigidWheel, SoilClass::Snow),
        range(RunningGearKind::Track, SoilClass::Snow)
    );
    page.conditions =
        "Snow over frozen ground. *Stays*: the catalog's `deep_snow` packs to 500 kg/m3 \
        (CRREL 95-7). *Leaves*: 0.42 of the snow leaves the track, the rest packs to 550 kg/m3 at \
        the crushing pressure 22 kPa (ρ/200)^1.26. Resistance is that of compaction. M113: 1 m/s, \
        slip 0.3, nodes 5 cm apart, resistance without that of the tracks themselves."
            .into();
}

/// Returns the root mean square deviation of measured resistances under equal conditions.
fn scatter(runs: &[(SnowRow, WheelResult)]) -> f64 {
    let mut rows: Vec<SnowRow> = runs.iter().map(|(row, _)| *row).collect();
    let key = |row: &SnowRow| (row.density, row.depth);
    rows.sort_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal));
    let groups = rows.chunk_by(|a, b| key(a) == key(b)).filter(|own| own.len() > 1);
    let (mut sum, mut freedom) = (0.0, 0.0);
    for own in groups {
        let mean = own.iter().map(|row| row.resistance).sum::<f64>() / own.len() as f64;
        sum += own.iter().map(|row| (row.resistance - mean) * (row.resistance - mean)).sum::<f64>();
        freedom += own.len() as f64 - 1.0;
    }
    (sum / f64::max(freedom, 1.0)).sqrt()
}

/// Returns the worst error of resistance from the mean of rows under equal conditions.
fn worst_mean(runs: &[(SnowRow, WheelResult)]) -> Option<WorstError> {
    let each = runs.iter().map(|(row, run)| {
        let alike =
            || runs.iter().filter(|(own, _)| own.density == row.density && own.depth == row.depth);
        let mean = alike().map(|(own, _)| own.resistance).sum::<f64>() / alike().count() as f64;
        let found = run.compaction / LOAD;
        WorstError {
            case: format!(
                "resistance over load, CRREL's wheel, {:.0} cm of {:.0} kg/m3 (mean of {})",
                100.0 * row.depth,
                row.density,
                alike().count()
            ),
            kind: "measured".into(),
            expected: format!("{mean:.3}"),
            found: format!("{found:.3}"),
            error: found / mean - 1.0,
        }
    });
    each.max_by(|a, b| a.error.abs().total_cmp(&b.error.abs()))
}

/// Runs the rows on `deep_snow` under the reference laws; returns how many wheels are not carried, and
/// the errors if all are.
fn reference_runs() -> (usize, Option<SnowErrors>) {
    let rows = measured();
    let found = rows.in_parallel(|row| {
        let rig = in_snow(SnowModel::Stays.soil(row.depth, row.density)?, LOAD)?;
        Ok((*row, WheelRig { laws: Laws::reference(), ..rig }.run()?))
    });
    let found: Vec<Result<(SnowRow, WheelResult), ValidationError>> = found.collect();
    let failed = |own: &&Result<_, ValidationError>| {
        matches!(
            own,
            Err(ValidationError::Rig(RigError::NotCarried { .. } | RigError::NotFinite { .. }))
        )
    };
    let count = found.iter().filter(failed).count();
    let pairs: Vec<(SnowRow, WheelResult)> = found.into_iter().flatten().collect();
    (count, (pairs.len() == rows.len()).then(|| errors_of(&pairs)))
}

/// Returns the number of runs and the worst error of resistance from CRREL's formula at the rig's rut, in
/// 13 and 20 cm of snow that stays or leaves by 0.42.
fn over_density() -> Result<(usize, f64), ValidationError> {
    let mut found = Vec::new();
    for (depth, share) in [(0.13, 0.0), (0.2, 0.0), (0.13, 0.42), (0.2, 0.42)] {
        found.extend(snow_resistance(depth, share, &DENSITIES)?);
    }
    Ok((found.len(), worst(found.iter().map(|own| own.rig / own.formula - 1.0))))
}

/// Returns the worst difference of the resistance over load of the second and third wheel in a rut from
/// CRREL 95-7, equation 8: 0.0475 h_r and 0.0246 h_r, h_r = h/0.22 m, at least 1.
fn trailing() -> Result<f64, ValidationError> {
    let cases = [(0.13, 160.0), (0.2, 220.0), (0.3, 220.0)];
    let found = cases
        .in_parallel(|&(depth, density): &(f64, f64)| {
            let deep = (depth / 0.22).max(1.0);
            let own = rut_resistance(depth, density, 3)?;
            Ok(worst([own[1] - 0.0475 * deep, own[2] - 0.0246 * deep]))
        })
        .collect::<Result<Vec<f64>, ValidationError>>()?;
    Ok(worst(found))
}

/// Adds the chart of rut and resistance over the depth of the snow.
fn chart(page: &mut Page) -> Result<(), ValidationError> {
    let depths = [0.12, 0.14, 0.16, 0.18, 0.2, 0.22];
    let models = [(165.0, "160 and 170 kg/m3"), (220.0, "220 kg/m3")];
    let cases: Vec<(f64, f64)> =
        models.iter().flat_map(|(density, _)| depths.map(|depth| (*density, depth))).collect();
    let found = cases
        .in_parallel(|&(density, depth)| {
            let run = SnowModel::Leaves.roll(depth, density)?;
            Ok([100.0 * depth, 100.0 * run.rut, run.compaction / LOAD])
        })
        .collect::<Result<Vec<[f64; 3]>, ValidationError>>()?;
    let rows = measured();
    let lines = |figure: fn(&SnowRow) -> f64, which: usize| {
        let mut lines = Vec::new();
        for ((density, name), own) in models.iter().zip(found.chunks(depths.len())) {
            let alike = rows.iter().filter(|row| (row.density - density).abs() < 10.0);
            let dots = alike.map(|row| [100.0 * row.depth, figure(row)]).collect();
            lines.push(line(&format!("measured, {name}"), LineStyle::Dots, dots));
            let curve = own.iter().map(|own| [own[0], own[which]]).collect();
            lines.push(line(&format!("default, {density:.0} kg/m3"), LineStyle::Line, curve));
        }
        lines
    };
    page.chart(
        "CRREL's wheel in snow",
        "38 cm radius, 6.8 kN; default laws with 0.42 of the snow leaving the track",
        vec![
            panel("", "depth of snow, cm", "rut, cm", lines(|row| 100.0 * row.sinkage, 1)),
            panel("", "depth of snow, cm", "resistance over load", lines(|row| row.resistance, 2)),
        ],
    );
    Ok(())
}

/// Errors of the M113 in shallow snow against CRM-1, relative.
struct TrackErrors {
    rut: f64,
    traction: f64,
    leaves: f64,
    stays: f64,
    sentence: String,
}

/// Compares the M113 in 12 and 15 cm of snow of 200 kg/m³ with CRM-1.
///
/// CRM-1's resistance is a sum; on packed snow on a road it is 0.0375 of the weight, that of the tracks
/// themselves. The values printed for 12 cm are over ice, for which no row lists the resistance of the
/// tracks; the road's is used.
fn m113_in_snow() -> Result<TrackErrors, ValidationError> {
    let (weight, area) = (104_092.49, 2.032_212_2);
    let pressure: f64 = weight / area;
    let traction = WinterSurface::Undisturbed.traction(pressure) / pressure;
    let cases = [(0.15, 5585.4), (0.12, 5275.1)];
    let found = cases
        .in_parallel(|&(depth, printed): &(f64, f64)| {
            let run = |snow: SnowModel| {
                let motion = TrackMotion::Straight { speed: 1.0, slip: 0.3 };
                let rig = TrackRig {
                    laws: Laws::refined(),
                    duration: 4.0,
                    ..TrackRig::new(tracked("m113"), snow.soil(depth, 200.0)?, motion)
                };
                let found = rig.run()?;
                let own = [found.thrust, found.resistance].map(|force| force / rig.weight());
                Ok::<_, ValidationError>((found.sinkage, own))
            };
            let of_snow = printed / weight - SnowBase::Road.resistance();
            let rut = packed_rut_depth(depth, 200.0, packed_density(pressure));
            let [leaves, stays] = [run(SnowModel::Leaves)?, run(SnowModel::Stays)?];
            let pulled = worst([leaves.1[0], stays.1[0]].map(|own| own / traction - 1.0));
            Ok((
                [
                    stays.0 / rut - 1.0,
                    pulled,
                    leaves.1[1] / of_snow - 1.0,
                    stays.1[1] / of_snow - 1.0,
                ],
                [of_snow, leaves.1[1]],
            ))
        })
        .collect::<Result<Vec<([f64; 4], [f64; 2])>, ValidationError>>()?;
    let [rut, traction_error, leaves, stays] =
        [0, 1, 2, 3].map(|k| worst(found.iter().map(|own| own.0[k])));
    let [theirs, own] = found[0].1;
    let road = SnowBase::Road.resistance();
    let sentence = format!(
        "In 15 cm the snow resists the M113 with {own:.4} of the weight (CRM-1 {theirs:.4}). With \
         CRM-1's resistance of the tracks, `drive.resistance = {{ coefficient = {road} }}`, it is {:.4} \
         in all (CRM-1 {:.4}). CRM-1's traction is {traction:.3} of the weight.",
        own + road,
        theirs + road
    );
    Ok(TrackErrors { rut, traction: traction_error, leaves, stays, sentence })
}

fn failures(page: &mut Page, stays: f64) {
    page.failure(
        "The share that leaves: if all snow were packed in the track, the measured ruts would need \
         snow of 220 kg/m3 to be packed beyond ice. Nothing here predicts the share.",
    );
    page.failure(format!(
        "`deep_snow` without a `crushing_pressure`: Harrison's curve carries 5 kPa at 9 cm, and the \
         M113's resistance of the snow is off by {}.",
        percent(stays)
    ));
    page.failure("Trailing wheels follow the formula's own drag, so the comparison shows no more than that the rig keeps it.");
}
