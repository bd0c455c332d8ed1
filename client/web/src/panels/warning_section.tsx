// SPDX-License-Identifier: Apache-2.0
import { framesWords, warningTitle } from "@viewer/api/warning_words";
import { Section } from "@viewer/controls/fields";
import type { SessionWarning } from "@viewer/gen/sluice/v1/sessions_pb";

/** Warnings of the frames so far, none of which ended the session; a click goes to the first frame that has it. */
export function WarningSection({ warnings, onFrame }: {
  readonly warnings: readonly SessionWarning[];
  readonly onFrame: (index: number) => void;
}) {
  return (
    <Section title="Warnings">
      <ul class="problems" aria-live="polite" data-testid="warnings">
        {warnings.map((one, i) => one.warning !== undefined && (
          <li key={i}>
            <button
              type="button" class="problem warning" title={`Go to frame ${one.firstFrameIndex}`}
              onClick={() => onFrame(Number(one.firstFrameIndex))}
            >
              <strong>{warningTitle(one.warning)}</strong>
              <span>{one.warning.message}</span>
              <span class="muted">{framesWords(one)}</span>
            </button>
          </li>
        ))}
      </ul>
    </Section>
  );
}
