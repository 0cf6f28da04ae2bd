// Casts the rays of a lidar scan, one ray per invocation. A ray has an origin relative to the eye, m, a
// minimum range, m, a direction and a moment within the scan.

@group(0) @binding(7) var<storage, read> rays: array<vec4<f32>>;

@compute @workgroup_size(64)
fn scan(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = id.y * groups.x * 64u + id.x;
    if (index >= view.size.x) { return; }
    let start = rays[2u * index];
    let way = rays[2u * index + 1u];
    let ray = Ray(start.xyz, way.xyz, way.w);
    let met = meeting(ray, start.w, view.air.z);
    if (met.range >= NEVER) {
        out[3u * index] = 0x7f800000u;
        return;
    }
    let surface = surface_of(ray, met);
    out[3u * index] = bits(met.range);
    out[3u * index + 1u] = bits(surface.material.reflectance * abs(dot(surface.normal, ray.direction)));
    out[3u * index + 2u] = surface.class_of | (surface.instance << 16u);
}
