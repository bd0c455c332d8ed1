// SPDX-License-Identifier: Apache-2.0
import { Dialog } from "@viewer/controls/dialog";
import { shortcuts } from "./shortcuts";

export function HelpSheet({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys and pointer" onClose={onClose}>
      <dl class="keys">
        {shortcuts.map(({ shown, what }) => <div key={shown}><dt><kbd>{shown}</kbd></dt><dd>{what}</dd></div>)}
        <div><dt>Drag</dt><dd>Orbit; with the right button or two fingers, pan</dd></div>
        <div><dt>Wheel, pinch</dt><dd>Zoom to the pointer</dd></div>
      </dl>
    </Dialog>
  );
}
