// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from "preact/hooks";
import type { Link } from "@viewer/stream/conductor";
import type { SessionModel } from "@viewer/session/session_model";

/** A stream that the server has not answered within this waits for something, in ms. */
const waitingAfter = 4000;

function isWaiting(link: Link): boolean {
  return link.state === "connecting" && performance.now() - link.since > waitingAfter;
}

/** Says when the picture is not what the server has. */
export function ConnectionBanner({ model }: { readonly model: SessionModel }) {
  const link = model.link.value;
  const { shown } = model.playback.value;
  const [, redraw] = useState(0);
  const lost = link.state === "lost" || model.unreachable.value;
  const changes = lost || link.state === "connecting";
  useEffect(() => {
    if (!changes) return;
    const timer = setInterval(() => redraw((x) => x + 1), 500);
    return () => clearInterval(timer);
  }, [changes]);
  if (link.state === "failed") {
    return (
      <div class="banner error" role="alert">
        {link.message} <button type="button" onClick={() => model.conductor.setVisible(true)}>Try again</button>
      </div>
    );
  }
  const seen = shown >= 0 && `You see frame ${shown}. `;
  if (!lost) return isWaiting(link) ? <div class="banner" role="status"><strong>Waiting for the server.</strong> {seen}<WayOut model={model} /></div> : null;
  const seconds = link.state === "lost" ? Math.max(0, Math.ceil((link.retryAt - performance.now()) / 1000)) : 0;
  return (
    <div class="banner" role="alert" data-testid="disconnected">
      <strong>Disconnected.</strong> {seen}
      {seconds > 0 ? `Trying again in ${seconds} s. ` : "Trying again… "}
      {model.unreachable.value && <WayOut model={model} />}
    </div>
  );
}

/** The advice where the browser's other tabs have all of its connections. */
function WayOut({ model }: { readonly model: SessionModel }) {
  const [holds, setHolds] = useState(false);
  useEffect(() => void model.streamsHoldConnections().then(setHolds, () => undefined), [model]);
  return holds
    ? <>No WebSocket reaches the server, and over HTTP/1.1 this browser has six connections to it for all tabs: close some, or let the proxy pass WebSockets.</>
    : null;
}
