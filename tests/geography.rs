//! Georeference of scenarios: position on the earth, coordinates of positions and paths, and units
//! of elevation models.

use assert_cmd::Command;
use bekker::geodesy::{Geodetic, Site};
use bekker::scenario::{ScenarioFile, build};
use bekker::sensor::Model;
use bekker::spatial::Vec3;
use bekker::terrain::{
    Crs, Raster, Unit, degree_lengths, read_geotiff, write_esri_ascii, write_geotiff,
};
use std::path::Path;

/// Builds one kilometer of a valley near the Kootenai river in 10 m cells, rising to the east by
/// `slope`.
fn dem(folder: &Path, epsg: Option<u16>, slope: f64) -> Raster {
    let (columns, rows) = (101, 101);
    let values = (0..columns * rows).map(|n| 500.0 + slope * 10.0 * (n % columns) as f64);
    let raster = Raster {
        columns,
        rows,
        south_west: [556_000.0, 5_394_000.0],
        cell: [10.0, 10.0],
        values: values.collect(),
        crs: Crs { unit: Unit::Meter, epsg, ..Crs::local() },
    };
    std::fs::write(folder.join("dem.tif"), write_geotiff(&raster).unwrap()).unwrap();
    raster
}

fn scenario(head: &str, place: &str) -> String {
    format!(
        "format = 1\nname = 'x'\ntime = {{ duration = 1 }}\nsoil = {{ default = 'mud' }}\n{head}\n\
         [[vehicle]]\nname = 'a'\nmodel = 'hmmwv'\nposition = {place}\n\
         driver = {{ kind = 'path', speed = 3, waypoints = [[0, 0], [50, 0]] }}\n\
         [[vehicle.sensor]]\nname = 'gps'\nposition = [0, 0, 1]\nmodel = {{ kind = 'gps', preset = 'ideal' }}\n"
    )
}

const DEM: &str =
    "terrain.surface = { kind = 'dem', file = 'dem.tif', origin = [556440, 5394400] }";

fn read(text: &str, folder: &Path) -> Result<ScenarioFile, String> {
    ScenarioFile::parse("x.toml", text, folder, &[]).map_err(|faults| faults.to_string())
}

/// Returns the site of the first vehicle's receiver, and the warnings.
fn site(text: &str, folder: &Path) -> (Site, Vec<String>) {
    let built = build::world(&read(text, folder).unwrap()).unwrap();
    let sensor = &built.world.agents[0].sensors[0];
    let Model::Gps(gps) = &sensor.model else { panic!("{sensor:?} is no GPS") };
    (gps.site, built.warnings.iter().map(ToString::to_string).collect())
}

/// A DEM in NAD83 keeps its grid with and without a site.
///
/// EPSG:26911 (NAD83, UTM 11N) by PROJ 9.5.1: (556440, 5394932) is 48.7048672531 N, 116.2328751595
/// W, its convergence 0.576371518 degrees. The point is 532 m north of the origin on the grid, and
/// 5.35 m to the side on a plane that neglects the convergence.
#[test]
fn a_dem_of_nad83_keeps_its_grid_with_and_without_a_site() {
    let folder = tempfile::tempdir().unwrap();
    dem(folder.path(), Some(26911), 0.02);
    let point = Vec3::new(0.0, 532.0, 510.0);
    for (head, altitude) in [
        (DEM.to_owned(), 510.0),
        (
            format!(
                "{DEM}\nsite = {{ latitude_deg = 48.7, longitude_deg = -116.233, altitude = -17 }}"
            ),
            493.0,
        ),
    ] {
        let (site, warnings) = site(&scenario(&head, "[0, 0]"), folder.path());
        assert!(warnings.is_empty(), "{warnings:?}");
        let place = site.to_geodetic(&point);
        // 2e-9 degrees are 0.2 mm: NAD83's ellipsoid differs from WGS 84's by 0.1 mm.
        assert!((place.latitude.to_degrees() - 48.704_867_253_1).abs() < 2e-9);
        assert!((place.longitude.to_degrees() + 116.232_875_159_5).abs() < 2e-9);
        assert!((place.altitude - altitude).abs() < 1e-9);
        assert!((site.convergence(&point).to_degrees() - 0.576_371_518).abs() < 1e-6);
    }
}

#[test]
fn a_site_elsewhere_is_used_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    dem(folder.path(), Some(26911), 0.0);
    let head = format!("{DEM}\nsite = {{ latitude_deg = 47, longitude_deg = 11 }}");
    let (site, warnings) = site(&scenario(&head, "[0, 0]"), folder.path());
    let [warning] = &warnings[..] else { panic!("{warnings:?}") };
    assert!(warning.contains("km from the location in the DEM file"), "{warning}");
    assert!((site.to_geodetic(&Vec3::zeros()).latitude.to_degrees() - 47.0).abs() < 1e-9);
    // Grid north stays grid north.
    assert!(site.convergence(&Vec3::zeros()).to_degrees() > 0.57);
}

/// Altitude is the height above the ellipsoid far from the origin.
///
/// On a tangent plane it would be wrong by 7.8 m after 10 km.
#[test]
fn altitude_is_height_far_from_the_origin() {
    let head = "site = { latitude_deg = 47, longitude_deg = 11, altitude = 600 }";
    let (site, _) = site(&scenario(head, "[0, 0]"), Path::new(""));
    for x in [600.0, 10_000.0, 40_000.0] {
        assert!((site.to_geodetic(&Vec3::new(x, -x, 3.0)).altitude - 603.0).abs() < 1e-9);
    }
}

#[test]
fn a_position_is_the_same_in_all_coordinates_and_a_path_in_all_files() {
    let folder = tempfile::tempdir().unwrap();
    dem(folder.path(), Some(26911), 0.02);
    let degrees = [48.704_867_253_1, -116.232_875_159_5];
    let (lat, lon) = (degrees[0], degrees[1]);
    for place in [
        "{ easting = 556440, northing = 5394932 }".to_owned(),
        format!("{{ latitude_deg = {lat}, longitude_deg = {lon} }}"),
    ] {
        let file = read(&scenario(DEM, &place), folder.path()).unwrap();
        let [x, y] = file.scenario.vehicle[0].position;
        // NAD83's ellipsoid differs from WGS 84's by 0.1 mm.
        assert!(x.abs() < 5e-4 && (y - 532.0).abs() < 5e-4, "{place}: {x} {y}");
        build::world(&file).unwrap();
    }
    let write = |name: &str, text: String| std::fs::write(folder.path().join(name), text).unwrap();
    write("way.csv", "easting,northing\n556440,5394400\n556440,5394400.5\n556440,5394932\n".into());
    let start = Site::to_geodetic(&site(&scenario(DEM, "[0, 0]"), folder.path()).0, &Vec3::zeros());
    let (lat0, lon0) = (start.latitude.to_degrees(), start.longitude.to_degrees());
    write(
        "way.gpx",
        format!(
            "<?xml version=\"1.0\"?><gpx version=\"1.1\" creator=\"x\" \
             xmlns=\"http://www.topografix.com/GPX/1/1\"><rte><rtept lat=\"{lat0}\" lon=\"{lon0}\"/>\
             <rtept lat=\"{lat}\" lon=\"{lon}\"/></rte></gpx>"
        ),
    );
    write(
        "way.geojson",
        format!("{{\"type\":\"LineString\",\"coordinates\":[[{lon0},{lat0}],[{lon},{lat}]]}}"),
    );
    for name in ["way.csv", "way.gpx", "way.geojson"] {
        let text =
            scenario(DEM, "[0, 0]").replace("[[0, 0], [50, 0]]", &format!("{{ file = '{name}' }}"));
        let file = read(&text, folder.path()).unwrap();
        let text = toml::to_string(&file.scenario).unwrap();
        // The resolved scenario is in the local frame and needs no file.
        let again = read(&text, folder.path()).unwrap();
        let bekker::scenario::config::DriverConfig::Path { waypoints, .. } =
            &again.scenario.vehicle[0].driver
        else {
            panic!("no path")
        };
        assert_eq!(waypoints.len(), 2, "{name}: the point half a meter on is left out");
        let [x, y] = waypoints[1];
        assert!(x.abs() < 5e-4 && (y - 532.0).abs() < 5e-4, "{name}: {x} {y}");
    }
}

#[test]
fn incomplete_positions_name_the_missing_keys() {
    let folder = tempfile::tempdir().unwrap();
    dem(folder.path(), None, 0.0);
    let earth = "{ latitude_deg = 48.7, longitude_deg = -116.2 }";
    let fault = |head: &str, place: &str| read(&scenario(head, place), folder.path()).unwrap_err();
    let message = fault(DEM, earth);
    assert!(message.contains("vehicle[0].position: "), "{message}");
    assert!(message.contains("give [site], or epsg in [terrain.surface]"), "{message}");
    assert!(fault("", "{ easting = 1, northing = 2 }").contains("no DEM with a grid"));
    assert!(fault("", "{ easting = 1 }").contains("vehicle[0].position.northing: missing"));
    assert!(
        fault("", "{ latitude_deg = 95, longitude_deg = 2 }").contains("must be from -90 to 90")
    );
    // It is resolved if the scenario specifies the code.
    let told = DEM.replace("'dem.tif'", "'dem.tif', epsg = 32611");
    let (site, _) =
        site(&scenario(&told, "{ easting = 556440, northing = 5394932 }"), folder.path());
    assert!(site.to_geodetic(&Vec3::zeros()).latitude > 0.8);
    let message = {
        dem(folder.path(), Some(26911), 0.0);
        build::world(&read(&scenario(&told, "[0, 0]"), folder.path()).unwrap())
            .unwrap_err()
            .to_string()
    };
    assert!(message.contains("EPSG code is 32611, but the file specifies 26911"), "{message}");
}

/// Meters of Web Mercator at 43.5° N are 0.725 m long on the ground: a slope of 2 % in them is 2.76
/// %.
#[test]
fn meters_of_web_mercator_are_corrected() {
    let folder = tempfile::tempdir().unwrap();
    dem(folder.path(), Some(3857), 0.02);
    let file = read(&scenario(DEM, "[0, 0]"), folder.path()).unwrap();
    let world = build::world(&file).unwrap();
    let [slope, _] = world.world.ground.terrain().gradient(0.0, 0.0);
    let latitude = (2.0 * (5_394_400.0_f64 / 6_378_137.0).exp().atan()).to_degrees() - 90.0;
    let expected = 0.02 / degree_lengths(latitude)[0] * 111_319.49;
    // Samples of 32 bits have a spacing of 3e-5 m at 500 m, and cells differ by 0.2 m.
    assert!((slope / expected - 1.0).abs() < 1.6e-4, "{slope} {expected}");
    let warning = world.warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    assert!(warning.contains("EPSG 3857: 1 m of its coordinates is 0.72"), "{warning}");
}

/// The projection file of an ESRI ASCII grid in US survey feet is read, and is an input of the run.
#[test]
fn a_projection_file_gives_the_unit_and_is_an_input() {
    let folder = tempfile::tempdir().unwrap();
    let raster = dem(folder.path(), None, 0.02);
    std::fs::write(folder.path().join("dem.asc"), write_esri_ascii(&raster)).unwrap();
    let system = "PROJCS[\"Oblong\",GEOGCS[\"GCS_North_American_1983\",\
        DATUM[\"D_North_American_1983\",SPHEROID[\"GRS_1980\",6378137.0,298.257222101]],\
        PRIMEM[\"Greenwich\",0.0],UNIT[\"Degree\",0.0174532925199433]],\
        PROJECTION[\"Transverse_Mercator\"],PARAMETER[\"False_Easting\",556000.0],\
        PARAMETER[\"False_Northing\",0.0],PARAMETER[\"Central_Meridian\",-106.25],\
        PARAMETER[\"Scale_Factor\",1.0],PARAMETER[\"Latitude_Of_Origin\",0.0],\
        UNIT[\"Foot_US\",0.3048006096012192]]";
    std::fs::write(folder.path().join("dem.prj"), system).unwrap();
    let told = DEM.replace("dem.tif", "dem.asc");
    let world = build::world(&read(&scenario(&told, "[0, 0]"), folder.path()).unwrap()).unwrap();
    let [slope, _] = world.world.ground.terrain().gradient(0.0, 0.0);
    let feet = 1200.0 / 3937.0;
    assert!((slope * feet / 0.02 - 1.0).abs() < 0.002, "{slope}");
    assert!(world.inputs.iter().any(|input| input.path.ends_with("dem.prj")));
}

/// A soil raster must be in the same zone as the ground and overlap it.
///
/// A raster in NAD83 over WGS 84 is within meters of it.
#[test]
fn a_raster_of_soils_lies_where_its_elevation_model_does() {
    let folder = tempfile::tempdir().unwrap();
    let ground = dem(folder.path(), Some(32611), 0.0);
    let built = |epsg: u16, east: f64| {
        let [x, y] = ground.south_west;
        let crs = Crs { epsg: Some(epsg), ..ground.crs.clone() };
        let values = vec![1.0; ground.values.len()];
        let classes = Raster { south_west: [x + east, y], values, crs, ..ground.clone() };
        std::fs::write(folder.path().join("soils.tif"), write_geotiff(&classes).unwrap()).unwrap();
        let soils = "raster = { file = 'soils.tif', classes = { 1 = 'firm' } }, default = 'mud'";
        let text = scenario(DEM, "[0, 0]").replace("default = 'mud'", soils);
        let built = build::world(&read(&text, folder.path()).unwrap());
        built.map_err(|faults| faults.to_string())
    };
    assert!(built(32611, 0.0).is_ok());
    assert!(built(26911, 500.0).is_ok());
    for (epsg, east, parts) in [
        (
            32612,
            0.0,
            ["is in EPSG 32612, but the elevation model is in EPSG 32611", "soil.raster.file"],
        ),
        (32611, 5000.0, ["does not overlap the ground", "soil.raster.file"]),
    ] {
        let refused = built(epsg, east).unwrap_err();
        assert!(parts.iter().all(|part| refused.contains(part)), "{refused}");
    }
}

/// Laws without layers ignore layers on or below a soil, with a warning.
#[test]
fn laws_without_layers_cause_a_warning() {
    let snow = "custom = [{ name = 'field', based_on = 'deep_snow', snow = { depth = 0.4, density = 250 } }]";
    let warnings = |laws: &str| {
        let text = scenario(laws, "[0, 0]")
            .replace("default = 'mud'", &format!("default = 'field', {snow}"));
        let text = text + "[site]\nlatitude_deg = 48\nlongitude_deg = 11\n";
        let built = build::world(&read(&text, Path::new("")).unwrap()).unwrap();
        built.warnings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(warnings(""), [""; 0]);
    for laws in ["ground.laws = 'reference'", "ground.refine.layers = false"] {
        let told = warnings(laws);
        assert!(matches!(&told[..], [one] if one.contains("soil.custom[0].snow")), "{told:?}");
    }
    assert_eq!(warnings("ground = { laws = 'reference', refine = { layers = true } }"), [""; 0]);
}

/// An ESRI ASCII grid cannot state the unit of its coordinates: they are meters, without a warning.
#[test]
fn a_text_grid_is_in_meters() {
    let folder = tempfile::tempdir().unwrap();
    let ground = dem(folder.path(), None, 0.0);
    let classes = Raster { values: vec![1.0; ground.values.len()], ..ground.clone() };
    for (name, raster) in [("dem.asc", ground), ("soils.asc", classes)] {
        std::fs::write(folder.path().join(name), write_esri_ascii(&raster)).unwrap();
    }
    let soils = "raster = { file = 'soils.asc', classes = { 1 = 'firm' } }, default = 'mud'";
    let warnings_of_units = |given: &str| {
        let head = DEM.replace("'dem.tif'", &format!("'dem.asc'{given}"));
        let text = scenario(&head, "[0, 0]").replace("default = 'mud'", soils);
        let text = text + "[site]\nlatitude_deg = 48.7\nlongitude_deg = -116.233\n";
        site(&text, folder.path()).1.iter().filter(|own| own.contains("unit")).count()
    };
    assert_eq!([warnings_of_units(""), warnings_of_units(", epsg = 32611")], [0, 0]);
}

/// Heights of 500 m to 520 m given in US survey feet convert to meters.
///
/// The scenario specifies the unit of a file that does not.
#[test]
fn heights_in_feet_become_meters() {
    let folder = tempfile::tempdir().unwrap();
    dem(folder.path(), Some(26911), 0.02);
    let told = DEM.replace("'dem.tif'", "'dem.tif', height_unit = 'us_survey_ft'");
    let height = |head: &str| {
        let file = read(&scenario(head, "[0, 0]"), folder.path()).unwrap();
        build::world(&file).unwrap().world.ground.terrain().height(0.0, 0.0)
    };
    assert!((height(&told) - height(DEM) * 1200.0 / 3937.0).abs() < 1e-9);
}

#[test]
fn an_import_keeps_the_reference_system_and_info_shows_slope_extent_and_a_preview() {
    let folder = tempfile::tempdir().unwrap();
    let mut raster = dem(folder.path(), Some(26911), 0.25);
    let bekker = |arguments: &[&str]| {
        let output = Command::cargo_bin("bekker")
            .unwrap()
            .current_dir(folder.path())
            .args(["terrain"])
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let printed = bekker(&["import", "dem.tif", "part.tif", "--crop=-100,-100,100,100"]);
    assert!(printed.contains("origin = [556500.0,5394500.0]"), "{printed}");
    let (part, _) = read_geotiff(&std::fs::read(folder.path().join("part.tif")).unwrap()).unwrap();
    assert_eq!(part.crs.epsg, Some(26911));
    assert_eq!(part.bounds(), [556_400.0, 5_394_400.0, 556_600.0, 5_394_600.0]);
    // A strip in the west has no data.
    for (index, value) in raster.values.iter_mut().enumerate() {
        if index % 101 < 20 {
            *value = f64::NAN;
        }
    }
    std::fs::write(folder.path().join("gaps.tif"), write_geotiff(&raster).unwrap()).unwrap();
    let about = bekker(&["info", "gaps.tif", "--json", "--picture", "gaps.png"]);
    let about: serde_json::Value = serde_json::from_str(&about).unwrap();
    assert_eq!(about["valid_bounds"][0], 556_200.0);
    assert!((about["slope_percent"]["median"].as_f64().unwrap() - 25.0).abs() < 1e-3);
    let middle = &about["middle_latitude_longitude_deg"];
    assert!((middle[0].as_f64().unwrap() - 48.70).abs() < 0.01, "{middle}");
    assert!(std::fs::metadata(folder.path().join("gaps.png")).unwrap().len() > 1000);
    let text = bekker(&["info", "gaps.tif"]);
    assert!(text.contains("NAD83") && text.contains('█') && text.contains("25 %"), "{text}");
}

#[test]
fn the_curvature_of_the_earth_does_not_lengthen_short_paths() {
    // A position a third of the way around the earth is beyond any map.
    let head = "site = { latitude_deg = 47, longitude_deg = 11 }";
    let far = "{ latitude_deg = -10, longitude_deg = 140 }";
    let message = read(&scenario(head, far), Path::new("")).unwrap_err();
    assert!(message.contains("too far from the scenario's location"), "{message}");
    let site = Site::new(Geodetic::degrees(47.0, 11.0, 0.0));
    assert_eq!(site.point(&Geodetic::degrees(-10.0, 140.0, 0.0)), None);
}
