//! Results: tables, pictures, plots and files.
//!
//! Every function takes plain data (samples, summaries, closures over the ground) and writes one
//! file. Files appear completely or not at all: they are written under a temporary name and then
//! renamed. Records of a run ([`record`]) are different. They are in place from the beginning and
//! can be read at any time; the manifest states whether they are complete.
//!
//! | module | content |
//! | --- | --- |
//! | [`rundir`] | folder of a run |
//! | [`manifest`] | configuration, program, machine and outcome of a run: JSON |
//! | [`record`] | all files that are written during a run |
//! | [`recorder`] | observer of a run that writes them |
//! | [`record_parts`] | records of each rank's vehicles, to be joined |
//! | [`recovery`] | checkpoints, and recovery from the loss of a rank |
//! | [`input_copies`] | copies of the inputs |
//! | [`readme`] | description of every file |
//! | [`keys`] | the keys of a format, as a page |
//! | [`commands`] | commands of external controllers: CSV |
//! | [`hashes`] | state hashes of all heartbeats: CSV |
//! | [`heartbeat_costs`] | sums of the costs of heartbeats |
//! | [`heartbeats`] | costs of each heartbeat: CSV, and a timeline |
//! | [`states`] | vehicles and wheels over time: Parquet and CSV |
//! | [`topics`] | messages that are recorded and sent live; writes no file |
//! | [`readings`] | sensor data: MCAP, tables of small readings, and frames as PNG, EXR, PCD, LAS |
//! | [`geotiff`] | the ruts as a raster |
//! | [`elevation`] | an elevation model: PNG, and characters for a terminal |
//! | [`photograph`] | a camera's picture: PNG |
//! | [`video`] | rendered images over time: MP4, GIF |
//! | [`goal_mark`] | goals in rendered pictures; writes no file |
//! | [`shot`] | renderer of a world at a moment; writes no file |
//! | [`recorded_drive`] | reader of a vehicle's states in an MCAP file; writes no file |
//! | [`recorded_run`] | reader of a run's folder; writes no file |
//! | [`comparison`] | runs side by side |
//! | [`dataset`] | episodes of driving for learning: Minari, LeRobot, Parquet, MCAP |
//! | [`trafficability`] | mobility maps: GeoTIFF, styles of QGIS, pictures, routes |
//! | [`study`] | trials of a study, Parquet and CSV, and their analysis |
//! | [`preview`] | a scenario before it is run |
//! | [`picture`] | the run in one picture |
//! | [`drawn_ground`], [`profile`] | the ground on maps, and along a path |
//! | [`html`] | a self-contained page for a browser |
//! | [`plot`] | line plots of the rigs |
//! | [`journal`] | completed parts of long work, record by record |
//! | [`table`] | summary table at the end of a run |
//! | [`progress`] | progress during a run |
//!
//! This is a layer of the crate `bekker`, whose documentation begins with examples;
//! `ARCHITECTURE.md` is the map.

mod append_file;
mod append_table;
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
mod double_buffered_file;
pub mod drawn_ground;
pub mod elevation;
mod error;
mod event_row;
mod file;
mod foxglove;
mod frames;
pub mod geotiff;
pub mod goal_mark;
pub mod hashes;
pub mod heartbeat_costs;
pub mod heartbeats;
mod histories;
mod hits;
pub mod html;
pub mod input_copies;
pub mod journal;
pub mod keys;
mod legend;
pub mod manifest;
mod map;
mod mcap;
mod mcap_file;
mod mcap_read;
mod page;
mod parts;
pub mod photograph;
pub mod picture;
pub mod plot;
pub mod preview;
pub mod profile;
pub mod progress;
mod protobuf;
pub mod readings;
pub mod readme;
pub mod record;
pub mod record_extent;
pub mod record_parts;
pub mod recorded_drive;
pub mod recorded_run;
pub mod recorder;
pub mod recovery;
mod relief;
pub mod ros_bag;
pub mod rundir;
pub mod scene;
pub mod shot;
pub mod states;
pub mod study;
pub mod table;
mod tables;
pub mod text_table;
pub mod topics;
pub mod trafficability;
mod trailer_events;
pub mod video;

pub use color::Rgb;
pub use error::ReportError;
pub use event_row::event_row;
pub use file::{check_writable, write as write_file};
pub use mcap_read::McapReadError;
