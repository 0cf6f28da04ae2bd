//! Results: tables, pictures, plots and files.
//!
//! Every function takes plain data (samples, summaries, closures over the
//! ground) and writes one file. Files appear whole or not at all: they are
//! written beside their place and renamed into it.
//!
//! | module | leaves |
//! | --- | --- |
//! | [`rundir`] | the folder of a run |
//! | [`manifest`] | what was run, with what, on what: JSON |
//! | [`states`] | vehicles and wheels over time: Parquet and CSV |
//! | [`readings`] | what sensors deliver: MCAP, tables of small readings, and frames as PNG, EXR, PCD, LAS |
//! | [`geotiff`] | the ruts as a raster |
//! | [`elevation`] | an elevation model: PNG, and letters for a terminal |
//! | [`photograph`] | what a camera sees: PNG |
//! | [`picture`] | the run in one picture |
//! | [`plot`] | line plots of the rigs |
//! | [`table`] | the closing table |
//! | [`progress`] | progress while it runs |

mod canvas;
mod chart;
mod clouds;
mod color;
mod columns;
pub mod elevation;
mod error;
mod file;
mod foxglove;
mod frames;
pub mod geotiff;
pub mod manifest;
mod map;
mod mcap;
pub mod photograph;
pub mod picture;
pub mod plot;
pub mod progress;
mod protobuf;
pub mod readings;
mod relief;
pub mod rundir;
pub mod states;
pub mod table;
mod tables;

pub use error::ReportError;
pub use file::{check_place, write as write_file};
