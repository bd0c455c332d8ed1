// SPDX-License-Identifier: Apache-2.0

/** Waits between tries to reach a server, doubling from `first` to `most`, in seconds. */
export class Backoff {
  private next: number;

  constructor(
    private readonly first = 0.25,
    private readonly most = 4,
  ) {
    this.next = first;
  }

  /** How long to wait now. */
  take(): number {
    const wait = this.next;
    this.next = Math.min(this.most, wait * 2);
    return wait;
  }

  /** To be called when the server answered. */
  reset(): void {
    this.next = this.first;
  }
}

/** Resolves after `seconds`; rejects when aborted. */
export function sleep(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(new DOMException("aborted", "AbortError"));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, seconds * 1000);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
