import { AsyncResource } from 'node:async_hooks';
import type { Client, ClientConfig, Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import { type DataSource, TypeORMError } from 'typeorm';
import { isTracing } from '../telemetry/spans.js';
import { listen } from '../listeners.js';

export interface ClientSocket {
  bytesRead: number;
  destroy(error?: Error): void;
}

/** A part of node-postgres that its types do not declare. */
export function socketOf(client: Client | PoolClient): ClientSocket {
  return (client as unknown as { connection: { stream: ClientSocket } }).connection.stream;
}

/** The pool of the data source; undefined if it is not connected. */
export function poolOf(dataSource: DataSource): Pool | undefined {
  return (dataSource.driver as unknown as { master?: Pool }).master;
}

/** The options of a connection to the server of the data source, outside its pool. */
export function standaloneOptions(dataSource: DataSource): ClientConfig {
  const { url, extra } = dataSource.options as { url?: string; extra?: ClientConfig };
  return { connectionString: url, ...extra, application_name: 'atrium' };
}

/**
 * Runs the statement on a connection of the pool. A query runner of TypeORM costs as much as a statement; callbacks
 * cost less than a promise for each step. `Pool.query` would close the connection after a failed statement.
 */
export function queryPool(
  dataSource: DataSource,
  query: QueryConfig,
  toError: (cause: Error) => Error,
): Promise<QueryResult> {
  const pool = poolOf(dataSource);
  if (!pool) throw new TypeORMError('Driver not Connected');
  return new Promise((resolve, reject) => {
    const onConnect: Parameters<Pool['connect']>[0] = (failure, client, release) => {
      if (!client) return reject(failure!);
      let lost: Error | undefined;
      // Without a listener a lost connection would end the process.
      const endListening = listen(client, 'error', (error: Error) => (lost = error));
      const onResult = (error: Error | null, result: QueryResult) => {
        endListening();
        release(lost);
        if (error) reject(toError(error));
        else resolve(result);
      };
      client.query(query, onResult);
    };
    // A request that waits receives its connection from the end of another one, to whose trace it must not belong.
    pool.connect(isTracing() ? AsyncResource.bind(onConnect) : onConnect);
  });
}
