import type { Credentials } from './credentials.js';
import { requestSupport } from './support-client.js';

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a command of the operator CLI with these settings, as a process would. */
export function runCommand(env: NodeJS.ProcessEnv, args: readonly string[]): Promise<Outcome> {
  return requestSupport('run', { env, args });
}

/** The services of the operator CLI, opened once per running service: faster than one process per command. */
export class OperatorClient {
  /** @param id of services that the support server has open. */
  constructor(private readonly id: string) {}

  /** @param env the settings of the running service. */
  static async open(env: NodeJS.ProcessEnv): Promise<OperatorClient> {
    return new OperatorClient(await requestSupport<string>('open', { env }));
  }

  /** A workspace, a user, client credentials and an API key. */
  provision(name: string, scopes: string[]): Promise<Credentials> {
    return this.ask('operator', 'provision', name, scopes);
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

  /** @param role undefined for the first member of a workspace, who becomes its owner, and for editors. */
  newUser(name: string, workspaces: string | string[], role?: string): Promise<{ id: string }> {
    return this.ask('userAdministration', 'create', `${name}@example.com`, [workspaces].flat(), undefined, role);
  }

  suspend(userId: string): Promise<number> {
    return this.ask('userAdministration', 'suspend', userId);
  }

  activate(userId: string): Promise<void> {
    return this.ask('userAdministration', 'activate', userId);
  }

  reset(userId: string): Promise<number> {
    return this.ask('sessions', 'reset', userId);
  }

  /**
   * @param atOnce also rejects all tokens that the previous keys signed.
   * @returns the key IDs of the active keys.
   */
  rotateKeys(atOnce = false): Promise<{ access: string; refresh: string }> {
    return this.ask('signingKeys', atOnce ? 'replace' : 'rotate');
  }

  close(): Promise<void> {
    return requestSupport('close', { operator: this.id });
  }

  private ask<T>(service: string, method: string, ...args: unknown[]): Promise<T> {
    return requestSupport('ask', { operator: this.id, service, method, args });
  }
}
