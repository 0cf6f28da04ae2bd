//! Nothing: `Cargo.toml` beside it says what it is for.
