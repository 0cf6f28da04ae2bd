// Renders a camera image, one pixel per invocation, as crates/sensor/src/camera does.

// Returns sine and cosine to single precision, which WGSL does not guarantee.
fn sine_cosine(angle: f32) -> vec2<f32> {
    let turns = round(angle * 0.63661977);
    // pi/2 in two parts
    let x = (angle - turns * 1.5707964) + turns * 4.371139e-8;
    let x2 = x * x;
    let s = x + x * x2 * (-0.16666667 + x2 * (0.008333331 + x2 * (-0.00019840874 + x2 * 2.7525562e-6)));
    let c = 1.0 + x2 * (-0.5 + x2 * (0.041666666 + x2 * (-0.0013888887 + x2 * (2.4801587e-5 + x2 * -2.7557319e-7))));
    switch (i32(turns) & 3i) {
        case 0i: { return vec2<f32>(s, c); }
        case 1i: { return vec2<f32>(c, -s); }
        case 2i: { return vec2<f32>(-s, -c); }
        default: { return vec2<f32>(-c, s); }
    }
}

// Returns the viewing direction of an image point in the camera frame (x forward). w is 0 if no
// direction maps to the point.
fn seen_at(uv: vec2<f32>) -> vec4<f32> {
    let none = vec4<f32>(0.0);
    let p = (uv - view.pinhole.zw) / view.pinhole.xy;
    let kind = u32(view.bent[1].w);
    let radius = length(p);
    var plane = p;
    if (kind == 1u) {
        let omega = view.bent[0].x;
        let angle = radius * omega;
        if (radius >= 1e-12 && omega != 0.0) {
            if (angle >= 1.5707964) { return none; }
            let sc = sine_cosine(angle);
            let half = sine_cosine(0.5 * omega);
            plane = p * (sc.x / sc.y * half.y / (2.0 * half.x) / radius);
        }
    } else if (kind == 2u) {
        if (radius < 1e-12) { return vec4<f32>(1.0, 0.0, 0.0, 1.0); }
        let k = view.bent[0];
        var theta = radius;
        for (var step = 0; step < 20; step++) {
            let t = theta * theta;
            let value = theta * (1.0 + t * (k.x + t * (k.y + t * (k.z + t * k.w))));
            let slope = 1.0 + t * (3.0 * k.x + t * (5.0 * k.y + t * (7.0 * k.z + t * 9.0 * k.w)));
            if (slope <= 0.0) { return none; }
            let change = (value - radius) / slope;
            theta -= change;
            if (abs(change) < 1e-7) { break; }
        }
        let t = theta * theta;
        let value = theta * (1.0 + t * (k.x + t * (k.y + t * (k.z + t * k.w))));
        if (abs(value - radius) > 1e-5 || theta < 0.0 || theta > 3.1415927) { return none; }
        let sc = sine_cosine(theta);
        return vec4<f32>(sc.y, -p * (sc.x / radius), 1.0);
    } else if (kind == 3u) {
        for (var step = 0; step < 20; step++) {
            let r2 = dot(plane, plane);
            let k = view.bent[0];
            let k3 = view.bent[1].x;
            let radial = 1.0 + r2 * (k.x + r2 * (k.y + r2 * k3));
            let growth = k.x + r2 * (2.0 * k.y + r2 * 3.0 * k3);
            let x = plane.x;
            let y = plane.y;
            let value = vec2<f32>(
                x * radial + 2.0 * k.z * x * y + k.w * (r2 + 2.0 * x * x),
                y * radial + k.z * (r2 + 2.0 * y * y) + 2.0 * k.w * x * y,
            );
            let sheared = 2.0 * x * y * growth + 2.0 * k.z * x + 2.0 * k.w * y;
            let a = radial + 2.0 * x * x * growth + 2.0 * k.z * y + 6.0 * k.w * x;
            let d = radial + 2.0 * y * y * growth + 6.0 * k.z * y + 2.0 * k.w * x;
            let determinant = a * d - sheared * sheared;
            if (determinant <= 0.0) { return none; }
            let e = value - p;
            let change = vec2<f32>(d * e.x - sheared * e.y, a * e.y - sheared * e.x) / determinant;
            plane -= change;
            if (abs(change.x) + abs(change.y) < 1e-7) { break; }
            if (step == 19) { return none; }
        }
    }
    return vec4<f32>(normalize(vec3<f32>(1.0, -plane.x, -plane.y)), 1.0);
}

// Returns the ray of an image point at the fraction `late` of its exposure.
fn ray_of(own: vec3<f32>, v: f32, late: f32) -> Ray {
    let ago = view.shutter.y * (1.0 - v / f32(view.size.y)) + view.shutter.x * (1.0 - late);
    var moment = 1.0;
    if (view.shutter.z > 0.0) { moment = clamp(1.0 - ago / view.shutter.z, 0.0, 1.0); }
    if (view.before.w == 0.0) { return Ray(vec3<f32>(0.0), turned(view.turns[1], own), moment); }
    let turn = between(view.turns[0], view.turns[1], moment);
    return Ray(view.before.xyz * (1.0 - moment), turned(turn, own), moment);
}

fn put(plane: u32, pixel: u32, word: u32) {
    out[plane * view.size.x * view.size.y + pixel] = word;
}

@compute @workgroup_size(8, 8)
fn picture(@builtin(global_invocation_id) id: vec3<u32>) {
    if (any(id.xy >= view.size.xy)) { return; }
    let pixel = id.y * view.size.x + id.x;
    let side = max(view.size.z, 1u);
    let samples = side * side;
    var color = vec3<f32>(0.0);
    var surface = Surface(vec3<f32>(0.0), vec3<f32>(0.0), Material(), 0u, 0u, 255u, 0.0, 0.0, 0u);
    // infinite
    var depth = 0x7f800000u;
    let horizon = view.air.z;
    for (var sample = 0u; sample < samples; sample++) {
        let inside = (vec2<f32>(f32(sample % side), f32(sample / side)) + 0.5) / f32(side);
        var late = 1.0;
        if (view.shutter.x > 0.0) {
            let stratum = (sample * 7u + 3u) % samples;
            late = (f32(stratum) + uniforms(pixel, LATE_LANE + sample).x) / f32(samples);
        }
        let uv = vec2<f32>(id.xy) + inside;
        let own = seen_at(uv);
        if (own.w == 0.0) { continue; }
        let ray = ray_of(own.xyz, uv.y, late);
        let met = meeting(ray, 0.0, horizon);
        var got: vec3<f32>;
        if (met.range >= NEVER) {
            got = through_air(ray, 2000.0, sky_radiance(ray.direction));
        } else {
            let hit = surface_of(ray, met);
            let footprint = met.range / view.pinhole.x / max(abs(dot(hit.normal, ray.direction)), 0.1);
            got = through_air(ray, met.range, radiance(ray, hit, footprint, pixel, sample));
            if (samples == 1u) {
                surface = hit;
                depth = bits(met.range * own.x);
            }
        }
        let c2 = own.x * own.x;
        let falloff = 1.0 - view.air.x + view.air.x * c2 * c2;
        color += view.shutter.w * falloff / f32(samples) * got;
    }
    if (samples > 1u) {
        let uv = vec2<f32>(id.xy) + 0.5;
        let own = seen_at(uv);
        if (own.w != 0.0) {
            let ray = ray_of(own.xyz, uv.y, 1.0);
            let met = meeting(ray, 0.0, horizon);
            if (met.range < NEVER) {
                surface = surface_of(ray, met);
                depth = bits(met.range * own.x);
            }
        }
    }
    let asked = view.draw.w;
    var plane = 0u;
    if ((asked & 1u) != 0u) {
        let first = 3u * pixel;
        for (var k = 0u; k < 3u; k++) { out[first + k] = bits(color[k]); }
        plane = 3u;
    }
    if ((asked & 2u) != 0u) {
        put(plane, pixel, depth);
        plane += 1u;
    }
    if ((asked & 4u) != 0u) {
        let first = plane * view.size.x * view.size.y + 3u * pixel;
        for (var k = 0u; k < 3u; k++) { out[first + k] = bits(surface.normal[k]); }
        plane += 3u;
    }
    if ((asked & 8u) != 0u) {
        put(plane, pixel, surface.class_of | (surface.soil << 8u) | (surface.instance << 16u));
        plane += 1u;
    }
    if ((asked & 16u) != 0u) {
        put(plane, pixel, bits(surface.sinkage));
        put(plane + 1u, pixel, bits(surface.slip));
        put(plane + 2u, pixel, surface.passes);
    }
}
