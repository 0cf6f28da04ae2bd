//! Scenarios: TOML in, validated and built into a simulation, or an error that
//! names file, line, key, value and what is allowed.
