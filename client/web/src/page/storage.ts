// SPDX-License-Identifier: Apache-2.0
// Small choices that outlive the page. Where the browser keeps nothing, they last as long as the page.

export function readStored(key: string): string | undefined {
  try {
    return localStorage.getItem(`sluice.${key}`) ?? undefined;
  } catch {
    return undefined;
  }
}

export function store(key: string, value: string): void {
  try {
    localStorage.setItem(`sluice.${key}`, value);
  } catch {
    // Private windows refuse: see above.
  }
}
