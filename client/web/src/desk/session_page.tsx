// SPDX-License-Identifier: Apache-2.0
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Api } from "@viewer/api/clients";
import { isTerminal } from "@viewer/api/session_state";
import { follow, type Place } from "@viewer/page/route";
import { MissingPage } from "@viewer/page/missing_page";
import { isDark, toggleTheme } from "@viewer/page/theme";
import { IconButton } from "@viewer/controls/icon_button";
import { Icon } from "@viewer/controls/icons";
import { StateChip } from "@viewer/controls/state_chip";
import { WarningBadge } from "@viewer/controls/warning_badge";
import { SessionState } from "@viewer/gen/sluice/v1/sessions_pb";
import { DownloadMenu } from "@viewer/download/download_menu";
import type { Plane } from "@viewer/view/field_bins";
import { Legend } from "@viewer/view/legend";
import { PointReadout } from "@viewer/view/point_readout";
import { ScaleBar } from "@viewer/view/scale_bar";
import { factsOf } from "@viewer/view/view_settings";
import { CanvasView } from "./canvas_view";
import { ConnectionBanner } from "./connection_banner";
import { HelpSheet } from "./help_sheet";
import { hasLegend } from "@viewer/session/session_facts";
import { SessionControls } from "./session_controls";
import { SessionDesk } from "./session_desk";
import { listenForShortcuts } from "./shortcuts";
import { SidePanel } from "./side_panel";
import { TransportBar } from "./transport_bar";
import { ViewToolbar } from "./view_toolbar";

interface SessionPageProps {
  readonly api: Api;
  readonly name: string;
  readonly place: Place;
}

const cursors = { orbit: "grab", grab: "pointer", push: "crosshair", paint: "crosshair" } as const;

/** Watches a session. */
export function SessionPage({ api, name, place }: SessionPageProps) {
  const desk = useMemo(() => new SessionDesk(api, name, place), [api, name]);
  const [help, setHelp] = useState(false);
  const [panel, setPanel] = useState(() => matchMedia("(min-width: 800px)").matches);
  const [problem, setProblem] = useState("");
  const [noWebGl, setNoWebGl] = useState(false);
  const [read, setRead] = useState(false);
  const [graphicsLost, setGraphicsLost] = useState(false);
  /** Another number is another canvas: one whose graphics the browser keeps has no more to draw with. */
  const [canvas, setCanvas] = useState(0);
  useEffect(() => () => desk.stop(), [desk]);
  useEffect(
    () => listenForShortcuts(desk, { help: () => setHelp((open) => !open), panel: () => setPanel((open) => !open) }),
    [desk],
  );
  const { model } = desk;
  const session = model.session.value;
  const facts = model.facts.value;
  const title = session?.displayName ?? name;
  useEffect(() => {
    document.title = `${title} · Sluice`;
  }, [title]);

  const failure = model.failure.value;
  const gone = model.gone.value;
  if (gone !== undefined) return <MissingPage {...wordsFor(gone, name, session?.displayName)} />;
  if (failure !== "") return <MissingPage title="This session cannot be shown" text={failure} />;
  const { shown } = model.playback.value;
  const { view } = desk.settings.value;
  const ended = session !== undefined && isTerminal(session.state);
  return (
    <div class={`viewer ${panel ? "with-panel" : ""}`}>
      <header class="top-bar">
        <a class="back" href="/" onClick={follow} aria-label="All sessions"><Icon name="back" /></a>
        <h1 title={name}>{title}</h1>
        {session !== undefined && <StateChip session={session} />}
        {session !== undefined && (
          <WarningBadge
            session={session}
            onClick={() => {
              desk.tab.value = "session";
              setPanel(true);
            }}
          />
        )}
        <span class="spacer" />
        {session !== undefined && <SessionControls api={api} session={session} onProblem={setProblem} />}
        <DownloadMenu model={model} onProblem={setProblem} />
        <span class="wide-only">
          <IconButton icon={isDark.value ? "sun" : "moon"} label={isDark.value ? "Light" : "Dark"} shortcut="D" onClick={toggleTheme} />
          <IconButton icon="help" label="Keys and pointer" shortcut="?" onClick={() => setHelp(true)} />
        </span>
        <IconButton icon="panel" label="Side panel" shortcut="P" pressed={panel} onClick={() => setPanel(!panel)} />
      </header>
      <main class="picture">
        <CanvasView
          key={canvas} onStage={(stage) => desk.drawOn(stage)} onCamera={() => desk.noteCamera()} onNoWebGl={() => setNoWebGl(true)}
          onLost={setGraphicsLost}
          cursor={cursors[desk.steer.value.tool]}
        />
        {noWebGl && <NoWebGl />}
        <ViewToolbar desk={desk} />
        <div class="notices">
          <ConnectionBanner model={model} />
          {graphicsLost && (
            <GraphicsLost
              onRetry={() => {
                setGraphicsLost(false);
                setCanvas(canvas + 1);
              }}
            />
          )}
          {session?.state === SessionState.FAILED && !read && (
            <div class="banner error" role="alert">
              {session.message} <button type="button" onClick={() => setRead(true)}>Close</button>
            </div>
          )}
          {problem !== "" && (
            <div class="banner error" role="alert">
              {problem} <button type="button" onClick={() => setProblem("")}>Close</button>
            </div>
          )}
        </div>
        {shown < 0 && !noWebGl && (
          <p class="waiting" role="status">{ended && session.frameCount === 0n ? "There is no frame." : "Waiting for the first frame…"}</p>
        )}
        {view !== "3d" && desk.pixelsPerMetre.value > 0 && <ScaleBar plane={view} pixelsPerMetre={desk.pixelsPerMetre.value} />}
        {view !== "3d" && <Reading desk={desk} plane={view} />}
        {facts !== undefined && hasLegend(facts.layout, desk.settings.value) && <Legend settings={desk.settings.value} range={desk.range.value} />}
      </main>
      {panel && <SidePanel desk={desk} />}
      <TransportBar model={model} />
      {help && <HelpSheet onClose={() => setHelp(false)} />}
    </div>
  );
}

/** A component of its own: the pointer moves often. */
function Reading({ desk, plane }: { readonly desk: SessionDesk; readonly plane: Plane }) {
  const at = desk.readout.value;
  return at === undefined ? null : <PointReadout plane={plane} field={factsOf(desk.settings.value.colourBy)} at={at} />;
}

function GraphicsLost({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <div class="banner" role="alert" data-testid="graphics-lost">
      <strong>The system took the graphics away</strong>, as when its driver starts again or too many pages draw at once. The simulation
      is not touched; the picture comes back with them. <button type="button" onClick={onRetry}>Draw again</button>
    </div>
  );
}

function NoWebGl() {
  return (
    <div class="empty" role="alert">
      <h2>This browser draws no WebGL 2</h2>
      <p>Turn on hardware acceleration in its settings, or use another browser. The statistics beside show how the session went so far.</p>
    </div>
  );
}

function wordsFor(gone: "deleted" | "unknown", name: string, displayName = name): { title: string; text: string } {
  return gone === "deleted"
    ? { title: "This session was deleted", text: `Somebody deleted ${displayName} (${name}) while you watched, with all its frames.` }
    : { title: "There is no such session", text: `The server knows no ${name}. It was deleted, or is of another server, or the address is mistyped.` };
}
