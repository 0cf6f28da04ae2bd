//! Output on standard output.

use super::Failure;
use std::io::{ErrorKind, Write};

/// Writes a text and a line end.
///
/// A reader that closes the pipe early, such as `head`, is not an error.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Output { subject: "standard output".into(), cause: error })
        }
        _ => Ok(()),
    }
}

/// Writes a value as indented JSON.
pub fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(|error| Failure::Output {
        subject: "standard output".into(),
        cause: error.into(),
    })?;
    print(&text)
}
