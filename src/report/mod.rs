//! Results: tables, pictures, plots and files.
