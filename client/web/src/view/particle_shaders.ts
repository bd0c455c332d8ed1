// SPDX-License-Identifier: Apache-2.0

/**
 * Particles as point sprites that the fragment shader turns into lit spheres. Positions and values come as the integers of
 * the wire: x = origin + step * q, measured from localOrigin.
 *
 * With SPHERE_DEPTH each pixel has the depth of its sphere, so that large ones cross each other as they should. Without, a
 * sprite has its centre's depth, and what is hidden costs nothing: a shader that writes depth is run for it too. Either way
 * no pixel is nearer than the centre: the spheres are larger than the gap that contact keeps, and would show through cloth.
 */
export const particleVertexShader = /* glsl */ `
in vec3 quantised;
in vec3 value;

uniform vec3 positionOrigin;
uniform vec3 positionStep;
uniform vec3 valueOrigin;
uniform vec3 valueStep;
uniform bool valueIsVector;
uniform vec2 valueRange;
uniform float radius;
uniform float pixelsPerUnit;  // At distance 1 (perspective), or everywhere (orthographic).
uniform bool orthographic;
uniform highp sampler2D solidDepth;

out float vScale;
out vec3 vCentre;
out float vRadius;

void main() {
  vec3 local = positionOrigin + positionStep * quantised;
  vec4 centre = modelViewMatrix * vec4(local, 1.0);
  vec3 v = valueOrigin + valueStep * value;
  float x = valueIsVector ? length(v) : v.x;
  vScale = clamp((x - valueRange.x) / max(valueRange.y - valueRange.x, 1e-12), 0.0, 1.0);
  vCentre = centre.xyz;
  vRadius = radius;
  gl_Position = projectionMatrix * centre;
  vec3 place = 0.5 + 0.5 * gl_Position.xyz / gl_Position.w;
  bool onScreen = all(greaterThan(place.xy, vec2(0.0))) && all(lessThan(place.xy, vec2(1.0)));
  if (onScreen && texture(solidDepth, place.xy).r < place.z) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);  // Hidden: out of sight.
  float size = 2.0 * radius * pixelsPerUnit / (orthographic ? 1.0 : -centre.z);
  gl_PointSize = max(size, 1.5);
}
`;

export const particleFragmentShader = /* glsl */ `
precision highp float;

uniform mat4 projectionMatrix;
uniform sampler2D colours;
uniform vec3 lightDirection;  // In view space, towards the light.
uniform bool highlight;

in float vScale;
in vec3 vCentre;
in float vRadius;
out vec4 colour;

// sRGB to linear and back with an exponent of 2: nobody sees the difference on spheres, and a power costs ten times as much.
vec3 toLinear(vec3 c) { return c * c; }
vec3 toScreen(vec3 c) { return sqrt(c); }

void main() {
  vec2 p = gl_PointCoord * 2.0 - 1.0;
  p.y = -p.y;
  float r2 = dot(p, p);
  if (r2 > 1.0) discard;
  vec3 normal = vec3(p, sqrt(1.0 - r2));
#ifdef SPHERE_DEPTH
  vec4 clip = projectionMatrix * vec4(vCentre + vRadius * (normal - vec3(0.0, 0.0, 1.0)), 1.0);
  gl_FragDepth = 0.5 + 0.5 * clip.z / clip.w;
#endif
  vec3 base = highlight ? toLinear(vec3(1.0, 0.62, 0.2)) : toLinear(texture(colours, vec2(vScale * 0.996 + 0.002, 0.5)).rgb);
  float wrapped = 0.5 + 0.5 * dot(normal, lightDirection);
  vec3 halfway = normalize(lightDirection + vec3(0.0, 0.0, 1.0));
  float glance = max(dot(normal, halfway), 0.0);
  glance *= glance;
  glance *= glance;
  glance *= glance;
  float shine = 0.18 * glance * glance * glance * glance;  // To the 32nd power.
  vec3 lit = base * (0.28 + 0.85 * wrapped * wrapped) + shine;
  colour = vec4(toScreen(lit), 1.0);
}
`;
