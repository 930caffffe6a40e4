import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../src/main.js', import.meta.url));
const MAX_OUTPUT_CHUNKS = 20;
const READY_TIMEOUT_MS = 20_000;
const READY_POLL_MS = 20;
/** Linux reports CPU time in hundredths of a second. */
const TICK_US = 10_000;

/** A measured child process. */
export class MeasuredProcess {
  constructor(
    readonly baseUrl: string,
    private readonly child: ChildProcess,
  ) {}

  /** Peak memory of the process in bytes; undefined if the system does not report it. */
  peakMemory(): number | undefined {
    try {
      const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.child.pid}/status`, 'utf8'))?.[1];
      return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
    } catch {
      return undefined;
    }
  }

  /** Microseconds of CPU time of all threads of the process; NaN if the system does not report it. */
  cpuTime(): number {
    try {
      // The name of the program, in parentheses, may contain blanks. Fields 14 and 15 are the ticks of user and system.
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

/** Starts the service. @throws Error with the end of its output, if it does not become ready. */
export async function startService(
  env: NodeJS.ProcessEnv,
  cwd: string,
  nodeOptions: readonly string[],
): Promise<MeasuredProcess> {
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
      if (output.length > MAX_OUTPUT_CHUNKS) output.shift();
    });
  }
  const service = new MeasuredProcess(`http://127.0.0.1:${port}`, child);
  try {
    await waitUntilReady(service.baseUrl, child);
    return service;
  } catch (error) {
    await service.stop();
    throw new Error(`The service did not become ready:\n${output.join('')}`, { cause: error });
  }
}

/** @throws Error if the process ends before it is ready, or is not ready in time. */
export async function waitUntilReady(baseUrl: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (child.exitCode === null && Date.now() < deadline) {
    const ready = await fetch(`${baseUrl}/health/ready`).catch(() => undefined);
    if (ready?.ok) return;
    await delay(READY_POLL_MS);
  }
  throw new Error(`${baseUrl} did not become ready.`);
}

/** Starts a floor. It ends with this process. */
export async function startFloor(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
  nodeOptions: readonly string[],
): Promise<MeasuredProcess> {
  const child = fork(fileURLToPath(new URL(`floors/${name}.js`, import.meta.url)), args, {
    cwd,
    env,
    execArgv: [...nodeOptions],
  });
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`The floor ${name} did not start.`)));
  ended.catch(() => undefined);
  const [address] = (await Promise.race([once(child, 'message'), ended])) as [AddressInfo];
  return new MeasuredProcess(`http://127.0.0.1:${address.port}`, child);
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
