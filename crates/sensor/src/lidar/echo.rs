//! Merging of the echoes of a beam's rays into returns.

use super::spec::ReturnMode;
use crate::class::SurfaceClass;

/// Range within which echoes merge into one, m: a pulse of 2 ns.
pub(super) const PULSE: f64 = 0.3;

/// Echo of one ray.
#[derive(Clone, Copy, Debug)]
pub(super) struct Echo {
    /// Range, m.
    pub range: f64,
    /// Fraction of the beam's light.
    pub intensity: f64,
    /// Semantic class of the reflector.
    pub class: SurfaceClass,
    /// Instance label: 0 for the ground, else 1 + agent.
    pub instance: u16,
}

/// Returns the returns of a beam from the echoes of its rays.
pub(super) fn merged(echoes: &mut [Echo], mode: ReturnMode) -> [Option<Echo>; 2] {
    if let [echo] = echoes {
        return [Some(*echo), None];
    }
    echoes.sort_by(|a, b| a.range.total_cmp(&b.range));
    let mean = |echoes: &[Echo]| {
        let sum: f64 = echoes.iter().map(|echo| echo.intensity).sum();
        let brightest =
            echoes.iter().fold(echoes[0], |a, b| if b.intensity > a.intensity { *b } else { a });
        let range = if sum > 0.0 {
            echoes.iter().map(|echo| echo.range * echo.intensity).sum::<f64>() / sum
        } else {
            brightest.range
        };
        Echo { range, intensity: sum, ..brightest }
    };
    if echoes.is_empty() {
        return [None; 2];
    }
    if mode == ReturnMode::Mean {
        return [Some(mean(echoes)), None];
    }
    let mut pulses = echoes.chunk_by(|a, b| b.range - a.range < PULSE).map(mean);
    let first = pulses.next();
    let (mut strongest, mut last) = (first, first);
    for pulse in pulses {
        if strongest.is_none_or(|s| pulse.intensity > s.intensity) {
            strongest = Some(pulse);
        }
        last = Some(pulse);
    }
    match mode {
        ReturnMode::First => [first, None],
        ReturnMode::Last => [last, None],
        ReturnMode::Dual => {
            let same = strongest.map(|s| s.range) == last.map(|l| l.range);
            [strongest, last.filter(|_| !same)]
        }
        ReturnMode::Strongest | ReturnMode::Mean => [strongest, None],
    }
}
