// Casts rays on the ground: two windows of cells under pyramids of lids, and tiles of nodes in the
// cells of the nearer window. crates/sensor/src/relief does the same and explains it.

struct Footing {
    range: f32,
    normal: vec3<f32>,
}

struct Landing {
    range: f32,
    gradient: vec2<f32>,
}

// A ray over a window: x and y in cells from the eye's cell, z in m from the eye.
struct Line {
    origin: vec3<f32>,
    slope: vec3<f32>,
    inverse: vec2<f32>,
}

// Bound of the rounding error of a clearance, m.
const ROUNDING: f32 = 1e-4;

fn line_of(origin: vec3<f32>, slope: vec3<f32>) -> Line {
    let flat = abs(slope.xy) < vec2<f32>(1e-20);
    let tilted = select(slope.xy, vec2<f32>(1e-20), flat);
    return Line(origin, vec3<f32>(tilted, slope.z), 1.0 / tilted);
}

fn at(line: Line, range: f32) -> vec3<f32> {
    return line.origin + line.slope * range;
}

// Returns the part of a range interval in which the line is over cells [low, low + side).
fn over(line: Line, low: vec2<f32>, side: f32, near: f32, far: f32) -> vec2<f32> {
    let a = (low - line.origin.xy) * line.inverse;
    let b = (low + side - line.origin.xy) * line.inverse;
    let first = min(a, b);
    let last = max(a, b);
    return vec2<f32>(max(near, max(first.x, first.y)), min(far, min(last.x, last.y)));
}

// Converts a height above the datum to a height above the eye, m.
fn above_eye(height: f32) -> f32 {
    return (height - view.height.x) - view.height.y;
}

fn first_root(q: f32, g: f32, f: f32) -> f32 {
    let discriminant = g * g - 4.0 * q * f;
    if (abs(q) * f < 1e-7 * g * g) {
        // nearly linear: one step of Newton's method from the root of the linear part
        if (g >= 0.0) { return NEVER; }
        let s = -f / g;
        return s - (f + s * (g + q * s)) / (g + 2.0 * q * s);
    }
    if (discriminant < 0.0) { return NEVER; }
    let half = -0.5 * (g + select(-1.0, 1.0, g >= 0.0) * sqrt(discriminant));
    let one = half / q;
    let other = f / half;
    if (one > 0.0 && other > 0.0) { return min(one, other); }
    if (one > 0.0) { return one; }
    if (other > 0.0) { return other; }
    return NEVER;
}

// Intersects the line with the bilinear patch over the cell at `corner`, given its corner heights.
fn meet(line: Line, h: vec4<f32>, corner: vec2<f32>, near: f32, far: f32) -> Landing {
    let top = max(max(h.x, h.y), max(h.z, h.w));
    let from_point = at(line, near);
    if (min(from_point.z, at(line, far).z) > above_eye(top) + 1e-6) {
        return Landing(NEVER, vec2<f32>(0.0));
    }
    let b = h.y - h.x;
    let c = h.z - h.x;
    let d = (h.w - h.y) - c;
    let uv = from_point.xy - corner;
    let f = from_point.z - above_eye(h.x) - (b * uv.x + c * uv.y + d * uv.x * uv.y);
    let slope = line.slope;
    let g = slope.z - b * slope.x - c * slope.y - d * (uv.x * slope.y + uv.y * slope.x);
    let q = -d * slope.x * slope.y;
    var s = 0.0;
    if (f > 0.0) { s = first_root(q, g, f); }
    if (s > far - near) { return Landing(NEVER, vec2<f32>(0.0)); }
    let there = uv + slope.xy * s;
    return Landing(near + s, vec2<f32>(b + d * there.y, c + d * there.x));
}

fn lids_before(levels: u32, level: u32) -> u32 {
    return ((1u << (2u * levels)) - (1u << (2u * (levels + 1u - level)))) / 3u;
}

struct Walk {
    cell: vec2<i32>,
    level: u32,
    range: f32,
    here: vec3<f32>,
}

// Range at which a ray leaves a block, and the axis that it crosses.
struct Exit {
    edge: vec2<i32>,
    block: vec2<i32>,
    across: u32,
    raw: f32,
    leave: f32,
}

fn exit_of(line: Line, shift: vec2<i32>, walk: Walk, far: f32) -> Exit {
    let forward = vec2<i32>(line.slope.xy > vec2<f32>(0.0));
    let block = walk.cell >> vec2<u32>(walk.level);
    let edge = (block + forward) << vec2<u32>(walk.level);
    let ranges = (vec2<f32>(edge - shift) - line.origin.xy) * line.inverse;
    let across = select(0u, 1u, ranges.y < ranges.x);
    let raw = min(ranges.x, ranges.y);
    return Exit(edge, block, across, raw, max(min(raw, far), walk.range));
}

// Steps to the next block. A level above `levels` means that the ray has left the window.
fn step_on(line: Line, shift: vec2<i32>, walk: Walk, exit: Exit, levels: u32) -> Walk {
    let side = 1i << levels;
    let forward = vec2<i32>(line.slope.xy > vec2<f32>(0.0));
    let next = at(line, exit.leave);
    let low = exit.block << vec2<u32>(walk.level);
    let high_end = low + ((1i << walk.level) - 1i);
    let along = clamp(vec2<i32>(floor(next.xy)) + shift, low, high_end);
    let stepped = exit.edge - 1i + forward;
    var cell = vec2<i32>(stepped.x, along.y);
    if (exit.across == 1u) { cell = vec2<i32>(along.x, stepped.y); }
    if (any(cell < vec2<i32>(0)) || any(cell >= vec2<i32>(side))) {
        return Walk(cell, levels + 1u, exit.leave, next);
    }
    var level = walk.level;
    let parents = (cell >> vec2<u32>(level + 1u)) != (exit.block >> vec2<u32>(1u));
    if (any(parents) && level < levels) { level++; }
    return Walk(cell, level, exit.leave, next);
}

fn clearance(first: u32, block: vec2<i32>, row: u32, origin: vec2<f32>, p: vec3<f32>) -> f32 {
    let index = first + 3u * (u32(block.y) * row + u32(block.x));
    let height = above_eye(tiles_or_ground(index + 2u));
    return p.z - height - tiles_or_ground(index) * (p.x + origin.x)
        - tiles_or_ground(index + 1u) * (p.y + origin.y);
}

// Reads a lid. The indices of tile lids follow those of window lids.
fn tiles_or_ground(index: u32) -> f32 {
    if (index >= TILES) { return real(tiles[index - TILES]); }
    return real(ground[index]);
}

fn tile_land(slot: u32, outer: Line, cell: vec2<i32>, eye: vec2<i32>, near: f32, far: f32) -> Landing {
    let first = slot * SLOT;
    let scale = f32(TILE);
    let origin = (outer.origin.xy - vec2<f32>(cell - eye)) * scale;
    let line = Line(
        vec3<f32>(origin, outer.origin.z),
        vec3<f32>(outer.slope.xy * scale, outer.slope.z),
        outer.inverse / scale,
    );
    let none = vec2<i32>(0);
    let start = at(line, near);
    let place = clamp(vec2<i32>(floor(start.xy)), none, vec2<i32>(i32(TILE) - 1));
    var walk = Walk(place, TILE_LEVELS, near, start);
    for (var guard = 0; guard < 512; guard++) {
        let exit = exit_of(line, none, walk, far);
        if (walk.level > 0u) {
            let lids = TILES + first + NODES * NODES + 3u * lids_before(TILE_LEVELS, walk.level);
            let row = TILE >> walk.level;
            let zero = vec2<f32>(0.0);
            let before = clearance(lids, exit.block, row, zero, walk.here);
            let after = clearance(lids, exit.block, row, zero, at(line, exit.leave));
            if (min(before, after) <= ROUNDING) {
                walk.level--;
                continue;
            }
        } else {
            let node = first + u32(walk.cell.y) * NODES + u32(walk.cell.x);
            let h = bitcast<vec4<f32>>(vec4<u32>(tiles[node], tiles[node + 1u], tiles[node + NODES], tiles[node + NODES + 1u]));
            let landing = meet(line, h, vec2<f32>(walk.cell), walk.range, exit.leave);
            if (landing.range < NEVER) { return landing; }
        }
        if (exit.raw >= far) { break; }
        walk = step_on(line, none, walk, exit, TILE_LEVELS);
        if (walk.level > TILE_LEVELS) { break; }
    }
    return Landing(NEVER, vec2<f32>(0.0));
}

// Intersects a ray with a window. `left` receives the range at which the ray leaves the window.
fn window_cast(which: u32, ray: Ray, near: f32, far: f32, left: ptr<function, f32>) -> Footing {
    let none = Footing(NEVER, vec3<f32>(0.0));
    let size = view.window[which];
    let eye = select(view.cell.xy, view.cell.zw, which == 1u);
    let part = select(view.part.xy, view.part.zw, which == 1u);
    let line = line_of(
        vec3<f32>(part + ray.origin.xy / size, ray.origin.z),
        vec3<f32>(ray.direction.xy / size, ray.direction.z),
    );
    let inside = over(line, -vec2<f32>(eye), f32(SIDE), near, far);
    if (inside.x > inside.y) {
        *left = near;
        return none;
    }
    *left = inside.y;
    var start = inside.x;
    let height = at(line, start).z - view.window[2u + which];
    if (height > 0.0) {
        if (line.slope.z >= 0.0) { return none; }
        start += height / -line.slope.z;
    }
    let end = inside.y;
    if (start > end) { return none; }
    let base = which * WINDOW;
    let here = at(line, start);
    let place = clamp(vec2<i32>(floor(here.xy)) + eye, vec2<i32>(0), vec2<i32>(i32(SIDE) - 1));
    let origin = vec2<f32>(eye);
    var walk = Walk(place, 4u, start, here);
    for (var guard = 0; guard < 4096; guard++) {
        let exit = exit_of(line, eye, walk, end);
        if (walk.level > 0u) {
            let lids = base + CORNERS + 3u * lids_before(LEVELS, walk.level);
            let row = SIDE >> walk.level;
            let before = clearance(lids, exit.block, row, origin, walk.here);
            let after = clearance(lids, exit.block, row, origin, at(line, exit.leave));
            if (min(before, after) <= ROUNDING) {
                walk.level--;
                continue;
            }
        } else {
            var held = 0u;
            if (which == 0u) { held = ground[FINE + u32(walk.cell.y) * SIDE + u32(walk.cell.x)]; }
            var landing: Landing;
            var length = size;
            if (held == 0u) {
                let node = base + u32(walk.cell.y) * (SIDE + 1u) + u32(walk.cell.x);
                let h = bitcast<vec4<f32>>(vec4<u32>(ground[node], ground[node + 1u], ground[node + SIDE + 1u], ground[node + SIDE + 2u]));
                landing = meet(line, h, vec2<f32>(walk.cell - eye), walk.range, exit.leave);
            } else {
                landing = tile_land(held - 1u, line, walk.cell, eye, walk.range, exit.leave);
                length = view.nodes.x;
            }
            if (landing.range < NEVER) {
                let g = landing.gradient / length;
                return Footing(landing.range, normalize(vec3<f32>(-g, 1.0)));
            }
        }
        if (exit.raw >= end) { break; }
        walk = step_on(line, eye, walk, exit, LEVELS);
        if (walk.level > LEVELS) { break; }
    }
    return none;
}

fn ground_cast(ray: Ray, near: f32, far: f32) -> Footing {
    var left = 0.0;
    let found = window_cast(0u, ray, near, far, &left);
    if (found.range < NEVER || left >= far) { return found; }
    return window_cast(1u, ray, left, far, &left);
}

// Writes the marks of vehicles at a point: sinkage, slip, passes.
fn mark_at(surface: ptr<function, Surface>) {
    let place = view.part.xy + (*surface).point.xy / view.window.x;
    let whole = floor(place);
    let cell = vec2<i32>(whole) + view.cell.xy;
    if (any(cell < vec2<i32>(0)) || any(cell >= vec2<i32>(i32(SIDE)))) { return; }
    let held = ground[FINE + u32(cell.y) * SIDE + u32(cell.x)];
    if (held == 0u) { return; }
    let marked = tiles[held * SLOT - 1u];
    if (marked == 0u) { return; }
    let first = (marked - 1u) * 3u * NODES * NODES;
    let p = clamp((place - whole) * f32(TILE), vec2<f32>(0.0), vec2<f32>(f32(TILE) - 1e-5));
    let ij = vec2<u32>(p);
    let uv = p - vec2<f32>(ij);
    let index = first + 3u * (ij.y * NODES + ij.x);
    let north = index + 3u * NODES;
    let weights = vec4<f32>((1.0 - uv.x) * (1.0 - uv.y), uv.x * (1.0 - uv.y), (1.0 - uv.x) * uv.y, uv.x * uv.y);
    let corners = vec4<u32>(index, index + 3u, north, north + 3u);
    for (var k = 0; k < 4; k++) {
        (*surface).sinkage += weights[k] * bitcast<f32>(marks[corners[k]]);
        (*surface).slip += weights[k] * bitcast<f32>(marks[corners[k] + 1u]);
    }
    let nearest = select(0u, 1u, uv.x >= 0.5) + select(0u, 2u, uv.y >= 0.5);
    (*surface).passes = marks[corners[nearest] + 2u];
}
