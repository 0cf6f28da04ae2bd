/* Measures rays per second of Embree 3 on a ground exported by
 * `cargo run --release -p bekker-bench -- sensors --export`.
 *
 *   cc -O3 -march=native scripts/embree_rays.c -lembree3 -o /tmp/embree_rays
 *   /tmp/embree_rays FOLDER
 *
 * FOLDER has two little-endian files. ground.bin: the number n of vertices per side (32 bits), the
 * spacing (float, m), and n x n heights (floats, m), row by row, the first at (x, y) =
 * (-(n - 1) / 2, -(n - 1) / 2) spacings. rays.bin: the number of rays (32 bits, a multiple of 8), and
 * per ray six floats, origin and unit direction. */
#include <embree3/rtcore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static FILE *opened(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) { perror(path); exit(1); }
    return file;
}

static void get(void *to, size_t size, size_t count, FILE *file) {
    if (fread(to, size, count, file) != count) { fprintf(stderr, "file too short\n"); exit(1); }
}

int main(int argc, char **argv) {
    if (argc != 2) { fprintf(stderr, "usage: %s FOLDER\n", argv[0]); return 2; }
    unsigned n, count;
    float spacing;
    FILE *file = opened(argv[1], "ground.bin");
    get(&n, 4, 1, file);
    get(&spacing, 4, 1, file);
    float *heights = malloc(4ul * n * n);
    get(heights, 4, (size_t)n * n, file);
    fclose(file);
    file = opened(argv[1], "rays.bin");
    get(&count, 4, 1, file);
    float (*rays)[6] = malloc(24ul * count);
    get(rays, 24, count, file);
    fclose(file);

    RTCDevice device = rtcNewDevice("threads=1");
    double start = now();
    RTCScene scene = rtcNewScene(device);
    RTCGeometry mesh = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    float *vertex = rtcSetNewGeometryBuffer(
        mesh, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, (size_t)n * n);
    for (unsigned j = 0; j < n; j++)
        for (unsigned i = 0; i < n; i++) {
            *vertex++ = spacing * (i - 0.5f * (n - 1));
            *vertex++ = spacing * (j - 0.5f * (n - 1));
            *vertex++ = heights[(size_t)j * n + i];
        }
    unsigned *index = rtcSetNewGeometryBuffer(
        mesh, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, 2ul * (n - 1) * (n - 1));
    for (unsigned j = 0; j + 1 < n; j++)
        for (unsigned i = 0; i + 1 < n; i++) {
            unsigned a = j * n + i, corners[6] = {a, a + 1, a + n, a + 1, a + n + 1, a + n};
            memcpy(index, corners, sizeof corners);
            index += 6;
        }
    rtcCommitGeometry(mesh);
    rtcAttachGeometry(scene, mesh);
    rtcCommitScene(scene);
    printf("build %.2f s\n", now() - start);

    double best[2] = {1e9, 1e9};
    unsigned hits[2];
    for (int round = 0; round < 5; round++) {
        start = now();
        hits[0] = 0;
        for (unsigned k = 0; k < count; k++) {
            struct RTCIntersectContext context;
            rtcInitIntersectContext(&context);
            context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
            struct RTCRayHit r;
            memset(&r, 0, sizeof r);
            r.ray.org_x = rays[k][0]; r.ray.org_y = rays[k][1]; r.ray.org_z = rays[k][2];
            r.ray.dir_x = rays[k][3]; r.ray.dir_y = rays[k][4]; r.ray.dir_z = rays[k][5];
            r.ray.tfar = 200; r.ray.mask = -1;
            r.hit.geomID = RTC_INVALID_GEOMETRY_ID;
            rtcIntersect1(scene, &context, &r);
            hits[0] += r.hit.geomID != RTC_INVALID_GEOMETRY_ID;
        }
        double took = now() - start;
        if (took < best[0]) best[0] = took;

        start = now();
        hits[1] = 0;
        static const int valid[8] __attribute__((aligned(32))) = {-1, -1, -1, -1, -1, -1, -1, -1};
        for (unsigned k = 0; k < count; k += 8) {
            struct RTCIntersectContext context;
            rtcInitIntersectContext(&context);
            context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
            struct RTCRayHit8 r __attribute__((aligned(32)));
            memset(&r, 0, sizeof r);
            for (int l = 0; l < 8; l++) {
                const float *ray = rays[k + l];
                r.ray.org_x[l] = ray[0]; r.ray.org_y[l] = ray[1]; r.ray.org_z[l] = ray[2];
                r.ray.dir_x[l] = ray[3]; r.ray.dir_y[l] = ray[4]; r.ray.dir_z[l] = ray[5];
                r.ray.tfar[l] = 200; r.ray.mask[l] = -1;
                r.hit.geomID[l] = RTC_INVALID_GEOMETRY_ID;
            }
            rtcIntersect8(valid, scene, &context, &r);
            for (int l = 0; l < 8; l++) hits[1] += r.hit.geomID[l] != RTC_INVALID_GEOMETRY_ID;
        }
        took = now() - start;
        if (took < best[1]) best[1] = took;
    }
    printf("single rays  %.2f million per second, %u of %u hit\n", 1e-6 * count / best[0], hits[0], count);
    printf("packets of 8 %.2f million per second, %u of %u hit\n", 1e-6 * count / best[1], hits[1], count);
    return 0;
}
