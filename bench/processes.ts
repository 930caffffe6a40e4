import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../src/main.js', import.meta.url));
const OUTPUT_KEPT = 20;
const READY_PATIENCE_MS = 20_000;
const READY_POLL_MS = 50;
/** Linux counts CPU time in hundredths of a second, whatever its kernel does inside. */
const TICK_US = 10_000;

/** A child process that is measured. */
export class Measured {
  constructor(
    readonly baseUrl: string,
    private readonly child: ChildProcess,
  ) {}

  /** The most memory the process has ever held, in bytes; undefined where the system does not tell. */
  peakMemory(): number | undefined {
    try {
      const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.child.pid}/status`, 'utf8'))?.[1];
      return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
    } catch {
      return undefined;
    }
  }

  /** Microseconds of CPU that the process has used, all its threads together; NaN where the system does not tell. */
  cpuTime(): number {
    try {
      // The name of the program, in parentheses, may hold blanks; 14th and 15th are the ticks of the user and the system.
      const fields = readFileSync(`/proc/${this.child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
      return (Number(fields[11]) + Number(fields[12])) * TICK_US;
    } catch {
      return Number.NaN;
    }
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    if (this.child.connected) this.child.disconnect();
    else this.child.kill('SIGTERM');
    await exited;
  }
}

/** The built service, ready. @throws Error with the end of what it printed, where it does not get ready. */
export async function startService(
  env: NodeJS.ProcessEnv,
  cwd: string,
  nodeOptions: readonly string[],
): Promise<Measured> {
  const port = await freePort();
  const child = spawn(process.execPath, [...nodeOptions, MAIN], {
    cwd,
    env: { ...env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output.push(chunk.toString());
      if (output.length > OUTPUT_KEPT) output.shift();
    });
  }
  const service = new Measured(`http://127.0.0.1:${port}`, child);
  const deadline = Date.now() + READY_PATIENCE_MS;
  while (child.exitCode === null && Date.now() < deadline) {
    const ready = await fetch(`${service.baseUrl}/health/ready`).catch(() => undefined);
    if (ready?.ok) return service;
    await delay(READY_POLL_MS);
  }
  await service.stop();
  throw new Error(`The service did not get ready:\n${output.join('')}`);
}

/** A floor, listening. It ends when this process does. */
export async function startFloor(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
  nodeOptions: readonly string[],
): Promise<Measured> {
  const child = fork(fileURLToPath(new URL(`floors/${name}.js`, import.meta.url)), args, {
    cwd,
    env,
    execArgv: [...nodeOptions],
  });
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`The floor ${name} did not start.`)));
  ended.catch(() => undefined);
  const [address] = (await Promise.race([once(child, 'message'), ended])) as [AddressInfo];
  return new Measured(`http://127.0.0.1:${address.port}`, child);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
