// SPDX-License-Identifier: Apache-2.0
import { follow } from "./route";
import { isDark, toggleTheme } from "./theme";
import { IconButton } from "@viewer/controls/icon_button";

/** The head of pages that are not a picture. */
export function PageHeader() {
  return (
    <header class="page-header">
      <a class="brand" href="/" onClick={follow}>
        <img src="/drop.svg" alt="" width="26" height="26" /> Sluice
      </a>
      <span class="spacer" />
      <IconButton icon={isDark.value ? "sun" : "moon"} label={isDark.value ? "Light" : "Dark"} onClick={toggleTheme} />
    </header>
  );
}
