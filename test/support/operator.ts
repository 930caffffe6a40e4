import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './service.js';

const MAIN = join(ROOT, 'dist/src/operator/main.js');

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the operator CLI as a process, in a folder and with settings. */
export class Operator {
  constructor(
    private readonly folder: string,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  /** The same operator CLI with other settings. */
  with(settings: Record<string, string>): Operator {
    return new Operator(this.folder, { ...this.env, ...settings });
  }

  run(...args: string[]): Promise<Outcome> {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: this.folder,
      env: this.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const outcome: Outcome = { code: null, stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (outcome.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (outcome.stderr += chunk.toString()));
    return new Promise((settle) => child.once('close', (code) => settle({ ...outcome, code })));
  }

  /** The text output of a command that must succeed. */
  async text(...args: string[]): Promise<string> {
    const { stdout, ...rest } = await this.run(...args);
    expect(rest).toEqual({ code: 0, stderr: '' });
    return stdout;
  }

  /** The JSON output of a command that must succeed. */
  async json<T = any>(...args: string[]): Promise<T> {
    return JSON.parse(await this.text(...args, '--json')) as T;
  }
}
