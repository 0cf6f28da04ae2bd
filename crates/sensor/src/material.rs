//! Optical properties of surfaces.

use bekker_ground::soil::Soil;
use bekker_ground::soil::catalog::catalog;

/// Surface reflection in the visible and at the wavelength of a lidar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Diffuse albedo in linear red, green, blue.
    pub albedo: [f32; 3],
    /// Roughness of the GGX lobe: 0 for a mirror, 1 for a matte surface.
    pub roughness: f32,
    /// 0 for a dielectric (4 % reflected head-on), 1 for a metal of the albedo's color.
    pub metallic: f32,
    /// Lambertian reflectance at 850 to 905 nm.
    pub reflectance: f32,
}

impl Material {
    /// Returns a matte dielectric whose reflectance is its mean albedo.
    pub const fn dull(albedo: [f32; 3]) -> Material {
        let mean = (albedo[0] + albedo[1] + albedo[2]) / 3.0;
        Material { albedo, roughness: 0.9, metallic: 0.0, reflectance: mean }
    }

    /// Returns the material with another roughness.
    pub const fn polished(self, roughness: f32) -> Material {
        Material { roughness, ..self }
    }

    /// Black rubber of tires and track pads.
    pub const RUBBER: Material =
        Material { reflectance: 0.06, ..Material::dull([0.022, 0.022, 0.024]) };
    /// Bare dark steel.
    pub const STEEL: Material =
        Material { albedo: [0.16, 0.15, 0.14], roughness: 0.45, metallic: 0.6, reflectance: 0.25 };
    /// Window glass.
    pub const GLASS: Material = Material {
        albedo: [0.015, 0.02, 0.025],
        roughness: 0.05,
        metallic: 0.0,
        reflectance: 0.03,
    };
}

/// Optical properties of a soil: undisturbed, and in ruts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoilAppearance {
    /// Undisturbed soil, dry at the surface.
    pub fresh: Material,
    /// Compacted soil: wetter, darker, smoother.
    pub pressed: Material,
}

impl SoilAppearance {
    /// Returns the appearance of a soil by its name; brown loam if the name matches none.
    ///
    /// Albedos in the visible and near infrared are rounded from tables of field measurements (Oke,
    /// Boundary Layer Climates, 1987). These list fresh snow 0.80 to 0.95, old snow 0.40, dry sand
    /// 0.35 to 0.45, wet sand 0.20, dark wet soil 0.05, dry clay 0.20 to 0.30.
    pub fn from_soil(soil: &Soil) -> SoilAppearance {
        // either an alias or the soil that it refers to may name the kind and the moisture
        let name = format!("{} {}", soil.name, catalog().id_of(&soil.name)).to_ascii_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| name.contains(word));
        let look =
            |fresh: [f32; 3], fresh_nir, pressed: [f32; 3], pressed_nir, smooth| SoilAppearance {
                fresh: Material { reflectance: fresh_nir, ..Material::dull(fresh) },
                pressed: Material {
                    reflectance: pressed_nir,
                    ..Material::dull(pressed).polished(smooth)
                },
            };
        if says(&["snow"]) {
            look([0.82, 0.84, 0.88], 0.75, [0.60, 0.64, 0.71], 0.55, 0.6)
        } else if says(&["lunar", "regolith", "fjs"]) {
            look([0.13, 0.13, 0.13], 0.15, [0.09, 0.09, 0.09], 0.10, 0.9)
        } else if says(&["mars", "dlr"]) {
            look([0.36, 0.20, 0.11], 0.35, [0.24, 0.13, 0.07], 0.25, 0.9)
        } else if says(&["sandy loam", "sandy_loam"]) {
            look([0.27, 0.20, 0.13], 0.30, [0.13, 0.09, 0.06], 0.17, 0.6)
        } else if says(&["sand", "dune"]) {
            look([0.46, 0.36, 0.23], 0.45, [0.27, 0.20, 0.125], 0.28, 0.75)
        } else if says(&["mud", "clay", "muskeg", "soft"]) {
            look([0.17, 0.125, 0.085], 0.22, [0.065, 0.046, 0.033], 0.10, 0.32)
        } else if says(&["firm", "does not yield", "asphalt", "concrete", "road"]) {
            look([0.26, 0.25, 0.235], 0.25, [0.22, 0.21, 0.20], 0.22, 0.8)
        } else {
            look([0.20, 0.155, 0.10], 0.25, [0.09, 0.068, 0.047], 0.13, 0.5)
        }
    }

    /// Returns the material of ground with a sinkage of `sinkage`, m.
    pub fn at_sinkage(&self, sinkage: f32) -> Material {
        // halfway to compacted at 1.5 cm
        let share = (sinkage / (sinkage + 0.015)).clamp(0.0, 1.0);
        let blend = |fresh: f32, pressed: f32| fresh + share * (pressed - fresh);
        let (fresh, pressed) = (self.fresh, self.pressed);
        Material {
            albedo: [0, 1, 2].map(|k| blend(fresh.albedo[k], pressed.albedo[k])),
            roughness: blend(fresh.roughness, pressed.roughness),
            metallic: 0.0,
            reflectance: blend(fresh.reflectance, pressed.reflectance),
        }
    }
}
