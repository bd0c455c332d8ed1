// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from "preact/hooks";
import type { SessionModel } from "./session_model";

/** Says when the picture is not what the server has. */
export function ConnectionBanner({ model }: { readonly model: SessionModel }) {
  const link = model.link.value;
  const { shown } = model.playback.value;
  const [, redraw] = useState(0);
  const lost = link.state === "lost" || model.unreachable.value;
  useEffect(() => {
    if (!lost) return;
    const timer = setInterval(() => redraw((x) => x + 1), 500);
    return () => clearInterval(timer);
  }, [lost]);
  if (link.state === "failed") {
    return (
      <div class="banner error" role="alert">
        {link.message} <button type="button" onClick={() => model.conductor.setVisible(true)}>Try again</button>
      </div>
    );
  }
  if (!lost) return null;
  const seconds = link.state === "lost" ? Math.max(0, Math.ceil((link.retryAt - performance.now()) / 1000)) : 0;
  return (
    <div class="banner" role="alert" data-testid="disconnected">
      <strong>Disconnected.</strong> {shown >= 0 && `You see frame ${shown}. `}
      {seconds > 0 ? `Trying again in ${seconds} s.` : "Trying again…"}
    </div>
  );
}
