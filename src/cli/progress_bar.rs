//! Progress bars for counted work, on standard error.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A progress bar up to `total` with the estimated time left; hidden unless standard error is a
/// terminal.
pub fn progress_bar(total: u64, what: &str, quiet: bool) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let template = format!("{{bar:32.cyan/blue}} {{pos}} of {{len}} {what}  {{eta}} left");
    let style = ProgressStyle::with_template(&template);
    ProgressBar::with_draw_target(Some(total), target)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
