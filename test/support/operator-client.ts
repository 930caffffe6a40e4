import type { Credentials } from './credentials.js';

/** Runs a command of the operator CLI with these settings, as a process would. @returns its output. */
export function runCommand(env: NodeJS.ProcessEnv, args: readonly string[]): Promise<string> {
  return request('run', { env, args });
}

/** The services of the operator CLI, opened once per running service: faster than one process per command. */
export class OperatorClient {
  private constructor(private readonly id: string) {}

  /** @param env the settings of the running service. */
  static async open(env: NodeJS.ProcessEnv): Promise<OperatorClient> {
    return new OperatorClient(await request<string>('open', { env }));
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

  /**
   * @param atOnce also rejects all tokens that the previous keys signed.
   * @returns the key IDs of the active keys.
   */
  rotateKeys(atOnce = false): Promise<{ access: string; refresh: string }> {
    return this.ask('signingKeys', atOnce ? 'replace' : 'rotate');
  }

  close(): Promise<void> {
    return request('close', { operator: this.id });
  }

  private ask<T>(service: string, method: string, ...args: unknown[]): Promise<T> {
    return request('ask', { operator: this.id, service, method, args });
  }
}

/** Sends a request to the operator server, which has the modules of the operator CLI loaded for the whole run. */
async function request<T>(action: string, body: object): Promise<T> {
  const response = await fetch(`${process.env['TEST_OPERATOR_URL']}/${action}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  const { result, error } = (await response.json()) as { result?: T; error?: string };
  if (error !== undefined) throw new Error(error);
  return result as T;
}
