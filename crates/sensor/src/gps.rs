//! Satellite navigation: fixes on WGS 84 with time-correlated errors.
//!
//! The error east, north and up is the sum of a fast Gauss–Markov process, a slow one and white
//! noise, all stationary from the start. Outages begin as a Poisson process and last exponentially
//! long. These statistics alone model an antenna between buildings or under trees; single
//! satellites are not modeled.

use super::noise::Noise;
use super::process::{GaussMarkov, axes};
use super::satellite_fix::Fix;
use bekker_math::geodesy::Site;
use bekker_math::numeric::ln;
use bekker_math::spatial::Vec3;
use serde::{Deserialize, Serialize};

/// Time-correlated part of the position error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CorrelatedError {
    /// Standard deviation east and north, each, m.
    pub horizontal: f64,
    /// Standard deviation up, m.
    pub vertical: f64,
    /// Correlation time, s.
    pub time: f64,
}

impl CorrelatedError {
    fn process(&self) -> GaussMarkov {
        let CorrelatedError { horizontal, vertical, time } = *self;
        GaussMarkov { sigma: Vec3::new(horizontal, horizontal, vertical), time }
    }
}

/// Intervals without a fix.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outages {
    /// Mean time from the end of an outage to the start of the next, s.
    pub interval: f64,
    /// Mean duration, s.
    pub duration: f64,
}

/// GPS receiver; immutable.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gps {
    /// Geodetic position of the world frame.
    pub site: Site,
    /// Error that is correlated over minutes.
    pub fast: CorrelatedError,
    /// Error that is correlated over hours, if any: orbits, ionosphere.
    pub slow: Option<CorrelatedError>,
    /// White position noise of each axis, m.
    pub white: f64,
    /// White noise of each velocity component, m/s.
    pub velocity: f64,
    /// Outages, if any.
    pub outages: Option<Outages>,
}

/// State of a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GpsState {
    fast: Vec3,
    slow: Vec3,
    outage: Outage,
}

/// Current or next outage, µs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Outage {
    number: u32,
    begins: u64,
    ends: u64,
}

/// Element indices that keep the draws of different purposes apart.
mod element {
    pub const FAST: u32 = 0;
    pub const SLOW: u32 = 1;
    pub const WHITE: u32 = 2;
    pub const VELOCITY: u32 = 3;
    pub const OUTAGE: u32 = 4;
}

impl GpsState {
    /// Returns whether the outage counter can still grow.
    pub fn can_count_outages(&self) -> bool {
        // even one outage per second reaches this number only after 2^20 s, longer than a week
        self.outage.number < 1 << 20
    }
}

impl Outage {
    fn next(outages: &Outages, after: u64, number: u32, noise: &Noise) -> Outage {
        let [wait, length, ..] = noise.uniforms(number, element::OUTAGE, 0);
        let exponential = |mean: f64, uniform: f64| (-mean * ln(uniform) * 1e6) as u64;
        let begins = after.saturating_add(exponential(outages.interval, wait));
        let ends = begins.saturating_add(exponential(outages.duration, length));
        Outage { number, begins, ends }
    }
}

impl Gps {
    /// Creates a receiver with the given fast and slow errors.
    ///
    /// `fast` holds the horizontal and vertical deviation, m, and the correlation time, s. `white`
    /// is the white noise, m. `slow` holds both deviations, m, with a correlation time of one hour.
    fn with_errors(site: Site, fast: [f64; 3], white: f64, slow: Option<[f64; 2]>) -> Gps {
        let [horizontal, vertical, time] = fast;
        let wander = |[horizontal, vertical]: [f64; 2]| CorrelatedError {
            horizontal,
            vertical,
            time: 3600.0,
        };
        Gps {
            site,
            fast: CorrelatedError { horizontal, vertical, time },
            slow: slow.map(wander),
            white,
            velocity: 0.05,
            outages: None,
        }
    }

    /// Returns the standard positioning service: single frequency, no corrections.
    pub fn sps(site: Site) -> Gps {
        Gps::with_errors(site, [2.0, 3.0, 200.0], 0.4, Some([1.0, 2.0]))
    }

    /// Returns a receiver with satellite corrections (WAAS, EGNOS).
    pub fn sbas(site: Site) -> Gps {
        Gps::with_errors(site, [0.7, 1.2, 200.0], 0.2, Some([0.3, 0.5]))
    }

    /// Returns a receiver with carrier phase against a base station, ambiguities not fixed.
    pub fn rtk_float(site: Site) -> Gps {
        Gps::with_errors(site, [0.3, 0.5, 60.0], 0.05, None)
    }

    /// Returns a receiver with carrier phase against a base station, ambiguities fixed.
    pub fn rtk_fixed(site: Site) -> Gps {
        Gps { velocity: 0.02, ..Gps::with_errors(site, [0.015, 0.025, 60.0], 0.005, None) }
    }

    /// Returns the state of a receiver when it is turned on.
    pub fn start(&self, noise: &Noise) -> GpsState {
        const TURN_ON: u32 = u32::MAX;
        let draw = |element| axes(noise.normals(TURN_ON, element, 0));
        let slow = |slow: CorrelatedError| slow.process().start(draw(element::SLOW));
        let never = Outage { number: 0, begins: u64::MAX, ends: u64::MAX };
        GpsState {
            fast: self.fast.process().start(draw(element::FAST)),
            slow: self.slow.map_or_else(Vec3::zeros, slow),
            outage: self.outages.map_or(never, |outages| Outage::next(&outages, 0, 0, noise)),
        }
    }

    /// Returns a fix of the antenna's mean position (world frame, m) and velocity (m/s) over the
    /// window.
    ///
    /// The fix is taken at `time_us`, `dt` seconds after the previous one.
    pub fn measure(
        &self,
        state: &mut GpsState,
        [position, velocity]: [&Vec3; 2],
        time_us: u64,
        dt: f64,
        noise: &Noise,
        frame: u32,
    ) -> Fix {
        let draw = |element| axes(noise.normals(frame, element, 0));
        state.fast = self.fast.process().step(&state.fast, dt, draw(element::FAST));
        if let Some(slow) = self.slow {
            state.slow = slow.process().step(&state.slow, dt, draw(element::SLOW));
        }
        while let Some(outages) = self.outages.filter(|_| state.outage.ends <= time_us) {
            let Outage { number, ends, .. } = state.outage;
            state.outage = Outage::next(&outages, ends, number + 1, noise);
        }
        let error = state.fast + state.slow + self.white * draw(element::WHITE);
        Fix {
            valid: time_us < state.outage.begins,
            place: self.site.to_geodetic(&(position + error)),
            velocity: self.site.east_north_up(position, velocity)
                + self.velocity * draw(element::VELOCITY),
            variance: self.variance(),
        }
    }

    /// Returns the variance of the position error east, north and up, m².
    pub fn variance(&self) -> Vec3 {
        let part = |wander: &CorrelatedError| wander.process().sigma.map(|s| s * s);
        let slow = self.slow.as_ref().map_or_else(Vec3::zeros, part);
        part(&self.fast) + slow + Vec3::repeat(self.white * self.white)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::geodesy::Geodetic;

    fn site() -> Site {
        Site::new(Geodetic::degrees(47.0, 11.0, 500.0))
    }

    /// Returns the errors in the world frame of 1 Hz fixes of a stationary antenna.
    fn errors(gps: &Gps, agent: u32, seconds: u32) -> Vec<Vec3> {
        let noise = Noise::new(3, agent, 0);
        let mut state = gps.start(&noise);
        let truth = Vec3::new(100.0, -50.0, 2.0);
        let fix = |frame: u32| {
            let time = u64::from(frame) * 1_000_000;
            let fix = gps.measure(&mut state, [&truth, &Vec3::zeros()], time, 1.0, &noise, frame);
            gps.site.point(&fix.place).unwrap() - truth
        };
        (1..=seconds).map(fix).collect()
    }

    /// Checks the variance of every preset at one time over 1500 receivers.
    ///
    /// The relative standard error of a variance is √(2/1500) = 3.7 %, and 2.6 % for both
    /// horizontal axes together. Four standard errors are allowed.
    #[test]
    fn fixes_scatter_by_their_service() {
        for gps in
            [Gps::sps, Gps::sbas, Gps::rtk_float, Gps::rtk_fixed].map(|preset| preset(site()))
        {
            let errors: Vec<Vec3> =
                (0..1500).map(|agent| *errors(&gps, agent, 3).last().unwrap()).collect();
            let mean = |f: &dyn Fn(&Vec3) -> f64| errors.iter().map(f).sum::<f64>() / 1500.0;
            let expected = gps.variance();
            let horizontal = mean(&|e| 0.5 * (e.x * e.x + e.y * e.y));
            assert!((horizontal / expected.x - 1.0).abs() < 4.0 * 0.026, "{gps:?}: {horizontal}");
            let vertical = mean(&|e| e.z * e.z);
            assert!((vertical / expected.z - 1.0).abs() < 4.0 * 0.037, "{gps:?}: {vertical}");
            let bias = Vec3::new(mean(&|e| e.x), mean(&|e| e.y), mean(&|e| e.z));
            let allowed = 4.0 * (expected / 1500.0).map(f64::sqrt);
            assert!(bias.abs().iter().zip(allowed.iter()).all(|(b, a)| b < a), "{bias}");
        }
    }

    /// Checks the autocorrelation of RTK-float: σ² e^(-t/60) at lags beyond the white noise.
    ///
    /// 40 receivers of 1200 s have about 40·1200/(2·60) = 400 independent values per component. For
    /// two components the standard error of a correlation is 0.035; four are allowed.
    #[test]
    fn errors_are_correlated_over_their_time() {
        let gps = Gps::rtk_float(site());
        let runs: Vec<Vec<Vec3>> = (0..40).map(|agent| errors(&gps, agent, 1200)).collect();
        for lag in [10usize, 60, 120] {
            let products = runs.iter().flat_map(|run| {
                run.iter().zip(&run[lag..]).map(|(a, b)| 0.5 * (a.x * b.x + a.y * b.y))
            });
            let mean = products.sum::<f64>() / (40.0 * (1200 - lag) as f64);
            let expected = (-(lag as f64) / 60.0).exp();
            let correlation = mean / (0.3 * 0.3);
            assert!((correlation - expected).abs() < 4.0 * 0.035, "lag {lag}: {correlation}");
        }
    }

    /// Checks the share of time without a fix: duration / (interval + duration), here 10/40.
    ///
    /// The run covers 40 hours or 3600 outages: the relative standard error is √(2/3600) = 2.4 %,
    /// and four are allowed.
    #[test]
    fn outages_take_their_share_of_time() {
        let outages = Outages { interval: 30.0, duration: 10.0 };
        let gps = Gps { outages: Some(outages), ..Gps::rtk_fixed(site()) };
        let (mut lost, mut begun) = (0u32, 0u32);
        for agent in 0..40 {
            let noise = Noise::new(4, agent, 0);
            let mut state = gps.start(&noise);
            let mut before = true;
            for frame in 1..=3600 {
                let (still, time) = (Vec3::zeros(), u64::from(frame) * 1_000_000);
                let fix = gps.measure(&mut state, [&still; 2], time, 1.0, &noise, frame);
                lost += u32::from(!fix.valid);
                begun += u32::from(before && !fix.valid);
                before = fix.valid;
            }
        }
        let share = f64::from(lost) / (40.0 * 3600.0);
        assert!((share / 0.25 - 1.0).abs() < 4.0 * 0.024, "{share}");
        // some outages begin and end between two fixes: at least e^(-1/10) of them are seen
        assert!((3000..3800).contains(&begun), "{begun}");
    }
}
