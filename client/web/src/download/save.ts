// SPDX-License-Identifier: Apache-2.0

/** A file to be saved. */
export interface SavedFile {
  readonly name: string;
  readonly content: Blob;
}

/** Hands a file to the browser's downloads. */
export function save({ name, content }: SavedFile): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
