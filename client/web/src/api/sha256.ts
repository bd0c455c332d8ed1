// SPDX-License-Identifier: Apache-2.0

/** The SHA-256 of `data`, 64 lower-case hex digits. */
export async function sha256(data: Uint8Array): Promise<string> {
  // `crypto.subtle` is missing where the page came over plain HTTP from another machine.
  const digest = "subtle" in crypto
    ? new Uint8Array(await crypto.subtle.digest("SHA-256", data as Uint8Array<ArrayBuffer>))
    : plainSha256(data);
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Fractional bits of the cube roots of the first 64 primes, and of the square roots of the first 8 (FIPS 180-4). */
const primes = (() => {
  const found: number[] = [];
  for (let n = 2; found.length < 64; ++n) if (found.every((prime) => n % prime !== 0)) found.push(n);
  return found;
})();
const fraction = (x: number): number => Math.floor((x - Math.floor(x)) * 2 ** 32);
const roundConstants = Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));
const initialState = Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

/** FIPS 180-4, 6.2. */
export function plainSha256(data: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((data.byteLength + 9) / 64) * 64);
  padded.set(data);
  padded[data.byteLength] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.byteLength - 8, BigInt(data.byteLength) * 8n);
  const state = Uint32Array.from(initialState);
  const w = new Uint32Array(64);
  const rotate = (x: number, by: number): number => (x >>> by) | (x << (32 - by));
  for (let block = 0; block < padded.byteLength; block += 64) {
    for (let t = 0; t < 16; ++t) w[t] = view.getUint32(block + t * 4);
    for (let t = 16; t < 64; ++t) {
      const a = w[t - 15] ?? 0;
      const b = w[t - 2] ?? 0;
      const s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
      const s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
      w[t] = (w[t - 16] ?? 0) + s0 + (w[t - 7] ?? 0) + s1;
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
    for (let t = 0; t < 64; ++t) {
      const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const t1 = (h + sum1 + ((e & f) ^ (~e & g)) + (roundConstants[t] ?? 0) + (w[t] ?? 0)) | 0;
      const sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const t2 = (sum0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((x, i) => (state[i] = (state[i] ?? 0) + x));
  }
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((x, i) => digest.setUint32(i * 4, x));
  return new Uint8Array(digest.buffer);
}
