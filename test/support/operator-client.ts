import type { Credentials } from './credentials.js';

/** Runs an operator's command as a process would, under these settings. @returns what it prints. */
export function runCommand(env: NodeJS.ProcessEnv, args: readonly string[]): Promise<string> {
  return request('run', { env, args });
}

/** The operator's services, kept open beside a running service: what takes a command a moment takes the operator none. */
export class OperatorClient {
  private constructor(private readonly id: string) {}

  /** @param env the settings of the service beside which it stands. */
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

  /** @param atOnce also what the keys of before signed verifies nothing any more. @returns the keys that sign now. */
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

/** Asks the process that has the operator's modules loaded, for the whole run. */
async function request<T>(what: string, body: object): Promise<T> {
  const response = await fetch(`${process.env['TEST_OPERATOR_URL']}/${what}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  const { result, error } = (await response.json()) as { result?: T; error?: string };
  if (error !== undefined) throw new Error(error);
  return result as T;
}
