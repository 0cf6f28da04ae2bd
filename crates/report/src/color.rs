//! Colors, mixed in Oklab (Ottosson 2020), in which equal steps look equal.

use std::sync::LazyLock;

/// A color, sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

pub(super) const WHITE: Rgb = Rgb(255, 255, 255);
pub(super) const INK: Rgb = Rgb(31, 41, 51);
pub(super) const SECONDARY: Rgb = Rgb(97, 110, 124);
pub(super) const RULE: Rgb = Rgb(214, 219, 225);
pub(super) const GRID: Rgb = Rgb(232, 235, 239);
pub(super) const ALARM: Rgb = Rgb(200, 30, 45);

/// Colors of vehicles and series, equal to those of the viewer's page (`page/palette.js`).
///
/// Found by search from the palette of M. Okabe and K. Ito. Any two are at least 0.1 apart in Oklab
/// with common color vision and with deuteranopia or protanopia, as the tests verify. Each
/// contrasts with white.
const LINES: [Rgb; 8] = [
    Rgb(0, 104, 178),
    Rgb(220, 125, 0),
    Rgb(0, 113, 102),
    Rgb(209, 117, 154),
    Rgb(86, 180, 233),
    Rgb(119, 91, 14),
    Rgb(57, 48, 32),
    Rgb(96, 3, 100),
];

/// Color of line `n`; colors repeat after eight.
pub(super) fn line(n: usize) -> Rgb {
    LINES[n % LINES.len()]
}

/// A color in Oklab: lightness from 0 to 1, green–red (`a`), blue–yellow (`b`).
#[derive(Clone, Copy, Debug)]
pub(super) struct Oklab {
    pub lightness: f64,
    pub a: f64,
    pub b: f64,
}

impl Oklab {
    pub fn from_rgb(color: Rgb) -> Oklab {
        let [r, g, b] = [color.0, color.1, color.2].map(|c| LINEAR[usize::from(c)]);
        let l = (0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b).cbrt();
        let m = (0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b).cbrt();
        let s = (0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b).cbrt();
        Oklab {
            lightness: 0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s,
            a: 1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s,
            b: 0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s,
        }
    }

    pub fn rgb(self) -> Rgb {
        let Oklab { lightness, a, b } = self;
        let cube = |x: f64| x * x * x;
        let l = cube(lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b);
        let m = cube(lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b);
        let s = cube(lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b);
        Rgb(
            channel(4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s),
            channel(-1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s),
            channel(-0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s),
        )
    }

    pub fn mix(self, other: Oklab, share: f64) -> Oklab {
        let blend = |from: f64, to: f64| from + share * (to - from);
        Oklab {
            lightness: blend(self.lightness, other.lightness),
            a: blend(self.a, other.a),
            b: blend(self.b, other.b),
        }
    }
}

fn linear(x: f64) -> f64 {
    if x <= 0.040_45 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
}

/// Linear values of the channel values, because a power for each pixel is slow.
static LINEAR: LazyLock<[f64; 256]> =
    LazyLock::new(|| std::array::from_fn(|k| linear(k as f64 / 255.0)));

/// Tables that convert a linear value to a channel.
struct ChannelTable {
    /// Smallest linear value of each channel value.
    least: [f64; 256],
    /// Channel value at the start of each of 4096 intervals from 0 to 1.
    start: [u8; 4096],
}

static CHANNELS: LazyLock<ChannelTable> = LazyLock::new(|| {
    let least = std::array::from_fn(|k| linear((k as f64 - 0.5) / 255.0));
    let at = |n: usize| {
        let value = n as f64 / 4096.0;
        (least.partition_point(|own| *own <= value) - 1) as u8
    };
    ChannelTable { least, start: std::array::from_fn(at) }
});

/// Channel of sRGB, 0 to 255, of a linear value.
fn channel(x: f64) -> u8 {
    let x = x.clamp(0.0, 1.0);
    let table = &*CHANNELS;
    let mut value = table.start[((4096.0 * x) as usize).min(4095)];
    while value < 255 && table.least[usize::from(value) + 1] <= x {
        value += 1;
    }
    value
}

/// Color scale of rut depth, from pale yellow over red to violet.
///
/// Lightness falls evenly, so that equal differences of depth look equal and a gray print keeps the
/// order.
const DEPTH: [(f64, f64); 6] = [
    // a and b of Oklab at evenly spaced depths
    (-0.030, 0.150),
    (0.050, 0.145),
    (0.135, 0.105),
    (0.165, 0.020),
    (0.135, -0.070),
    (0.065, -0.085),
];
const DEPTH_LIGHTNESS: (f64, f64) = (0.91, 0.26);

/// Color of a depth, given as a fraction of the deepest, 0 to 1.
pub(super) fn depth(share: f64) -> Oklab {
    let share = share.clamp(0.0, 1.0);
    let place = share * (DEPTH.len() - 1) as f64;
    let below = (place.floor() as usize).min(DEPTH.len() - 2);
    let within = place - below as f64;
    let (from, to) = (DEPTH[below], DEPTH[below + 1]);
    Oklab {
        lightness: DEPTH_LIGHTNESS.0 + share * (DEPTH_LIGHTNESS.1 - DEPTH_LIGHTNESS.0),
        a: from.0 + within * (to.0 - from.0),
        b: from.1 + within * (to.1 - from.1),
    }
}

/// Tint of the soil heaped along a rut.
pub(super) const BERM: Rgb = Rgb(64, 150, 168);

/// Unobtrusive tints of soils, in the order of the scenario's table.
const SOILS: [Rgb; 6] = [
    Rgb(214, 206, 188),
    Rgb(181, 160, 134),
    Rgb(198, 206, 190),
    Rgb(222, 216, 206),
    Rgb(186, 192, 200),
    Rgb(206, 184, 176),
];

/// Tints of snows, near white.
const SNOWS: [Rgb; 3] = [Rgb(248, 250, 253), Rgb(242, 246, 250), Rgb(251, 249, 247)];

/// Tint of snow `n`.
pub(super) fn snow(n: usize) -> Rgb {
    SNOWS[n % SNOWS.len()]
}

/// Tint of soil `n`.
pub(super) fn soil(n: usize) -> Rgb {
    SOILS[n % SOILS.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oklab_converts_back() {
        for color in LINES.iter().chain(&SOILS).chain(&[WHITE, INK, Rgb(0, 0, 0), Rgb(255, 0, 0)]) {
            assert_eq!(Oklab::from_rgb(*color).rgb(), *color);
        }
        for value in 0..=255 {
            assert_eq!(channel(linear(f64::from(value) / 255.0)), value);
        }
        // value for sRGB red published by Ottosson
        let red = Oklab::from_rgb(Rgb(255, 0, 0));
        assert!((red.lightness - 0.628).abs() < 1e-3 && (red.a - 0.225).abs() < 1e-3);
    }

    /// Matrices from a color to its appearance without one kind of cone, both linear sRGB.
    ///
    /// Source: G. Machado, M. Oliveira and L. Fernandes, IEEE Trans. Vis. Comput. Graph. 15, 2009,
    /// severity 1.
    const VISIONS: [(&str, [[f64; 3]; 3]); 3] = [
        ("common", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        (
            "deuteranopia",
            [
                [0.367_322, 0.860_646, -0.227_968],
                [0.280_085, 0.672_501, 0.047_413],
                [-0.011_820, 0.042_940, 0.968_881],
            ],
        ),
        (
            "protanopia",
            [
                [0.152_286, 1.052_583, -0.204_868],
                [0.114_503, 0.786_281, 0.099_216],
                [-0.003_882, -0.048_116, 1.051_998],
            ],
        ),
    ];

    fn seen(color: Rgb, vision: &[[f64; 3]; 3]) -> Oklab {
        let own = [color.0, color.1, color.2].map(|c| linear(f64::from(c) / 255.0));
        let [r, g, b] = vision.map(|row| {
            let sum: f64 = row.iter().zip(own).map(|(a, b)| a * b).sum();
            channel(sum)
        });
        Oklab::from_rgb(Rgb(r, g, b))
    }

    fn distance(p: Oklab, q: Oklab) -> f64 {
        let squares = [p.lightness - q.lightness, p.a - q.a, p.b - q.b].map(|x| x * x);
        squares.iter().sum::<f64>().sqrt()
    }

    #[test]
    fn lines_are_distinguishable_with_any_color_vision() {
        for (name, vision) in &VISIONS {
            for (n, a) in LINES.iter().enumerate() {
                for b in &LINES[n + 1..] {
                    let distance = distance(seen(*a, vision), seen(*b, vision));
                    assert!(distance > 0.1, "{name}: {a:?} and {b:?} are {distance:.3} apart");
                }
            }
        }
    }

    /// A vehicle, a depth and heaped soil have the same color in the picture of a run and in the
    /// viewer.
    #[test]
    fn the_viewer_has_the_same_colors() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../view/page/palette.js");
        let page = std::fs::read_to_string(page).unwrap();
        let value = |name: &str| {
            let own = page.split(&format!("const {name} = ")).nth(1).unwrap();
            own.split(';').next().unwrap().to_owned()
        };
        let hex = |color: &Rgb| format!("'#{:02x}{:02x}{:02x}'", color.0, color.1, color.2);
        let lines: Vec<String> = LINES.iter().map(hex).collect();
        assert_eq!(value("LINES"), format!("[{}]", lines.join(", ")));
        assert_eq!(value("BERM"), hex(&BERM));
        let depths: Vec<String> = DEPTH.iter().map(|(a, b)| format!("[{a:.3}, {b:.3}]")).collect();
        assert_eq!(value("DEPTH"), format!("[{}]", depths.join(", ")));
        let (shallow, deep) = DEPTH_LIGHTNESS;
        assert_eq!(value("DEPTH_LIGHTNESS"), format!("[{shallow}, {deep}]"));
    }

    /// Fifths of the depth scale darken in order, and heaped soil differs from each of them, with
    /// any color vision.
    #[test]
    fn depths_are_distinguishable_with_any_color_vision() {
        for (name, vision) in &VISIONS {
            let depths =
                [0.0, 0.2, 0.4, 0.6, 0.8, 1.0].map(|share| seen(depth(share).rgb(), vision));
            for pair in depths.windows(2) {
                let apart = distance(pair[0], pair[1]);
                assert!(apart > 0.08, "{name}: {pair:?} are {apart:.3} apart");
                assert!(pair[1].lightness < pair[0].lightness, "{name}: {pair:?}");
            }
            for own in depths {
                let apart = distance(own, seen(BERM, vision));
                assert!(apart > 0.1, "{name}: heaped soil and {own:?} are {apart:.3} apart");
            }
        }
    }

    #[test]
    fn the_depth_scale_darkens_evenly() {
        let lightness: Vec<f64> =
            (0..=20).map(|n| Oklab::from_rgb(depth(f64::from(n) / 20.0).rgb()).lightness).collect();
        let step = (DEPTH_LIGHTNESS.0 - DEPTH_LIGHTNESS.1) / 20.0;
        for pair in lightness.windows(2) {
            // Clipping to sRGB and rounding to 8 bits change a step by up to a third.
            assert!((pair[0] - pair[1] - step).abs() < step / 3.0, "{lightness:?}");
        }
    }
}
