// Light of the scene: sun with shadows, sky, haze, and the grain of soil near the camera.
//
// Vehicles and obstacles cast shadows. They are drawn from the direction of the sun into a map of depths
// around the point that the camera looks at.

import * as three from 'three';

const TEXELS = 2048; // along the side of the map
const FAR = 400; // m between the map's camera and its center
const CASTERS = 1; // layer of what casts shadows

export const LIGHT = `
  uniform vec3 toSun, sun, ambient, horizon;
  uniform highp sampler2D shadowMap;
  uniform mat4 shadowMatrix;
  uniform float shadowBias;
  // share of sunlight at a place: 0 in the shadow, 1 outside it and outside the map
  float sunlit(vec3 place, vec3 normal) {
    vec3 at = (shadowMatrix * vec4(place + shadowBias * normal, 1.0)).xyz * 0.5 + 0.5;
    if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0)))) return 1.0;
    float sum = 0.0;
    for (int u = -1; u <= 1; u++) for (int v = -1; v <= 1; v++) {
      sum += step(at.z, texture2D(shadowMap, at.xy + vec2(u, v) / ${TEXELS}.0).r);
    }
    vec2 rim = smoothstep(vec2(0.4), vec2(0.5), abs(at.xy - 0.5));
    return mix(sum / 9.0, 1.0, max(rim.x, rim.y));
  }
  vec3 lit(vec3 albedo, vec3 normal, float distance, vec3 place) {
    float facing = max(dot(normal, toSun), 0.0);
    if (facing > 0.0) facing *= sunlit(place, normal);
    vec3 light = sun * facing + ambient * (0.6 + 0.4 * normal.z);
    vec3 color = mix(albedo * light * 1.25, horizon, 1.0 - exp(-distance / 4000.0));
    return pow(clamp(color, 0.0, 1.0), vec3(1.0 / 2.2));
  }`;

export const GRAIN = `
  float scattered(ivec2 cell) {
    uint bits = uint(cell.x) * 0x9E3779B1u ^ uint(cell.y) * 0x85EBCA77u;
    bits = (bits ^ (bits >> 15)) * 0x2C1B3C6Du;
    return float((bits ^ (bits >> 13)) & 0xFFFFu) / 65535.0 - 0.5;
  }
  float grain(vec2 at) {
    ivec2 cell = ivec2(floor(at));
    vec2 part = fract(at);
    part *= part * (3.0 - 2.0 * part);
    return mix(mix(scattered(cell), scattered(cell + ivec2(1, 0)), part.x),
               mix(scattered(cell + ivec2(0, 1)), scattered(cell + ivec2(1, 1)), part.x), part.y);
  }
  // soil with grains and spots, which fade before they are smaller than a pixel; snow has few
  vec3 grained(vec3 albedo, vec2 place, float distance) {
    float strength = mix(1.0, 0.35, clamp(albedo.g, 0.0, 1.0)), sum = 0.0;
    if (distance < 25.0) sum += (1.0 - distance / 25.0) * (0.30 * grain(27.0 * place) + 0.25 * grain(9.0 * place));
    if (distance < 300.0) sum += (1.0 - distance / 300.0) * (0.16 * grain(1.3 * place) + 0.14 * grain(0.31 * place));
    return albedo * (1.0 + strength * sum);
  }`;

const VERTEX = `
  void main() { gl_Position = projectionMatrix * viewMatrix * modelMatrix * instanceMatrix * vec4(position, 1.0); }`;
const FRAGMENT = 'void main() { gl_FragColor = vec4(1.0); }';

export class Light {
  constructor({ sky }) {
    const vector = (v) => ({ value: new three.Vector3(...v) });
    this.target = new three.WebGLRenderTarget(TEXELS, TEXELS);
    this.target.depthTexture = new three.DepthTexture(TEXELS, TEXELS, three.UnsignedIntType);
    this.camera = new three.OrthographicCamera(-1, 1, 1, -1, 1, 2 * FAR);
    this.camera.layers.set(CASTERS);
    this.camera.up.set(0, 1, 0);
    this.material = new three.ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, side: three.DoubleSide });
    this.uniforms = {
      toSun: vector(sky.to_sun), sun: vector(sky.sun), ambient: vector(sky.ambient), horizon: vector(sky.horizon),
      shadowMap: { value: this.target.depthTexture }, shadowMatrix: { value: new three.Matrix4() }, shadowBias: { value: 0 },
    };
  }

  casts(object) { object.layers.enable(CASTERS); }

  // Draws the map around a center, in which shadows up to a radius, m, are seen, if something has changed.
  draw(renderer, stage, center, radius, changed) {
    const key = `${center.toArray()},${radius}`;
    if (!changed && key === this.drawn) return;
    this.drawn = key;
    const { camera, uniforms } = this, texel = (2 * radius) / TEXELS;
    Object.assign(camera, { left: -radius, right: radius, top: radius, bottom: -radius });
    camera.position.copy(center).addScaledVector(uniforms.toSun.value, FAR);
    camera.lookAt(center);
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    uniforms.shadowMatrix.value.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    uniforms.shadowBias.value = 2 * texel + 0.01;
    stage.overrideMaterial = this.material;
    renderer.setRenderTarget(this.target);
    renderer.render(stage, camera);
    renderer.setRenderTarget(null);
    stage.overrideMaterial = null;
  }
}
