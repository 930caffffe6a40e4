import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './service.js';

const MAIN = join(ROOT, 'dist/src/operator/main.js');

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The operator at a terminal: where the command runs, and under which settings. */
export class Operator {
  constructor(
    private readonly folder: string,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  /** The same operator under other settings. */
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

  /** What a command that must succeed prints for people. */
  async text(...args: string[]): Promise<string> {
    const { stdout, ...rest } = await this.run(...args);
    expect(rest).toEqual({ code: 0, stderr: '' });
    return stdout;
  }

  /** What a command that must succeed prints for scripts. */
  async json<T = any>(...args: string[]): Promise<T> {
    return JSON.parse(await this.text(...args, '--json')) as T;
  }
}
