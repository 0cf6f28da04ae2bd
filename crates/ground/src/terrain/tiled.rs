//! On-demand heights of a raster that stays in its file.

use std::fmt;
use std::io::{BufReader, Read, Seek};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::cells::GridCells;
use super::error::TerrainError;
use super::geotiff::{ChunkGrid, HeightReader, Heights, SampleScaling};
use super::raster_file::RasterWindow;
use super::surface::BicubicStencil;
use arc_swap::ArcSwapOption;

/// Heights of a GeoTIFF whose tiles or strips are decoded on first access.
///
/// Decoded tiles are held up to a limit; beyond it the least recently used ones are dropped. The
/// order of requests and their threads do not change any bit.
///
/// Access to a decoded height needs no lock and no allocation; decoding takes a lock. A world
/// requests the ground around its vehicles before they step ([`TiledRaster::preload`]).
///
/// All tiles have been decoded once before. Decoding can fail later only if the file was altered,
/// which checksums detect, or can no longer be read. Heights are NaN then, and
/// [`TiledRaster::fault`] returns the error.
pub struct TiledRaster {
    layout: RasterLayout,
    slots: Vec<Slot>,
    /// Number of tiles decoded so far.
    decoded: AtomicU64,
    source: Mutex<ChunkSource>,
    fault: OnceLock<TerrainError>,
}

/// Immutable layout of the raster.
pub(super) struct RasterLayout {
    pub window: RasterWindow,
    pub chunks: ChunkGrid,
    /// Conversion of samples to heights.
    pub scaling: SampleScaling,
    /// Checksum of each chunk that overlaps the window.
    pub checksums: Vec<u32>,
    /// Limit for decoded heights, bytes.
    pub resident: usize,
}

/// Cache slot of a chunk.
#[derive(Default)]
struct Slot {
    heights: ArcSwapOption<Heights>,
    /// Value of `decoded` at the last access.
    last_used: AtomicU64,
}

/// Source of heights during a run, usually a file.
pub trait HeightFile: Read + Seek + Send {}

impl<T: Read + Seek + Send> HeightFile for T {}

/// A buffered [`HeightFile`].
pub(super) type BufferedSource = BufReader<Box<dyn HeightFile>>;

struct ChunkSource {
    file: HeightReader<BufferedSource>,
    /// Size of the decoded heights, bytes.
    held: usize,
}

/// Returns the checksum of heights.
pub(super) fn checksum(heights: &Heights) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    let mut room = [0; 4096];
    match heights {
        Heights::Single(heights) => {
            for part in heights.chunks(room.len() / 4) {
                let bytes = &mut room[..4 * part.len()];
                for (to, height) in bytes.chunks_exact_mut(4).zip(part) {
                    to.copy_from_slice(&height.to_le_bytes());
                }
                hasher.update(bytes);
            }
        }
        Heights::Double(heights) => {
            for part in heights.chunks(room.len() / 8) {
                let bytes = &mut room[..8 * part.len()];
                for (to, height) in bytes.chunks_exact_mut(8).zip(part) {
                    to.copy_from_slice(&height.to_le_bytes());
                }
                hasher.update(bytes);
            }
        }
    }
    hasher.finalize()
}

impl TiledRaster {
    pub(super) fn new(file: HeightReader<BufferedSource>, layout: RasterLayout) -> TiledRaster {
        let slots = (0..layout.chunks.len()).map(|_| Slot::default()).collect();
        let source = Mutex::new(ChunkSource { file, held: 0 });
        TiledRaster { layout, slots, decoded: AtomicU64::new(0), source, fault: OnceLock::new() }
    }

    /// Returns its cells, in local meters.
    #[inline]
    pub fn cells(&self) -> GridCells {
        self.layout.window.cells
    }

    /// Returns the size of the decoded heights, bytes.
    pub fn resident_bytes(&self) -> usize {
        self.source.lock().unwrap_or_else(PoisonError::into_inner).held
    }

    /// Returns the first error in reading heights, if any.
    pub fn fault(&self) -> Option<&TerrainError> {
        self.fault.get()
    }

    /// Decodes the heights within a distance of a point, m, unless they are already decoded.
    pub fn preload(&self, [x, y]: [f64; 2], distance: f64) {
        let cells = self.cells();
        let index = |axis: usize, coordinate: f64, count: usize, beyond: f64| {
            let place = (coordinate - cells.south_west[axis]) / cells.size[axis] + beyond;
            // NaN becomes 0
            (place.max(0.0) as usize).min(count - 1)
        };
        // a surface uses one cell before a point and two after
        let columns = [(x - distance, -1.0), (x + distance, 2.0)]
            .map(|(x, beyond)| self.layout.window.first[0] + index(0, x, cells.columns, beyond));
        let rows = [(y + distance, 2.0), (y - distance, -1.0)]
            .map(|(y, beyond)| self.row(index(1, y, cells.rows, beyond)));
        for chunk in self.layout.chunks.overlapping(columns, rows) {
            self.with_chunk(chunk, |_| ());
        }
    }

    /// Returns the file's row, from the north, of a row of the window, from the south.
    #[inline]
    fn row(&self, from_south: usize) -> usize {
        let RasterWindow { cells, first } = self.layout.window;
        first[1] + cells.rows - 1 - from_south
    }

    /// Calls `read` with the heights of a chunk, or with `None` if it cannot be decoded.
    #[inline]
    fn with_chunk<T>(&self, chunk: usize, read: impl FnOnce(Option<&Heights>) -> T) -> T {
        let slot = &self.slots[chunk];
        let held = slot.heights.load();
        match &*held {
            Some(heights) => {
                // rarely written, to avoid contention between threads
                let now = self.decoded.load(Ordering::Relaxed);
                if slot.last_used.load(Ordering::Relaxed) != now {
                    slot.last_used.store(now, Ordering::Relaxed);
                }
                read(Some(heights))
            }
            None => read(self.decode(chunk).as_deref()),
        }
    }

    #[cold]
    fn decode(&self, chunk: usize) -> Option<Arc<Heights>> {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = &self.slots[chunk];
        if let Some(heights) = slot.heights.load_full() {
            // decoded by another thread in the meantime
            return Some(heights);
        }
        if self.fault.get().is_some() {
            return None;
        }
        let RasterLayout { checksums, resident, .. } = &self.layout;
        let read = source.file.read(chunk).and_then(|heights| {
            if checksum(&heights) == checksums[chunk] {
                return Ok(heights);
            }
            let cause = "has other heights than when the file was opened".to_string();
            Err(source.file.refused(chunk, cause))
        });
        let heights = match read {
            Ok(heights) => Arc::new(heights),
            Err(error) => {
                // only the first error is kept
                let _ = self.fault.set(error);
                return None;
            }
        };
        let now = self.decoded.fetch_add(1, Ordering::Relaxed) + 1;
        slot.last_used.store(now, Ordering::Relaxed);
        source.held += heights.bytes();
        slot.heights.store(Some(heights.clone()));
        while source.held > *resident {
            let others = self
                .slots
                .iter()
                .enumerate()
                .filter(|(index, slot)| *index != chunk && slot.heights.load().is_some());
            let Some((_, oldest)) =
                others.min_by_key(|(_, slot)| slot.last_used.load(Ordering::Relaxed))
            else {
                break;
            };
            let gone = oldest.heights.swap(None);
            source.held -= gone.map_or(0, |heights| heights.bytes());
        }
        Some(heights)
    }
}

impl BicubicStencil for TiledRaster {
    #[inline]
    fn heights_at(&self, columns: [usize; 4], rows: [usize; 4]) -> [[f64; 4]; 4] {
        let RasterLayout { window, chunks, scaling, .. } = &self.layout;
        let columns = columns.map(|column| window.first[0] + column);
        let rows = rows.map(|row| self.row(row));
        let one = chunks.chunk_of(columns[0], rows[3]);
        if one == chunks.chunk_of(columns[3], rows[0]) {
            let (first, width) = (chunks.index_in_chunk(columns[0], rows[3]), chunks.width(one));
            return self.with_chunk(one, |heights| match heights {
                Some(heights) => rows.map(|row| {
                    let line = first + (row - rows[3]) * width;
                    columns.map(|column| scaling.apply(heights.get(line + (column - columns[0]))))
                }),
                None => [[f64::NAN; 4]; 4],
            });
        }
        let height = |column: usize, row: usize| {
            self.with_chunk(chunks.chunk_of(column, row), |heights| {
                heights.map_or(f64::NAN, |own| {
                    scaling.apply(own.get(chunks.index_in_chunk(column, row)))
                })
            })
        };
        rows.map(|row| columns.map(|column| height(column, row)))
    }
}

impl fmt::Debug for TiledRaster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RasterLayout { window, chunks, .. } = &self.layout;
        f.debug_struct("TiledRaster").field("window", window).field("chunks", chunks).finish()
    }
}
