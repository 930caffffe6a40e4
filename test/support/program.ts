import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ROOT } from './service.js';

const MAIN = join(ROOT, 'dist/src/main.js');

/** The service as whoever starts it meets it: nothing in its environment but what is set here. */
export class Program {
  stdout = '';
  stderr = '';
  /** The exit code; null where a signal ended it. */
  readonly exit: Promise<number | null>;
  private readonly child: ChildProcess;

  constructor(settings: Record<string, string>, cwd: string) {
    const { PATH, HOME, LANG } = process.env;
    const env = {
      ...Object.fromEntries(Object.entries({ PATH, HOME, LANG }).filter(([, value]) => value)),
      ...settings,
    };
    // A process group of its own, as a terminal gives it: Ctrl-C reaches all that the service has started.
    this.child = spawn(process.execPath, [MAIN], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    this.child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    this.child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    // 'close' comes after the last output, 'exit' may come before it.
    this.exit = new Promise((settle) => this.child.once('close', (code) => settle(code)));
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Sends the signal and waits for the end. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.send(signal);
    return this.exit;
  }

  send(signal: NodeJS.Signals): void {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill(signal);
  }

  /** Ctrl-C in the terminal: the whole process group gets it. */
  async interrupt(): Promise<number | null> {
    process.kill(-this.pid, 'SIGINT');
    return this.exit;
  }

  /** @returns the milliseconds from now until the service is ready. */
  async untilReady(baseUrl: string, patienceMs = 60_000): Promise<number> {
    const startedAt = Date.now();
    while (this.child.exitCode === null && this.child.signalCode === null && Date.now() < startedAt + patienceMs) {
      const answer = await fetch(`${baseUrl}/health/ready`).catch(() => undefined);
      if (answer?.ok) return Date.now() - startedAt;
      await delay(25);
    }
    throw new Error(`It did not become ready:\n${this.stdout}${this.stderr}`);
  }
}
