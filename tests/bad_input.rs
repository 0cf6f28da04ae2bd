//! Wrong inputs of every kind, each with the message that it must give.
//!
//! There is one table each for scenarios, vehicles, `--set` and command lines. A message must name
//! the position, the key, the value and what is allowed. The exit code is 3 for wrong input and 2
//! for a wrong command line. Standard output, which is for data, stays empty, and nothing panics.

use assert_cmd::Command;
use std::path::Path;

/// Valid scenario that uses every kind of table; the cases below break it.
const SOUND: &str = r#"format = 1
name = "sound"
seed = 7

[time]
duration = 10
step = 0.002
heartbeat = 0.01

[ground]
spacing = 0.05
laws = "reference"

[terrain]
surface = { kind = "procedural", amplitude = 2, wavelength = 80 }
roughness = "D"

[[terrain.stamp]]
kind = "ditch"
from = [30, -10]
to = [30, 10]
width = 2
depth = 0.4

[soil]
default = "firm"

[[soil.zone]]
soil = "mud"
area = { kind = "half_plane", through = [50, 0], towards_deg = 0 }

[[soil.zone]]
soil = "wet"
area = { kind = "rectangle", min = [0, 0], max = [5, 5] }

[[soil.custom]]
name = "wet"
based_on = "mud"
cohesion = 5000

[[vehicle]]
name = "lead"
model = "hmmwv"
position = [0, 0]
driver = { kind = "path", waypoints = [[0, 0], [80, 0]], speed = 5 }

[[vehicle]]
name = "second"
model = "hmmwv"
position = [-12, 0]
driver = { kind = "follow", leader = "lead", gap = 10 }

[[vehicle]]
name = "third"
model = "hmmwv"
position = [-30, 0]
heading_deg = 10

[vehicle.driver]
kind = "table"
rows = [
  { time = 0 },
  { time = 1, throttle = 0.5 },
]

[output]
interval = 0.05
"#;

/// Cases: text to replace in [`SOUND`], its replacement, and a text that the report must contain.
///
/// `:N:` in the latter is a line of the changed text.
const SCENARIOS: &[(&str, &str, &str)] = &[
    // TOML itself
    ("seed = 7", "seed = = 7", ":3: not valid TOML: "),
    ("[time]", "[time", ":5: not valid TOML: "),
    ("seed = 7", "seed = 7\nseed = 8", ":4: not valid TOML: duplicate key"),
    ("\"sound\"", "\"sound", ":2: not valid TOML: "),
    (
        "seed = 7",
        "seed = 99999999999999999999",
        ":3: not valid TOML: the number 99999999999999999999",
    ),
    ("[ground]", "[time]", ":10: not valid TOML: "),
    // The format and the top level
    ("format = 1\n", "", "sound.toml: format: missing: an integer from 1 to 1 is required"),
    ("format = 1", "format = 2", ":1: format = 2: must be from 1 to 1"),
    (
        "name = \"sound\"",
        "nane = \"sound\"",
        ":2: nane = \"sound\": unknown key (did you mean `name`?); allowed: ",
    ),
    ("name = \"sound\"", "name = \"\"", ":2: name = \"\": must have at least 1 character, has 0"),
    ("name = \"sound\"", "name = 3", ":2: name = 3: must be a string, not an integer"),
    ("seed = 7", "seed = -7", ":3: seed = -7: must be >= 0"),
    ("seed = 7", "seed = 7.5", ":3: seed = 7.5: must be an integer >= 0, not a number"),
    (
        "seed = 7",
        "seed = 2026-11-21",
        ":3: seed = 2026-11-21: must be an integer >= 0, not a date or time",
    ),
    ("[output]", "[outputs]", ":66: outputs: unknown key (did you mean `output`?); allowed: "),
    ("[ground]", "[gravity]", ":10: gravity: unknown key; allowed: "),
    // Time
    ("duration = 10\n", "", ":5: time.duration: missing: a number > 0 and <= 604800 s is required"),
    ("duration = 10", "duration = 0", ":6: time.duration = 0: must be > 0 and <= 604800 s"),
    ("duration = 10", "duration = -1.5", ":6: time.duration = -1.5: must be > 0 and <= 604800 s"),
    ("duration = 10", "duration = nan", ":6: time.duration = NaN: must be finite"),
    ("duration = 10", "duration = inf", ":6: time.duration = inf: must be finite"),
    (
        "duration = 10",
        "duration = \"10 s\"",
        ":6: time.duration = \"10 s\": must be a number > 0 and <= 604800 s, not a string",
    ),
    (
        "duration = 10",
        "duration = 10.003",
        ":6: time.duration = 10.003: must be a whole multiple of time.heartbeat = 0.01 s; nearest: 10 or 10.01",
    ),
    (
        "step = 0.002",
        "step = 0.003",
        ":7: time.step = 0.003: must divide time.heartbeat = 0.01 s into a whole number of steps; nearest: 0.0025 or 0.005",
    ),
    ("step = 0.002", "step = 0.1", ":7: time.step = 0.1: must be from 0.00001 to 0.02 s"),
    (
        "step = 0.002",
        "step = 0.015",
        ":7: time.step = 0.015: must divide time.heartbeat = 0.01 s into a whole number of steps; nearest: 0.01",
    ),
    (
        "step = 0.002",
        "dt = 0.002",
        ":7: time.dt = 0.002: unknown key; allowed: duration, heartbeat, heartbeat_tolerance, step",
    ),
    (
        "heartbeat = 0.01",
        "heartbeat = true",
        ":8: time.heartbeat = true: must be a number from 0.0001 to 1 s, not a boolean",
    ),
    (
        "interval = 0.05",
        "interval = 0.033",
        ":67: output.interval = 0.033: must be a whole multiple of time.heartbeat = 0.01 s; nearest: 0.03 or 0.04",
    ),
    // Endings
    (
        "[output]",
        "[endings]\noverturned_tilt_deg = 5\n[output]",
        ":67: endings.overturned_tilt_deg = 5: must be from 30 to 175 deg",
    ),
    // Ground
    ("spacing = 0.05", "spacing = 0", ":11: ground.spacing = 0: must be from 0.002 to 0.5 m"),
    (
        "spacing = 0.05",
        "spaceing = 0.05",
        ":11: ground.spaceing = 0.05: unknown key (did you mean `spacing`?)",
    ),
    (
        "\"reference\"",
        "\"Reference\"",
        ":12: ground.laws = \"Reference\": must be one of \"reference\", \"refined\" (did you mean `reference`?)",
    ),
    ("[ground]", "[[ground]]", ":10: ground = [{..}]: must be a table, not a list"),
    // Terrain
    (
        "kind = \"procedural\", ",
        "",
        ":15: terrain.surface.kind: missing: one of \"flat\", \"slope\", \"procedural\", \"random\", \"dem\" is required",
    ),
    (
        "\"procedural\"",
        "\"procedual\"",
        ":15: terrain.surface.kind = \"procedual\": must be one of \"flat\", \"slope\", \"procedural\", \"random\", \"dem\" (did you mean `procedural`?)",
    ),
    ("\"procedural\"", "\"flat\"", ":15: terrain.surface.amplitude = 2: unknown key; allowed: "),
    (
        "\"procedural\", amplitude = 2,",
        "\"random\", size = [300, 300], holes = { count = 4, density = 1 },",
        ":15: terrain.surface.holes.density = 1: cannot be given together with count",
    ),
    (
        "\"procedural\", amplitude = 2,",
        "\"random\", size = [300, 300], rocks = { count = 4, diameter = [2, 1] },",
        ":15: terrain.surface.rocks.diameter = [2, 1]: must increase: the lower value comes first",
    ),
    (
        "\"procedural\", amplitude = 2,",
        "\"random\", size = [300, 300], rocks = { diameter = [1, 2] },",
        ":15: terrain.surface.rocks.count: missing: count or density is required",
    ),
    (
        "\"procedural\", amplitude = 2,",
        "\"random\", size = [300, 300], holes = { count = 9000 },",
        ":15: terrain.surface.holes: 9000 holes do not fit on 300 m by 300 m: number ",
    ),
    (
        ", wavelength = 80",
        "",
        ":15: terrain.surface.wavelength: missing: a number from 0.1 to 1000000 m is required",
    ),
    (
        "{ kind = \"procedural\", amplitude = 2, wavelength = 80 }",
        "\"flat\"",
        ":15: terrain.surface = \"flat\": must be a table with the key `kind`, not a string",
    ),
    (
        "roughness = \"D\"",
        "roughness = \"I\"",
        ":16: terrain.roughness = \"I\": must be one of \"A\", \"B\", ",
    ),
    (
        "kind = \"ditch\"",
        "kind = \"moat\"",
        ":19: terrain.stamp[0].kind = \"moat\": must be one of \"hole\", \"ditch\", \"ridge\", \"bump\"",
    ),
    (
        "depth = 0.4",
        "depth = -0.4",
        ":23: terrain.stamp[0].depth = -0.4: must be > 0 and <= 1000 m",
    ),
    (
        "from = [30, -10]",
        "from = [30, -10, 0]",
        ":20: terrain.stamp[0].from = [30, -10, 0]: must have 2 elements, has 3",
    ),
    (
        "from = [30, -10]",
        "from = [30, \"south\"]",
        ":20: terrain.stamp[0].from[1] = \"south\": must be a number from -1000000 to 1000000, not a string",
    ),
    (
        "\"procedural\", amplitude = 2, wavelength = 80",
        "\"dem\", file = \"hills.jpg\"",
        ":15: terrain.surface.file = \"hills.jpg\": must be one of .tif, .tiff, .asc, .png",
    ),
    (
        "\"procedural\", amplitude = 2, wavelength = 80",
        "\"dem\", file = \"hills.png\"",
        ":15: terrain.surface.height_range: missing: the range of heights from black to white (m) is required",
    ),
    (
        "\"procedural\", amplitude = 2, wavelength = 80",
        "\"dem\", file = \"hills.png\", cell_size = 1, height_range = [5, 1]",
        ":15: terrain.surface.height_range = [5, 1]: must increase: the lower value comes first",
    ),
    (
        "\"procedural\", amplitude = 2, wavelength = 80",
        "\"dem\", file = \"hills.tif\", cell_size = 1",
        ":15: terrain.surface.cell_size = 1: cannot be given together with a georeferenced DEM",
    ),
    (
        "\"procedural\", amplitude = 2, wavelength = 80",
        "\"dem\", file = \"hills.tif\", crop = [0, 0, -5, 9]",
        ":15: terrain.surface.crop = [0, 0, -5, 9]: must be north-east of [0.0, 0.0]",
    ),
    (
        "\"procedural\", amplitude = 2, wavelength = 80",
        "\"dem\", file = \"hills.tif\", origin = \"centr\"",
        ":15: terrain.surface.origin = \"centr\": must be one of \"center\", \"south_west\" (did you mean `center`?)",
    ),
    (
        "\"procedural\", amplitude = 2, wavelength = 80",
        "\"dem\", file = \"hills.tif\", origin = 3",
        ":15: terrain.surface.origin = 3: must be one of \"center\", \"south_west\" or a list of 2 elements, not an integer",
    ),
    // Soil
    ("default = \"firm\"\n", "", ":25: soil.default: missing: a string is required"),
    (
        "default = \"firm\"",
        "default = \"mudd\"",
        ":26: soil.default = \"mudd\": no soil has this name (did you mean `mud`?); `bekker soils` lists all names",
    ),
    (
        "soil = \"mud\"",
        "soil = \"\"",
        ":29: soil.zone[0].soil = \"\": no soil has this name; `bekker soils`",
    ),
    (
        "\"half_plane\"",
        "\"halfplane\"",
        ":30: soil.zone[0].area.kind = \"halfplane\": must be one of \"half_plane\", \"rectangle\", \"band\", \"polygon\" (did you mean `half_plane`?)",
    ),
    (
        "towards_deg = 0",
        "towards = 0",
        ":30: soil.zone[0].area.towards = 0: unknown key (did you mean `towards_deg`?)",
    ),
    (
        "\"half_plane\", through = [50, 0], towards_deg = 0",
        "\"polygon\", points = [[0, 0], [1, 1]]",
        ":30: soil.zone[0].area.points = [[0, 0], [1, 1]]: must have at least 3 elements, has 2",
    ),
    (
        "max = [5, 5]",
        "max = [5, -5]",
        ":34: soil.zone[1].area.max = [5, -5]: must be north-east of [0.0, 0.0]",
    ),
    ("name = \"wet\"", "name = \"dry\"", ":33: soil.zone[1].soil = \"wet\": no soil has this name"),
    (
        "based_on = \"mud\"",
        "based_on = \"mut\"",
        ":38: soil.custom[0].based_on = \"mut\": no soil has this name (did you mean `mud`?)",
    ),
    (
        "based_on = \"mud\"\n",
        "",
        ":36: soil.custom[0].k_phi: missing: a value for a deformable soil (or based_on, or friction alone) is required",
    ),
    (
        "cohesion = 5000",
        "cohesion = -1",
        ":39: soil.custom[0].cohesion = -1: must be from 0 to 100000000 Pa",
    ),
    (
        "cohesion = 5000",
        "friction_angle_deg = 75",
        ":39: soil.custom[0].friction_angle_deg = 75: must be >= 0 and < 60 deg",
    ),
    (
        "cohesion = 5000",
        "friction_angle = 0.5",
        ":39: soil.custom[0].friction_angle = 0.5: unknown key (did you mean `friction_angle_deg`?)",
    ),
    ("cohesion = 5000", "n = 0", ":39: soil.custom[0].n = 0: must be > 0 and <= 3"),
    ("cohesion = 5000", "k_phi = -2e6", ":36: soil.custom[0]: k_c/b + k_phi is "),
    (
        "cohesion = 5000",
        "friction = 0.8\ncohesion = 1",
        ":39: soil.custom[0].friction = 0.8: cannot be given together with keys of a deformable soil",
    ),
    (
        "cohesion = 5000",
        "friction = 0.8\nmeasured_sinkage = 0.5",
        ":39: soil.custom[0].friction = 0.8: cannot be given together with keys of a deformable soil",
    ),
    (
        "cohesion = 5000",
        "friction = 0.4",
        ":39: soil.custom[0].friction = 0.4: applies to firm ground only, but the base soil `lean_clay_32_wes` is deformable",
    ),
    (
        "cohesion = 5000",
        "reece = { cohesive = 1.0, frictional = 10000.0 }",
        ":36: soil.custom[0].density: missing: the soil's density, which the frictional modulus of reece multiplies",
    ),
    (
        "based_on = \"mud\"",
        "based_on = \"rigid\"",
        ":38: soil.custom[0].based_on = \"rigid\": is firm ground: with base `rigid`, friction is the only soil parameter allowed",
    ),
    (
        "cohesion = 5000",
        "bulldozing = { flow_factor = 1.5 }",
        ":39: soil.custom[0].bulldozing.flow_factor = 1.5: must be from 0 to 1",
    ),
    (
        "default = \"firm\"",
        "default = \"firm\"\nraster = { file = \"classes.tif\", classes = { mud = \"mud\" } }",
        ":27: soil.raster.classes.mud = \"mud\": must be an integer as the class, not a word",
    ),
    (
        "default = \"firm\"",
        "default = \"firm\"\nraster = { file = \"classes.tif\", classes = { 1 = \"mud\", 01 = \"firm\" } }",
        "is class 1, as is soil.raster.classes.01; remove one of them",
    ),
    (
        "default = \"firm\"",
        "default = \"firm\"\nraster = { file = \"classes.tif\", classes = { 1 = 2 } }",
        ":27: soil.raster.classes.1 = 2: must be a string, not an integer",
    ),
    // Vehicles
    (
        "name = \"second\"",
        "name = \"lead\"",
        ":48: vehicle[1].name = \"lead\": is already the name of vehicle[0]",
    ),
    (
        "position = [-12, 0]\n",
        "",
        ":47: vehicle[1].position: missing: a list of 2 elements or a table is required",
    ),
    (
        "position = [-12, 0]",
        "position = [0.5, 0]",
        ":50: vehicle[1].position = [0.5, 0]: second (4.57 m long, 2.16 m wide) overlaps lead (4.57 m, 2.16 m) at the start; move one of them, or change its heading_deg",
    ),
    (
        "[output]",
        "[[scenery]]\nkind = \"block\"\nsize = [1, 1, 1]\nplaces = [[1, 0]]\n\n[output]",
        ":44: vehicle[0].position = [0, 0]: lead overlaps an obstacle (block, at 1.00, 0.00 m) at the start; move one of them, ",
    ),
    (
        "heading_deg = 10",
        "row = { count = 3, to = [-30, 30], goal_to = [9, 9], parallel = true }",
        ":57: vehicle[2].row.goal_to = [9, 9]: cannot be given together with a driver without a goal",
    ),
    (
        "heading_deg = 10",
        "row = { count = 3, to = [-30, 30], parallel = true }",
        ":57: vehicle[2].row.parallel = true: cannot be given together with a driver without waypoints",
    ),
    (
        "heading_deg = 10",
        "sensor = [{ name = \"a\", model = { kind = \"camera\" }, save = [\"png\"], record = false }]",
        ":57: vehicle[2].sensor[0].save = [\"png\"]: cannot be given together with record = false",
    ),
    (
        "heading_deg = 10",
        "sensor = [{ name = \"a\", model = { kind = \"camera\", channels = [\"depth\"] }, save = [\"exr\", \"png16\"] }]",
        ":57: vehicle[2].sensor[0].save[1] = \"png16\": needs color images; add color to model.channels",
    ),
    (
        "heading_deg = 10",
        "sensor = [{ name = \"a\", model = { kind = \"camera\", channels = [\"depth\"] }, filters = [{ kind = \"noise\", sigma = 0.1 }] }]",
        ":57: vehicle[2].sensor[0].filters[0].kind = \"noise\": needs color images; add color to model.channels",
    ),
    (
        "heading_deg = 10",
        "sensor = [{ name = \"a\", model = { kind = \"camera\", channels = [\"depth\", \"depth\"] } }]",
        ":57: vehicle[2].sensor[0].model.channels[1] = \"depth\": is given twice; each channel may be given once",
    ),
    (
        "model = \"hmmwv\"\nposition = [-30, 0]\nheading_deg = 10\n\n[vehicle.driver]\nkind = \"table\"\nrows = [\n  { time = 0 }",
        "model = \"m113\"\nposition = [-30, 0]\n\n[vehicle.driver]\nkind = \"table\"\nrows = [\n  { time = 0, inflation_kpa = 100 }",
        ":60: vehicle[2].driver.rows = [{..}, {..}]: must set no inflation_kpa: M113 is a tracked vehicle",
    ),
    (
        "heading_deg = 10\n\n[vehicle.driver]\nkind = \"table\"\nrows = [\n  { time = 0 }",
        "tire = \"rigid\"\n\n[vehicle.driver]\nkind = \"table\"\nrows = [\n  { time = 0, inflation_kpa = 100 }",
        "vehicle[2].driver.rows = [{..}, {..}]: must set no inflation_kpa with tire = \"rigid\"",
    ),
    (
        "[output]",
        "[team]\nauthority = \"zz\"\n\n[output]",
        ":67: team.authority = \"zz\": no vehicle has a driver of kind autonomous",
    ),
    (
        "position = [-12, 0]",
        "position = -12",
        ":50: vehicle[1].position = -12: must be a list of 2 elements or a table, not an integer",
    ),
    (
        "heading_deg = 10",
        "heading_deg = 400",
        ":57: vehicle[2].heading_deg = 400: must be from -360 to 360 deg",
    ),
    (
        "heading_deg = 10",
        "heading = 10",
        ":57: vehicle[2].heading = 10: unknown key (did you mean `heading_deg`?)",
    ),
    ("heading_deg = 10", "speed = -60", ":57: vehicle[2].speed = -60: must be from -50 to 50 m/s"),
    (
        "heading_deg = 10",
        "overrides = 3",
        ":57: vehicle[2].overrides = 3: must be a table, not an integer",
    ),
    (
        "heading_deg = 10",
        "overrides = { chassis.mass = -5 }",
        "sound.toml:57: vehicle[2].overrides.chassis.mass = -5: must be finite and above 0",
    ),
    (
        "heading_deg = 10",
        "overrides = { chassis.mass = 100 }",
        ":57: vehicle[2].overrides: must leave the vehicle model valid: hmmwv (catalog):19: chassis.inertia = [1078.52, 2955.66, 3570.2]: must be from ",
    ),
    ("heading_deg = 10", "overrides = { chassis.mass = 1e9 }", "must be from 0 to 100000"),
    (
        "heading_deg = 10",
        "payload = [{ mass = 3000, position = [-4, 0, 0] }]",
        ":57: vehicle[2].payload = [{..}]: must leave HMMWV valid: with the whole payload, chassis.com = [",
    ),
    (
        "heading_deg = 10",
        "payload = [{ mass = 3000, position = [0, 3, 0] }]",
        ": must be between the wheels, y from -",
    ),
    (
        "heading_deg = 10",
        "payload = [{ mass = 50000, position = [0, 0, 0] }]",
        ": must be at least ",
    ),
    // Less than the stiffness of its handling supports, and more than its belts do.
    (
        "heading_deg = 10",
        "payload = [{ mass = 20000, position = [0, 0, 0] }]",
        "tire.flexible.inflation_kpa = [138, 207]: must be high enough for the load of ",
    ),
    (
        "[output]\ninterval",
        "[[tow]]\nfrom = \"lead\"\nto = \"third\"\nkind = \"bar\"\nslack = 0.5\n[output]\ninterval",
        ": tow[0].slack = 0.5: must be 0 for kind = \"bar\": a bar with slack would push the vehicles apart",
    ),
    (
        "heading_deg = 10",
        "overrides = { chassis.mas = 2000 }",
        "sound.toml:57: vehicle[2].overrides.chassis.mas = 2000: unknown key (did you mean `mass`?)",
    ),
    (
        "heading_deg = 10",
        "overrides = { axles.1.brake_torque = \"strong\" }",
        "sound.toml:57: vehicle[2].overrides.axles[1].brake_torque = \"strong\": must be a number, not a string",
    ),
    (
        "model = \"hmmwv\"",
        "model = \"humvee\"",
        ":43: vehicle[0].model = \"humvee\": no vehicle has this name",
    ),
    (
        "model = \"hmmwv\"",
        "model = \"hmmvw\"",
        ":43: vehicle[0].model = \"hmmvw\": no vehicle has this name (did you mean `hmmwv`?); known: fed_alpha, fmtv_4x4, fmtv_6x6, forwarder, gator, hmmwv, hmmwv_torsen, husky, kraz_64431, m113, m113_chrono, m113_double_pin, man_8x8, marder, mer, mrzr4, warthog; the name of a vehicle file ends in .toml",
    ),
    (
        "model = \"hmmwv\"",
        "model = \"gone.toml\"",
        ":43: vehicle[0].model = \"gone.toml\": cannot be read: gone.toml: No such file",
    ),
    // Drivers
    (
        "kind = \"follow\"",
        "kind = \"folow\"",
        ":51: vehicle[1].driver.kind = \"folow\": must be one of \"hold\", \"table\", \"path\", \"follow\", \"autonomous\", \"outside\" (did you mean `follow`?)",
    ),
    ("gap = 10", "gap = -3", ":51: vehicle[1].driver.gap = -3: must be > 0 and <= 1000 m"),
    ("gap = 10", "gab = 10", ":51: vehicle[1].driver.gab = 10: unknown key (did you mean `gap`?)"),
    (
        "leader = \"lead\"",
        "leader = \"laed\"",
        ":51: vehicle[1].driver.leader = \"laed\": must be one of \"lead\", \"third\" (did you mean `lead`?)",
    ),
    ("leader = \"lead\", ", "", ":51: vehicle[1].driver.leader: missing: a string is required"),
    (
        "leader = \"lead\"",
        "leader = \"second\"",
        ":51: vehicle[1].driver.leader = \"second\": the vehicles follow each other in a ring: second -> second",
    ),
    (
        "{ kind = \"path\", waypoints = [[0, 0], [80, 0]], speed = 5 }",
        "{ kind = \"follow\", leader = \"second\" }",
        ":45: vehicle[0].driver.leader = \"second\": the vehicles follow each other in a ring: lead -> second -> lead",
    ),
    (
        "leader = \"lead\"",
        "leader = \"third\"",
        ":51: vehicle[1].driver.leader = \"third\": the convoy's head `third` has no path",
    ),
    (
        "gap = 10",
        "policy = \"idmm\"",
        ":51: vehicle[1].driver.policy = \"idmm\": must be one of \"constant_gap\", \"constant_time_gap\", \"idm\", \"cacc\" (did you mean `idm`?)",
    ),
    (
        "gap = 10",
        "policy = \"constant_gap\", time_gap = 2",
        ":51: vehicle[1].driver.time_gap = 2: cannot be given together with policy = \"constant_gap\"",
    ),
    (
        "[[0, 0], [80, 0]]",
        "[[0, 0]]",
        ":45: vehicle[0].driver.waypoints = [[0, 0]]: must have at least 2 elements, has 1",
    ),
    (
        "[[0, 0], [80, 0]]",
        "[[0, 0], [80]]",
        ":45: vehicle[0].driver.waypoints[1] = [80]: must have 2 elements, has 1",
    ),
    (
        "[[0, 0], [80, 0]]",
        "[[0, 0], [0, 0]]",
        ":45: vehicle[0].driver.waypoints[1] = [0, 0]: repeats the previous point",
    ),
    (
        ", speed = 5",
        "",
        ":45: vehicle[0].driver.speed: missing: a number from 0.02 to 50 m/s is required",
    ),
    (
        "time = 1, throttle = 0.5",
        "time = 0, throttle = 0.5",
        ":63: vehicle[2].driver.rows[1].time = 0: must be greater than the previous one, 0",
    ),
    (
        "throttle = 0.5",
        "throttle = 1.5",
        ":63: vehicle[2].driver.rows[1].throttle = 1.5: must be from 0 to 1",
    ),
    (
        "throttle = 0.5",
        "steering = -2",
        ":63: vehicle[2].driver.rows[1].steering = -2: must be from -1 to 1",
    ),
    // Output
    (
        "interval = 0.05",
        "states = [\"parquet\", \"xlsx\"]",
        ":67: output.states[1] = \"xlsx\": must be one of \"parquet\", \"csv\", \"mcap\"",
    ),
    (
        "interval = 0.05",
        "readings = false\nstates = [\"csv\", \"mcap\"]",
        ":68: output.states[1] = \"mcap\": needs output.readings = true",
    ),
    (
        "interval = 0.05",
        "picture = { size = [100, 100] }",
        ":67: output.picture.size[0] = 100: must be from 400 to 8000",
    ),
    (
        "interval = 0.05",
        "ruts = \"yes\"",
        ":67: output.ruts = \"yes\": must be true or false, not a string",
    ),
    ("interval = 0.05", "folder = \"\"", ":67: output.folder = \"\": must name a folder"),
    // Names are printed
    (
        "name = \"third\"",
        "name = \"third\\nsecond: arrived\\u001b[31m\"",
        ":54: vehicle[2].name = \"third\\nsecond: arrived\\u{1b}[31m\": must be one line",
    ),
    // Sensors
    (
        "heading_deg = 10",
        r#"heading_deg = 10
sensor = [{ name = "a", model = { kind = "imux" } }]"#,
        ":58: vehicle[2].sensor[0].model.kind = \"imux\": must be one of ",
    ),
    (
        "heading_deg = 10",
        r#"heading_deg = 10
sensor = [{ name = "a", model = { kind = "imu" }, rate = 1000 }]"#,
        ":58: vehicle[2].sensor[0].rate = 1000: must be > 0 and <= 500 Hz, one per step",
    ),
    (
        "heading_deg = 10",
        r#"heading_deg = 10
sensor = [{ name = "a", model = { kind = "lidar" }, rate = 200 }]"#,
        ":58: vehicle[2].sensor[0].rate = 200: must be > 0 and <= 100 Hz, one per heartbeat",
    ),
    (
        "heading_deg = 10",
        r#"heading_deg = 10
sensor = [{ name = "a", model = { kind = "imu" }, window = 0.02 }]"#,
        ":58: vehicle[2].sensor[0].window = 0.02: must be from 0 to 0.01 s, the time between frames",
    ),
    (
        "heading_deg = 10",
        r#"heading_deg = 10
sensor = [{ name = "a", model = { kind = "encoder" }, window = 0.02 }]"#,
        ":58: vehicle[2].sensor[0].window = 0.02: a sensor of kind encoder has no window",
    ),
    (
        "heading_deg = 10",
        r#"heading_deg = 10
sensor = [{ name = "a", model = { kind = "imu" }, lag = -1 }]"#,
        ":58: vehicle[2].sensor[0].lag = -1: must be from 0 to 60 s",
    ),
    (
        "heading_deg = 10",
        r#"heading_deg = 10
sensor = [{ name = "a", model = { kind = "imu" } }, { name = "a", model = { kind = "imu" } }]"#,
        ":58: vehicle[2].sensor[1].name = \"a\": ",
    ),
    (
        "heading_deg = 10",
        r#"heading_deg = 10
sensor = [{ name = "a", model = { kind = "gps" } }]"#,
        "sound.toml: site: missing: the geographic location of a gps",
    ),
    (
        "heading_deg = 10",
        r#"heading_deg = 10
sensor = [{ name = "a", model = { kind = "imu" }, save = ["pcd"] }]"#,
        ":58: vehicle[2].sensor[0].save[0] = \"pcd\": is a format for sensors of kind lidar, not imu",
    ),
    (
        "heading_deg = 10",
        r#"heading_deg = 10
sensor = [{ name = "a", model = { kind = "imu" }, filters = [{ kind = "voxels", side = 1 }] }]"#,
        ":58: vehicle[2].sensor[0].filters[0].kind = \"voxels\": voxels is for sensors of kind lidar, not imu",
    ),
    (
        "heading_deg = 10",
        r#"heading_deg = 10
sensor = [{ name = "a", model = { kind = "imu" }, filters = [{ kind = "lose", probability = 2 }] }]"#,
        ":58: vehicle[2].sensor[0].filters[0].probability = 2: must be from 0 to 1",
    ),
    (
        "heading_deg = 10",
        r#"heading_deg = 10
sensor = [{ name = "a", model = { kind = "camera", widht = 3 } }]"#,
        ":58: vehicle[2].sensor[0].model.widht = 3: unknown key (did you mean `width`?); allowed: ",
    ),
    (
        "heading_deg = 10",
        r#"heading_deg = 10
sensor = [{ name = "a", model = { kind = "odometry", width = 3 } }]"#,
        ":58: vehicle[2].sensor[0].model.width = 3: unknown key; allowed: ",
    ),
    (
        "heading_deg = 10",
        r#"heading_deg = 10
sensor = [{ name = "a", model = { kind = "imu", preset = "tactic" } }]"#,
        ":58: vehicle[2].sensor[0].model.preset = \"tactic\": must be one of ",
    ),
    (
        "heading_deg = 10",
        r#"heading_deg = 10
sensor = [{ name = "a", model = { kind = "camera", lens = { kind = "kannala_brandt", k = [0, 1] } } }]"#,
        ":58: vehicle[2].sensor[0].model.lens.k = [0, 1]: must have ",
    ),
    (
        "heading_deg = 10",
        r#"heading_deg = 10
sensor = [{ name = "a", model = { kind = "lidar", preset = "vlp16", min_range = 150 } }]"#,
        ":58: vehicle[2].sensor[0].model.min_range = 150: must be below max_range = 100 (from its preset)",
    ),
    (
        "heading_deg = 10",
        r#"heading_deg = 10
sensor = [{ name = "a", model = { kind = "lidar", preset = "vlp16", max_range = 0.2 } }]"#,
        ":58: vehicle[2].sensor[0].model.max_range = 0.2: must be above min_range = 0.5 (from its preset)",
    ),
    (
        "heading_deg = 10",
        "heading_deg = 10\n[[pedestrian]]\nname = \"lead\"\nradio = \"r\"\nway = [[5, 5], [6, 6]]\n[[vehicle]]\nname = \"v\"\nmodel = \"hmmwv\"\nposition = [9, 9]",
        "pedestrian[0].name = \"lead\": is already the name of vehicle[0]",
    ),
    (
        "heading_deg = 10",
        "heading_deg = 10\n[[pedestrian]]\nname = \"p\"\nradio = \"r\"\nway = [[5, 5], [6, 6]]\n[[vehicle]]\nname = \"v\"\nmodel = \"hmmwv\"\nposition = [9, 9]",
        "pedestrian[0].radio = \"r\": must be an existing name, but there is none",
    ),
    (
        "heading_deg = 10",
        r#"heading_deg = 10
sensor = [{ name = "a", model = { kind = "camera", fov_deg = 180 } }]"#,
        ":58: vehicle[2].sensor[0].model.fov_deg = 180: must be below 180 deg, the limit of its lens",
    ),
    (
        "heading_deg = 10",
        r#"heading_deg = 10
sensor = [{ name = "a", model = { kind = "lidar", elevations_deg = [1, 1] } }]"#,
        ":58: vehicle[2].sensor[0].model.elevations_deg[1] = 1: ",
    ),
];

/// The same for a vehicle file.
///
/// `truck.toml:N:` is checked to be the changed line, so messages here start after it.
const VEHICLES: &[(&str, &str, &str)] = &[
    ("name = \"MRZR-4\"", "name = \"\"", "name = '': must be given"),
    ("wheelbase = 2.72", "wheelbase = -2.72", "wheelbase = -2.72: must be finite and above 0"),
    ("wheelbase = 2.72", "wheelbase = 2,72", "not valid TOML: "),
    (
        "mass = 1136.6",
        "mass = \"heavy\"",
        "chassis.mass = \"heavy\": must be a number, not a string",
    ),
    ("mass = 1136.6", "weight = 1136.6", "chassis.weight = 1136.6: unknown key"),
    ("mass = 1136.6", "mass = inf", "chassis.mass = inf: must be finite"),
    (
        "com = [-0.08625, 0.0, 0.25]",
        "com = [-0.08625, 0.0]",
        "chassis.com = [-0.08625, 0.0]: must have 3 elements, has 2",
    ),
    (
        "position = [-1.36, 0.0, 0.0]",
        "position = [1.5, 0.0, 0.0]",
        "axles[1].position = [1.5, 0, 0]: must be behind the previous axle (x below 1.36)",
    ),
    ("name = \"rear\"", "name = \"front\"", "axles[1].name = front: must be unique"),
    (
        "[axles.suspension.double_wishbone]",
        "[axles.suspension.double_wishbon]",
        "axles[0].suspension.double_wishbon: unknown key (did you mean `double_wishbone`?); allowed: double_wishbone, single_wishbone, macpherson_strut, trailing_arm, solid_axle",
    ),
    (
        "layout = \"awd\"",
        "layout = \"4x4\"",
        "driveline.layout = \"4x4\": must be one of \"awd\", \"fwd\", \"rwd\"",
    ),
    (
        "max_length = 0.5381",
        "max_length = 0.1",
        "axles[0].spring.stops.max_length = 0.1: must be above min_length (0.4337)",
    ),
    (
        "max_wheel_angle_deg = 17.5",
        "max_wheel_angle_deg = 75",
        "steering.rack_pinion.max_wheel_angle_deg = 75: must be from 0.1 to 60",
    ),
    (
        "[600.0, 180.0]",
        "[-100.0, 180.0]",
        "powertrain.engine.full_throttle_rpm[1][0] = -100.0: must be greater than the previous one, -100",
    ),
    (
        "tension = [\n    [-0.5, -95488.6],\n    [0.5, 95488.6],\n]",
        "tension = [[-0.5, -95488.6]]",
        "axles[0].spring.tension = [[-0.5, -95488.6]]: must have at least 2 elements, has 1",
    ),
    (
        "latency = 1.0",
        "latency = true",
        "powertrain.gearbox.latency = true: must be a number, not a boolean",
    ),
];

/// Valid grid of heights; the table of DEMs breaks it.
const GRID: &str =
    "ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -9999\n1 2 3\n4 5 6\n";

/// Cases: text to replace in [`GRID`], its replacement, and a text that `terrain import` must
/// print.
const GRIDS: &[(&str, &str, &str)] = &[
    ("ncols 3\n", "", "grid.asc: ascii grid: the header has no 'ncols'"),
    ("ncols 3", "ncols three", "grid.asc: ascii grid, line 1: ncols is 'three'; allowed: "),
    ("nrows 2", "nrows 3", "grid.asc: ascii grid: 6 heights; allowed: ncols x nrows = 3 x 3 = 9"),
    ("cellsize 10", "cellsize -10", "grid.asc: ascii grid, line 5: cellsize is '-10'; allowed: "),
    ("4 5 6", "4 x 6", "grid.asc: ascii grid, line 8: height is 'x'; allowed: "),
    (
        "4 5 6",
        "4 -9999 6",
        "grid.asc: 1 of 6 cells have no data, the first in row 1 (0 is north), column 1; ",
    ),
    (
        "ncols 3",
        "\0\u{1}\u{2}",
        "grid.asc: unknown raster format; allowed: GeoTIFF, ESRI ASCII grid, PNG",
    ),
    ("ncols 3", "II*\0ncols", "grid.asc: geotiff: "),
    ("ncols 3", "\u{0}PNG", "grid.asc: unknown raster format"),
    (
        "ncols 3\nnrows 2",
        "ncols 6\nnrows 1",
        "grid.asc: ascii grid, line 2: nrows is '1'; allowed: a whole number from 2 to 1000000",
    ),
];

/// Cases: a `--set` argument for the valid scenario, and the report.
const SETS: &[(&str, &str)] = &[
    ("time.step", "--set time.step: must be of the form key=value, such as seed=7"),
    ("=3", "--set =3: must be of the form key=value"),
    ("time..step=3", "--set time..step=3: must be of the form key=value"),
    ("time.step=0", "--set time.step=0: time.step = 0: must be from 0.00001 to 0.02 s"),
    (
        "time.stepp=0.001",
        "--set time.stepp=0.001: time.stepp = 0.001: unknown key (did you mean `step`?)",
    ),
    ("time.step=[0.001", "--set time.step=[0.001: not valid TOML: "),
    ("name.first=x", "--set name.first=x: name: is a string and has no keys"),
    (
        "vehicle[3].name=x",
        "--set vehicle[3].name=x: vehicle: element 3 does not exist: the list has 3 elements, counted from 0",
    ),
    (
        "vehicle.name=x",
        "--set vehicle.name=x: vehicle: is a list: select its elements by number, as in vehicle[0], not by `name`",
    ),
    (
        "vehicle.1.driver.gap=-3",
        "--set vehicle.1.driver.gap=-3: vehicle[1].driver.gap = -3: must be > 0 and <= 1000 m",
    ),
    (
        "soil.default=mudd",
        "--set soil.default=mudd: soil.default = \"mudd\": no soil has this name (did you mean `mud`?)",
    ),
    ("vehicle=[]", "--set vehicle=[]: vehicle = []: must have at least 1 element, has 0"),
];

/// Cases: a command line, the report and the exit code.
const COMMAND_LINES: &[(&[&str], &str, i32)] = &[
    (&[], "Usage: bekker", 2),
    (&["walk"], "unrecognized subcommand 'walk'", 2),
    (&["validte", "x.toml"], "a similar subcommand exists: 'validate'", 2),
    (&["validate"], "<FILE>", 2),
    (&["validate", "x.toml", "--jsn"], "a similar argument exists: '--json'", 2),
    (&["validate", "x.toml", "--set"], "a value is required for '--set <KEY=VALUE>'", 2),
    (&["vehicles", "nowhere.toml"], "nowhere.toml: cannot be read: No such file", 3),
    (&["replay", "nowhere"], "nowhere: does not exist; give a run folder", 3),
    (
        &["run", "sound.toml", "--timeout", "0"],
        "invalid value '0' for '--timeout <SECONDS>': must be above 0 and up to 1e9 s",
        2,
    ),
    (&["run", "--resume", "nowhere"], "nowhere: does not exist; give a run folder", 3),
    (&["validate", "nowhere.toml"], "nowhere.toml: cannot be read: No such file", 3),
    (&["validate", "."], ".: cannot be read: ", 3),
    (&["schema", "extra"], "invalid value 'extra' for '[FORMAT]'", 2),
    (
        &["schema", "--markdown", "--section", "vehicles"],
        "invalid value 'vehicles' for '--section': must be one of barrier, endings, ",
        2,
    ),
    (&["soils", "mudd"], "mudd: no soil is named 'mudd'; did you mean 'mud'?", 3),
    (&["vehicles", "hmmvw"], "hmmvw: no vehicle has this name (did you mean `hmmwv`?)", 3),
    (&["vehicles", "gone.toml"], "gone.toml: cannot be read: No such file", 3),
    (&["terrain"], "Usage: bekker terrain", 2),
    (&["terrain", "info", "gone.tif"], "gone.tif: No such file", 3),
    (&["terrain", "info", "a.png", "--cell-size", "2"], "--height-range", 2),
    (&["terrain", "info", "a.tif", "--picture", "a.tif"], "must end in .png", 2),
    (
        &["run", "sound.toml", "--timeout", "-5"],
        "invalid value '-5' for '--timeout <SECONDS>': must be above 0 and up to 1e9 s",
        2,
    ),
    (&["run", "sound.toml", "--ranks", "-1"], "-1 is not in 1..=1024", 2),
    (
        &["run", "sound.toml", "--processes", "2", "--rank", "0", "--meet", "foo"],
        "must be HOST:PORT with a port from 1 to 65535, or dds:DOMAIN",
        2,
    ),
    (
        &["terrain", "import", "a.asc", "b.tif", "--crop", "1,2"],
        "must be 4 numbers separated by commas",
        2,
    ),
    (
        &["terrain", "import", "a.asc", "b.tif", "--fill", "zero"],
        "possible values: nearest, interpolated",
        2,
    ),
    (&["completions", "tcsh"], "invalid value 'tcsh'", 2),
    // Rigs
    (&["rig"], "Usage: bekker rig", 2),
    (&["rig", "plat"], "a similar subcommand exists: 'plate'", 2),
    (&["rig", "plate"], "--soil <NAME>", 2),
    (
        &["rig", "plate", "--soil", "mudd"],
        "--soil mudd: no soil is named 'mudd'; did you mean 'mud'?; `bekker soils` lists",
        3,
    ),
    (&["rig", "plate", "--soil", "rigid"], "--soil rigid: rigid is firm; a rig needs", 3),
    (&["rig", "plate", "--soil-file", "gone.toml"], "gone.toml: No such file", 3),
    (
        &["rig", "plate", "--soil", "mud", "--set", "k_ph=1e6"],
        "--set k_ph=1e6: k_ph = 1000000.0: unknown key (did you mean `k_phi`?)",
        3,
    ),
    (
        &["rig", "plate", "--soil", "mud", "--set", "k_phi=-5"],
        "must be supported within 100 m, by k_c, k_phi and n",
        1,
    ),
    (
        &["rig", "plate", "--soil", "mud", "--set", "k_phi=x"],
        "--set k_phi=x: k_phi = \"x\": must be a number",
        3,
    ),
    (
        &["rig", "plate", "--soil", "mud", "--set", "friction_angle_deg=75"],
        "--set friction_angle_deg=75: friction_angle_deg = 75: must be >= 0 and < 60 deg",
        3,
    ),
    (
        &["rig", "plate", "--soil", "mud", "--load", "-5"],
        "invalid value '-5' for '--load <N>': must be from 1 to 100000000 N",
        2,
    ),
    (
        &["rig", "plate", "--soil", "mud", "--load", "5 kN"],
        "invalid value '5 kN' for '--load <N>': must be a number from 1 to 100000000 N",
        2,
    ),
    (&["rig", "plate", "--soil", "mud", "--load", "5", "--pressure", "1e4"], "--pressure <PA>", 2),
    (
        &["rig", "plate", "--soil", "mud", "--size", "0.6"],
        "invalid value '0.6' for '--size <LxB>': must be length x width, such as 0.6x0.2",
        2,
    ),
    (
        &["rig", "plate", "--soil", "mud", "--size", "0.6x0"],
        "invalid value '0.6x0' for '--size <LxB>': width: must be from 0.01 to 10 m",
        2,
    ),
    (&["rig", "plate", "--soil", "mud", "--size", "1x1", "--disc", "1"], "cannot be used with", 2),
    (
        &["rig", "plate", "--soil", "mud", "--grid", "0.2"],
        "invalid value '0.2' for '--grid <M>': must be at most half the plate's shorter side or radius, 0.1 m",
        2,
    ),
    (
        &["rig", "plate", "--soil", "mud", "--plot", "curve.jpg"],
        "invalid value 'curve.jpg' for '--plot <FILE.png>': must end in .png",
        2,
    ),
    (
        &["rig", "plate", "--soil", "mud", "--plot", "gone/curve.png"],
        "must be in an existing folder; gone does not exist",
        2,
    ),
    (
        &["preview", "sound.toml", "--out", "gone/a.png"],
        "must be in an existing folder; gone does not exist",
        2,
    ),
    (
        &["compare", "a", "b", "--out", "gone/a.png"],
        "must be in an existing folder; gone does not exist",
        2,
    ),
    (
        &["rig", "shear", "--soil", "mud", "--displacement", "0.01", "--step", "1"],
        "invalid value '1' for '--step <S>': must be from ",
        2,
    ),
    (
        &["rig", "wheel", "--soil", "mud", "--slip", "0:1:5"],
        "invalid value '0:1:5' for '--slip <SLIPS>': the slip '1' must be a number from -1 to 0.95",
        2,
    ),
    (
        &["rig", "wheel", "--soil", "mud", "--slip-angle-deg", "0,81"],
        "invalid value '0,81' for '--slip-angle-deg <ANGLES>': the slip angle '81' must be a \
         number from -80 to 80 deg",
        2,
    ),
    (&["rig", "wheel", "--soil", "mud", "--towed", "--slip", "0.1"], "cannot be used with", 2),
    (
        &["rig", "wheel", "--soil", "mud", "--slip", "0:0.5:99", "--slip-angle-deg", "0:9:99"],
        "invalid value '99 slips at 99 slip angles' for '--slip-angle-deg <ANGLES>': must be at \
         most 1000 of both together",
        2,
    ),
    (
        &["rig", "wheel", "--soil", "mud", "--slip", "0:0.5"],
        "must be from:to:count or a list such as 0.05,0.1,0.2",
        2,
    ),
    (
        &["rig", "wheel", "--soil", "mud", "--radius", "nan"],
        "invalid value 'nan' for '--radius <M>': must be from 0.02 to 3 m",
        2,
    ),
    (
        &["rig", "wheel", "--soil", "mud", "--vehicle", "hmmvw"],
        "hmmvw: no vehicle has this name (did you mean `hmmwv`?)",
        3,
    ),
    (
        &["rig", "wheel", "--soil", "mud", "--vehicle", "hmmwv", "--radius", "0.5"],
        "cannot be used with",
        2,
    ),
    (
        &["rig", "wheel", "--soil", "mud", "--grid", "0.3"],
        "invalid value '0.3' for '--grid <M>': must be at most half the wheel's width, 0.127 m",
        2,
    ),
];

fn bekker(folder: &Path) -> Command {
    let mut command = Command::cargo_bin("bekker").unwrap();
    command.current_dir(folder);
    command
}

/// Returns the fault of the response to a wrong input, if any.
fn amiss(command: &mut Command, message: &str, code: i32) -> Option<String> {
    let output = command.output().unwrap();
    let report = String::from_utf8_lossy(&output.stderr);
    let data = String::from_utf8_lossy(&output.stdout);
    let sound = report.contains(message)
        && output.status.code() == Some(code)
        && data.is_empty()
        && !report.contains("panicked");
    (!sound).then(|| {
        format!("wanted {code}: {message}\n   got {:?}: {report}{data}", output.status.code())
    })
}

fn assert_none_amiss(amiss: Vec<String>) {
    assert!(amiss.is_empty(), "{} answers amiss:\n\n{}", amiss.len(), amiss.join("\n\n"));
}

#[test]
fn the_reference_scenario_is_valid() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("sound.toml"), SOUND).unwrap();
    bekker(folder.path()).args(["validate", "sound.toml"]).assert().success();
}

#[test]
fn malformed_scenarios() {
    let folder = tempfile::tempdir().unwrap();
    let mut found = Vec::new();
    for (sound, broken, message) in SCENARIOS {
        assert!(SOUND.contains(sound), "not in the sound scenario: {sound}");
        std::fs::write(folder.path().join("sound.toml"), SOUND.replacen(sound, broken, 1)).unwrap();
        found.extend(amiss(bekker(folder.path()).args(["validate", "sound.toml"]), message, 3));
    }
    assert_none_amiss(found);
}

#[test]
fn malformed_vehicles() {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/vehicle/vehicles/mrzr4.toml");
    let shipped = std::fs::read_to_string(shipped).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut found = Vec::new();
    for (sound, broken, message) in VEHICLES {
        let offset = shipped.find(sound).unwrap_or_else(|| panic!("not in the vehicle: {sound}"));
        let line = shipped[..offset].matches('\n').count() + 1;
        let path = folder.path().join("truck.toml");
        std::fs::write(path, shipped.replacen(sound, broken, 1)).unwrap();
        let message = format!("truck.toml:{line}: {message}");
        found.extend(amiss(bekker(folder.path()).args(["vehicles", "truck.toml"]), &message, 3));
    }
    assert_none_amiss(found);
}

#[test]
fn malformed_elevation_models() {
    let folder = tempfile::tempdir().unwrap();
    let mut found = Vec::new();
    for (sound, broken, message) in GRIDS {
        assert!(GRID.contains(sound), "not in the grid: {sound}");
        std::fs::write(folder.path().join("grid.asc"), GRID.replacen(sound, broken, 1)).unwrap();
        let arguments = ["terrain", "import", "grid.asc", "out.tif"];
        found.extend(amiss(bekker(folder.path()).args(arguments), message, 3));
        assert!(!folder.path().join("out.tif").exists());
    }
    assert_none_amiss(found);
}

#[test]
fn scenarios_on_elevation_models() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("grid.asc"), GRID.replace("cellsize 10", "cellsize 100")).unwrap();
    std::fs::write(at("gap.asc"), GRID.replace("4 5 6", "4 -9999 6")).unwrap();
    std::fs::write(at("classes.asc"), GRID.replace("cellsize 10", "cellsize 100")).unwrap();
    let procedural = "\"procedural\", amplitude = 2, wavelength = 80";
    let raster =
        "default = \"firm\"\nraster = { file = \"classes.asc\", classes = { 1 = \"mud\" } }";
    let cases = [
        (
            procedural,
            "\"dem\", file = \"gone.tif\"",
            ":15: terrain.surface.file = \"gone.tif\": cannot be read: gone.tif: No such file",
        ),
        (
            procedural,
            "\"dem\", file = \"gap.asc\"",
            ":15: terrain.surface.file = \"gap.asc\": 1 of 6 cells have no data",
        ),
        (
            procedural,
            "\"dem\", file = \"grid.asc\"",
            ":44: vehicle[0].position = [0, 0]: is outside the terrain, x 50 to 250, y 50 to 150 m",
        ),
        (
            procedural,
            "\"dem\", file = \"grid.asc\", crop = [900, 900, 950, 950]",
            ":15: terrain.surface.crop = [900, 900, 950, 950]: ",
        ),
        ("default = \"firm\"", raster, ":27: soil.raster.file = \"classes.asc\": "),
    ];
    let mut found = Vec::new();
    for (sound, broken, message) in cases {
        let broken = broken.replace("grid.asc\"", "grid.asc\", origin = [0, 0]");
        std::fs::write(at("sound.toml"), SOUND.replacen(sound, &broken, 1)).unwrap();
        found.extend(amiss(bekker(folder.path()).args(["validate", "sound.toml"]), message, 3));
    }
    assert_none_amiss(found);
}

#[test]
fn malformed_overrides() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("sound.toml"), SOUND).unwrap();
    let answer = |(set, message): &(&str, &str)| {
        amiss(bekker(folder.path()).args(["validate", "sound.toml", "--set", set]), message, 3)
    };
    assert_none_amiss(SETS.iter().filter_map(answer).collect());
}

#[test]
fn malformed_command_lines() {
    let folder = tempfile::tempdir().unwrap();
    let answer = |(arguments, message, code): &(&[&str], &str, i32)| {
        amiss(bekker(folder.path()).args(*arguments), message, *code)
    };
    assert_none_amiss(COMMAND_LINES.iter().filter_map(answer).collect());
}

/// Overlapping vehicles of a row give one fault per vehicle, not one per pair.
///
/// Each of 4096 vehicles on 24 m overlaps about eight hundred others.
#[test]
fn overlapping_vehicles_of_a_row_are_reported_one_per_line() {
    let folder = tempfile::tempdir().unwrap();
    let row = "position = [-30, 0]\nrow = { count = 4096, to = [-30, 24] }";
    let broken = SOUND.replacen("position = [-30, 0]", row, 1);
    std::fs::write(folder.path().join("sound.toml"), broken).unwrap();
    let output = bekker(folder.path()).args(["validate", "sound.toml"]).output().unwrap();
    let report = String::from_utf8_lossy(&output.stderr);
    // Faults are in the order of the row and name the key and value of the entry.
    let second = "sound.toml:56: vehicle[2].position = [-30, 0] (of third_2: [-30.0, 0.00878906";
    let lines: Vec<&str> = report.lines().collect();
    assert!(lines[0].starts_with(second) && lines[0].contains("overlaps third_1 ("), "{report}");
    assert_eq!((lines.len(), lines[50]), (51, "and 4045 more"), "{report}");
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn all_faults_are_reported_together() {
    let folder = tempfile::tempdir().unwrap();
    let broken = SOUND.replace("gap = 10", "gap = -3").replace("seed = 7", "seed = 'x'");
    std::fs::write(folder.path().join("sound.toml"), broken).unwrap();
    let output = bekker(folder.path()).args(["validate", "sound.toml"]).output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "sound.toml:3: seed = \"x\": must be an integer >= 0, not a string\n\
         sound.toml:51: vehicle[1].driver.gap = -3: must be > 0 and <= 1000 m\n"
    );
}
