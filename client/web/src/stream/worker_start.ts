// SPDX-License-Identifier: Apache-2.0

let waiting: Worker | undefined;

function start(): Worker {
  return new Worker(new URL("./frame_worker.ts", import.meta.url), { type: "module" });
}

/** Starts the worker before the code that will use it is here: both take as long to come. */
export function prepareWorker(): void {
  waiting ??= start();
}

/** The prepared worker, or a new one. It belongs to the caller. */
export function takeWorker(): Worker {
  const worker = waiting ?? start();
  waiting = undefined;
  return worker;
}
