//! Numbers on the command line, with their range and unit.

use crate::vehicle::inflation::pascal_hint;
use std::ops::RangeInclusive;

/// Returns a parser of finite numbers in a range; `unit` appears in its messages.
pub fn quantity(
    range: RangeInclusive<f64>,
    unit: &'static str,
) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync + 'static {
    move |text| {
        let value: f64 = text.trim().parse().map_err(|_| {
            format!("must be a number from {} to {} {unit}", range.start(), range.end())
                .trim_end()
                .to_string()
        })?;
        // NaN is in no range
        if range.contains(&value) {
            return Ok(value);
        }
        let bounds = format!("must be from {} to {} {unit}", range.start(), range.end());
        let hint = if unit == "kPa" { pascal_hint(value, *range.end()) } else { String::new() };
        Err(bounds.trim_end().to_string() + &hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_within_the_range() {
        let length = quantity(0.01..=10.0, "m");
        assert_eq!(length("0.5"), Ok(0.5));
        assert_eq!(length("1e1"), Ok(10.0));
        for wrong in ["0", "-1", "nan", "inf", "10.1"] {
            assert_eq!(length(wrong), Err("must be from 0.01 to 10 m".into()), "{wrong}");
        }
        let pressure = quantity(0.0..=5000.0, "kPa");
        let told = "must be from 0 to 5000 kPa (170000 Pa is 170 kPa)".to_owned();
        assert_eq!(pressure("170000"), Err(told));
        assert_eq!(length("2 m"), Err("must be a number from 0.01 to 10 m".into()));
    }
}
