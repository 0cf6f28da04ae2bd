//! Results: tables, pictures, plots and files.
//!
//! Every function takes plain data (samples, summaries, closures over the
//! ground) and writes one file. Files appear whole or not at all: they are
//! written beside their place and renamed into it. What a run takes down as it goes
//! ([`record`]) is in its place from the beginning and can be read at any time; that it is
//! complete is said by the manifest.
//!
//! | module | leaves |
//! | --- | --- |
//! | [`rundir`] | the folder of a run |
//! | [`manifest`] | what was run, with what, on what: JSON |
//! | [`record`] | all that is taken down as a run goes on |
//! | [`recorder`] | the same, by an observer of a run |
//! | [`record_parts`] | what each rank takes down of its own vehicles, to be joined |
//! | [`recovery`] | checkpoints, and what is made good for a lost rank |
//! | [`kept_inputs`] | what it was driven from |
//! | [`readme`] | what every file holds |
//! | [`keys`] | the keys of a format, as a page |
//! | [`commands`] | commands from outside: CSV |
//! | [`hashes`] | hashes of all heartbeats: CSV |
//! | [`heartbeat_costs`] | sums of that |
//! | [`heartbeats`] | what heartbeats cost: CSV, and a timeline |
//! | [`states`] | vehicles and wheels over time: Parquet and CSV |
//! | [`topics`] | nothing: it makes the messages that are taken down and told live |
//! | [`readings`] | what sensors deliver: MCAP, tables of small readings, and frames as PNG, EXR, PCD, LAS |
//! | [`geotiff`] | the ruts as a raster |
//! | [`elevation`] | an elevation model: PNG, and letters for a terminal |
//! | [`photograph`] | what a camera sees: PNG |
//! | [`shot`] | nothing: it takes a picture of a world at a moment |
//! | [`recorded`] | nothing: it reads a run's folder again |
//! | [`comparison`] | runs side by side |
//! | [`dataset`] | episodes of driving for learning: Minari, LeRobot, Parquet, MCAP |
//! | [`going`] | maps of going: GeoTIFF, styles of QGIS, pictures, ways |
//! | [`study`] | trials of a study: Parquet and CSV, and what is made of them |
//! | [`preview`] | a scenario before it is run |
//! | [`picture`] | the run in one picture |
//! | [`land`], [`profile`] | the ground on maps, and along a way |
//! | [`html`] | a page for a browser, whole in one file |
//! | [`plot`] | line plots of the rigs |
//! | [`journal`] | what is done of a long work, record by record |
//! | [`table`] | the closing table |
//! | [`progress`] | progress while it runs |
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

mod alternating;
mod canvas;
mod chart;
mod close_up;
mod clouds;
mod color;
mod columns;
pub mod commands;
pub mod comparison;
pub mod dataset;
mod depth_scale;
pub mod elevation;
mod error;
mod event_row;
mod file;
mod foxglove;
mod frames;
pub mod geotiff;
pub mod going;
mod growing;
pub mod hashes;
pub mod heartbeat_costs;
pub mod heartbeats;
mod hits;
pub mod html;
pub mod journal;
pub mod kept_inputs;
pub mod keys;
pub mod land;
mod legend;
pub mod manifest;
mod map;
mod mcap;
mod mcap_file;
mod mcap_read;
mod own_file;
mod page;
mod parts;
pub mod photograph;
pub mod picture;
pub mod plot;
pub mod preview;
pub mod profile;
pub mod progress;
mod protobuf;
pub mod reach;
pub mod readings;
pub mod readme;
pub mod record;
pub mod record_parts;
pub mod recorded;
pub mod recorder;
pub mod recovery;
mod relief;
pub mod rundir;
pub mod scene;
pub mod shot;
pub mod states;
pub mod study;
pub mod table;
mod tables;
pub mod topics;
mod trailer_events;

pub use color::Rgb;
pub use error::ReportError;
pub use event_row::event_row;
pub use file::{check_writable, write as write_file};
