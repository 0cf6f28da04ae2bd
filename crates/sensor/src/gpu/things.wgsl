// Casts rays on mesh instances: a tree over the instances, and a tree over the triangles of each mesh.

struct Touch {
    range: f32,
    instance: u32,
    triangle: u32,
    weights: vec2<f32>,
}

struct Slabs {
    inverse: vec3<f32>,
    start: vec3<f32>,
}

fn slabs_of(origin: vec3<f32>, direction: vec3<f32>) -> Slabs {
    let flat = abs(direction) < vec3<f32>(1e-12);
    let inverse = 1.0 / select(direction, vec3<f32>(1e-12), flat);
    return Slabs(inverse, origin * inverse);
}

// Returns the range at which a ray enters a box; NEVER if it misses the box.
fn enter(slabs: Slabs, low: vec3<f32>, high_end: vec3<f32>, near: f32, far: f32) -> f32 {
    let a = low * slabs.inverse - slabs.start;
    let b = high_end * slabs.inverse - slabs.start;
    let first = min(a, b);
    let last = max(a, b);
    let from_range = max(max(first.x, first.y), max(first.z, near));
    let to_range = min(min(last.x, last.y), min(last.z, far));
    return select(NEVER, from_range, from_range <= to_range * 1.000002 + 1e-5);
}

// Intersects a triangle (Möller and Trumbore). Returns range and weights; the range is NEVER for a miss.
fn triangle_meet(at_triangle: u32, origin: vec3<f32>, direction: vec3<f32>, near: f32, far: f32) -> vec3<f32> {
    let miss = vec3<f32>(NEVER, 0.0, 0.0);
    let e = mesh_reals(at_triangle + 1u).xyz;
    let f = mesh_reals(at_triangle + 2u).xyz;
    let p = cross(direction, f);
    let determinant = dot(e, p);
    if (determinant == 0.0) { return miss; }
    let inverse = 1.0 / determinant;
    let t = origin - mesh_reals(at_triangle).xyz;
    let v = dot(t, p) * inverse;
    if (v < -1e-6 || v > 1.000001) { return miss; }
    let q = cross(t, e);
    let w = dot(direction, q) * inverse;
    if (w < -1e-6 || v + w > 1.000001) { return miss; }
    let range = dot(f, q) * inverse;
    return select(miss, vec3<f32>(range, v, w), range >= near && range < far);
}

fn mesh_cast(mesh: u32, origin: vec3<f32>, direction: vec3<f32>, near: f32, limit: f32, first_hit: bool) -> Touch {
    var found = Touch(NEVER, 0u, 0u, vec2<f32>(0.0));
    var far = limit;
    let header = meshes[mesh];
    let tree = header.x;
    let triangles = header.y;
    let slabs = slabs_of(origin, direction);
    var waiting: array<u32, DEPTH>;
    var ranges: array<f32, DEPTH>;
    var depth = 0u;
    var node = 0u;
    if (enter(slabs, mesh_reals(tree).xyz, mesh_reals(tree + 1u).xyz, near, far) >= NEVER) { return found; }
    loop {
        let first = meshes[tree + 2u * node].w;
        let count = meshes[tree + 2u * node + 1u].w;
        if (count > 0u) {
            for (var k = first; k < first + count; k++) {
                let got = triangle_meet(triangles + 4u * k, origin, direction, near, far);
                if (got.x < NEVER) {
                    far = got.x;
                    found = Touch(got.x, 0u, k, got.yz);
                    if (first_hit) { return found; }
                }
            }
        } else {
            let a = tree + 2u * first;
            let x = enter(slabs, mesh_reals(a).xyz, mesh_reals(a + 1u).xyz, near, far);
            let y = enter(slabs, mesh_reals(a + 2u).xyz, mesh_reals(a + 3u).xyz, near, far);
            if (min(x, y) < NEVER) {
                if (max(x, y) < NEVER) {
                    waiting[depth] = select(first, first + 1u, x <= y);
                    ranges[depth] = max(x, y);
                    depth++;
                }
                node = select(first + 1u, first, x <= y);
                continue;
            }
        }
        var next = false;
        while (depth > 0u) {
            depth--;
            if (ranges[depth] <= far * 1.000001) {
                node = waiting[depth];
                next = true;
                break;
            }
        }
        if (!next) { return found; }
    }
    return found;
}

struct Place {
    position: vec3<f32>,
    scale: f32,
    turn: vec4<f32>,
    mesh: u32,
}

fn place_of(instance: u32, moment: f32) -> Place {
    let now = crowd_reals(instance);
    let turn = crowd_reals(instance + 1u);
    let mesh = crowds[instance + 2u].w;
    if (crowds[instance + 4u].z == 1u) {
        return Place(now.xyz, now.w, turn, mesh);
    }
    let before = crowd_reals(instance + 2u);
    let position = before.xyz + (now.xyz - before.xyz) * moment;
    return Place(position, now.w, between(crowd_reals(instance + 3u), turn, moment), mesh);
}

fn instance_cast(instance: u32, ray: Ray, near: f32, far: f32, first_hit: bool) -> Touch {
    let place = place_of(instance, ray.moment);
    let origin = turned_back(place.turn, view.eye.xyz + ray.origin - place.position) / place.scale;
    let direction = turned_back(place.turn, ray.direction) / place.scale;
    var touch = mesh_cast(place.mesh, origin, direction, near, far, first_hit);
    touch.instance = instance;
    return touch;
}

fn crowd_cast(which: u32, ray: Ray, near: f32, limit: f32, first_hit: bool) -> Touch {
    var found = Touch(NEVER, 0u, 0u, vec2<f32>(0.0));
    let header = crowds[2u * which];
    if (header.z == 0u) { return found; }
    var far = limit;
    let tree = header.x;
    let instances = header.y;
    let slabs = slabs_of(view.eye.xyz + ray.origin - crowd_reals(2u * which + 1u).xyz, ray.direction);
    var waiting: array<u32, DEPTH>;
    var ranges: array<f32, DEPTH>;
    var depth = 0u;
    var node = 0u;
    if (enter(slabs, crowd_reals(tree).xyz, crowd_reals(tree + 1u).xyz, near, far) >= NEVER) { return found; }
    loop {
        let first = crowds[tree + 2u * node].w;
        let count = crowds[tree + 2u * node + 1u].w;
        if (count > 0u) {
            for (var k = first; k < first + count; k++) {
                let got = instance_cast(instances + 5u * k, ray, near, far, first_hit);
                if (got.range < far) {
                    far = got.range;
                    found = got;
                    if (first_hit) { return found; }
                }
            }
        } else {
            let a = tree + 2u * first;
            let x = enter(slabs, crowd_reals(a).xyz, crowd_reals(a + 1u).xyz, near, far);
            let y = enter(slabs, crowd_reals(a + 2u).xyz, crowd_reals(a + 3u).xyz, near, far);
            if (min(x, y) < NEVER) {
                if (max(x, y) < NEVER) {
                    waiting[depth] = select(first, first + 1u, x <= y);
                    ranges[depth] = max(x, y);
                    depth++;
                }
                node = select(first + 1u, first, x <= y);
                continue;
            }
        }
        var next = false;
        while (depth > 0u) {
            depth--;
            if (ranges[depth] <= far * 1.000001) {
                node = waiting[depth];
                next = true;
                break;
            }
        }
        if (!next) { return found; }
    }
    return found;
}

fn material_at(index: u32) -> Material {
    let a = mesh_reals(index);
    let b = mesh_reals(index + 1u);
    return Material(a.xyz, a.w, b.x, b.y);
}

fn inside_region(at_region: u32, p: vec2<f32>) -> bool {
    let header = meshes[at_region];
    let kind = header.x;
    let a = mesh_reals(at_region + 1u);
    if (kind == 0u) {
        return dot(p - a.xy, a.zw) >= 0.0;
    }
    if (kind == 1u) {
        return all(p >= a.xy) && all(p <= a.zw);
    }
    if (kind == 2u) {
        let axis = a.zw - a.xy;
        let off = p - a.xy;
        let along = dot(off, axis);
        let aside = axis.x * off.y - axis.y * off.x;
        let squared = dot(axis, axis);
        let width = real(header.z);
        return along >= 0.0 && along <= squared && aside * aside <= 0.25 * width * width * squared;
    }
    // polygon by the even-odd rule; each vec4 has two corners
    let corners = header.w;
    var inside = false;
    for (var k = 0u; k < corners; k++) {
        let edge = mesh_reals(at_region + 1u + k);
        let c = edge.xy;
        let b = edge.zw;
        if ((c.y > p.y) != (b.y > p.y) && p.x < c.x + (b.x - c.x) * (p.y - c.y) / (b.y - c.y)) {
            inside = !inside;
        }
    }
    return inside;
}

// Returns the soil at a point of the world.
fn soil_at(p: vec2<f32>) -> u32 {
    let table = meshes[0];
    var region = table.z;
    // regions are stored from last to first, because the last one at a point has priority
    for (var k = 0u; k < table.w; k++) {
        if (inside_region(region, p)) { return meshes[region].y; }
        region += 1u + meshes[region].w;
    }
    let classes = meshes[table.y];
    let columns = classes.x;
    if (columns == 0u) { return classes.y; }
    let rows = classes.y;
    let place = mesh_reals(table.y + 1u);
    let nearest = max(floor((p - place.xy) / place.zw + 0.5), vec2<f32>(0.0));
    let column = min(u32(nearest.x), columns - 1u);
    let row = rows - 1u - min(u32(nearest.y), rows - 1u);
    let index = row * columns + column;
    return meshes[table.y + 2u + index / 4u][index % 4u];
}

struct Met {
    range: f32,
    // 0 for the ground, otherwise the index of the instance in `crowds`
    instance: u32,
    triangle: u32,
    weights: vec2<f32>,
    normal: vec3<f32>,
}

fn meeting(ray: Ray, near: f32, limit: f32) -> Met {
    let footing = ground_cast(ray, near, limit);
    var met = Met(footing.range, 0u, 0u, vec2<f32>(0.0), footing.normal);
    var far = min(limit, footing.range);
    for (var which = 0u; which < 2u; which++) {
        let touch = crowd_cast(which, ray, near, far, false);
        if (touch.range < far) {
            far = touch.range;
            met = Met(touch.range, touch.instance, touch.triangle, touch.weights, vec3<f32>(0.0));
        }
    }
    return met;
}

fn blocked(ray: Ray, far: f32) -> bool {
    return crowd_cast(1u, ray, 0.0, far, true).range < NEVER
        || crowd_cast(0u, ray, 0.0, far, true).range < NEVER
        || ground_cast(ray, 0.0, far).range < NEVER;
}

fn surface_of(ray: Ray, met: Met) -> Surface {
    let point = ray.origin + ray.direction * met.range;
    if (met.instance == 0u) {
        var surface = Surface(point, met.normal, Material(), GROUND, 0u, 0u, 0.0, 0.0, 0u);
        mark_at(&surface);
        let soils = u32(view.nodes.y);
        let soil = min(soil_at(view.nodes.zw + point.xy), soils - 1u);
        surface.soil = min(soil, 254u);
        let look = meshes[0].x + 4u * soil;
        let fresh = material_at(look);
        let pressed = material_at(look + 2u);
        let share = clamp(surface.sinkage / (surface.sinkage + 0.015), 0.0, 1.0);
        surface.material = Material(
            fresh.albedo + share * (pressed.albedo - fresh.albedo),
            fresh.roughness + share * (pressed.roughness - fresh.roughness),
            0.0,
            fresh.reflectance + share * (pressed.reflectance - fresh.reflectance),
        );
        return surface;
    }
    let place = place_of(met.instance, ray.moment);
    let header = meshes[place.mesh];
    let triangle = header.y + 4u * met.triangle;
    let normals = header.z;
    let e = mesh_reals(triangle + 1u).xyz;
    let f = mesh_reals(triangle + 2u).xyz;
    let more = meshes[triangle + 3u];
    let a = mesh_reals(normals + meshes[triangle + 1u].w).xyz;
    let b = mesh_reals(normals + meshes[triangle + 2u].w).xyz;
    let c = mesh_reals(normals + more.x).xyz;
    let mixed = (1.0 - met.weights.x - met.weights.y) * a + met.weights.x * b + met.weights.y * c;
    let flat = turned(place.turn, normalize(cross(e, f)));
    var rounded = flat;
    if (dot(mixed, mixed) >= 1e-6) { rounded = turned(place.turn, normalize(mixed)); }
    let side = select(1.0, -1.0, dot(flat, ray.direction) > 0.0);
    let normal = rounded * select(side, -side, dot(rounded, flat) < 0.0);
    let about = crowds[met.instance + 4u];
    let material = material_at(header.w + 2u * more.y);
    return Surface(point, normal, material, about.x, about.y, 255u, 0.0, 0.0, 0u);
}
