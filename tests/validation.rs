//! The soil model against measurements.

use bekker::soil::Laws;
use bekker::study::validation::{predict_trials, trial_errors};

/// The CMU wheel, predicted from the plates' parameters alone: at most half
/// the reference's errors on drawbar and sinkage is what was set out for.
#[test]
fn the_refined_laws_halve_the_errors_of_the_reference() {
    let of = |laws| trial_errors(&predict_trials("smooth", 0.0, laws).unwrap());
    let (reference, refined) = (of(Laws::reference()), of(Laws::refined()));
    println!("reference {reference:?}\nrefined {refined:?}");
    // what an independent integration of the reference's laws gives: 14 N, 14-15 mm
    assert!((reference.drawbar - 14.0).abs() < 0.5 && (reference.sinkage - 0.0145).abs() < 5e-4);
    assert!(refined.drawbar < 0.5 * reference.drawbar, "{}", refined.drawbar);
    assert!(refined.sinkage < 0.5 * reference.sinkage, "{}", refined.sinkage);
}
