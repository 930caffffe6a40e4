import { LRUCache } from 'lru-cache';
import type { Client } from 'pg';
import { isOutdatedStatement } from './database.errors.js';
import { PooledClient, type PooledClientConfig } from './pooled-client.js';
import { UNPREPARED } from './database.js';

/** The parts of a connection of node-postgres that its types do not declare. */
interface Protocol {
  connection: {
    close(message: { type: 'S'; name: string }): void;
    parsedStatements: Record<string, string>;
    submittedNamedStatements: Record<string, string>;
  };
}

type Callback = (error: Error | null, result: unknown) => void;

type Query = (this: Client, config: unknown, values?: unknown, callback?: unknown) => unknown;

// eslint-disable-next-line @typescript-eslint/unbound-method -- called with the connection as `this`
const sendQuery = PooledClient.prototype.query as unknown as Query;

/**
 * A connection that prepares statements, so that PostgreSQL parses and plans each only once
 * (docs/explanation/performance.md#prepared-statements): a text with parameters becomes a prepared statement at its
 * second use. Their number is limited; the least recently used is closed. Never prepared are a query that is passed as
 * an object (`{ text, values }`), and one that begins with the comment `UNPREPARED`.
 */
export class PreparingClient extends PooledClient {
  /** Names by text; empty after the first use. */
  private readonly names: LRUCache<string, string>;
  private lastNumber = 0;

  constructor(config: PooledClientConfig & { maxPreparedStatements: number }) {
    super(config);
    this.names = new LRUCache({ max: config.maxPreparedStatements, dispose: (name) => this.closeStatement(name) });
  }

  override query(...parameters: never[]): never {
    const [config, values, callback] = parameters as unknown[] as [unknown, unknown, Callback?];
    const query = this.toQuery(config, values);
    if (query === config || typeof callback !== 'function') {
      const result = sendQuery.call(this, query, values, callback);
      if (query === config || callback) return result as never;
      return (result as Promise<unknown>).catch((error: unknown) => {
        if (!this.forget(config as string, error)) throw error;
        return sendQuery.call(this, { text: config }, values);
      }) as never;
    }
    const onResult: Callback = (error, result) => {
      if (!error || !this.forget(config as string, error)) callback(error, result);
      else sendQuery.call(this, { text: config }, values, callback);
    };
    return sendQuery.call(this, query, values, onResult) as never;
  }

  /**
   * Forgets an outdated statement.
   *
   * @returns whether it can be sent again: a failed transaction accepts no other statement.
   */
  private forget(text: string, error: unknown): boolean {
    if (!isOutdatedStatement(error)) return false;
    this.names.delete(text);
    // Database repeats a transaction as a whole.
    return this.getTransactionStatus() === 'I';
  }

  private toQuery(text: unknown, values: unknown): unknown {
    if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0) return text;
    if (text.startsWith(`/* ${UNPREPARED} */`)) return text;
    const known = this.names.get(text);
    const name = known === '' ? `s${++this.lastNumber}` : known;
    if (name !== known || name === undefined) this.names.set(text, name ?? '');
    return name === undefined ? { text } : { text, name };
  }

  /** The message needs no reply of its own and is allowed in a failed transaction. */
  private closeStatement(name: string): void {
    if (name === '') return;
    const { connection } = this as unknown as Protocol;
    connection.close({ type: 'S', name });
    delete connection.parsedStatements[name];
    delete connection.submittedNamedStatements[name];
  }
}
