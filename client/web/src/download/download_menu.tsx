// SPDX-License-Identifier: Apache-2.0
import { useState } from "preact/hooks";
import { idOf } from "@viewer/api/session_state";
import { IconButton } from "@viewer/controls/icon_button";
import type { SessionModel } from "@viewer/session/session_model";
import { hasPly, npzFile, plyFiles } from "./frame_files";
import { save } from "./save";

interface DownloadMenuProps {
  readonly model: SessionModel;
  readonly onProblem: (message: string) => void;
}

/** Saves the frame in the picture, exactly as the solver gave it. */
export function DownloadMenu({ model, onProblem }: DownloadMenuProps) {
  const [open, setOpen] = useState(false);
  const { shown } = model.playback.value;
  const layout = model.facts.value?.layout;
  const fetchAndSave = async (kind: "ply" | "npz"): Promise<void> => {
    if (layout === undefined) return;
    const frame = await model.fetchExact(shown);
    const stem = `${idOf(model.name)}_${String(shown).padStart(6, "0")}`;
    const files = kind === "ply" ? plyFiles(frame, layout, stem) : [npzFile(frame, layout, stem)];
    files.forEach(save);
  };
  const choose = (kind: "ply" | "npz"): void => {
    setOpen(false);
    onProblem("");
    fetchAndSave(kind).catch((error: unknown) => onProblem(error instanceof Error ? error.message : String(error)));
  };
  return (
    <div class="menu-anchor" onKeyDown={(event) => event.key === "Escape" && setOpen(false)}>
      <IconButton icon="download" label="Download this frame" disabled={shown < 0} pressed={open} onClick={() => setOpen(!open)} />
      {open && (
        <div class="menu" role="menu">
          {layout !== undefined && hasPly(layout) && (
            <button type="button" role="menuitem" onClick={() => choose("ply")}>PLY, a file a body</button>
          )}
          <button type="button" role="menuitem" onClick={() => choose("npz")}>NumPy arrays (.npz)</button>
        </div>
      )}
    </div>
  );
}
