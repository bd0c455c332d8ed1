// SPDX-License-Identifier: Apache-2.0

/** A number for people: three digits, plain where that is short. */
export function plainNumber(x: number): string {
  if (!Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-3) return x.toExponential(2).replace("e+", "e");
  return Number(x.toPrecision(3)).toLocaleString("en", { maximumFractionDigits: 6, useGrouping: size >= 1e4 });
}

export function count(x: number | bigint): string {
  return Number(x).toLocaleString("en");
}

export function bytes(x: number | bigint): string {
  let size = Number(x);
  for (const unit of ["B", "kB", "MB", "GB"]) {
    if (size < 1000) return `${size < 10 && unit !== "B" ? size.toFixed(1) : Math.round(size)} ${unit}`;
    size /= 1000;
  }
  return `${size.toFixed(1)} TB`;
}

/** How long ago, in the largest unit that fits. */
export function ago(seconds: number): string {
  if (seconds < 60) return "just now";
  for (const [unit, length] of [["min", 60], ["h", 3600], ["d", 86_400]] as const) {
    const value = Math.floor(seconds / length);
    const limit = unit === "min" ? 60 : unit === "h" ? 48 : Infinity;
    if (value < limit) return `${value} ${unit} ago`;
  }
  return "";
}
