// SPDX-License-Identifier: Apache-2.0
import { Icon, type IconName } from "./icons";

interface IconButtonProps {
  readonly icon: IconName;
  /** The button's action: its name for screen readers, and its tooltip with the key. */
  readonly label: string;
  readonly shortcut?: string;
  readonly pressed?: boolean;
  readonly disabled?: boolean;
  readonly kind?: "plain" | "primary" | "danger";
  readonly onClick: () => void;
}

export function IconButton({ icon, label, shortcut, pressed, disabled, kind = "plain", onClick }: IconButtonProps) {
  return (
    <button
      type="button" class={`icon-button ${kind}`} aria-label={label} title={shortcut ? `${label} (${shortcut})` : label}
      aria-pressed={pressed} disabled={disabled} onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
