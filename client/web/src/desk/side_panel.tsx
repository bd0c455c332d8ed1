// SPDX-License-Identifier: Apache-2.0
import { SessionPanel } from "@viewer/panels/session_panel";
import { StatisticsPanel } from "@viewer/panels/statistics_panel";
import { ViewPanel } from "@viewer/panels/view_panel";
import { SteerPanel } from "@viewer/steer/steer_panel";
import type { PanelTab, SessionDesk } from "./session_desk";

const tabs = [
  { id: "view", label: "View" },
  { id: "statistics", label: "Statistics" },
  { id: "steer", label: "Steer" },
  { id: "session", label: "Session" },
] as const satisfies readonly { readonly id: PanelTab; readonly label: string }[];

export function SidePanel({ desk }: { readonly desk: SessionDesk }) {
  const tab = desk.tab.value;
  const setTab = (next: PanelTab): void => {
    desk.tab.value = next;
  };
  const { model } = desk;
  const turn = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    event.stopPropagation();
    const at = (tabs.findIndex(({ id }) => id === tab) + by + tabs.length) % tabs.length;
    const next = tabs[at] ?? tabs[0];
    setTab(next.id);
    document.getElementById(`tab-${next.id}`)?.focus();
  };
  return (
    <aside class="side-panel" aria-label="Details">
      <div class="tabs" role="tablist" onKeyDown={turn}>
        {tabs.map(({ id, label }) => (
          <button
            key={id} id={`tab-${id}`} type="button" role="tab" aria-selected={id === tab} aria-controls="tab-panel" tabIndex={id === tab ? 0 : -1}
            onClick={() => setTab(id)}
          >
            {label}
          </button>
        ))}
      </div>
      <div class="tab-panel" id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`} tabIndex={-1}>
        {tab === "view" && (
          <ViewPanel
            settings={desk.settings.value} range={desk.range.value} facts={model.facts.value} change={(part) => desk.change(part)}
          />
        )}
        {tab === "statistics" && <StatisticsPanel model={model} />}
        {tab === "steer" && (
          <SteerPanel
            model={model} commander={desk.commander} settings={desk.steer.value} diagonal={desk.diagonal.value}
            change={(part) => desk.changeSteer(part)}
          />
        )}
        {tab === "session" && <SessionPanel model={model} />}
      </div>
    </aside>
  );
}
