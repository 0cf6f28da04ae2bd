// Buffers and arithmetic of all rays.
//
// Points are relative to the eye, so that single precision is sufficient. For 1 mm at 100 m, the ground
// position under the eye must be accurate to micrometers. It is given as a whole cell and a fraction.

struct View {
    // width, height, samples along the side of a pixel, rays to the sky
    size: vec4<u32>,
    // frame, key of the random numbers (2 words), bits of the enabled channels
    draw: vec4<u32>,
    // focal lengths and principal point, pixels
    pinhole: vec4<f32>,
    // lens coefficients; the last element is the kind of lens
    bent: array<vec4<f32>, 2>,
    // exposure, readout, time between the keyframes, s; gain
    shutter: vec4<f32>,
    // vignetting, extinction, 1/m, horizon, m
    air: vec4<f32>,
    // camera position at the earlier keyframe relative to the eye, m; w is 0 without motion
    before: vec4<f32>,
    // camera orientations at both keyframes
    turns: array<vec4<f32>, 2>,
    // eye relative to the anchor of the instances, m
    eye: vec4<f32>,
    // cell of the eye in each window, and position within the cell
    cell: vec4<i32>,
    part: vec4<f32>,
    // cell lengths, m; top of each window above the eye, m
    window: vec4<f32>,
    // height of the eye above the datum, m: leading digits, remainder
    height: vec4<f32>,
    // direction to the sun, glow; radiances
    to_sun: vec4<f32>,
    sun: vec4<f32>,
    ambient: vec4<f32>,
    zenith: vec4<f32>,
    level: vec4<f32>,
    // eye on the lattice of each grain: cell and position within the cell
    grain: array<vec4<u32>, 5>,
    // spacing of nodes, m; number of soils; eye in the world, m, to look up soils
    nodes: vec4<f32>,
}

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> ground: array<u32>;
@group(0) @binding(2) var<storage, read> tiles: array<u32>;
@group(0) @binding(3) var<storage, read> marks: array<u32>;
@group(0) @binding(4) var<storage, read> meshes: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> crowds: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read_write> out: array<u32>;

const NEVER: f32 = 1e30;

struct Ray {
    origin: vec3<f32>,
    direction: vec3<f32>,
    moment: f32,
}

struct Material {
    albedo: vec3<f32>,
    roughness: f32,
    metallic: f32,
    reflectance: f32,
}

struct Surface {
    point: vec3<f32>,
    normal: vec3<f32>,
    material: Material,
    class_of: u32,
    instance: u32,
    soil: u32,
    sinkage: f32,
    slip: f32,
    passes: u32,
}

fn bits(x: f32) -> u32 {
    return bitcast<u32>(x);
}

// Converts a word to a float. Buffers have integer types, because small floats could be flushed to zero.
fn real(word: u32) -> f32 {
    return bitcast<f32>(word);
}

fn mesh_reals(index: u32) -> vec4<f32> {
    return bitcast<vec4<f32>>(meshes[index]);
}

fn crowd_reals(index: u32) -> vec4<f32> {
    return bitcast<vec4<f32>>(crowds[index]);
}

fn turned(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    let t = 2.0 * cross(q.xyz, v);
    return v + q.w * t + cross(q.xyz, t);
}

fn turned_back(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    return turned(vec4<f32>(-q.xyz, q.w), v);
}

fn between(a: vec4<f32>, b: vec4<f32>, share: f32) -> vec4<f32> {
    let near = select(b, -b, dot(a, b) < 0.0);
    return normalize(a * (1.0 - share) + near * share);
}

fn high(a: u32, b: u32) -> u32 {
    let al = a & 0xffffu;
    let ah = a >> 16u;
    let bl = b & 0xffffu;
    let bh = b >> 16u;
    let low = al * bl;
    let one = ah * bl + (low >> 16u);
    let two = al * bh + (one & 0xffffu);
    return ah * bh + (one >> 16u) + (two >> 16u);
}

// Philox4x32-10, as in crates/sensor/src/noise.rs.
fn philox(start: vec4<u32>, first: vec2<u32>) -> vec4<u32> {
    var c = start;
    var key = first;
    for (var round = 0; round < 10; round++) {
        let ha = high(0xD2511F53u, c.x);
        let la = 0xD2511F53u * c.x;
        let hb = high(0xCD9E8D57u, c.z);
        let lb = 0xCD9E8D57u * c.z;
        c = vec4<u32>(hb ^ c.y ^ key.x, lb, ha ^ c.w ^ key.y, la);
        key += vec2<u32>(0x9E3779B9u, 0xBB67AE85u);
    }
    return c;
}

fn uniforms(element: u32, lane: u32) -> vec2<f32> {
    let words = philox(vec4<u32>(element, lane, view.draw.x, 0u), view.draw.yz);
    return min((vec2<f32>(words.xy) + 0.5) / 4294967296.0, vec2<f32>(0.99999994));
}
