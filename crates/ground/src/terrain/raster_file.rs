//! A GeoTIFF whose heights stay in its file: opened, placed, cropped, checked, and then used as a
//! surface.

use std::io::BufReader;
use std::sync::Arc;

use super::cells::GridCells;
use super::error::{RasterWarning, TerrainError, finite};
use super::geotiff::{ChunkGrid, GeoTiffHead, HeightReader, Heights, SampleScaling, open};
use super::raster::{CellContent, FramePlacement, Origin};
use super::reference::HeightUnit;
use super::sidecars::Sidecars;
use super::surface::{HIGHEST, HIGHEST_ALLOWED, Surface};
use super::tiled::{BufferedSource, HeightFile, RasterLayout, TiledRaster, checksum};
use super::{USUAL_GAPS, guessed_gaps};

/// A GeoTIFF with only its header read.
///
/// [`RasterFile::surface`] decodes the used part once, tile by tile or strip by strip, without
/// keeping it. Heights are then decoded on demand, as described at [`TiledRaster`]. They are
/// bit-identical to those of a [`Raster`](super::Raster) that is read entirely.
pub struct RasterFile {
    file: HeightReader<BufferedSource>,
    head: GeoTiffHead,
}

/// Number of bytes per read from the file.
const AHEAD: usize = 64 << 10;

impl RasterFile {
    /// Opens a GeoTIFF.
    ///
    /// # Errors
    /// A file that cannot be read, is not a GeoTIFF, or is not supported.
    pub fn open(file: impl HeightFile + 'static) -> Result<RasterFile, TerrainError> {
        RasterFile::open_with(file, &Sidecars::default())
    }

    /// Opens a GeoTIFF with its sidecar files.
    ///
    /// # Errors
    /// As for [`RasterFile::open`], and sidecar files that cannot be used.
    pub fn open_with(
        file: impl HeightFile + 'static,
        sidecars: &Sidecars,
    ) -> Result<RasterFile, TerrainError> {
        let file: Box<dyn HeightFile> = Box::new(file);
        let file = BufReader::with_capacity(AHEAD, file);
        let (file, head) = open(file, sidecars, CellContent::Heights)?;
        Ok(RasterFile { file, head })
    }

    /// Returns its cells, in its own coordinates.
    pub fn cells(&self) -> GridCells {
        self.head.cells
    }

    /// Adds properties that the file does not specify, like
    /// [`Raster::with_reference`](super::Raster::with_reference).
    ///
    /// # Errors
    ///
    /// As for that function.
    pub fn with_reference(
        mut self,
        epsg: Option<u16>,
        heights: Option<HeightUnit>,
    ) -> Result<RasterFile, TerrainError> {
        self.head.scaling = self.head.scaling.times(self.head.crs.completed(epsg, heights)?);
        self.head.warnings.retain(|own| !own.is_settled_by(epsg));
        Ok(self)
    }

    /// Returns the placement of a local frame with this origin in the file's coordinates.
    ///
    /// # Errors
    /// A latitude too close to a pole.
    pub fn placement(&self, origin: Origin) -> Result<FramePlacement, TerrainError> {
        self.head.cells.placement(origin, &self.head.crs)
    }

    /// Returns the part of the file that covers a box in the local meters of a placement, or all of
    /// it.
    ///
    /// # Errors
    /// A box outside the file.
    pub fn window(
        &self,
        placement: &FramePlacement,
        bounds: Option<[f64; 4]>,
    ) -> Result<RasterWindow, TerrainError> {
        let local = self.head.cells.localized(placement);
        let (cells, [column, from_south]) = match bounds {
            Some(bounds) => local.cropped(bounds)?,
            None => (local, [0, 0]),
        };
        Ok(RasterWindow { cells, first: [column, local.rows - from_south - cells.rows] })
    }

    /// Returns the surface of a part of the file, and warnings about it. About `resident` bytes of
    /// decoded heights are held at a time.
    ///
    /// # Errors
    /// A tile or strip that cannot be decoded, gaps, and invalid heights.
    pub fn surface(
        mut self,
        window: RasterWindow,
        resident: usize,
    ) -> Result<(Surface, Vec<RasterWarning>), TerrainError> {
        window.cells.check_meters()?;
        let GeoTiffHead { scaling, mut warnings, .. } = self.head;
        let chunks = self.file.grid();
        let mut checksums = vec![0; chunks.len()];
        let mut statistics = WindowStatistics::new(window);
        for chunk in window.chunks(&chunks) {
            let heights = self.file.read(chunk)?;
            checksums[chunk] = checksum(&heights);
            statistics.add_chunk(chunks.extent(chunk), &heights, scaling);
        }
        warnings.extend(statistics.into_warnings()?);
        let layout = RasterLayout { window, chunks, scaling, checksums, resident };
        Ok((Surface::Tiled(Arc::new(TiledRaster::new(self.file, layout))), warnings))
    }
}

/// A part of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RasterWindow {
    /// Its cells, in local meters.
    pub cells: GridCells,
    /// Column and row in the file, from the north-west, of its north-west cell.
    pub first: [usize; 2],
}

impl RasterWindow {
    fn last(&self) -> [usize; 2] {
        [self.first[0] + self.cells.columns - 1, self.first[1] + self.cells.rows - 1]
    }

    fn chunks(&self, chunks: &ChunkGrid) -> impl Iterator<Item = usize> + use<> {
        let ([west, north], [east, south]) = (self.first, self.last());
        chunks.overlapping([west, east], [north, south])
    }
}

/// Statistics collected over all chunks of a window.
struct WindowStatistics {
    window: RasterWindow,
    missing: usize,
    /// Row and column, in the window, of the first cell without data.
    first_gap: Option<[usize; 2]>,
    extreme: Option<f64>,
    usual: [usize; USUAL_GAPS.len()],
}

impl WindowStatistics {
    fn new(window: RasterWindow) -> WindowStatistics {
        WindowStatistics {
            window,
            missing: 0,
            first_gap: None,
            extreme: None,
            usual: [0; USUAL_GAPS.len()],
        }
    }

    fn add_chunk(
        &mut self,
        ([column, row], [width, height]): ([usize; 2], [usize; 2]),
        heights: &Heights,
        scaling: SampleScaling,
    ) {
        let ([west, north], [east, south]) = (self.window.first, self.window.last());
        for line in north.max(row)..(south + 1).min(row + height) {
            for place in west.max(column)..(east + 1).min(column + width) {
                let value = scaling.apply(heights.get((line - row) * width + (place - column)));
                if value.is_nan() {
                    self.missing += 1;
                    let here = [line - north, place - west];
                    self.first_gap = Some(self.first_gap.map_or(here, |gap| gap.min(here)));
                } else if value.abs() > HIGHEST {
                    self.extreme = Some(value);
                } else if value <= USUAL_GAPS[0] {
                    for (count, usual) in self.usual.iter_mut().zip(USUAL_GAPS) {
                        *count += usize::from(value == usual);
                    }
                }
            }
        }
    }

    fn into_warnings(self) -> Result<Vec<RasterWarning>, TerrainError> {
        if let Some([row, column]) = self.first_gap {
            let GridCells { columns, rows, .. } = self.window.cells;
            let (missing, total) = (self.missing, columns * rows);
            return match missing == total {
                true => Err(TerrainError::Empty),
                false => Err(TerrainError::NoData { missing, total, row, column }),
            };
        }
        if let Some(height) = self.extreme {
            finite("height, m", height, HIGHEST_ALLOWED, |_| false)?;
        }
        Ok(guessed_gaps(self.usual).collect())
    }
}

#[cfg(test)]
mod tests;
