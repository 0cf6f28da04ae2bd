//! Import of vehicles in Project Chrono's schema.
//!
//! The HMMWV and the M113 of the catalog, written in that schema, are restored unchanged. Wrong or
//! unknown entries are named.

use assert_cmd::Command;
use bekker::chrono_import::{CompanionFiles, ImportError, ImportedVehicle, import};
use bekker::curve::Curve;
use bekker::mobility::vehicle_sheet::VehicleSheet;
use bekker::scenario::{ScenarioFile, build};
use bekker::simulation::World;
use bekker::vehicle::powertrain::Powertrain;
use bekker::vehicle::spec::{
    Axle, Chassis, Damper, ReturnRoller, Steering, Suspension, Track, TrackSteering, TrackedSpec,
    VehicleSpec,
};
use bekker::vehicle::{AnySpec, find_vehicle, find_wheeled};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Folder of data in Chrono's schema.
struct Data {
    place: tempfile::TempDir,
}

impl Data {
    fn new() -> Data {
        Data { place: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    fn write(&self, name: &str, figures: &Value) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, serde_json::to_string_pretty(figures).unwrap()).unwrap();
    }

    /// Writes a file with one value changed.
    fn alter(&self, name: &str, pointer: &str, value: Value) {
        let text = std::fs::read_to_string(self.path(name)).unwrap();
        let mut figures: Value = serde_json::from_str(&text).unwrap();
        *figures.pointer_mut(pointer).unwrap() = value;
        self.write(name, &figures);
    }

    fn import(&self, name: &str) -> Result<ImportedVehicle, ImportError> {
        import(&self.path(name), None, &CompanionFiles::default())
    }
}

fn file(kind: &str, template: &str, mut figures: Value) -> Value {
    let entries = figures.as_object_mut().unwrap();
    entries.insert("Type".into(), json!(kind));
    entries.insert("Template".into(), json!(template));
    entries.insert("Name".into(), json!(format!("test {template}")));
    figures
}

fn points(curve: &Curve) -> Value {
    json!(curve.points())
}

fn chassis(own: &Chassis) -> Value {
    let component = json!({
        "Centroidal Frame": { "Location": own.com, "Orientation": [1, 0, 0, 0] },
        "Mass": own.mass, "Moments of Inertia": own.inertia, "Products of Inertia": own.products,
        "Void": false,
    });
    let driver = json!({ "Location": own.driver, "Orientation": [1, 0, 0, 0] });
    let figures = json!({
        "Components": [component], "Driver Position": driver,
        "Visualization": { "Mesh": "none.obj" },
    });
    file("Chassis", "RigidChassis", figures)
}

fn powertrain(data: &Data, folder: &str, own: &Powertrain) {
    let engine = json!({
        "Motor Block Inertia": 10.5, "Motorshaft Inertia": 1.1,
        "Torque Map": points(&own.engine.full_throttle_rpm),
        "Losses Map": points(&own.engine.losses_rpm),
    });
    data.write(&format!("{folder}/power/engine.json"), &file("Engine", "EngineShafts", engine));
    let (gearbox, converter) = (&own.gearbox, own.converter.as_ref().unwrap());
    let transmission = json!({
        "Input Shaft Inertia": gearbox.input_inertia,
        "Motorshaft Inertia": own.engine.inertia,
        "Driveshaft Inertia": gearbox.output_inertia,
        "Torque Converter": {
            "Capacity Factor Map": points(&converter.capacity),
            "Torque Ratio Map": points(&converter.torque_ratio),
        },
        "Gear Box": {
            "Forward Gear Ratios": gearbox.ratios, "Reverse Gear Ratio": gearbox.reverse,
            "Upshift RPM": gearbox.upshift_rpm, "Downshift RPM": gearbox.downshift_rpm,
            "Shift Latency": gearbox.latency,
        },
    });
    let transmission = file("Transmission", "AutomaticTransmissionShafts", transmission);
    data.write(&format!("{folder}/power/transmission.json"), &transmission);
}

fn double_wishbone(axle: &Axle) -> Value {
    let Suspension::DoubleWishbone(own) = &axle.suspension else { panic!("no double wishbone") };
    let p = &own.points;
    let spring = axle.spring.as_ref().unwrap();
    let stops = spring.stops.as_ref().unwrap();
    let part = |part: &bekker::vehicle::spec::MassProperties, com| {
        json!({ "Mass": part.mass, "COM": com, "Moments of Inertia": part.inertia,
            "Products of Inertia": [0, 0, 0], "Radius": 0.02 })
    };
    let arm = |own, com, [front, back, outer]: [[f64; 3]; 3]| {
        let mut arm = part(own, com);
        arm["Location Chassis Front"] = json!(front);
        arm["Location Chassis Back"] = json!(back);
        arm["Location Upright"] = json!(outer);
        arm
    };
    let upper = [p.upper_arm_front, p.upper_arm_back, p.upper_arm_outer];
    let lower = [p.lower_arm_front, p.lower_arm_back, p.lower_arm_outer];
    let Damper { compression, .. } = *axle.damper.as_ref().unwrap();
    let shaft = axle.final_drive.unwrap().half_shaft_inertia;
    let figures = json!({
        "Vehicle-Frame Inertia": false, "Camber Angle (deg)": 0, "Toe Angle (deg)": 0,
        "Spindle": {
            "Mass": own.spindle.mass, "COM": p.spindle, "Inertia": own.spindle.inertia,
            "Radius": 0.15, "Width": 0.06,
        },
        "Upright": part(&own.upright, p.upright),
        "Upper Control Arm": arm(&own.upper_arm, p.upper_arm_com, upper),
        "Lower Control Arm": arm(&own.lower_arm, p.lower_arm_com, lower),
        "Tierod": {
            "Location Chassis": p.tie_rod_chassis, "Location Upright": p.tie_rod_upright,
        },
        "Spring": {
            "Location Chassis": p.spring_chassis, "Location Arm": p.spring_arm,
            "Free Length": spring.free_length, "Minimum Length": stops.min_length,
            "Maximum Length": stops.max_length, "Spring Curve Data": points(&spring.tension),
        },
        "Shock": {
            "Location Chassis": p.damper_chassis, "Location Arm": p.damper_arm,
            "Damping Coefficient": compression,
        },
        "Axle": { "Inertia": shaft },
    });
    file("Suspension", "DoubleWishbone", figures)
}

/// Writes the HMMWV in Chrono's schema; its vehicle file is `hmmwv/vehicle.json`.
fn hmmwv(data: &Data, own: &VehicleSpec) {
    data.write("hmmwv/chassis.json", &chassis(&own.chassis));
    let mut axles = Vec::new();
    for axle in &own.axles {
        let name = format!("hmmwv/suspension_{}.json", axle.name);
        data.write(&name, &double_wishbone(axle));
        let mut entry = json!({
            "Suspension Input File": name, "Suspension Location": axle.position,
            "Left Wheel Input File": "hmmwv/wheel.json",
            "Right Wheel Input File": "hmmwv/wheel.json",
            "Left Brake Input File": "hmmwv/brake.json",
            "Right Brake Input File": "hmmwv/brake.json",
        });
        if axle.steered {
            entry["Steering Index"] = json!(0);
        }
        axles.push(entry);
    }
    let brake = json!({ "Maximum Torque": own.axles[0].brake_torque });
    data.write("hmmwv/brake.json", &file("Brake", "BrakeSimple", brake));
    let wheel = json!({ "Mass": own.wheel.mass, "Inertia": own.wheel.inertia });
    data.write("hmmwv/wheel.json", &file("Wheel", "Wheel", wheel));
    let Some(Steering::PitmanArm(pitman)) = &own.steering else { panic!("no pitman arm") };
    let p = &pitman.points;
    let body = |part: &bekker::vehicle::spec::MassProperties, com: [f64; 3]| {
        json!({ "Mass": part.mass, "COM": com, "Moments of Inertia": part.inertia,
            "Products of Inertia": [0, 0, 0] })
    };
    let steering = json!({
        "Steering Link": body(&pitman.link, p.link_com),
        "Pitman Arm": body(&pitman.arm, p.arm_com),
        "Revolute Joint": {
            "Location": p.arm_chassis, "Direction": [0, 0, 1],
            "Maximum Angle (deg)": pitman.max_angle_deg,
        },
        "Universal Joint": {
            "Location": p.arm_link, "Direction Arm": [0, 0, 1], "Direction Link": [1, 0, 0],
        },
        "Revolute-Spherical Joint": {
            "Location Chassis": p.idler_chassis, "Location Link": p.idler_link,
            "Direction": [0, 0, 1],
        },
    });
    data.write("hmmwv/steering.json", &file("Steering", "PitmanArm", steering));
    let drive = own.axles[0].final_drive.unwrap();
    let driveline = own.driveline.as_ref().unwrap();
    let shafts = json!({
        "Shaft Direction": { "Motor Block": [1, 0, 0], "Axle": [0, 1, 0] },
        "Shaft Inertia": {
            "Driveshaft": driveline.driveshaft_inertia,
            "Front Driveshaft": drive.shaft_inertia, "Rear Driveshaft": drive.shaft_inertia,
            "Central Differential Box": driveline.center.inertia,
            "Front Differential Box": drive.differential.inertia,
            "Rear Differential Box": drive.differential.inertia,
        },
        "Gear Ratio": { "Front Conical Gear": drive.ratio, "Rear Conical Gear": drive.ratio },
        "Axle Differential Locking Limit": drive.differential.lock_torque,
        "Central Differential Locking Limit": driveline.center.lock_torque,
    });
    data.write("hmmwv/driveline.json", &file("Driveline", "ShaftsDriveline4WD", shafts));
    powertrain(data, "hmmwv", own.powertrain.as_ref().unwrap());
    let handling = &own.tire.handling;
    let tire = json!({
        "Design": {
            "Unloaded Radius [m]": handling.unloaded_radius, "Width [m]": handling.width,
            "Mass [kg]": own.tire.mass, "Inertia [kg.m2]": own.tire.inertia,
            // 16.5 in diameter.
            "Rim Radius [m]": 0.209_55,
        },
        "Coefficient of Friction": handling.friction,
        "Rolling Resistance Coefficient": handling.rolling_resistance,
        "Vehicle Type": "Truck",
        "Maximum Bearing Capacity [N]": 2.0 * handling.nominal_load,
    });
    data.write("hmmwv/tire.json", &file("Tire", "TMeasyTire", tire));
    let half = 0.5 * pitman.pitch_deg.to_radians();
    let vehicle = json!({
        "Chassis": { "Input File": "hmmwv/chassis.json" }, "Axles": axles,
        "Steering Subsystems": [{
            "Input File": "hmmwv/steering.json", "Location": pitman.position,
            "Orientation": [half.cos(), 0.0, half.sin(), 0.0],
        }],
        "Wheelbase": own.wheelbase, "Minimum Turning Radius": 7.62,
        "Maximum Steering Angle (deg)": pitman.max_wheel_angle_deg,
        "Driveline": { "Input File": "hmmwv/driveline.json", "Suspension Indexes": [0, 1] },
    });
    data.write("hmmwv/vehicle.json", &file("Vehicle", "WheeledVehicle", vehicle));
}

fn assert_close(a: f64, b: f64, share: f64, what: &str) {
    assert!((a / b - 1.0).abs() <= share, "{what}: {a} is not {b}");
}

#[test]
fn the_hmmwv_comes_back_with_its_loads_and_frequencies() {
    let data = Data::new();
    let known = find_wheeled("hmmwv").unwrap();
    hmmwv(&data, &known);
    let read = data.import("hmmwv/vehicle.json").unwrap();
    let own = read.spec.wheeled().unwrap();
    assert_eq!(own.total_mass(), known.total_mass());
    let [found, expected] = [own, &known].map(|own| own.powertrain.as_ref().unwrap());
    assert_eq!(found.gearbox, expected.gearbox);
    assert_eq!(found.converter, expected.converter);
    assert_eq!(own.driveline, known.driveline);
    for (own, known) in own.axles.iter().zip(&known.axles) {
        assert_eq!(own.suspension, known.suspension);
        assert_eq!(own.spring, known.spring);
        assert_eq!(own.final_drive, known.final_drive);
    }
    let sheet = |spec: &AnySpec| VehicleSheet::new("hmmwv", spec).unwrap();
    let (found, expected) = (sheet(&read.spec), sheet(&AnySpec::Wheeled(Box::new(known))));
    for (found, expected) in found.axles.iter().zip(&expected.axles) {
        let [own, known] = [found, expected].map(|axle| axle.springs.as_ref().unwrap());
        println!("{} {:.1} N, {:.3} and {:.3} Hz", found.name, found.load, own.bounce, own.hop);
        // Requirement of issue 21. The damper, which has one coefficient there, changes none of
        // them.
        assert_close(found.load, expected.load, 0.01, "load");
        assert_close(own.bounce, known.bounce, 0.01, "bounce");
        assert_close(own.hop, known.hop, 0.01, "hop");
    }
    let (found, expected) = (found.turning.unwrap(), expected.turning.unwrap());
    assert_close(found.circle, expected.circle, 0.01, "turning circle");
    // Entries without a counterpart are reported, each with its file.
    let told =
        |file: &str, key: &str| read.omitted.iter().any(|own| own.file == file && own.key == key);
    assert!(told("hmmwv/power/engine.json", "Motor Block Inertia"));
    assert!(told("hmmwv/chassis.json", "Visualization"));
    assert!(told("hmmwv/vehicle.json", "Minimum Turning Radius"));
    assert!(told("hmmwv/suspension_front.json", "Upright / Radius"), "{:?}", read.omitted);
    assert!(read.sources.iter().any(|file| file == "hmmwv/tire.json"));
    assert!(read.text.contains("# from hmmwv/suspension_rear.json"), "{}", read.text);
}

#[test]
fn faults_are_named_with_file_key_value_and_allowed_range() {
    let data = Data::new();
    let known = find_wheeled("hmmwv").unwrap();
    let cases = [
        (
            "hmmwv/vehicle.json",
            "/Chassis/Input File",
            json!("hmmwv/none.json"),
            "hmmwv/vehicle.json: Chassis / Input File = hmmwv/none.json: must be a file below",
        ),
        (
            "hmmwv/suspension_front.json",
            "/Template",
            json!("MagicCarpet"),
            "hmmwv/suspension_front.json: Template = MagicCarpet: must be DoubleWishbone, ",
        ),
        (
            "hmmwv/chassis.json",
            "/Components/0/Mass",
            json!("heavy"),
            "hmmwv/chassis.json: Components[0].Mass: invalid type: string \"heavy\", expected f64",
        ),
        (
            "hmmwv/suspension_rear.json",
            "/Spring/Free Length",
            json!(-0.3),
            "hmmwv/suspension_rear.json: the imported vehicle is not valid: \
             axles[1].spring.free_length = -0.3: must be finite and above 0",
        ),
        (
            "hmmwv/vehicle.json",
            "/Driveline/Suspension Indexes",
            json!([0]),
            "hmmwv/driveline.json: Suspension Indexes (of the vehicle) = [0]: must be 2 axles, the \
             number that the template drives",
        ),
        (
            "hmmwv/power/engine.json",
            "/Type",
            json!("Motor"),
            "hmmwv/vehicle.json: engine = absent: must be given by --engine",
        ),
    ];
    for (name, pointer, value, expected) in cases {
        hmmwv(&data, &known);
        data.alter(name, pointer, value);
        let told = data.import("hmmwv/vehicle.json").unwrap_err().to_string();
        assert!(told.contains(expected), "{told}\nis not\n{expected}");
    }
    hmmwv(&data, &known);
    std::fs::write(data.path("hmmwv/brake.json"), "{ // half\n  \"Type\": ").unwrap();
    let told = data.import("hmmwv/vehicle.json").unwrap_err().to_string();
    assert!(told.starts_with("hmmwv/brake.json: EOF while parsing"), "{told}");
    let told =
        import(&data.path("none.json"), None, &CompanionFiles::default()).unwrap_err().to_string();
    assert!(told.contains("none.json: No such file"), "{told}");
}

/// Replacing any value of any file gives a vehicle or an error, and no panic.
#[test]
fn no_value_of_a_file_makes_it_panic() {
    let data = Data::new();
    hmmwv(&data, &find_wheeled("hmmwv").unwrap());
    let files = [
        "vehicle",
        "chassis",
        "suspension_front",
        "steering",
        "driveline",
        "wheel",
        "brake",
        "tire",
        "power/engine",
        "power/transmission",
    ];
    let others = [json!(null), json!(-1), json!(0), json!(1e300), json!("x\n[y]"), json!([])];
    let (mut read, mut refused) = (0, 0);
    for file in files {
        let name = format!("hmmwv/{file}.json");
        let before = std::fs::read_to_string(data.path(&name)).unwrap();
        let whole: Value = serde_json::from_str(&before).unwrap();
        let mut places = Vec::new();
        leaves("", &whole, &mut places);
        for (index, place) in places.iter().enumerate() {
            // The replacements alternate over the values.
            data.alter(&name, place, others[index % others.len()].clone());
            match data.import("hmmwv/vehicle.json") {
                Ok(_) => read += 1,
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    refused += 1;
                }
            }
            std::fs::write(data.path(&name), &before).unwrap();
        }
    }
    println!("{read} read, {refused} refused");
    assert!(read > 20 && refused > 100, "{read} read, {refused} refused");
}

/// Collects pointers to all values, but not to rows of long tables beyond the third.
fn leaves(at: &str, value: &Value, places: &mut Vec<String>) {
    match value {
        Value::Object(entries) => entries.iter().for_each(|(key, inside)| {
            let key = key.replace('~', "~0").replace('/', "~1");
            leaves(&format!("{at}/{key}"), inside, places);
        }),
        Value::Array(items) => items.iter().take(3).enumerate().for_each(|(index, inside)| {
            leaves(&format!("{at}/{index}"), inside, places);
        }),
        _ => places.push(at.to_owned()),
    }
}

/// Writes the M113 in Chrono's schema; its vehicle file is `M113/vehicle.json`.
fn m113(data: &Data, own: &TrackedSpec) {
    data.write("M113/chassis.json", &chassis(&own.chassis));
    m113_belt(data, own);
    m113_wheels(data, own);
    data.write("M113/left.json", &m113_track(own, &own.left));
    data.write("M113/right.json", &m113_track(own, &own.right));
    let figures = json!({
        "Driveshaft Inertia": own.drive.driveshaft_inertia,
        "Differential Box Inertia": own.drive.carrier_inertia,
        "Conical Gear Ratio": own.drive.ratio,
    });
    data.write("M113/driveline.json", &file("TrackDriveline", "TrackDrivelineBDS", figures));
    powertrain(data, "M113", &own.powertrain);
    let offset = own.sprocket.position[1];
    let figures = json!({
        "Chassis": { "Input File": "M113/chassis.json" },
        "Track Assemblies": [
            { "Input File": "M113/left.json", "Offset": offset },
            { "Input File": "M113/right.json", "Offset": -offset },
        ],
        "Driveline": { "Input File": "M113/driveline.json" },
    });
    data.write("M113/vehicle.json", &file("Vehicle", "TrackedVehicle", figures));
}

/// Writes its shoes, sprockets and brakes.
fn m113_belt(data: &Data, own: &TrackedSpec) {
    let shoe = &own.shoe;
    let boxes: Vec<Value> = shoe
        .faces
        .iter()
        .map(|face| {
            let [x, y, z] = face.center;
            json!({ "Type": "BOX", "Ground Contact": true, "Location": [x, y, z + 0.01],
                "Orientation": [1, 0, 0, 0], "Dimensions": [face.length, face.width, 0.02],
                "Material Index": 0 })
        })
        .collect();
    let figures = json!({
        "Shoe": {
            "Height": 2.0 * shoe.top, "Pitch": shoe.pitch, "Mass": shoe.mass,
            "Inertia": shoe.inertia,
        },
        "Contact": { "Shoe Shapes": boxes },
    });
    data.write("M113/shoe.json", &file("TrackShoe", "TrackShoeSinglePin", figures));
    let gear = &own.sprocket;
    // Pins at the corners of a regular polygon.
    let pitch_radius = 0.5 * shoe.pitch / (std::f64::consts::PI / f64::from(gear.teeth)).sin();
    let figures = json!({
        "Number Teeth": gear.teeth, "Gear Mass": gear.mass,
        "Gear Inertia": [0.646, gear.spin_inertia - 0.8, 0.646], "Axle Inertia": 0.4,
        "Profile": { "Addendum Radius": pitch_radius + gear.tooth.height, "Arc Radius": 0.089 },
    });
    data.write("M113/sprocket.json", &file("Sprocket", "SprocketSinglePin", figures));
    let brake = json!({ "Maximum Torque": own.drive.brake_torque, "Shaft Inertia": 0.4 });
    data.write("M113/brake.json", &file("TrackBrake", "TrackBrakeShafts", brake));
}

/// Writes its idlers, road wheels and rollers, and their suspensions.
fn m113_wheels(data: &Data, own: &TrackedSpec) {
    let wheel = |mass: f64, inertia: [f64; 3], radius: f64| {
        let figures = json!({ "Wheel": { "Radius": radius, "Width": 0.181, "Gap": 0.051,
            "Mass": mass, "Inertia": inertia } });
        file("TrackWheel", "DoubleTrackWheel", figures)
    };
    let idler = &own.idler;
    let idler_wheel = wheel(idler.wheel.mass, idler.wheel.inertia, idler.radius);
    data.write("M113/idler_wheel.json", &idler_wheel);
    let figures = json!({
        "Carrier": {
            "Mass": idler.carrier.mass, "COM": [0, -0.1, 0], "Inertia": idler.carrier.inertia,
        },
        "Tensioner": {
            "Location Carrier": [0, -0.2, 0], "Location Chassis": [0.5, -0.2, 0],
            "Preload": idler.preload, "Free Length": 0.5 + idler.compression,
            "Spring Coefficient": idler.stiffness, "Damping Coefficient": idler.damping,
        },
        "Idler Wheel Input File": "M113/idler_wheel.json",
    });
    data.write("M113/idler.json", &file("Idler", "TranslationalIdler", figures));
    let road = &own.road_wheel;
    data.write("M113/road_wheel.json", &wheel(road.mass, road.inertia, road.radius));
    let arm = &own.road_arm;
    let figures = json!({
        "Suspension Arm": {
            "Mass": arm.arm.mass, "COM": arm.com, "Inertia": arm.arm.inertia,
            "Location Chassis": arm.pivot, "Location Wheel": [0, -0.12, 0],
        },
        "Torsional Spring": {
            "Free Angle": 0, "Spring Constant": arm.stiffness,
            "Damping Coefficient": arm.damping, "Preload": -arm.torque,
        },
        "Damper": {
            "Location Chassis": arm.damper_chassis, "Location Arm": arm.damper_arm,
            "Damping Coefficient": arm.damper,
        },
        "Road Wheel Input File": "M113/road_wheel.json",
    });
    let kind = "TranslationalDamperSuspension";
    data.write("M113/arm.json", &file("TrackSuspension", kind, figures));
    if let Some(roller) = &own.return_roller {
        let figures = wheel(roller.wheel.mass, roller.wheel.inertia, roller.radius);
        data.write("M113/roller.json", &figures);
    }
}

/// Returns a track with all its rotating parts.
fn m113_track(own: &TrackedSpec, track: &Track) -> Value {
    let (gear, idler) = (&own.sprocket, &own.idler);
    let arms: Vec<Value> = track
        .stations
        .iter()
        .zip(&track.damped)
        .map(|(x, damped)| {
            json!({ "Input File": "M113/arm.json", "Has Shock": damped,
                "Location": [x, 0, own.wheel_height] })
        })
        .collect();
    let height = own.return_roller.map(|roller| roller.height);
    let rollers = track
        .return_rollers
        .iter()
        .map(|x| json!({ "Input File": "M113/roller.json", "Location": [x, 0, height] }));
    let place = |at: [f64; 3]| [at[0], 0.0, at[2]];
    let figures = json!({
        "Sprocket": { "Input File": "M113/sprocket.json", "Location": place(gear.position) },
        "Brake": { "Input File": "M113/brake.json" },
        "Idler": { "Input File": "M113/idler.json", "Location": place(idler.position) },
        "Suspension Subsystems": arms,
        "Rollers": rollers.collect::<Vec<_>>(),
        "Track Shoes": { "Input File": "M113/shoe.json", "Number Shoes": track.shoes },
    });
    file("TrackAssembly", "TrackAssemblySinglePin", figures)
}

/// Returns a file of the whole vehicle in SynChrono's format, which names the vehicle and its other
/// parts.
fn whole_vehicle(folder: &str, parts: &[(&str, Value)]) -> Value {
    let mut whole = json!({
        "Name": "HMMWV", "Type": "Vehicle", "Template": "WheeledVehicle",
        "Vehicle": { "Input File": format!("{folder}/vehicle.json"),
            "Chassis Visualization Type": "Mesh" },
        "Zombie": { "Number of Wheels": 4 },
    });
    for (key, part) in parts {
        whole[*key] = part.clone();
    }
    whole
}

/// Writes the HMMWV's data where Chrono and SynChrono have theirs: below `vehicle` and `synchrono`.
fn with_synchrono() -> Data {
    let data = Data::new();
    hmmwv(&data, &find_wheeled("hmmwv").unwrap());
    std::fs::create_dir_all(data.path("vehicle")).unwrap();
    std::fs::rename(data.path("hmmwv"), data.path("vehicle/hmmwv")).unwrap();
    data
}

#[test]
fn a_file_of_a_whole_vehicle_and_an_agent_are_read_as_the_vehicle_that_they_name() {
    let data = with_synchrono();
    let expected = data.import("vehicle/hmmwv/vehicle.json").unwrap();
    let input = |name: &str| json!({ "Input File": format!("hmmwv/{name}.json") });
    let parts = [
        ("Engine", input("power/engine")),
        ("Transmission", json!("hmmwv/power/transmission.json")),
        ("Tires", json!([input("tire")])),
    ];
    data.write("synchrono/vehicle/HMMWV.json", &whole_vehicle("hmmwv", &parts));
    let mut untyped = whole_vehicle("hmmwv", &[("Tire", input("tire"))]);
    untyped.as_object_mut().unwrap().remove("Template");
    data.write("synchrono/vehicle/Untyped.json", &untyped);
    // Next to the vehicle itself, and in the folder above.
    data.write("vehicle/hmmwv/HMMWV.json", &whole_vehicle("hmmwv", &[]));
    data.write("synchrono/vehicle/Above.json", &whole_vehicle("vehicle/hmmwv", &[]));
    let agent = json!({ "Type": "Agent", "Template": "VehicleAgent",
        "Vehicle Input File": "vehicle/HMMWV.json", "Terrain Input File": "terrain/Plane.json" });
    data.write("synchrono/agent/HMMWVAgent.json", &agent);
    for name in [
        "synchrono/vehicle/HMMWV.json",
        "synchrono/vehicle/Untyped.json",
        "synchrono/vehicle/Above.json",
        "vehicle/hmmwv/HMMWV.json",
        "synchrono/agent/HMMWVAgent.json",
    ] {
        let read = data.import(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(read.spec, expected.spec, "{name}");
        assert!(read.sources.len() > expected.sources.len(), "{name}: {:?}", read.sources);
    }
    // Explicit options have precedence over named files.
    data.alter("vehicle/hmmwv/tire.json", "/Coefficient of Friction", json!(0.7));
    let text = std::fs::read_to_string(data.path("vehicle/hmmwv/tire.json")).unwrap();
    let mut other: Value = serde_json::from_str(&text).unwrap();
    other["Coefficient of Friction"] = json!(0.5);
    data.write("other/tire.json", &other);
    let beside =
        CompanionFiles { tires: vec![data.path("other/tire.json")], ..CompanionFiles::default() };
    let read = import(&data.path("synchrono/vehicle/HMMWV.json"), None, &beside).unwrap();
    assert_eq!(read.spec.wheeled().unwrap().tire.handling.friction, 0.5);
    // A named file that does not exist is reported with its key.
    let absent = whole_vehicle("hmmwv", &[("Engine", input("power/none"))]);
    data.write("synchrono/vehicle/Absent.json", &absent);
    let told = data.import("synchrono/vehicle/Absent.json").unwrap_err().to_string();
    assert!(told.contains("Engine / Input File = hmmwv/power/none.json: must be a file"), "{told}");
    // A file that names itself.
    let circle = json!({ "Type": "Vehicle", "Vehicle": { "Input File": "hmmwv/Circle.json" } });
    data.write("vehicle/hmmwv/Circle.json", &circle);
    let told = data.import("vehicle/hmmwv/Circle.json").unwrap_err().to_string();
    assert!(told.contains("a chain of more than 4 files"), "{told}");
}

/// Engine and transmission in one file, as in Chrono until 2023, give the same result as two files.
#[test]
fn a_powertrain_in_one_file_is_read_as_engine_and_transmission() {
    let data = Data::new();
    let known = find_wheeled("hmmwv").unwrap();
    hmmwv(&data, &known);
    let expected = data.import("hmmwv/vehicle.json").unwrap();
    let part = |name: &str| -> Value {
        let text = std::fs::read_to_string(data.path(&format!("hmmwv/power/{name}.json"))).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let (engine, transmission) = (part("engine"), part("transmission"));
    let mut gears = transmission["Gear Box"].clone();
    gears["Input Shaft Inertia"] = transmission["Input Shaft Inertia"].clone();
    gears["Output Shaft Inertia"] = transmission["Driveshaft Inertia"].clone();
    let shafts = json!({
        "Engine": { "Crankshaft Inertia": transmission["Motorshaft Inertia"],
            "Motor Block Inertia": 10.5,
            "Torque Map": engine["Torque Map"], "Losses Map": engine["Losses Map"] },
        "Transmission": gears, "Torque Converter": transmission["Torque Converter"],
    });
    let shafts = file("Powertrain", "ShaftsPowertrain", shafts);
    data.write("other/shafts.json", &shafts);
    let beside = |name: &str| CompanionFiles {
        powertrain: Some(data.path(name)),
        ..CompanionFiles::default()
    };
    let read =
        import(&data.path("hmmwv/vehicle.json"), None, &beside("other/shafts.json")).unwrap();
    let powertrain =
        |read: &ImportedVehicle| read.spec.wheeled().unwrap().powertrain.clone().unwrap();
    assert_eq!(powertrain(&read), powertrain(&expected));
    // The combined file of the folder is used if the folder lacks a separate engine.
    std::fs::remove_dir_all(data.path("hmmwv/power")).unwrap();
    data.write("hmmwv/old/shafts.json", &shafts);
    let read = data.import("hmmwv/vehicle.json").unwrap();
    assert_eq!(powertrain(&read), powertrain(&expected));
    assert!(read.assumed.iter().any(|own| own.key == "powertrain"), "{:?}", read.assumed);
    // With maps: torque at half throttle is halfway between both.
    let maps = json!({
        "Engine": { "Maximal Engine Speed RPM": 3000,
            "Map Full Throttle": [[0, 300], [2000, 400], [3000, 200]],
            "Map Zero Throttle": [[0, 0], [3000, -60]] },
        "Transmission": { "Forward Gear Ratios": [0.2, 0.4], "Reverse Gear Ratio": -0.2,
            "Shift Points Map RPM": [[800, 2500], [900, 2600]] },
    });
    data.write("other/maps.json", &file("Powertrain", "SimpleMapPowertrain", maps));
    let read = import(&data.path("hmmwv/vehicle.json"), None, &beside("other/maps.json")).unwrap();
    let own = powertrain(&read);
    let half = own.engine.torque(0.5, 2000.0 * bekker::vehicle::powertrain::RPM).value;
    assert_close(half, 0.5 * (400.0 - 40.0), 1e-9, "torque");
    assert_eq!(own.gearbox.shift_rpm, [[800.0, 2500.0], [900.0, 2600.0]]);
    // One gear, with a power and without.
    for power in [Some(json!(80e3)), None] {
        let mut simple = json!({ "Forward Gear Ratio": 0.3, "Reverse Gear Ratio": -0.3,
            "Maximum Engine Torque": 400.0, "Maximum Engine Speed": 300.0 });
        if let Some(power) = &power {
            simple["Maximum Engine Power"] = power.clone();
        }
        data.write("other/simple.json", &file("Powertrain", "SimplePowertrain", simple));
        let read =
            import(&data.path("hmmwv/vehicle.json"), None, &beside("other/simple.json")).unwrap();
        let own = powertrain(&read);
        assert_eq!(own.gearbox.ratios, [0.3]);
        assert_close(own.engine.torque(1.0, 0.0).value, 400.0, 1e-9, "torque");
    }
    data.write("other/cvt.json", &file("Powertrain", "SimpleCVTPowertrain", json!({})));
    let told = import(&data.path("hmmwv/vehicle.json"), None, &beside("other/cvt.json"));
    let told = told.unwrap_err().to_string();
    assert!(told.contains("SimpleCVTPowertrain: must be ShaftsPowertrain"), "{told}");
}

#[test]
fn a_file_of_another_kind_is_refused_with_its_kind() {
    let data = Data::new();
    hmmwv(&data, &find_wheeled("hmmwv").unwrap());
    let tir = b"[MDI_HEADER]\nFILE_TYPE = 'tir'\n$ at 20 \xb0C\n[UNITS]\nLENGTH = 'meter'\n";
    for name in ["tire.tir", "tire.json", "tire"] {
        std::fs::write(data.path(name), tir).unwrap();
        let told = data.import(name).unwrap_err().to_string();
        assert!(told.contains("is an Adams or Magic Formula tire property file"), "{told}");
        assert!(told.contains("must be a vehicle (Type Vehicle"), "{told}");
        let beside = CompanionFiles { tires: vec![data.path(name)], ..CompanionFiles::default() };
        let told = import(&data.path("hmmwv/vehicle.json"), None, &beside).unwrap_err().to_string();
        assert!(told.contains("is an Adams or Magic Formula tire property file"), "{told}");
    }
    std::fs::write(data.path("own.toml"), "format = 1\nname = \"own\"\n").unwrap();
    let told = data.import("own.toml").unwrap_err().to_string();
    assert!(told.contains("is a bekker vehicle file (.toml)"), "{told}");
    // A part where a vehicle is expected: the message names its type and the vehicle files in its
    // folder.
    for (name, what) in [
        ("hmmwv/suspension_front.json", "is of Type Suspension, Template DoubleWishbone"),
        ("hmmwv/tire.json", "is of Type Tire, Template TMeasyTire"),
        ("hmmwv/power/engine.json", "is of Type Engine, Template EngineShafts"),
    ] {
        let told = import(&data.path(name), Some(data.place.path()), &CompanionFiles::default());
        let told = told.unwrap_err().to_string();
        assert!(told.contains(what) && told.contains("as hmmwv/vehicle.json"), "{told}");
        let told = data.import(name).unwrap_err().to_string();
        assert!(told.contains(what), "{told}");
    }
    data.write("plain.json", &json!({ "a": 1 }));
    let told = data.import("plain.json").unwrap_err().to_string();
    assert!(told.contains("is JSON without Type and Template; must be a vehicle"), "{told}");
    // A part where another part is expected.
    let of = |engine: Option<&str>, tire: Option<&str>| CompanionFiles {
        engine: engine.map(|name| data.path(name)),
        tires: tire.map(|name| data.path(name)).into_iter().collect(),
        ..CompanionFiles::default()
    };
    for (beside, what) in [
        (
            of(Some("hmmwv/tire.json"), None),
            "is of Type Tire, Template TMeasyTire; must be of Type Engine",
        ),
        (of(None, Some("hmmwv/wheel.json")), "is of Type Wheel"),
    ] {
        let told = import(&data.path("hmmwv/vehicle.json"), None, &beside).unwrap_err().to_string();
        assert!(told.contains(what), "{told}");
    }
}

#[test]
fn tracks_that_are_driven_behind_are_refused_as_such() {
    let data = Data::new();
    let AnySpec::Tracked(known) = find_vehicle("m113").unwrap() else { panic!("on wheels") };
    m113(&data, &known);
    for side in ["left", "right"] {
        data.alter(&format!("M113/{side}.json"), "/Sprocket/Location/0", json!(0.0));
        data.alter(&format!("M113/{side}.json"), "/Idler/Location/0", json!(3.95));
    }
    let told = data.import("M113/vehicle.json").unwrap_err().to_string();
    assert!(told.contains("Sprocket / Location = 0 m, behind the idler at 3.95 m"), "{told}");
    assert!(told.contains("bekker's tracks are driven at the front"), "{told}");
}

#[test]
fn the_m113_comes_back_part_by_part() {
    let data = Data::new();
    let AnySpec::Tracked(known) = find_vehicle("m113_chrono").unwrap() else { panic!("on wheels") };
    m113(&data, &known);
    let read = data.import("M113/vehicle.json").unwrap();
    let own = read.spec.tracked().unwrap();
    assert_close(own.total_mass(), known.total_mass(), 1e-12, "mass");
    assert_eq!((&own.left, &own.right), (&known.left, &known.right));
    // Its arms, springs and wheels decide the natural frequencies.
    assert_eq!(own.road_arm, known.road_arm);
    assert_eq!(own.road_wheel, known.road_wheel);
    assert_eq!(own.idler, known.idler);
    // Requirement of issue 21: the same frequencies within 1 %.
    let sheet = |spec: &AnySpec| VehicleSheet::new("m113", spec).unwrap().hull.unwrap();
    let (found, expected) = (sheet(&read.spec), sheet(&AnySpec::Tracked(known.clone())));
    println!("{:.3} and {:.3} Hz", found.bounce, found.pitch);
    assert_close(found.bounce, expected.bounce, 0.01, "bounce");
    assert_close(found.pitch, expected.pitch, 0.01, "pitch");
    assert_close(found.damping_ratio, expected.damping_ratio, 0.01, "damping");
    assert_close(own.sprocket.tooth.height, known.sprocket.tooth.height, 1e-9, "tooth");
    assert_close(own.sprocket.spin_inertia, known.sprocket.spin_inertia, 1e-12, "sprocket");
    assert_eq!(own.powertrain.gearbox, known.powertrain.gearbox);
    assert_eq!(own.drive.ratio, known.drive.ratio);
    // 222 N and 10.8 N s/m per tonne, rounded.
    let [found, expected] = [own, &*known].map(|spec| spec.track_resistance());
    assert_close(found[0], expected[0], 1e-3, "resistance");
    assert_close(found[1], expected[1], 5e-3, "resistance");
    assert!(matches!(own.drive.steering, TrackSteering::Differential { .. }));
    for (own, known) in own.shoe.faces.iter().zip(&known.shoe.faces) {
        assert_eq!((own.length, own.width), (known.length, known.width));
        assert!((own.center[2] - known.center[2]).abs() < 1e-12);
    }
}

/// A right track that differs from the left one gives a warning that the left one is used for both.
#[test]
fn differences_of_the_right_track_are_reported() {
    let data = Data::new();
    let AnySpec::Tracked(known) = find_vehicle("m113_chrono").unwrap() else { panic!("on wheels") };
    m113(&data, &known);
    let told = |data: &Data| -> Vec<String> {
        let omitted = data.import("M113/vehicle.json").unwrap().omitted;
        let of_sides = omitted.into_iter().filter(|own| own.why.contains("the left one"));
        of_sides.map(|own| own.key).collect()
    };
    assert_eq!(told(&data), [""; 0]);
    std::fs::copy(data.path("M113/brake.json"), data.path("M113/brake_2.json")).unwrap();
    data.alter("M113/right.json", "/Brake/Input File", json!("M113/brake_2.json"));
    data.alter("M113/right.json", "/Sprocket/Location/0", json!(0.1));
    data.alter("M113/vehicle.json", "/Track Assemblies/1/Offset", json!(-1.2));
    assert_eq!(told(&data), ["Brake / Input File", "Sprocket / Location", "Track Assemblies"]);
}

/// A simple driveline of tracks has no gear and takes the gear of another driveline in its
/// vehicle's folder.
///
/// The same vehicle has that gear with the other driveline. Without one, a default ratio is
/// used and reported.
#[test]
fn a_simple_driveline_of_tracks_takes_the_gear_of_its_folder() {
    let data = Data::new();
    let AnySpec::Tracked(known) = find_vehicle("m113_chrono").unwrap() else { panic!("on wheels") };
    m113(&data, &known);
    let simple = json!({ "Differential Max Bias": 1.0 });
    data.write("M113/simple.json", &file("TrackDriveline", "SimpleTrackDriveline", simple));
    data.alter("M113/vehicle.json", "/Driveline/Input File", json!("M113/simple.json"));
    let read = data.import("M113/vehicle.json").unwrap();
    assert_eq!(read.spec.tracked().unwrap().drive.ratio, known.drive.ratio);
    assert!(read.assumed.iter().any(|own| own.what.contains("M113/driveline.json")));
    std::fs::remove_file(data.path("M113/driveline.json")).unwrap();
    let read = data.import("M113/vehicle.json").unwrap();
    assert_eq!(read.spec.tracked().unwrap().drive.ratio, 0.25);
    assert!(read.assumed.iter().any(|own| own.key == "drive.ratio"));
}

#[test]
fn return_rollers_come_back() {
    let data = Data::new();
    let AnySpec::Tracked(mut known) = find_vehicle("m113_chrono").unwrap() else {
        panic!("on wheels")
    };
    let AnySpec::Tracked(other) = find_vehicle("marder").unwrap() else { panic!("on wheels") };
    known.return_roller = other.return_roller.map(|own| ReturnRoller { height: 0.3, ..own });
    for track in [&mut known.left, &mut known.right] {
        track.return_rollers = vec![-1.5, -3.0];
    }
    m113(&data, &known);
    let read = data.import("M113/vehicle.json").unwrap();
    let own = read.spec.tracked().unwrap();
    assert!(own.return_roller.is_some());
    assert_eq!(own.return_roller, known.return_roller);
    assert_eq!((&own.left, &own.right), (&known.left, &known.right));
}

/// An imported vehicle can be driven and checked by the commands, and never overwrites existing
/// files.
#[test]
fn an_imported_vehicle_is_checked_and_drives() {
    let data = Data::new();
    hmmwv(&data, &find_wheeled("hmmwv").unwrap());
    let run = |arguments: &[&str]| {
        let mut command = Command::cargo_bin("bekker").unwrap();
        let output = command
            .current_dir(data.place.path())
            .arg("vehicles")
            .args(arguments)
            .output()
            .unwrap();
        let [out, told] = [output.stdout, output.stderr].map(|b| String::from_utf8(b).unwrap());
        (output.status.code().unwrap(), out, told)
    };
    let (code, out, told) = run(&["import", "hmmwv/vehicle.json", "-o", "own.toml"]);
    assert!(code == 0 && out.contains("Minimum Turning Radius"), "{out}{told}");
    let (code, _, told) = run(&["import", "hmmwv/vehicle.json", "-o", "own.toml"]);
    assert!(code == 3 && told.contains("--force"), "{code}: {told}");
    let again = ["import", "hmmwv/vehicle.json", "-o", "own.toml", "--force", "--json"];
    let (code, out, _) = run(&again);
    let out: Value = serde_json::from_str(&out).unwrap();
    assert!(code == 0 && out["omitted"].as_array().unwrap().len() > 5, "{out}");
    let (code, page, told) = run(&["check", "own.toml"]);
    assert!(code == 0 && page.contains("turning circle"), "{page}{told}");
    drive(data.place.path(), "own.toml");
}

/// A vehicle's parts are those of its folder for any spelling of its path.
///
/// Faults quote the path as spelled.
#[test]
fn a_vehicle_is_the_same_however_its_path_is_spelled() {
    let data = Data::new();
    let known = find_wheeled("hmmwv").unwrap();
    hmmwv(&data, &known);
    // Of a family that precedes its own alphabetically.
    powertrain(&data, "beetle", known.powertrain.as_ref().unwrap());
    let spelled = |folder: &str, vehicle: &str, more: &[&str]| {
        let mut command = Command::cargo_bin("bekker").unwrap();
        command.current_dir(data.path(folder)).args(["vehicles", "import", vehicle]);
        let output = command.args(["-o", "own.toml", "--force"]).args(more).output().unwrap();
        let [_, told] = [output.stdout, output.stderr].map(|b| String::from_utf8(b).unwrap());
        std::fs::read_to_string(data.path(folder).join("own.toml")).map_err(|_| told)
    };
    let whole = data.path("hmmwv/vehicle.json").display().to_string();
    let expected = spelled(".", &whole, &[]).unwrap();
    assert!(expected.contains("hmmwv/power/engine.json"), "{expected}");
    let spellings = [
        (".", "hmmwv/vehicle.json", [].as_slice()),
        (".", "./hmmwv/vehicle.json", &[]),
        ("hmmwv", "vehicle.json", &[]),
        ("hmmwv", "../hmmwv/vehicle.json", &["--data", ".."]),
        ("beetle", "../hmmwv/vehicle.json", &[]),
    ];
    for (folder, vehicle, more) in spellings {
        assert_eq!(spelled(folder, vehicle, more).unwrap(), expected, "{vehicle} in {folder}");
        std::fs::remove_file(data.path(folder).join("own.toml")).unwrap();
    }
    std::fs::remove_dir_all(data.path("hmmwv/power")).unwrap();
    let told = spelled("hmmwv", "./vehicle.json", &[]).unwrap_err();
    assert!(told.contains("./vehicle.json: engine = absent: must be given by --engine"), "{told}");
}

/// A steered beam axle without a steering linkage is refused: its file and key are named, and
/// nothing is written.
#[test]
fn nothing_is_written_of_a_vehicle_that_is_refused() {
    let data = Data::new();
    let known = find_wheeled("hmmwv").unwrap();
    hmmwv(&data, &known);
    let front = format!("hmmwv/suspension_{}.json", known.axles[0].name);
    let text = std::fs::read_to_string(data.path(&front)).unwrap();
    let mut beam: Value = serde_json::from_str(&text).unwrap();
    beam["Axle Tube"] = json!({ "Mass": 120.0, "COM": [0, 0, 0], "Inertia": [22.0, 0.5, 22.0] });
    for key in ["Spring", "Shock"] {
        beam[key]["Location Axle"] = beam[key]["Location Arm"].take();
        beam[key].as_object_mut().unwrap().remove("Location Arm");
    }
    beam.as_object_mut().unwrap().remove("Tierod");
    data.write(&front, &file("Suspension", "RigidPanhardAxle", beam));
    let told = data.import("hmmwv/vehicle.json").unwrap_err().to_string();
    let expected = format!("{front}: Knuckle = absent: must be given, because the axle is steered");
    assert_eq!(told, expected);
    let mut command = Command::cargo_bin("bekker").unwrap();
    command.current_dir(data.place.path()).args(["vehicles", "import", "hmmwv/vehicle.json"]);
    let output = command.args(["-o", "own.toml"]).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(3) && told.contains(&expected), "{told}");
    assert!(!data.path("own.toml").exists());
}

fn drive(folder: &Path, model: &str) {
    let text = format!(
        "format = 1\nname = \"imported\"\ntime = {{ duration = 2.0 }}\nsoil = {{ default = \
         \"chrono_mid\" }}\n[[vehicle]]\nname = \"own\"\nmodel = \"{model}\"\nposition = \
         [0, 0]\ndriver = {{ kind = \"path\", speed = 3, waypoints = [[0, 0], [60, 0]] }}\n"
    );
    let file = ScenarioFile::parse("imported", &text, folder, &[]).unwrap();
    let mut world = World::new(build::world(&file).unwrap().world);
    while world.time() < 2.0 - 1e-9 {
        world.advance();
    }
    assert_eq!(world.state().agents[0].outcome, None);
    let sample = world.samples().next().unwrap();
    assert!(sample.pose.position.x > 0.2, "{:?}", sample.pose.position);
}

/// Single wishbones with a kingpin, and struts, are read with unchanged hard points.
///
/// They replace the HMMWV's front suspension.
#[test]
fn single_wishbones_and_struts_are_read() {
    let data = Data::new();
    let spec = find_wheeled("hmmwv").unwrap();
    hmmwv(&data, &spec);
    let front = format!("hmmwv/suspension_{}.json", spec.axles[0].name);
    let Suspension::DoubleWishbone(own) = &spec.axles[0].suspension else { panic!() };
    let p = &own.points;
    let text = std::fs::read_to_string(data.path(&front)).unwrap();
    let double: Value = serde_json::from_str(&text).unwrap();
    let mut single = double.clone();
    let arm = single["Lower Control Arm"].take();
    let middle = [0, 1, 2].map(|k| 0.5 * (p.lower_arm_front[k] + p.lower_arm_back[k]));
    for key in ["Lower Control Arm", "Upper Control Arm"] {
        single.as_object_mut().unwrap().remove(key);
    }
    single["Control Arm"] = json!({
        "Mass": arm["Mass"], "COM": arm["COM"], "Moments of Inertia": arm["Moments of Inertia"],
        "Location Chassis": middle, "Location Upright": p.lower_arm_outer,
    });
    let spring = single.as_object_mut().unwrap().remove("Spring").unwrap();
    for key in ["Free Length", "Minimum Length", "Maximum Length", "Spring Curve Data"] {
        single["Shock"][key] = spring[key].clone();
    }
    data.write(&front, &file("Suspension", "SingleWishbone", single));
    let read = imported(&data);
    let Suspension::SingleWishbone(one) = &read.axles[0].suspension else { panic!() };
    assert_eq!(one.points.kingpin_lower[..2], p.lower_arm_outer[..2]);
    assert_eq!(one.points.spring_arm, p.damper_arm);
    assert_eq!(one.arm, own.lower_arm);

    let mut strut = double;
    strut["Control Arm"] = arm_of(p, &strut["Lower Control Arm"]);
    for key in ["Lower Control Arm", "Upper Control Arm"] {
        strut.as_object_mut().unwrap().remove(key);
    }
    let mount =
        [p.upper_arm_outer[0] - 0.03, p.upper_arm_outer[1] - 0.1, p.upper_arm_outer[2] + 0.4];
    for key in ["Spring", "Shock"] {
        strut[key].as_object_mut().unwrap().remove("Location Arm");
        strut[key]["Location Chassis"] = json!(mount);
        strut[key]["Location Upright"] = json!(p.upper_arm_outer);
    }
    strut["Strut"] = json!({ "Mass": 5.0, "Inertia": [0.05, 0.05, 0.01], "Radius": 0.02 });
    data.write(&front, &file("Suspension", "MacPhersonStrut", strut));
    let read = imported(&data);
    let Suspension::MacphersonStrut(one) = &read.axles[0].suspension else { panic!() };
    assert_eq!((one.points.strut_chassis, one.points.strut_upright), (mount, p.upper_arm_outer));
    assert_eq!(one.points.arm_outer, p.lower_arm_outer);
    bekker::vehicle::Vehicle::new(read).unwrap();
}

fn arm_of(p: &bekker::vehicle::spec::DoubleWishbonePoints, lower: &Value) -> Value {
    let mut arm = lower.clone();
    arm["Location Upright"] = json!(p.lower_arm_outer);
    arm
}

fn imported(data: &Data) -> VehicleSpec {
    let read = data.import("hmmwv/vehicle.json").unwrap();
    read.spec.wheeled().unwrap().clone()
}
