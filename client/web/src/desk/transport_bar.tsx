// SPDX-License-Identifier: Apache-2.0
import { IconButton } from "@viewer/controls/icon_button";
import type { SessionModel } from "@viewer/session/session_model";

export const rates = [0.1, 0.25, 0.5, 1, 2, 4, 8];

/** Play, scrub, follow. */
export function TransportBar({ model }: { readonly model: SessionModel }) {
  const p = model.playback.value;
  const playing = p.mode === "playing";
  const last = Math.max(0, p.frameCount - 1);
  const total = Math.max(1, p.totalFrameCount - 1);
  const step = (frames: number): void => model.command((player) => player.seek(player.index + frames));
  return (
    <footer class="transport" aria-label="Playback">
      <div class="transport-buttons">
        <IconButton icon="stepBack" label="One frame back" shortcut="←" disabled={p.shown <= 0} onClick={() => step(-1)} />
        <IconButton
          icon={playing ? "pause" : "play"} label={playing ? "Pause the playback" : "Play"} shortcut="Space" kind="primary"
          disabled={p.frameCount < 2} onClick={() => model.command((player) => (playing ? player.pause() : player.play()))}
        />
        <IconButton icon="stepForward" label="One frame on" shortcut="→" disabled={p.shown >= last} onClick={() => step(1)} />
      </div>
      <div class="scrubber" style={{ "--computed": `${(last / total) * 100}%`, "--shown": `${(Math.max(0, p.shown) / total) * 100}%` }}>
        <input
          type="range" aria-label="Frame" min={0} max={total} step={1} value={Math.max(0, p.shown)}
          aria-valuetext={`frame ${p.shown} of ${last}, ${p.timeSeconds.toFixed(3)} seconds`}
          onInput={(event) => {
            const index = Math.min(event.currentTarget.valueAsNumber, last);
            model.command((player) => player.seek(index));
          }}
        />
      </div>
      <div class="transport-place" aria-live="off">
        <span class="frame-number" data-testid="frame">{Math.max(0, p.shown)}</span>
        <span class="muted"> / {total}</span>
        <span class="muted time">{p.timeSeconds.toFixed(2)} s</span>
      </div>
      <label class="rate">
        <span class="visually-hidden">Speed</span>
        <select
          value={String(p.rate)} title="Speed of the playback ([ and ])"
          onChange={(event) => {
            const rate = Number(event.currentTarget.value);
            model.command((player) => player.setRate(rate));
          }}
        >
          {rates.map((rate) => <option key={rate} value={String(rate)}>{rate}×</option>)}
        </select>
      </label>
      <IconButton
        icon="loop" label="Loop" shortcut="R" pressed={p.loop} onClick={() => model.command((player) => (player.loop = !player.loop))}
      />
      <button
        type="button" class={`live-button ${p.mode === "live" ? "on" : ""}`} aria-pressed={p.mode === "live"}
        title="Follow the newest frame (L)" onClick={() => model.command((player) => player.follow())}
      >
        <span class="dot" aria-hidden="true" />Live
      </button>
    </footer>
  );
}
