// SPDX-License-Identifier: Apache-2.0

/** Steps that a ray takes at most. */
export const mostSteps = 256;

/**
 * A gas in three dimensions: each pixel's ray is followed through the box that has any of it. The box is drawn by the sides of it
 * that are further off, so that the camera may stand inside. Places are measured from the lower corner of all texels (see
 * localOrigin), which are what volume_texels wrote: colour times density, and density, as roots.
 */
export const volumeVertexShader = /* glsl */ `
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
uniform vec3 lower;             // Of the box.
uniform vec3 upper;
in vec3 position;               // In [-0.5, 0.5].
out vec3 vPlace;
void main() {
  vPlace = mix(lower, upper, position + 0.5);
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}
`;

export const volumeFragmentShader = /* glsl */ `
precision highp float;
precision highp sampler3D;

uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform vec3 eye;
uniform sampler3D texels;
uniform highp sampler2D solidDepth;
uniform vec3 lower;             // Of the box.
uniform vec3 upper;
uniform vec3 metresToTexture;
uniform float extinction;       // Of full density, in 1/m.
uniform float stepLength;       // In metres.

in vec3 vPlace;
out vec4 colour;

// In [0, 1), other than its neighbours': what is left of the steps in the picture becomes grain.
float grain(vec2 pixel) { return fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715)))); }

void main() {
  vec3 direction = normalize(vPlace - eye);
  vec3 a = (lower - eye) / direction;
  vec3 b = (upper - eye) / direction;
  vec3 entries = min(a, b);
  vec3 exits = max(a, b);
  float from = max(max(entries.x, entries.y), max(entries.z, 0.0));
  float to = min(exits.x, min(exits.y, exits.z));
  float depth = texelFetch(solidDepth, ivec2(gl_FragCoord.xy), 0).r;
  if (depth < 1.0) {
    float solidZ = -projectionMatrix[3][2] / (2.0 * depth - 1.0 + projectionMatrix[2][2]);
    to = min(to, solidZ / (viewMatrix * vec4(direction, 0.0)).z);
  }
  vec3 light = vec3(0.0);
  float through = 1.0;
  float t = from + stepLength * grain(gl_FragCoord.xy);
  for (int i = 0; i < ${mostSteps} && t < to && through > 0.01; ++i, t += stepLength) {
    vec4 root = texture(texels, (eye + t * direction) * metresToTexture);
    if (root.a <= 0.0) continue;
    float density = root.a * root.a;
    float kept = through * (1.0 - exp(-extinction * density * stepLength));
    light += root.rgb * root.rgb / density * kept;
    through -= kept;
  }
  float alpha = 1.0 - through;
  if (alpha <= 0.0) discard;
  // Linear to sRGB with an exponent of 2, as of particles.
  colour = vec4(sqrt(light / alpha) * alpha, alpha);
}
`;
