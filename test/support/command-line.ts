import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Credentials } from './credentials.js';
import { ROOT, type RunningService } from './service.js';

const ATRIUM = join(ROOT, 'clients/cli/bin/atrium.mjs');

export interface CommandOutcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The command line `atrium` as a process, with a configuration folder of its own. */
export class CommandLine {
  readonly directory = mkdtempSync(join(tmpdir(), 'atrium-command-'));

  constructor(
    readonly service: Pick<RunningService, 'baseUrl'>,
    readonly caller: Credentials,
    readonly variables: Record<string, string> = {},
  ) {}

  spawn(...args: string[]) {
    const env = {
      ...process.env,
      XDG_CONFIG_HOME: this.directory,
      ATRIUM_URL: this.service.baseUrl,
      ATRIUM_API_KEY: this.caller.apiKey,
      ATRIUM_WORKSPACE: this.caller.workspaceId,
      ...this.variables,
    };
    return spawn(process.execPath, [ATRIUM, ...args], { cwd: this.directory, env });
  }

  run(args: string[], input?: string | Buffer): Promise<CommandOutcome> {
    const child = this.spawn(...args);
    const outcome: CommandOutcome = { code: null, stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (outcome.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (outcome.stderr += chunk.toString()));
    child.stdin.end(input);
    return new Promise((settle) => child.once('close', (code) => settle({ ...outcome, code })));
  }

  /** The JSON of a command that must succeed. */
  async json<T = any>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await this.run([...args, '--json']);
    if (code !== 0) throw new Error(`atrium ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
    return JSON.parse(stdout) as T;
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
