import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { runInThisContext } from 'node:vm';
import { AtriumClient } from '@atrium/client';
import type { Credentials } from './credentials.js';
import { ROOT, type RunningService } from './service.js';
import { Terminal } from './terminal.js';

export const ATRIUM = join(ROOT, 'clients/cli/bin/atrium.mjs');

/** The process outside of the sandbox of Jest: modules are loaded once per process instead of once per suite. */
const host = runInThisContext('process') as NodeJS.Process;
const requireNatively = host.getBuiltinModule('module').createRequire(ATRIUM);
const { main } = requireNatively('../dist/main.js') as typeof import('../../clients/cli/src/main.js');

/** Limit for one command, less than the limit of a test, so that the error names the command. */
const TIMEOUT_MS = 90_000;

export interface CommandOutcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** How a command ends that names the reason on standard error. */
export function ending(code: number, reason: string | RegExp): Pick<CommandOutcome, 'code' | 'stderr'> {
  const stderr = typeof reason === 'string' ? expect.stringContaining(reason) : expect.stringMatching(reason);
  return { code, stderr: stderr as string };
}

class WrittenText extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/** The folders of all command lines of a suite. */
const folder = mkdtempSync(join(tmpdir(), 'atrium-commands-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The command line `atrium`, with a folder of its own for its files and its configuration. */
export class CommandLine {
  readonly directory = mkdtempSync(join(folder, 'atrium-'));

  /** Sends requests of the caller without a command. */
  readonly client: AtriumClient;

  constructor(
    readonly service: Pick<RunningService, 'baseUrl'>,
    readonly caller: Credentials,
    readonly variables: Record<string, string> = {},
  ) {
    const { apiKey, workspaceId } = caller;
    this.client = new AtriumClient({ baseUrl: service.baseUrl, apiKey, workspaceId });
  }

  get environment(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      XDG_CONFIG_HOME: this.directory,
      ATRIUM_URL: this.service.baseUrl,
      ATRIUM_API_KEY: this.caller.apiKey,
      ATRIUM_WORKSPACE: this.caller.workspaceId,
      ...this.variables,
    };
  }

  /** A command as a process, for tests of signals and pipes. */
  spawn(...args: string[]) {
    return spawn(process.execPath, [ATRIUM, ...args], { cwd: this.directory, env: this.environment });
  }

  /** A command as a process on a terminal. */
  openTerminal(...args: string[]): Terminal {
    const quoted = [process.execPath, ATRIUM, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
    return new Terminal(spawn('script', ['-qec', quoted, '/dev/null'], { cwd: this.directory, env: this.environment }));
  }

  /**
   * A command in the process of the test.
   *
   * @param command its arguments, or a text with arguments that contain no spaces
   * @param observe receives what the command writes to standard error while it runs
   * @throws Error if it does not end in time
   */
  async run(
    command: string | string[],
    input?: string | Buffer,
    observe?: (stderr: Readonly<{ text: string }>) => void,
  ): Promise<CommandOutcome> {
    const args = typeof command === 'string' ? command.split(' ') : command;
    const [stdout, stderr, interruption] = [new WrittenText(), new WrittenText(), new AbortController()];
    const timer = setTimeout(() => interruption.abort(), TIMEOUT_MS);
    observe?.(stderr);
    const code = await main(args, {
      stdin: Readable.from(input === undefined ? [] : [Buffer.from(input)]),
      stdout,
      stderr,
      env: this.environment,
      cwd: this.directory,
      catchInterrupt: () => interruption.signal,
      endWithStdout: () => undefined,
    });
    clearTimeout(timer);
    const outcome = { code, stdout: stdout.text, stderr: stderr.text };
    if (!interruption.signal.aborted) return outcome;
    throw new Error(`atrium ${args.join(' ')} did not end within ${TIMEOUT_MS / 1000} s: ${JSON.stringify(outcome)}`);
  }

  /** What can follow words after `atrium`, the last of which is completed. */
  async complete(...words: string[]): Promise<string[]> {
    const args = ['complete', 'zsh', `--word=${words.at(-1)!}`, '--', ...words.slice(0, -1)];
    return (await this.run(args)).stdout.split('\n').filter(Boolean);
  }

  /** The JSON of a command that must succeed. */
  async json<T = any>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await this.run([...args, '--json']);
    if (code !== 0) throw new Error(`atrium ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
    return JSON.parse(stdout) as T;
  }

  /** Writes a file in the folder of the commands. @returns its name */
  write(name: string, content: string | Buffer): string {
    writeFileSync(join(this.directory, name), content);
    return name;
  }

  read(name: string): string {
    return readFileSync(join(this.directory, name), 'utf8');
  }

  readJson(name: string): any {
    return JSON.parse(this.read(name));
  }

  /** Imports a file into a new table. @returns its rows */
  async importNew(file: string, table: string, ...flags: string[]): Promise<Record<string, unknown>[]> {
    await this.json('import', file, '--table', table, '--create', ...flags);
    return this.rowsOf(table);
  }

  /** Creates a table of numbers and texts, whose first column is the key, without a command. @param names by keys */
  async fill(
    table: string,
    rows: Record<string, string | number>[],
    names: Record<string, string> = {},
  ): Promise<void> {
    const nameOf = new Map(Object.entries(names));
    const columns = Object.entries(rows[0]!).map(([key, value]) => {
      return {
        key,
        name: nameOf.get(key) ?? key,
        type: typeof value === 'number' ? ('number' as const) : ('text' as const),
      };
    });
    await this.client.assets(table).upsert(rows, { columns });
  }

  /** The rows of a table of any entity, without a command. */
  async rowsOf(name: string): Promise<Record<string, unknown>[]> {
    const rows: Record<string, unknown>[] = [];
    for await (const table of this.client.tables())
      if (table.name === name) for await (const row of this.client.table(table.type, name).rows()) rows.push(row);
    return rows;
  }
}
