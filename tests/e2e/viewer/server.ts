// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { connect, type Api } from "@viewer/api/clients";

/** Set by the ctest: see tests/e2e/viewer/run. */
function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === "") throw new Error(`${name} is not set: run tests/e2e/viewer/run`);
  return value;
}

/** A sluiced of the test's own, with the viewer that was built beside it. */
export class Server {
  private process: ChildProcess | undefined;
  private readonly dataDir = mkdtempSync(join(tmpdir(), "sluice-viewer-"));
  /** The address as sluiced printed it. */
  url = "";

  static async start(): Promise<Server> {
    const server = new Server();
    await server.launch("127.0.0.1:0");
    return server;
  }

  get api(): Api {
    return connect(this.url);
  }

  /** Starts again on the same data directory and port. */
  async restart(): Promise<void> {
    await this.launch(this.url.replace(/^http:\/\//, ""));
  }

  async kill(): Promise<void> {
    await this.end("SIGKILL");
  }

  async stop(): Promise<void> {
    await this.end("SIGTERM");
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  private async launch(webListen: string): Promise<void> {
    const bin = setting("SLUICE_BIN");
    const process = spawn(
      join(bin, "sluiced"),
      ["--data-dir", this.dataDir, "--listen", "127.0.0.1:0", "--web-listen", webListen, "--web-root", setting("SLUICE_WEB_ROOT"),
        "--scenes-dir", setting("SLUICE_SCENES"), "--threads-per-session", "1", "--log-level", "warn"],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    this.process = process;
    for await (const line of createInterface({ input: process.stdout })) {
      const url = /^viewer at (http:\S+)$/.exec(line)?.[1];
      if (url === undefined) continue;
      this.url = url.replace(/\/$/, "");
      process.stdout.resume();
      return;
    }
    throw new Error("sluiced ended before it served");
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const { process } = this;
    if (process?.exitCode !== null || process.signalCode !== null) return;
    const ended = new Promise((resolve) => process.once("exit", resolve));
    process.kill(signal);
    await ended;
  }
}
