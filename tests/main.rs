//! Root of one test program with most tests, to link one program instead of sixty.
//!
//! Tests that count allocations, and `docs`, are separate programs.

mod adaptive_convoy;
mod api;
mod articulated;
mod autonomous;
mod bad_input;
mod bounds;
mod circles;
mod cli;
mod cli_rig;
mod cli_vehicles;
mod closed_form_soil;
mod collisions;
mod commands;
mod convoy;
mod datasets;
mod demonstrations;
mod determinism;
mod drivers;
mod drivetrain;
mod dust;
mod endings;
mod energy;
mod export_fmu;
mod fast_lidar;
mod foxglove;
mod gaps;
mod geography;
mod golden_hash;
#[cfg(feature = "gpu")]
mod gpu;
mod gravity;
mod ground_crossing;
mod heartbeat_python;
mod hostile;
mod identify_drives;
mod imaging;
mod kills;
mod language;
mod large_terrain;
mod layering;
mod learning;
mod link;
mod link_faults;
mod maps;
mod maximal_coordinates;
mod meshes;
mod messages;
mod mobility;
mod multibody;
mod opencv;
mod outcomes;
mod pictures;
mod preview_compare;
mod public_api;
mod python;
mod radio;
mod rank_jobs;
mod ranks;
#[cfg(feature = "dds")]
mod ranks_dds;
mod ranks_mpi;
mod ranks_parts;
mod ranks_tcp;
mod records;
mod reference_faults;
mod refined_ground;
mod refinements;
mod render;
mod rendering;
mod respawning;
mod rig_publication;
mod rig_wheel;
mod rigid_ground;
mod roadside;
mod rocker_bogie;
#[cfg(feature = "ros2")]
mod ros2;
mod runs;
mod scene;
mod sensor_files;
mod sensors;
mod skid_steering;
mod soft_ground;
mod soil_faults;
mod start;
mod straight_driving;
mod studies;
mod suspension_geometry;
mod tires;
mod track_belt;
mod track_segmented;
mod trailers;
mod validation;
mod vehicle_closed_form;
mod vehicle_import;
mod view;
mod view_overlays;
mod view_page;
mod weather;

/// Returns whether fixtures are of full size: `BEKKER_WEEKLY=1 .ci/run tests`, once a week.
fn is_weekly() -> bool {
    std::env::var_os("BEKKER_WEEKLY").is_some_and(|own| own == "1")
}
