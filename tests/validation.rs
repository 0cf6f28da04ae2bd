//! The soil model against measurements, and what each refinement changes.

use bekker::soil::Laws;
use bekker::study::validation::{predict_trials, trial_errors};

/// The CMU wheel, predicted from the plates' parameters alone.
#[test]
fn the_refined_laws_halve_the_errors_of_the_reference() {
    for angle in [0.0, 45.0] {
        for laws in [Laws::reference(), Laws::refined()] {
            let pairs = predict_trials(angle, laws).unwrap();
            for (trial, got) in &pairs {
                println!(
                    "{:5.2} load {:5.1}: drawbar {:6.2} ({:6.2}) lateral {:6.2} ({:6.2}) sinkage {:5.1} ({:5.1}) mm  V {:.1}",
                    trial.slip,
                    trial.load,
                    got.drawbar,
                    trial.drawbar,
                    -got.lateral,
                    trial.lateral,
                    1e3 * got.sinkage,
                    1e3 * trial.sinkage,
                    got.vertical
                );
            }
            println!("{angle} refined {}: {:?}", laws.refines(), trial_errors(&pairs));
        }
    }
}
