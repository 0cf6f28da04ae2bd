// Computes the light from a surface to the eye and its change by the air, as camera/shade.rs, sky.rs and
// air.rs in crates/sensor/src do.

fn sky_radiance(direction: vec3<f32>) -> vec3<f32> {
    let haze = 1.0 - max(direction.z, 0.0);
    let base = mix(view.zenith.xyz, view.level.xyz, haze * haze * haze * haze);
    let towards = max(dot(direction, view.to_sun.xyz), 0.0);
    let t2 = towards * towards;
    let t4 = t2 * t2;
    let t16 = t4 * t4 * t4 * t4;
    let bloom = view.to_sun.w * (0.10 * t4 + 0.35 * t16 * t16 * t16 * t16);
    return base + bloom * view.sun.xyz;
}

fn ambient_on(normal: vec3<f32>) -> vec3<f32> {
    let up = 0.5 + 0.5 * normal.z;
    let bounced = 0.2 * (view.sun.xyz * max(view.to_sun.z, 0.0) + view.ambient.xyz);
    return up * view.ambient.xyz + (1.0 - up) * bounced;
}

fn veil(direction: vec3<f32>) -> vec3<f32> {
    return sky_radiance(vec3<f32>(direction.xy, max(direction.z, 0.0)));
}

struct Dust {
    depth: f32,
    albedo: vec3<f32>,
}

fn dust(origin: vec3<f32>, direction: vec3<f32>, far: f32) -> Dust {
    var sum = Dust(0.0, vec3<f32>(0.0));
    let first = crowds[4].x;
    for (var k = 0u; k < crowds[4].y; k++) {
        let middle = crowd_reals(first + 2u * k);
        let more = crowd_reals(first + 2u * k + 1u);
        let radius = middle.w;
        let to_middle = middle.xyz - view.eye.xyz - origin;
        let along = dot(to_middle, direction);
        let aside = max(dot(to_middle, to_middle) - along * along, 0.0);
        let width = radius * radius;
        if (aside > 9.0 * width) { continue; }
        let before = 1.0 / (1.0 + exp(-clamp(1.702 * (0.0 - along) / radius, -40.0, 40.0)));
        let behind = 1.0 / (1.0 + exp(-clamp(1.702 * (far - along) / radius, -40.0, 40.0)));
        let own = more.w * radius * 2.5066283 * exp(-0.5 * aside / width) * (behind - before);
        sum.depth += own;
        sum.albedo += own * more.xyz;
    }
    if (sum.depth > 0.0) { sum.albedo /= sum.depth; }
    return sum;
}

fn through_air(ray: Ray, range: f32, lit: vec3<f32>) -> vec3<f32> {
    let left = exp(-view.air.y * range);
    let hazy = left * lit + (1.0 - left) * veil(ray.direction);
    if (crowds[4].y == 0u) { return hazy; }
    let cloud = dust(ray.origin, ray.direction, range);
    let passed = exp(-cloud.depth);
    let glow = view.ambient.xyz + 0.5 * view.sun.xyz;
    return passed * hazy + (1.0 - passed) * cloud.albedo * glow;
}

fn lattice_value(cell: vec2<u32>, seed: u32) -> f32 {
    let a = cell.x * 0x9E3779B1u;
    let b = cell.y * 0x85EBCA77u;
    var h = a ^ ((b << 16u) | (b >> 16u)) ^ (seed * 0xC2B2AE3Du);
    h ^= h >> 15u;
    h *= 0x2C1B3C6Du;
    h ^= h >> 12u;
    h *= 0x297A2D39u;
    h ^= h >> 15u;
    return f32(h) / 4294967295.0 * 2.0 - 1.0;
}

// Returns smooth noise: x is the value, y and z are its gradient.
fn lumps(cell: vec2<u32>, uv: vec2<f32>, seed: u32) -> vec3<f32> {
    let a = lattice_value(cell, seed);
    let b = lattice_value(cell + vec2<u32>(1u, 0u), seed);
    let c = lattice_value(cell + vec2<u32>(0u, 1u), seed);
    let d = lattice_value(cell + vec2<u32>(1u, 1u), seed);
    let s = uv * uv * (3.0 - 2.0 * uv);
    let slope = 6.0 * uv * (1.0 - uv);
    let k = a - b - c + d;
    let value = a + (b - a) * s.x + (c - a) * s.y + k * s.x * s.y;
    return vec3<f32>(value, (b - a + k * s.y) * slope.x, (c - a + k * s.x) * slope.y);
}

fn grain(surface: ptr<function, Surface>, footprint: f32) {
    let pressed = (*surface).sinkage / ((*surface).sinkage + 0.02);
    let rough = (*surface).material.roughness;
    var shade = 0.0;
    var tilt = vec2<f32>(0.0);
    var grains = GRAINS;
    for (var seed = 0u; seed < 5u; seed++) {
        let kind = grains[seed];
        let seen = clamp(1.0 - 2.0 * footprint / kind.x, 0.0, 1.0);
        if (seen == 0.0) { break; }
        let place = (*surface).point.xy / kind.x + bitcast<vec2<f32>>(view.grain[seed].zw);
        let whole = floor(place);
        let cell = view.grain[seed].xy + bitcast<vec2<u32>>(vec2<i32>(whole));
        let got = lumps(cell, place - whole, seed);
        let calm = select(1.0, 1.0 - 0.6 * pressed, kind.x < 0.5);
        shade += seen * kind.y * got.x * calm;
        tilt += seen * kind.z * got.yz * calm * rough;
    }
    let gain = max(1.0 + shade, 0.2);
    (*surface).material.albedo = min((*surface).material.albedo * gain, vec3<f32>(0.97));
    (*surface).normal = normalize((*surface).normal - vec3<f32>(tilt, 0.0));
}

fn reflected(surface: Surface, to_eye: vec3<f32>, sun: vec3<f32>) -> vec3<f32> {
    let material = surface.material;
    let alpha = max(material.roughness * material.roughness, 1e-3);
    let a2 = alpha * alpha;
    let sum = to_eye + sun;
    var half_way = surface.normal;
    if (dot(sum, sum) > 1e-18) { half_way = normalize(sum); }
    let nv = max(dot(surface.normal, to_eye), 1e-3);
    let nl = max(dot(surface.normal, sun), 1e-3);
    let hv = max(dot(half_way, to_eye), 0.0);
    // sin² of the angle to the half-way vector, from the cross product: near the center of the lobe
    // 1 - cos² is only rounding error
    let nh = max(dot(surface.normal, half_way), 0.0);
    let aside = cross(surface.normal, half_way);
    let sine2 = select(1.0, min(dot(aside, aside), 1.0), nh > 0.0);
    let spread = sine2 + (1.0 - sine2) * a2;
    let distribution = a2 / (spread * spread);
    let smith = 0.5 / (nl * sqrt(nv * nv * (1.0 - a2) + a2) + nv * sqrt(nl * nl * (1.0 - a2) + a2));
    let lobe = distribution * smith;
    let away = 1.0 - hv;
    let schlick = away * away * away * away * away;
    let base = 0.04 + (material.albedo - 0.04) * material.metallic;
    let fresnel = base + (1.0 - base) * schlick;
    return (1.0 - fresnel) * (1.0 - material.metallic) * material.albedo + fresnel * lobe;
}

fn cosine(normal: vec3<f32>, draw: vec2<f32>) -> vec3<f32> {
    let angle = 6.2831853 * draw.x;
    let sc = sine_cosine(angle);
    let other = select(vec3<f32>(1.0, 0.0, 0.0), vec3<f32>(0.0, 0.0, 1.0), abs(normal.z) < 0.9);
    let a = normalize(cross(normal, other));
    let b = cross(normal, a);
    let r = sqrt(draw.y);
    return normalize(a * (r * sc.y) + b * (r * sc.x) + normal * sqrt(max(1.0 - draw.y, 0.0)));
}

fn radiance(ray: Ray, seen: Surface, footprint: f32, pixel: u32, sample: u32) -> vec3<f32> {
    var surface = seen;
    if (surface.class_of == GROUND) { grain(&surface, footprint); }
    let to_eye = -ray.direction;
    let start = surface.point + surface.normal * (2e-3 + 1e-3 * footprint);
    let material = surface.material;
    var sum = vec3<f32>(0.0);
    let facing = dot(surface.normal, view.to_sun.xyz);
    if (facing > 0.0 && view.sun.y > 0.0) {
        if (!blocked(Ray(start, view.to_sun.xyz, ray.moment), SHADOW)) {
            sum += view.sun.xyz * facing * reflected(surface, to_eye, view.to_sun.xyz);
        }
    }
    var ambient = ambient_on(surface.normal);
    if (view.size.w > 0u) {
        var open = vec3<f32>(0.0);
        for (var k = 0u; k < view.size.w; k++) {
            let direction = cosine(surface.normal, uniforms(pixel, SKY_LANE + 64u * sample + k));
            var got = sky_radiance(direction);
            if (direction.z < 0.0 || blocked(Ray(start, direction, ray.moment), OPEN)) {
                got = 0.2 * view.ambient.xyz;
            }
            open += got;
        }
        ambient = open / f32(view.size.w);
    }
    let head_on = max(dot(surface.normal, to_eye), 0.0);
    let mirror = surface.normal * (2.0 * dot(surface.normal, to_eye)) - to_eye;
    let shine = 1.0 - material.roughness;
    let away = 1.0 - head_on;
    let grazing = away * away * away * away * away;
    var above = 0.3 * ambient_on(mirror);
    if (mirror.z > -0.05) { above = sky_radiance(mirror); }
    let base = 0.04 + (material.albedo - 0.04) * material.metallic;
    let fresnel = base + max(max(vec3<f32>(shine), base) - base, vec3<f32>(0.0)) * grazing;
    let diffuse = material.albedo * (1.0 - material.metallic) * (1.0 - fresnel);
    return sum + diffuse * ambient
        + fresnel * (shine * shine * above + (1.0 - shine * shine) * ambient);
}
