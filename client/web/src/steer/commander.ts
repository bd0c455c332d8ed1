// SPDX-License-Identifier: Apache-2.0
import { signal } from "@preact/signals";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { messageOf } from "@viewer/api/api_error";
import type { Api } from "@viewer/api/clients";
import type { SteerCommandSchema } from "@viewer/gen/sluice/v1/sessions_pb";

export type Action = NonNullable<MessageInitShape<typeof SteerCommandSchema>["action"]>;

/**
 * Sends a person's commands to the solver, in the order in which they were given, and remembers why the last one was refused.
 * Requests on several connections may overtake one another: a hand's last "stop" before its last "move" would never end.
 */
export class Commander {
  /** What went wrong last; empty when nothing did. */
  readonly problem = signal("");
  /** The first frame that the last command acts on; -1 before the first. */
  readonly lastFrame = signal(-1);
  private answered: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly api: Api,
    private readonly name: string,
  ) {}

  /** Answers with the first frame that the command acts on; nothing when it was refused. */
  send(action: Action): Promise<number | undefined> {
    const frame = this.answered.then(() => this.steer(action));
    this.answered = frame;
    return frame;
  }

  private async steer(action: Action): Promise<number | undefined> {
    try {
      const { frameIndex } = await this.api.sessions.steer({ name: this.name, command: { action } }, { timeoutMs: 5000 });
      this.problem.value = "";
      this.lastFrame.value = Number(frameIndex);
      return this.lastFrame.value;
    } catch (error) {
      this.problem.value = messageOf(error);
      return undefined;
    }
  }
}
