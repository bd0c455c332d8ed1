// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

/** Takes files that are dropped anywhere on it. */
export function DropZone({ onFiles, children }: {
  readonly onFiles: (files: readonly File[]) => void;
  readonly children: ComponentChildren;
}) {
  const [over, setOver] = useState(false);
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  return (
    <div
      class={`drop-zone ${over ? "over" : ""}`}
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => event.currentTarget === event.target && setOver(false)}
      // Before the editor, which would put the file's text at the cursor.
      onDropCapture={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        event.stopPropagation();
        setOver(false);
        onFiles([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      {children}
      {over && <div class="drop-hint" aria-hidden="true">Drop a scene and its meshes</div>}
    </div>
  );
}
