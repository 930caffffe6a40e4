import type { Client, ClientConfig, Pool, PoolClient } from 'pg';
import type { DataSource } from 'typeorm';

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
