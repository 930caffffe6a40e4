import { Client, type ClientConfig, type QueryConfig } from 'pg';

type Callback = (error: Error | null, result: unknown) => void;
type Send = (this: Client, query: unknown, values: unknown, callback?: Callback) => unknown;

export interface PooledClientConfig extends ClientConfig {
  /** Milliseconds by the names of settings of PostgreSQL. Absent: the connection itself has them. */
  transactionTimeouts?: Readonly<Record<string, number>>;
  /** Statements at the beginning of every transaction; all connections of a pool share the object. */
  transactionStart?: TransactionStart;
  /** Are statements with a name prepared? */
  areStatementsPrepared?: boolean;
}

export interface TransactionStart {
  /** One statement per message. Absent until the service knows that the tables are distributed. */
  statements?: readonly [first: string, ...others: string[]];
}

// oxlint-disable-next-line typescript/unbound-method -- called with the connection as `this`
const send = Client.prototype.query as unknown as Send;

/**
 * A connection through a pooler that may serve each transaction by another connection of the server, so that settings
 * of the session would reach other clients. Every transaction begins with its timeouts, in the same message. A
 * statement outside a transaction becomes a transaction of its own (ADR 0213).
 */
export class PooledClient extends Client {
  private readonly timeouts?: string;
  private readonly transactionStart?: TransactionStart;
  private readonly areStatementsPrepared: boolean;

  constructor({ transactionTimeouts, transactionStart, areStatementsPrepared = true, ...config }: PooledClientConfig) {
    super(config);
    this.transactionStart = transactionStart;
    this.areStatementsPrepared = areStatementsPrepared;
    if (!transactionTimeouts) return;
    const settings = Object.entries(transactionTimeouts).map(([name, value]) => `SET LOCAL ${name} = ${value}`);
    this.timeouts = settings.join('; ');
  }

  override query(...parameters: never[]): never {
    const [query, second, third] = parameters as unknown[] as [string | QueryConfig, unknown, Callback?];
    const isCallback = typeof second === 'function';
    const [values, callback] = isCallback ? [undefined, second as Callback] : [second, third];
    if (!this.areStatementsPrepared && typeof query !== 'string') delete query.name;
    const isInTransaction = ['T', 'E'].includes(this.getTransactionStatus() ?? '');
    const statements = this.transactionStart?.statements;
    if ((this.timeouts ?? statements) === undefined || isInTransaction)
      return send.call(this, query, values, callback) as never;
    const text = typeof query === 'string' ? query : query.text;
    if (text.startsWith('START TRANSACTION')) {
      const begin = [text, this.timeouts, statements?.[0]].filter(Boolean).join('; ');
      const started = send.call(this, begin, values, callback);
      // The connection executes these before the first statement of the transaction, which fails if one of them does.
      for (const statement of statements?.slice(1) ?? []) send.call(this, statement, undefined, () => undefined);
      return started as never;
    }
    if (this.timeouts === undefined) return send.call(this, query, values, callback) as never;
    if (callback) {
      this.transact(query, values, callback);
      return undefined as never;
    }
    const result = new Promise((resolve, reject) => {
      this.transact(query, values, (error, received) => {
        if (error) reject(error);
        else resolve(received);
      });
    });
    return result as never;
  }

  /** Reports the result after the commit. */
  private transact(query: unknown, values: unknown, callback: Callback): void {
    send.call(this, `START TRANSACTION; ${this.timeouts}`, undefined, (failure) => {
      if (failure) {
        callback(failure, undefined);
        return;
      }
      send.call(this, query, values, (error, result) => {
        // After a failed statement this rolls back.
        send.call(this, 'COMMIT', undefined, (uncommitted) => callback(error ?? uncommitted, result));
      });
    });
  }
}
