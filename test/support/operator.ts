import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { type Outcome, runCommand } from './operator-client.js';
import { ROOT } from './service.js';

const MAIN = join(ROOT, 'dist/src/operator/main.js');

/** Runs commands of the operator CLI with settings, in the operator server. */
export class Operator {
  constructor(protected readonly env: NodeJS.ProcessEnv) {}

  /** This operator CLI with other settings. */
  with(settings: Record<string, string>): Operator {
    return new Operator({ ...this.env, ...settings });
  }

  run(...args: string[]): Promise<Outcome> {
    return runCommand(this.env, args);
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

/** Runs each command as a process in a folder. */
export class OperatorProcess extends Operator {
  constructor(
    private readonly folder: string,
    env: NodeJS.ProcessEnv,
  ) {
    super(env);
  }

  override with(settings: Record<string, string>): OperatorProcess {
    return new OperatorProcess(this.folder, { ...this.env, ...settings });
  }

  override run(...args: string[]): Promise<Outcome> {
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
}
