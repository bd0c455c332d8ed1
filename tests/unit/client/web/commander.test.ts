// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { Api } from "@viewer/api/clients";
import { Commander } from "@viewer/steer/commander";

/** A server that answers when it is told to. */
function slowServer(): { api: Api; came: number[]; answer: (frameIndex?: number) => void } {
  const came: number[] = [];
  const waiting: ((frameIndex?: number) => void)[] = [];
  const steer = ({ command }: { command: { action: { value: { gravity: number[] } } } }): Promise<{ frameIndex: bigint }> => {
    came.push(command.action.value.gravity[0] ?? Number.NaN);
    return new Promise((answer, refuse) => {
      waiting.push((index) => {
        if (index === undefined) refuse(new Error("refused"));
        else answer({ frameIndex: BigInt(index) });
      });
    });
  };
  return { api: { sessions: { steer } } as never, came, answer: (index) => waiting.shift()?.(index) };
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve));
}

test("a command goes out once the one before is answered, or refused", async () => {
  const { api, came, answer } = slowServer();
  const commander = new Commander(api, "sessions/s-1");
  const frames = [1, 2, 3].map((x) => commander.send({ case: "setGravity", value: { gravity: [x, 0, 0] } }));
  await turn();
  expect(came).toEqual([1]);
  answer();
  await turn();
  expect(came).toEqual([1, 2]);
  expect(commander.problem.value).toContain("refused");
  answer(7);
  await turn();
  expect(came).toEqual([1, 2, 3]);
  answer(8);
  expect(await Promise.all(frames)).toEqual([undefined, 7, 8]);
  expect(commander.lastFrame.value).toBe(8);
  expect(commander.problem.value).toBe("");
});
