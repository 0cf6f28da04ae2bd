//! Sidecar files of a raster: world files, projection files, GDAL's auxiliary files and masks.

use super::error::TerrainError;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use xml::reader::{ParserConfig, XmlEvent};

/// Content of the sidecar files of a raster, where they exist.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sidecars {
    /// The world file (`.tfw`, `.tifw`, `.wld`): the six numbers of an affine map.
    pub world: Option<Vec<u8>>,
    /// The projection file (`.prj`): a reference system as text.
    pub projection: Option<Vec<u8>>,
    /// GDAL's auxiliary file (`.aux.xml`).
    pub auxiliary: Option<Vec<u8>>,
    /// The mask (`.msk`), a TIFF.
    pub mask: Option<Vec<u8>>,
}

/// A kind of sidecar file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SidecarKind {
    /// World file: six lines of text.
    World,
    /// Projection file: a reference system as text.
    Projection,
    /// Auxiliary file: GDAL's XML.
    Auxiliary,
    /// Mask: a TIFF.
    Mask,
}

impl SidecarKind {
    /// Returns the greatest size of a file of this kind that is read, bytes; for a mask the caller
    /// decides.
    pub fn longest(self) -> Option<u64> {
        match self {
            SidecarKind::World => Some(4 << 10),
            SidecarKind::Projection => Some(64 << 10),
            SidecarKind::Auxiliary => Some(4 << 20),
            SidecarKind::Mask => None,
        }
    }
}

/// Appends an ending to a path.
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    PathBuf::from(name)
}

impl Sidecars {
    /// Reads the sidecar files of a raster.
    ///
    /// `load` returns the content of a file, or `None` if it does not exist. A PNG has no sidecar
    /// files.
    ///
    /// # Errors
    /// The errors of `load`.
    pub fn load<E>(
        raster: &Path,
        mut load: impl FnMut(&Path, SidecarKind) -> Result<Option<Vec<u8>>, E>,
    ) -> Result<Sidecars, E> {
        let extension = raster.extension().unwrap_or_default().to_string_lossy().into_owned();
        if extension.eq_ignore_ascii_case("png") {
            return Ok(Sidecars::default());
        }
        let letters: Vec<char> = extension.chars().collect();
        let mut world = vec!["wld".to_string(), format!("{extension}w")];
        if let [first, .., last] = letters[..] {
            world.insert(0, format!("{first}{last}w"));
        }
        let stems = |endings: &[String]| -> Vec<PathBuf> {
            let cases = endings.iter().flat_map(|own| {
                let (small, large) = (own.to_ascii_lowercase(), own.to_ascii_uppercase());
                let mut cases = vec![own.clone(), small, large];
                cases.dedup();
                cases
            });
            cases.map(|ending| raster.with_extension(ending)).collect()
        };
        let mut first = |paths: Vec<PathBuf>, kind| -> Result<Option<Vec<u8>>, E> {
            for path in paths {
                if let Some(content) = load(&path, kind)? {
                    return Ok(Some(content));
                }
            }
            Ok(None)
        };
        Ok(Sidecars {
            world: first(stems(&world), SidecarKind::World)?,
            projection: first(stems(&["prj".to_string()]), SidecarKind::Projection)?,
            auxiliary: first(vec![with_ending(raster, ".aux.xml")], SidecarKind::Auxiliary)?,
            mask: first(vec![with_ending(raster, ".msk")], SidecarKind::Mask)?,
        })
    }

    /// Reads the sidecar files of a raster on disk, each of at most `most` bytes.
    ///
    /// # Errors
    /// The error of a file that exists and cannot be read.
    pub fn from_disk(
        raster: &Path,
        mut read: impl FnMut(&Path, u64) -> io::Result<Vec<u8>>,
        most: u64,
    ) -> io::Result<Sidecars> {
        Sidecars::load(raster, |path, kind| {
            if !path.is_file() {
                return Ok(None);
            }
            let read = read(path, kind.longest().unwrap_or(most));
            read.map(Some).map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", path.display()))
            })
        })
    }

    /// Returns the affine map of the world file: x of a column and a row, then y.
    pub(super) fn world_map(&self) -> Result<Option<[f64; 6]>, TerrainError> {
        let Some(bytes) = &self.world else { return Ok(None) };
        let text = String::from_utf8_lossy(bytes);
        let numbers: Vec<f64> = text
            .split_whitespace()
            .map(|word| word.replace(',', ".").parse::<f64>().unwrap_or(f64::NAN))
            .collect();
        let [a, d, b, e, c, f] = numbers[..] else {
            return Err(TerrainError::Sidecar {
                file: "world file",
                cause: format!("has {} numbers; allowed: 6", numbers.len()),
            });
        };
        if numbers.iter().any(|number| !number.is_finite()) {
            let cause = "contains a word that is not a number; allowed: 6 numbers".to_string();
            return Err(TerrainError::Sidecar { file: "world file", cause });
        }
        // a world file gives the middle of the first cell
        Ok(Some([a, b, c - 0.5 * (a + b), d, e, f - 0.5 * (d + e)]))
    }

    pub(super) fn projection_text(&self) -> Option<String> {
        let bytes = self.projection.as_ref()?;
        let text = String::from_utf8_lossy(bytes).trim().to_string();
        (!text.is_empty()).then_some(text)
    }

    pub(super) fn auxiliary(&self) -> Result<Auxiliary, TerrainError> {
        match &self.auxiliary {
            Some(bytes) => Auxiliary::parse(bytes),
            None => Ok(Auxiliary::default()),
        }
    }
}

/// Properties of the first band and the georeference, from an auxiliary file or from GDAL's
/// metadata.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Auxiliary {
    pub system: Option<String>,
    /// The affine map: x of a column and a row, then y.
    pub map: Option<[f64; 6]>,
    pub no_data: Option<f64>,
    pub unit: Option<String>,
    pub scale: Option<f64>,
    pub offset: Option<f64>,
}

/// Calls `take` for each XML element with its path of names, its attributes and its text.
fn elements(
    bytes: &[u8],
    mut take: impl FnMut(&[String], &[(String, String)], &str),
) -> Result<(), String> {
    let config = ParserConfig::new().trim_whitespace(true).cdata_to_characters(true);
    let mut names: Vec<String> = Vec::new();
    let mut attributes: Vec<Vec<(String, String)>> = Vec::new();
    let mut texts: Vec<String> = Vec::new();
    for event in config.create_reader(bytes) {
        match event.map_err(|error| error.to_string())? {
            XmlEvent::StartElement { name, attributes: own, .. } => {
                names.push(name.local_name);
                let own = own.into_iter().map(|item| (item.name.local_name, item.value));
                attributes.push(own.collect());
                texts.push(String::new());
            }
            XmlEvent::Characters(text) => {
                if let Some(own) = texts.last_mut() {
                    own.push_str(&text);
                }
            }
            XmlEvent::EndElement { .. } => {
                let (own, text) = (attributes.pop().unwrap_or_default(), texts.pop());
                take(&names, &own, &text.unwrap_or_default());
                names.pop();
            }
            _ => {}
        }
    }
    Ok(())
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok()
}

impl Auxiliary {
    fn parse(bytes: &[u8]) -> Result<Auxiliary, TerrainError> {
        let mut found = Auxiliary::default();
        let mut bands = 0;
        let read = elements(bytes, |names, _, text| {
            let path: Vec<&str> = names.iter().map(String::as_str).collect();
            match path[..] {
                ["PAMDataset", "SRS"] => found.system = Some(text.to_string()),
                ["PAMDataset", "GeoTransform"] => {
                    let numbers: Vec<f64> = text.split(',').filter_map(number).collect();
                    if let [c, a, b, f, d, e] = numbers[..] {
                        found.map = Some([a, b, c, d, e, f]);
                    }
                }
                ["PAMDataset", "PAMRasterBand"] => bands += 1,
                ["PAMDataset", "PAMRasterBand", item] if bands == 0 => match item {
                    "NoDataValue" => found.no_data = number(text),
                    // an empty element leaves the unit to the raster itself
                    "UnitType" if text.trim().is_empty() => {}
                    "UnitType" => found.unit = Some(text.to_string()),
                    "Scale" => found.scale = number(text),
                    "Offset" => found.offset = number(text),
                    _ => {}
                },
                _ => {}
            }
        });
        let refused = |cause| TerrainError::Sidecar { file: "auxiliary file (.aux.xml)", cause };
        read.map_err(refused)?;
        Ok(found)
    }

    /// Parses the tag `GDAL_METADATA`. Text that is not XML gives no properties.
    pub fn from_metadata(text: &str) -> Auxiliary {
        let mut found = Auxiliary::default();
        let _ = elements(text.trim_end_matches('\0').as_bytes(), |names, attributes, text| {
            if names.last().map(String::as_str) != Some("Item") {
                return;
            }
            let get = |key: &str| {
                attributes.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
            };
            if get("sample").is_some_and(|sample| sample != "0") {
                return;
            }
            match get("role") {
                Some("scale") => found.scale = number(text),
                Some("offset") => found.offset = number(text),
                Some("unittype") => found.unit = Some(text.to_string()),
                _ if get("name") == Some("UNITTYPE") => found.unit = Some(text.to_string()),
                _ => {}
            }
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_looked_for_under_the_usual_names() {
        let mut asked = Vec::new();
        let _ = Sidecars::load::<()>(Path::new("a/dem.tif"), |path, _| {
            asked.push(path.to_string_lossy().into_owned());
            Ok(None)
        });
        for name in ["a/dem.tfw", "a/dem.TFW", "a/dem.tifw", "a/dem.wld", "a/dem.prj", "a/dem.PRJ"]
        {
            assert!(asked.iter().any(|own| own == name), "{name}: {asked:?}");
        }
        assert!(asked.iter().any(|own| own == "a/dem.tif.aux.xml"));
        assert!(asked.iter().any(|own| own == "a/dem.tif.msk"));
    }

    #[test]
    fn an_auxiliary_file_describes_the_first_band() {
        let text = b"<PAMDataset><SRS dataAxisToSRSAxisMapping=\"1,2\">PROJCS[&quot;x&quot;]</SRS>\
            <GeoTransform> 1.0, 20.0, 0, 2, 0, -20</GeoTransform>\
            <PAMRasterBand band=\"1\"><NoDataValue>3</NoDataValue><UnitType>ft</UnitType>\
            <Scale>2</Scale><Offset>1</Offset></PAMRasterBand>\
            <PAMRasterBand band=\"2\"><NoDataValue>4</NoDataValue></PAMRasterBand></PAMDataset>";
        let found = Auxiliary::parse(text).unwrap();
        assert_eq!(found.system.as_deref(), Some("PROJCS[\"x\"]"));
        assert_eq!(found.map, Some([20.0, 0.0, 1.0, 0.0, -20.0, 2.0]));
        assert_eq!((found.no_data, found.scale, found.offset), (Some(3.0), Some(2.0), Some(1.0)));
        assert_eq!(found.unit.as_deref(), Some("ft"));
        assert!(Auxiliary::parse(b"<PAMDataset><SRS>").is_err());
    }

    #[test]
    fn a_world_file_gives_the_middle_of_the_first_cell() {
        let world = |text: &str| {
            let world = Some(text.as_bytes().to_vec());
            Sidecars { world, ..Sidecars::default() }.world_map()
        };
        let map = world("10\n0\n0\n-20\n105\n190\n").unwrap().unwrap();
        assert_eq!(map, [10.0, 0.0, 100.0, 0.0, -20.0, 200.0]);
        assert!(world("10 0 0").unwrap_err().to_string().contains("has 3 numbers"));
        assert!(world("10 0 0 x 1 2").is_err());
    }
}
