//! Reader of Wavefront OBJ with the colors of its MTL.

use super::MeshBuilder;
use super::import::{Fetch, ImportedMesh, MeshError, TRIANGLES, UNPAINTED, material_from_rgb};
use crate::material::Material;
use bekker_math::numeric::pow;
use std::collections::BTreeMap;

/// Maximum number of material libraries of a mesh.
const LIBRARIES: usize = 100;
/// Maximum number of characters of a line in a message.
const SHOWN: usize = 200;

/// Triangles of one material; corners are identified by (position, normal).
#[derive(Default)]
struct Group {
    known: BTreeMap<(usize, Option<usize>), u32>,
    corners: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
}

/// Reads faces with their normals and materials.
///
/// Lines, points, groups, smoothing and texture coordinates are skipped; polygons are split into
/// fans.
pub(super) fn read(bytes: &[u8], fetch: &mut Fetch<'_>) -> Result<ImportedMesh, MeshError> {
    let text = String::from_utf8_lossy(bytes);
    let mut ignored = Vec::new();
    let mut materials: BTreeMap<String, Material> = BTreeMap::new();
    let (mut places, mut normals) = (Vec::new(), Vec::new());
    let mut groups: Vec<(String, Group)> = Vec::new();
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut current = None;
    let (mut triangles, mut libraries) = (0, 0);
    for (number, line) in lines(&text) {
        let fault = |allowed| fault(number, &line, allowed);
        let most = 3 * TRIANGLES;
        if places.len() > most || normals.len() > most {
            return Err(fault("within the first 12000000 vertices and as many normals"));
        }
        let (key, rest) = line.split_once(char::is_whitespace).unwrap_or((&line, ""));
        match key {
            "v" => places.push(vector(rest).ok_or_else(|| fault("three finite numbers"))?),
            "vn" => normals.push(vector(rest).ok_or_else(|| fault("three finite numbers"))?),
            "mtllib" if libraries == LIBRARIES => {
                return Err(fault("one of at most 100 material libraries"));
            }
            "mtllib" => match fetch(rest.trim()) {
                Ok(bytes) => {
                    libraries += 1;
                    library(&bytes, &mut materials, &mut ignored).map_err(|cause| {
                        MeshError::Part { name: rest.trim().into(), cause: cause.to_string() }
                    })?;
                }
                Err(cause) => return Err(MeshError::Part { name: rest.trim().into(), cause }),
            },
            "usemtl" => {
                let name = rest.trim();
                current = Some(*numbers.entry(name.to_owned()).or_insert_with(|| {
                    groups.push((name.to_owned(), Group::default()));
                    groups.len() - 1
                }));
            }
            "f" => {
                let index = *current.get_or_insert_with(|| {
                    groups.push((String::new(), Group::default()));
                    groups.len() - 1
                });
                let group = &mut groups[index].1;
                triangles += rest.split_whitespace().count().saturating_sub(2);
                if triangles > TRIANGLES {
                    return Err(fault("within the first 4000000 triangles"));
                }
                let corners: Option<Vec<u32>> = rest
                    .split_whitespace()
                    .map(|corner| group.corner(corner, &places, &normals))
                    .collect();
                let corners = corners.filter(|corners| corners.len() >= 3);
                let corners =
                    corners.ok_or_else(|| fault("three or more corners that are defined above"))?;
                let fan = corners[1..].windows(2).map(|pair| [corners[0], pair[0], pair[1]]);
                group.triangles.extend(fan);
            }
            _ => {}
        }
    }
    let mut builder = MeshBuilder::new();
    for (name, group) in groups {
        let material = materials.get(&name).copied().unwrap_or(UNPAINTED);
        builder.add(&group.corners, &group.normals, &group.triangles, material);
    }
    Ok(ImportedMesh { builder, ignored })
}

fn fault(number: usize, line: &str, allowed: &'static str) -> MeshError {
    let mut text: String = line.chars().take(SHOWN).collect();
    if text.len() < line.len() {
        text.push_str("...");
    }
    MeshError::Line { number, text, allowed }
}

/// Returns the lines with their numbers, without comments; lines that end in `\` are joined.
fn lines(text: &str) -> impl Iterator<Item = (usize, String)> {
    let mut held = String::new();
    text.lines().enumerate().filter_map(move |(index, line)| {
        let line = line.split('#').next().unwrap_or("").trim();
        match line.strip_suffix('\\') {
            Some(part) => {
                held.push_str(part);
                None
            }
            None => {
                let whole = std::mem::take(&mut held) + line;
                (!whole.is_empty()).then_some((index + 1, whole))
            }
        }
    })
}

fn vector(text: &str) -> Option<[f32; 3]> {
    let mut numbers = text.split_whitespace().map(|word| word.parse::<f32>().ok());
    let mut next = || numbers.next()?.filter(|x| x.is_finite());
    Some([next()?, next()?, next()?])
}

impl Group {
    /// Returns the index of a corner such as `3`, `3/1`, `3//2` or `-1/1/-1`.
    fn corner(&mut self, word: &str, places: &[[f32; 3]], normals: &[[f32; 3]]) -> Option<u32> {
        let mut parts = word.split('/');
        let place = index(parts.next()?, places.len())?;
        let normal = match parts.nth(1) {
            None | Some("") => None,
            Some(part) => Some(index(part, normals.len())?),
        };
        if let Some(known) = self.known.get(&(place, normal)) {
            return Some(*known);
        }
        let new = u32::try_from(self.corners.len()).ok()?;
        self.known.insert((place, normal), new);
        self.corners.push(places[place]);
        // without a normal the face is flat
        self.normals.push(normal.map_or([0.0; 3], |normal| normals[normal]));
        Some(new)
    }
}

/// Parses an index that counts from 1, or from the end if negative.
fn index(word: &str, length: usize) -> Option<usize> {
    let given: i64 = word.parse().ok()?;
    let index = if given < 0 { length as i64 + given } else { given - 1 };
    usize::try_from(index).ok().filter(|index| *index < length)
}

/// Reads the materials of an MTL: color `Kd`, roughness `Pr` and metallic share `Pm`.
///
/// Without `Pr`, the roughness follows from the exponent `Ns` of Phong's lobe. It is the root of α,
/// with α² = 2 / (Ns + 2) (Walter et al. 2007).
fn library(
    bytes: &[u8],
    materials: &mut BTreeMap<String, Material>,
    ignored: &mut Vec<String>,
) -> Result<(), MeshError> {
    let text = String::from_utf8_lossy(bytes);
    let mut name = None;
    for (number, line) in lines(&text) {
        let fault = |allowed| fault(number, &line, allowed);
        let (key, rest) = line.split_once(char::is_whitespace).unwrap_or((&line, ""));
        let share = || {
            let number = rest.trim().parse::<f32>().ok().filter(|x| x.is_finite() && *x >= 0.0);
            number.ok_or_else(|| fault("a number of 0 or more"))
        };
        if key == "newmtl" {
            name = Some(rest.trim().to_owned());
            materials.insert(rest.trim().to_owned(), UNPAINTED);
            continue;
        }
        let Some(material) = name.as_ref().and_then(|name| materials.get_mut(name)) else {
            continue;
        };
        let Material { albedo, roughness, metallic, .. } = *material;
        *material = match key {
            "Kd" => {
                let color = vector(rest).ok_or_else(|| fault("three finite numbers"))?;
                material_from_rgb(color, roughness, metallic)
            }
            "Ns" => material_from_rgb(
                albedo,
                pow(2.0 / (f64::from(share()?) + 2.0), 0.25) as f32,
                metallic,
            ),
            "Pr" => material_from_rgb(albedo, share()?, metallic),
            "Pm" => material_from_rgb(albedo, roughness, share()?),
            _ => {
                if key.starts_with("map_") || key == "norm" || key == "bump" {
                    ignored.push("textures".into());
                }
                continue;
            }
        };
    }
    Ok(())
}
