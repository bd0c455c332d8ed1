// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from "preact";

export function Toggle({ label, checked, disabled, onChange }: {
  readonly label: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean) => void;
}) {
  return (
    <label class="toggle">
      <span>{label}</span>
      <input
        type="checkbox" role="switch" checked={checked} disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </label>
  );
}

export function Choice<T extends string>({ label, value, options, onChange }: {
  readonly label: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly onChange: (value: T) => void;
}) {
  return (
    <label class="row">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value as T)}>
        {options.map((option) => <option key={option.value} value={option.value}>{option.label}</option>)}
      </select>
    </label>
  );
}

/** A slider on a logarithmic or a linear scale, with its value in words. */
export function Slider({ label, value, least, most, logarithmic = false, words, onInput }: {
  readonly label: string;
  readonly value: number;
  readonly least: number;
  readonly most: number;
  readonly logarithmic?: boolean;
  readonly words: string;
  readonly onInput: (value: number) => void;
}) {
  const toSlider = (x: number): number => (logarithmic ? Math.log(x) : x);
  const fromSlider = (x: number): number => (logarithmic ? Math.exp(x) : x);
  return (
    <label class="slider">
      <span class="row"><span>{label}</span><output>{words}</output></span>
      <input
        type="range" min={toSlider(least)} max={toSlider(most)} step="any" value={toSlider(value)} aria-valuetext={words}
        onInput={(event) => onInput(fromSlider(event.currentTarget.valueAsNumber))}
      />
    </label>
  );
}

/** Chooses a colour of sRGB, as "#rrggbb". */
export function ColourChoice({ label, value, onInput }: {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}) {
  return (
    <label class="row">
      <span>{label}</span>
      <input type="color" value={value} onInput={(event) => onInput(event.currentTarget.value)} />
    </label>
  );
}

export function Section({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="section">
      <h3>{title}</h3>
      {children}
    </section>
  );
}
