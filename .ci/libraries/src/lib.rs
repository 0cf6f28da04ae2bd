//! Empty crate; its `Cargo.toml` describes its purpose.
