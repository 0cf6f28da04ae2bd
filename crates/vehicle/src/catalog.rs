//! Built-in vehicles and trailers.

use super::setup::{SetupError, VehicleSetup};
use super::spec::{AnySpec, SpecError, TrailerSpec, VehicleSpec};

/// A built-in vehicle or trailer file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CatalogEntry {
    /// Name in scenarios.
    pub key: &'static str,
    /// Its TOML text.
    pub text: &'static str,
}

const ENTRIES: [CatalogEntry; 17] = [
    CatalogEntry { key: "fed_alpha", text: include_str!("../vehicles/fed_alpha.toml") },
    CatalogEntry { key: "fmtv_4x4", text: include_str!("../vehicles/fmtv_4x4.toml") },
    CatalogEntry { key: "fmtv_6x6", text: include_str!("../vehicles/fmtv_6x6.toml") },
    CatalogEntry { key: "forwarder", text: include_str!("../vehicles/forwarder.toml") },
    CatalogEntry { key: "gator", text: include_str!("../vehicles/gator.toml") },
    CatalogEntry { key: "hmmwv", text: include_str!("../vehicles/hmmwv.toml") },
    CatalogEntry { key: "hmmwv_torsen", text: include_str!("../vehicles/hmmwv_torsen.toml") },
    CatalogEntry { key: "husky", text: include_str!("../vehicles/husky.toml") },
    CatalogEntry { key: "kraz_64431", text: include_str!("../vehicles/kraz_64431.toml") },
    CatalogEntry { key: "m113", text: include_str!("../vehicles/m113.toml") },
    CatalogEntry { key: "m113_chrono", text: include_str!("../vehicles/m113_chrono.toml") },
    CatalogEntry { key: "m113_double_pin", text: include_str!("../vehicles/m113_double_pin.toml") },
    CatalogEntry { key: "man_8x8", text: include_str!("../vehicles/man_8x8.toml") },
    CatalogEntry { key: "marder", text: include_str!("../vehicles/marder.toml") },
    CatalogEntry { key: "mer", text: include_str!("../vehicles/mer.toml") },
    CatalogEntry { key: "mrzr4", text: include_str!("../vehicles/mrzr4.toml") },
    CatalogEntry { key: "warthog", text: include_str!("../vehicles/warthog.toml") },
];

const TRAILERS: [CatalogEntry; 2] = [
    CatalogEntry { key: "cargo_trailer", text: include_str!("../trailers/cargo_trailer.toml") },
    CatalogEntry { key: "semitrailer", text: include_str!("../trailers/semitrailer.toml") },
];

/// Why a vehicle cannot be loaded.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VehicleCatalogError {
    /// No vehicle of this name.
    #[error("no vehicle is named '{name}'{}; known: {}", suggestion(.name), known())]
    Unknown {
        /// The requested name.
        name: String,
    },
    /// No trailer of this name.
    #[error("no trailer is named '{name}'; known: {}", known_trailers())]
    UnknownTrailer {
        /// The requested name.
        name: String,
    },
    /// The vehicle is tracked where a wheeled one is required.
    #[error("vehicle '{name}' is tracked; a wheeled vehicle is required")]
    NotWheeled {
        /// The requested name.
        name: String,
    },
    /// The file of the vehicle is invalid.
    #[error("vehicle '{name}': {error}")]
    Spec {
        /// The requested name.
        name: String,
        /// Description of the fault.
        error: SpecError,
    },
    /// The vehicle cannot tow the trailer.
    #[error("vehicle '{name}': {error}")]
    Setup {
        /// The requested name.
        name: String,
        /// Description of the fault.
        error: SetupError,
    },
}

/// Returns the built-in vehicles in alphabetical order.
pub fn catalog() -> &'static [CatalogEntry] {
    &ENTRIES
}

/// Returns the built-in trailers in alphabetical order.
pub fn trailers() -> &'static [CatalogEntry] {
    &TRAILERS
}

/// Returns the built-in vehicle of this name, ignoring case.
///
/// A trailer is appended with a plus sign, as in `hmmwv+cargo_trailer`.
///
/// # Errors
///
/// [`VehicleCatalogError::Unknown`] with the nearest name, [`VehicleCatalogError::UnknownTrailer`],
/// [`VehicleCatalogError::NotWheeled`] for a tracked vehicle with a trailer.
pub fn find_vehicle(name: &str) -> Result<AnySpec, VehicleCatalogError> {
    if let Some((tractor, trailer)) = name.split_once('+') {
        let tractor = AnySpec::Wheeled(Box::new(find_wheeled(tractor)?));
        let trailer = Some(find_trailer(trailer)?);
        let wrong = |error| VehicleCatalogError::Setup { name: name.to_owned(), error };
        let setup = VehicleSetup { trailer, ..VehicleSetup::default() };
        return tractor.with_setup(&setup).map_err(wrong);
    }
    let entry = ENTRIES
        .iter()
        .find(|entry| entry.key.eq_ignore_ascii_case(name))
        .ok_or_else(|| VehicleCatalogError::Unknown { name: name.to_owned() })?;
    AnySpec::from_toml(entry.text)
        .map_err(|error| VehicleCatalogError::Spec { name: name.to_owned(), error })
}

/// Returns the built-in trailer of this name, ignoring case.
///
/// # Errors
///
/// [`VehicleCatalogError::UnknownTrailer`].
pub fn find_trailer(name: &str) -> Result<TrailerSpec, VehicleCatalogError> {
    let entry = TRAILERS
        .iter()
        .find(|entry| entry.key.eq_ignore_ascii_case(name))
        .ok_or_else(|| VehicleCatalogError::UnknownTrailer { name: name.to_owned() })?;
    TrailerSpec::from_toml(entry.text)
        .map_err(|error| VehicleCatalogError::Spec { name: name.to_owned(), error })
}

/// Returns the built-in wheeled vehicle of this name, ignoring case.
///
/// # Errors
///
/// [`VehicleCatalogError::Unknown`] with the nearest name, [`VehicleCatalogError::NotWheeled`] for a tracked
/// one.
pub fn find_wheeled(name: &str) -> Result<VehicleSpec, VehicleCatalogError> {
    match find_vehicle(name)? {
        AnySpec::Wheeled(spec) => Ok(*spec),
        AnySpec::Tracked(_) => Err(VehicleCatalogError::NotWheeled { name: name.to_owned() }),
    }
}

fn suggestion(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    ENTRIES
        .iter()
        .filter(|entry| entry.key.len().abs_diff(name.len()) <= 3)
        .map(|entry| (strsim::damerau_levenshtein(entry.key, &name), entry.key))
        .min()
        .filter(|(distance, _)| *distance <= 3)
        .map_or_else(String::new, |(_, key)| format!("; did you mean '{key}'?"))
}

fn known() -> String {
    ENTRIES.map(|entry| format!("'{}'", entry.key)).join(", ")
}

fn known_trailers() -> String {
    TRAILERS.map(|entry| format!("'{}'", entry.key)).join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::spec::TrackedSpec;
    use super::*;

    #[test]
    fn every_entry_reads_and_checks() {
        for entry in catalog() {
            let spec = find_vehicle(entry.key).unwrap_or_else(|error| panic!("{error}"));
            assert!(!spec.source().is_empty());
            let again = AnySpec::from_toml(&toml::to_string(&spec).unwrap()).unwrap();
            assert_eq!(spec, again, "{} does not survive writing and reading", entry.key);
        }
    }

    #[test]
    fn hmmwv_weighs_the_sum_of_its_bodies_to_the_gram() {
        // Project Chrono's HMMWV without tie-rod bodies: 2573.138 kg
        assert!((find_wheeled("hmmwv").unwrap().total_mass() - 2573.138).abs() < 5e-4);
    }

    /// The file repeats the HMMWV's file, so the two must differ in nothing but the named parts.
    #[test]
    fn the_hmmwv_with_torsens_is_the_hmmwv_but_for_its_differentials() {
        let (plain, mut own) =
            (find_wheeled("hmmwv").unwrap(), find_wheeled("hmmwv_torsen").unwrap());
        for (axle, plain) in own.axles.iter_mut().zip(&plain.axles) {
            let drive = axle.final_drive.as_mut().unwrap();
            assert_eq!(drive.differential.torque_bias, Some(4.0));
            drive.differential = plain.final_drive.unwrap().differential;
        }
        let shafts = own.driveline.as_mut().unwrap();
        assert!(shafts.center.commanded);
        shafts.center = plain.driveline.unwrap().center;
        let VehicleSpec { name, description, source, .. } = plain.clone();
        assert_eq!(VehicleSpec { name, description, source, ..own }, plain);
    }

    fn tracked(name: &str) -> TrackedSpec {
        match find_vehicle(name).unwrap() {
            AnySpec::Tracked(spec) => *spec,
            AnySpec::Wheeled(_) => panic!("{name} runs on tracks"),
        }
    }

    /// The file of Chrono's model repeats the M113's file: only gears and shoes differ.
    #[test]
    fn the_m113_differs_from_chronos_by_its_gears_and_shoes() {
        let (chrono, mut own) = (tracked("m113_chrono"), tracked("m113"));
        own.drive.ratio = chrono.drive.ratio;
        own.powertrain.gearbox = chrono.powertrain.gearbox.clone();
        own.shoe.faces = chrono.shoe.faces.clone();
        let TrackedSpec { name, description, source, .. } = chrono.clone();
        assert_eq!(TrackedSpec { name, description, source, ..own }, chrono);
    }

    #[test]
    fn m113s_drive_64_kmh_in_third_gear_at_2800_rpm() {
        for name in ["m113", "m113_double_pin"] {
            let own = tracked(name);
            let rated =
                2800.0 * std::f64::consts::TAU / 60.0 * own.drive.ratio * own.drive_radius();
            assert!((3.6 * rated / 64.0 - 1.0).abs() < 1e-3, "{name}: {rated} m/s");
        }
    }

    /// Faces cover the whole shoe, so that the pressure on soft ground equals the published one.
    #[test]
    fn shoes_press_on_all_of_their_underside() {
        // published width, m
        for (name, width) in [("m113", 0.381), ("m113_double_pin", 0.381), ("marder", 0.45)] {
            let own = tracked(name);
            assert!((own.shoe_width() - width).abs() < 1e-9, "{name}: {}", own.shoe_width());
            assert!((own.face_share() - 1.0).abs() < 1e-9, "{name}: {}", own.face_share());
            assert_eq!(own.shoe.faces.len(), 1, "{name}: faces may overlap");
        }
        // published: 0.55 kg/cm² at 11.3 t
        let own = tracked("m113");
        let published = 0.55 * 1e4 * bekker_math::numeric::GRAVITY;
        let pressure = own.ground_pressure();
        assert!((pressure / published - 1.0).abs() < 0.02, "{pressure} Pa");
        // Chrono's boxes leave gaps between them: 91 kPa
        let chrono = tracked("m113_chrono");
        assert!((chrono.face_share() - 0.603).abs() < 2e-3, "{}", chrono.face_share());
        assert!((chrono.ground_pressure() / chrono.face_share() - 91e3).abs() < 1e3);
    }

    #[test]
    fn mrzr4_has_the_mass_of_its_preset() {
        // 1140.6 kg sprung and 34.8 kg at each of four wheels
        assert!((find_wheeled("MRZR4").unwrap().total_mass() - 1279.8).abs() < 5e-4);
    }

    #[test]
    fn m113_weighs_the_sum_of_its_bodies_to_the_gram() {
        // Project Chrono's M113 with 63 and 64 single-pin shoes: 11342.86 kg
        let spec = find_vehicle("m113").unwrap();
        assert!((spec.total_mass() - 11342.86).abs() < 5e-4);
        assert!(matches!(find_wheeled("m113"), Err(VehicleCatalogError::NotWheeled { .. })));
    }

    #[test]
    fn others_have_the_mass_of_their_source() {
        // Project Chrono @7689fbc, sums of all bodies, kg; within 0.5 %
        let sources = [
            ("fed_alpha", 6389.2),
            ("fmtv_4x4", 7948.8),
            ("fmtv_6x6", 10841.5),
            ("gator", 906.2),
            ("kraz_64431", 13450.8),
            ("man_8x8", 15662.3),
            ("marder", 29313.2),
        ];
        for (name, mass) in sources {
            let own = find_vehicle(name).unwrap().total_mass();
            assert!((own / mass - 1.0).abs() < 0.005, "{name}: {own} kg, not {mass}");
        }
    }

    #[test]
    fn trailers_have_the_mass_of_their_source_behind_any_tractor() {
        // gross mass of the M1101, and the sum of Chrono's bodies, kg; within 0.5 %
        for (trailer, mass) in [("cargo_trailer", 1542.0), ("semitrailer", 22184.0)] {
            for tractor in ["hmmwv", "fmtv_4x4", "kraz_64431"] {
                let own = find_wheeled(tractor).unwrap().total_mass();
                let both = find_wheeled(&format!("{tractor}+{trailer}")).unwrap();
                let found = both.total_mass() - own;
                assert!((found / mass - 1.0).abs() < 0.005, "{trailer}: {found} kg, not {mass}");
                let again = VehicleSpec::from_toml(&toml::to_string(&both).unwrap()).unwrap();
                assert_eq!(both, again);
            }
        }
        let text = find_wheeled("hmmwv+caravan").unwrap_err().to_string();
        assert_eq!(text, "no trailer is named 'caravan'; known: 'cargo_trailer', 'semitrailer'");
        assert!(matches!(
            find_wheeled("m113+cargo_trailer"),
            Err(VehicleCatalogError::NotWheeled { .. })
        ));
    }

    #[test]
    fn suggests_the_nearest_name() {
        let text = find_wheeled("hmmvw").unwrap_err().to_string();
        assert_eq!(
            text,
            "no vehicle is named 'hmmvw'; did you mean 'hmmwv'?; known: 'fed_alpha', 'fmtv_4x4', 'fmtv_6x6', 'forwarder', 'gator', 'hmmwv', 'hmmwv_torsen', 'husky', 'kraz_64431', 'm113', 'm113_chrono', 'm113_double_pin', 'man_8x8', 'marder', 'mer', 'mrzr4', 'warthog'"
        );
        assert!(!find_wheeled("submarine").unwrap_err().to_string().contains("did you mean"));
    }
}
