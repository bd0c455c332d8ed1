// SPDX-License-Identifier: Apache-2.0
import { computed, effect, signal } from "@preact/signals";
import { readStored, store } from "./storage";

export type Theme = "system" | "dark" | "light";

const systemDark = matchMedia("(prefers-color-scheme: dark)");
const systemIsDark = signal(systemDark.matches);
systemDark.addEventListener("change", ({ matches }) => (systemIsDark.value = matches));

const stored = readStored("theme");
export const theme = signal<Theme>(stored === "dark" || stored === "light" ? stored : "system");

export const isDark = computed(() => (theme.value === "system" ? systemIsDark.value : theme.value === "dark"));

export function toggleTheme(): void {
  theme.value = isDark.value ? "light" : "dark";
}

/** Keeps the page in the theme. */
export function startTheme(): void {
  effect(() => {
    document.documentElement.dataset["theme"] = isDark.value ? "dark" : "light";
    store("theme", theme.value);
  });
}
