//! Satellite navigation: fixes on WGS 84 whose errors wander.
//!
//! The error in east, north and up is a fast Gauss–Markov process, a slow one and
//! white noise (all stationary from the start); outages begin as a Poisson process
//! and last exponentially long. An antenna between buildings or under trees is not
//! modelled other than by these statistics; neither are satellites one by one.

use super::noise::Noise;
use super::process::{GaussMarkov, axes};
use super::satellite_fix::Fix;
use bekker_math::geodesy::Site;
use bekker_math::numeric::ln;
use bekker_math::spatial::Vec3;
use serde::{Deserialize, Serialize};

/// One part of the error that wanders.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wander {
    /// Standard deviation east and north, each, m.
    pub horizontal: f64,
    /// Standard deviation up, m.
    pub vertical: f64,
    /// Correlation time, s.
    pub time: f64,
}

impl Wander {
    fn process(&self) -> GaussMarkov {
        let Wander { horizontal, vertical, time } = *self;
        GaussMarkov { sigma: Vec3::new(horizontal, horizontal, vertical), time }
    }
}

/// Times without a fix.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outages {
    /// Mean time between the end of one and the beginning of the next, s.
    pub interval: f64,
    /// Mean duration, s.
    pub duration: f64,
}

/// A receiver; immutable.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gps {
    /// Where the world frame lies on the earth.
    pub site: Site,
    /// Error of minutes.
    pub fast: Wander,
    /// Error of hours, if any: orbits, ionosphere.
    pub slow: Option<Wander>,
    /// White noise of each axis, m.
    pub white: f64,
    /// White noise of each component of the velocity, m/s.
    pub velocity: f64,
    /// Times without a fix, if any.
    pub outages: Option<Outages>,
}

/// State of a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GpsState {
    fast: Vec3,
    slow: Vec3,
    outage: Outage,
}

/// The outage that is, or comes next, µs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Outage {
    number: u32,
    begins: u64,
    ends: u64,
}

/// Uses of draws.
mod element {
    pub const FAST: u32 = 0;
    pub const SLOW: u32 = 1;
    pub const WHITE: u32 = 2;
    pub const VELOCITY: u32 = 3;
    pub const OUTAGE: u32 = 4;
}

impl GpsState {
    /// Whether there may be outages after the one that is.
    pub fn can_go_on(&self) -> bool {
        // there is not one a microsecond in a run of a week, nor one a second in a million
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
    /// A receiver with this fast error (horizontal, vertical, m, and time, s) and
    /// white noise, m.
    fn of_service(site: Site, fast: [f64; 3], white: f64, slow: Option<[f64; 2]>) -> Gps {
        let [horizontal, vertical, time] = fast;
        let wander =
            |[horizontal, vertical]: [f64; 2]| Wander { horizontal, vertical, time: 3600.0 };
        Gps {
            site,
            fast: Wander { horizontal, vertical, time },
            slow: slow.map(wander),
            white,
            velocity: 0.05,
            outages: None,
        }
    }

    /// Standard positioning service: one frequency, no corrections.
    pub fn sps(site: Site) -> Gps {
        Gps::of_service(site, [2.0, 3.0, 200.0], 0.4, Some([1.0, 2.0]))
    }

    /// With corrections from satellites (WAAS, EGNOS).
    pub fn sbas(site: Site) -> Gps {
        Gps::of_service(site, [0.7, 1.2, 200.0], 0.2, Some([0.3, 0.5]))
    }

    /// Carrier phase against a base, ambiguities not fixed.
    pub fn rtk_float(site: Site) -> Gps {
        Gps::of_service(site, [0.3, 0.5, 60.0], 0.05, None)
    }

    /// Carrier phase against a base, ambiguities fixed.
    pub fn rtk_fixed(site: Site) -> Gps {
        Gps { velocity: 0.02, ..Gps::of_service(site, [0.015, 0.025, 60.0], 0.005, None) }
    }

    /// A receiver as it is turned on.
    pub fn start(&self, noise: &Noise) -> GpsState {
        const TURN_ON: u32 = u32::MAX;
        let draw = |element| axes(noise.normals(TURN_ON, element, 0));
        let slow = |slow: Wander| slow.process().start(draw(element::SLOW));
        let never = Outage { number: 0, begins: u64::MAX, ends: u64::MAX };
        GpsState {
            fast: self.fast.process().start(draw(element::FAST)),
            slow: self.slow.map_or_else(Vec3::zeros, slow),
            outage: self.outages.map_or(never, |outages| Outage::next(&outages, 0, 0, noise)),
        }
    }

    /// A fix of the antenna's mean position (world frame, m) and velocity (m/s) over the
    /// window, taken at `time_us`, `dt` seconds after the last.
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
            place: self.site.place(&(position + error)),
            velocity: self.site.east_north_up(position, velocity)
                + self.velocity * draw(element::VELOCITY),
            variance: self.variance(),
        }
    }

    /// Variance of the error east, north and up, m².
    pub fn variance(&self) -> Vec3 {
        let part = |wander: &Wander| wander.process().sigma.map(|s| s * s);
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

    /// Errors in the world frame of 1 Hz fixes of a standing antenna.
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

    /// Every preset: variance at one moment over 1500 receivers (relative standard error
    /// of a variance √(2/1500) = 3.7 %, the two horizontal ones 2.6 %), four allowed.
    #[test]
    fn fixes_scatter_as_their_service_says() {
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

    /// Autocorrelation of RTK-float: σ² e^(-t/60) at lags beyond the white noise. Over
    /// 40 receivers of 1200 s there are about 40·1200/(2·60) = 400 independent values a
    /// component, two components: standard error of a correlation 0.035, four allowed.
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

    /// Share of time without a fix: duration / (interval + duration), here 10/40, over
    /// 40 hours or 3600 outages: relative standard error √(2/3600) = 2.4 %, four allowed.
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
        // some fall between two fixes: e^(-1/10) of them are seen at least
        assert!((3000..3800).contains(&begun), "{begun}");
    }
}
