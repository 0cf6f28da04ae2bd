//! The even grade that costs as much time as a way that bends up or down.
//!
//! A grade that is felt early on a way costs more than one that is felt late: whoever is slowed down
//! there is slower all the rest. With v² = v₀² + 2 ∫ a ds over a way of length L, a little less of a at s
//! costs time in proportion to w(s) = ∫ v⁻³ from s to L. Where the vehicle gains or loses speed
//! evenly, from v₀ at entry to v₁, that is (1/v(s) - 1/v₁)/a, whose centroid lies (v₁ + 3 v₀) / (6 (v₁ + v₀)) of the way
//! from its beginning: at a third where it goes evenly, at a sixth where it starts from rest. Of a grade
//! that changes evenly along the way it is the one at the centroid that counts.

/// Where on a way its grade counts, from the middle of it in parts of its length: by the speed of entry and
/// the mean speed over it, m/s. At the middle where it comes to rest at the end, or does not get there.
pub(super) fn counting_place(entry: f64, mean: f64) -> f64 {
    // v₁ is twice the mean less v₀
    if 2.0 * mean > entry { (entry / mean - 2.0) / 6.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Time over a way of 40 m, of a vehicle that accelerates by `a` less `bend` for each metre from the middle on.
    fn time(entry: f64, a: f64, bend: f64, even: f64) -> f64 {
        let steps = 400_000;
        let ds = 40.0 / f64::from(steps);
        let mut square = entry * entry;
        let mut time = 0.0;
        for n in 0..steps {
            let s = (f64::from(n) + 0.5) * ds - 20.0;
            let next = square + 2.0 * (a - even - bend * s) * ds;
            time += 2.0 * ds / (square.sqrt() + next.sqrt());
            square = next;
        }
        time
    }

    /// What is slowed down evenly by the grade at that place takes as long as what is slowed down by the bend, to
    /// the second order of that.
    #[test]
    fn the_grade_at_the_place_costs_what_the_bent_way_costs() {
        for (entry, a) in [(2.0, 0.3), (2.0, 0.0), (4.0, -0.15), (0.5, 0.5)] {
            let plain = time(entry, a, 0.0, 0.0);
            let place = 40.0 * counting_place(entry, 40.0 / plain);
            for bend in [1e-5, -1e-5] {
                let [bent, even] = [time(entry, a, bend, 0.0), time(entry, a, 0.0, bend * place)];
                let off = ((bent - even) / (bent - plain)).abs();
                assert!(off < 5e-3, "{entry} m/s, {a} m/s²: {off}");
            }
        }
        assert_eq!((counting_place(2.0, 1.0), counting_place(2.0, 0.0)), (0.0, 0.0));
    }
}
