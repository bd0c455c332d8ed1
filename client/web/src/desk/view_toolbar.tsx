// SPDX-License-Identifier: Apache-2.0
import { canSteer } from "@viewer/api/session_state";
import { IconButton } from "@viewer/controls/icon_button";
import { planes } from "@viewer/view/field_bins";
import type { SessionDesk } from "./session_desk";

/** Over the picture: what the pointer does, and from where one looks. */
export function ViewToolbar({ desk }: { readonly desk: SessionDesk }) {
  const { tool } = desk.steer.value;
  const { view } = desk.settings.value;
  const session = desk.model.session.value;
  const hasGas = desk.model.facts.value?.scene.gas !== undefined;
  const steerable = session !== undefined && canSteer(session);
  const set = (next: typeof tool) => (): void => desk.changeSteer({ tool: next });
  return (
    <div class="toolbar">
      <div class="tool-group" role="group" aria-label="Pointer">
        <IconButton icon="orbit" label="Move the camera" shortcut="O" pressed={tool === "orbit"} onClick={set("orbit")} />
        <IconButton icon="grab" label="Grab" shortcut="G" pressed={tool === "grab"} disabled={!steerable} onClick={set("grab")} />
        <IconButton icon="push" label={`Push the ${hasGas ? "gas" : "water"}`} shortcut="B" pressed={tool === "push"} disabled={!steerable} onClick={set("push")} />
        {hasGas && <IconButton icon="paint" label="Paint" shortcut="S" pressed={tool === "paint"} disabled={!steerable} onClick={set("paint")} />}
      </div>
      <div class="tool-group" role="group" aria-label="View">
        <button type="button" class="text-button" aria-pressed={view === "3d"} title="3D view (3)" onClick={() => desk.change({ view: "3d" })}>3D</button>
        {planes.map((plane) => (
          <button
            key={plane} type="button" class="text-button" aria-pressed={view === plane} title={`2D view of the ${plane} plane (2)`}
            onClick={() => desk.change({ view: plane })}
          >
            {plane.toUpperCase()}
          </button>
        ))}
        <IconButton icon="fit" label="Fit" shortcut="F" onClick={() => desk.stage?.fit()} />
      </div>
    </div>
  );
}
