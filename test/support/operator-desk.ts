import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Credentials } from './credentials.js';

const DESK = join(__dirname, 'desk-process.mjs');

interface Reply {
  id: number;
  result?: unknown;
  error?: string;
}

/** An operator who sits beside the running service: what takes a command a second takes the desk a moment. */
export class OperatorDesk {
  private readonly waiting = new Map<number, (reply: Reply) => void>();
  private asked = 0;

  private constructor(private readonly process: ChildProcess) {
    process.on('message', (reply: Reply) => this.waiting.get(reply.id)?.(reply));
  }

  /** @param env the settings of the service beside which it stands. */
  static async open(env: NodeJS.ProcessEnv): Promise<OperatorDesk> {
    const child = fork(DESK, { env: { ...env, LOG_LEVEL: 'warn' }, execArgv: [] });
    await Promise.race([once(child, 'message'), once(child, 'exit').then(() => Promise.reject(new Error('No desk')))]);
    return new OperatorDesk(child);
  }

  /** A workspace, a user, client credentials and an API key. */
  provision(name: string, scopes: string[]): Promise<Credentials> {
    return this.ask('desk', 'provision', name, scopes);
  }

  rotate(clientId: string, overlapS = 0): Promise<Credentials> {
    return this.ask('clients', 'rotate', clientId, overlapS);
  }

  disable(clientId: string): Promise<void> {
    return this.ask('clients', 'disable', clientId);
  }

  newClient(userId: string): Promise<Credentials> {
    return this.ask('clients', 'create', userId);
  }

  newUser(name: string, workspaceId: string): Promise<{ id: string }> {
    return this.ask('users', 'create', `${name}@example.com`, [workspaceId]);
  }

  suspend(userId: string): Promise<number> {
    return this.ask('users', 'suspend', userId);
  }

  activate(userId: string): Promise<void> {
    return this.ask('users', 'activate', userId);
  }

  reset(userId: string): Promise<number> {
    return this.ask('sessions', 'reset', userId);
  }

  /** @param atOnce also what the keys of before signed verifies nothing any more. @returns the keys that sign now. */
  rotateKeys(atOnce = false): Promise<{ access: string; refresh: string }> {
    return this.ask('signingKeys', atOnce ? 'replace' : 'rotate');
  }

  async close(): Promise<void> {
    if (!this.process.connected) return;
    const exited = once(this.process, 'exit');
    this.process.disconnect();
    await exited;
  }

  private async ask<T>(service: string, method: string, ...args: unknown[]): Promise<T> {
    const id = ++this.asked;
    const replied = new Promise<Reply>((settle) => this.waiting.set(id, settle));
    this.process.send({ id, service, method, args });
    const { result, error } = await replied;
    this.waiting.delete(id);
    if (error) throw new Error(error);
    return result as T;
  }
}
