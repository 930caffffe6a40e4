/**
 * What an error of the driver means that has no code. `unavailable`: the connection is lost or was not opened, so the
 * same statement may succeed later. `configuration`: only the operator can change it; statements fail until then.
 * `defect`: this service uses the driver in a wrong way.
 */
export type DriverErrorMeaning = 'unavailable' | 'configuration' | 'defect';

/**
 * The errors without a code of pg, pg-pool, pg-protocol and TypeORM, and one of Citus that has the code of an internal
 * error. `src/platform/database/driver-messages.spec.ts` fails if an installed version of pg has further ones.
 */
const MESSAGES: readonly (readonly [pattern: RegExp, meaning: DriverErrorMeaning])[] = [
  // pg-pool: no connection is free in time, or a new one is not open in time.
  [/^timeout exceeded when trying to connect$/, 'unavailable'],
  [/^Connection terminated due to connection timeout$/, 'unavailable'],
  // pg: the server accepts the connection, and is silent.
  [/^timeout expired$/, 'unavailable'],
  [/^Query read timeout$/, 'unavailable'],
  // pg: the server, or this process, closed the connection.
  [/^Connection terminated(?: unexpectedly|: the database does not respond)?$/, 'unavailable'],
  [/^Client has encountered a connection error and is not queryable$/, 'unavailable'],
  [/^Client was closed and is not queryable$/, 'unavailable'],
  [/^There was an error establishing an SSL connection$/, 'unavailable'],
  // pg, pg-protocol: the connection is unusable because its messages are out of order.
  [/^Received unexpected \w+ message from backend\.$/, 'unavailable'],
  [/^received invalid response: /, 'unavailable'],
  // pg-pool: while the instance stops.
  [/^Cannot use a pool after calling end on the pool$/, 'unavailable'],
  // TypeORM: a connection was lost during a transaction, or is not open yet.
  [/^Query runner already released/, 'unavailable'],
  [/^Database connection provided/, 'unavailable'],
  [/^Driver not Connected/i, 'unavailable'],
  // Citus: a transaction lost its connection to a worker.
  [/failure on connection marked as essential/, 'unavailable'],
  // pg: credentials and encryption.
  [/^SASL/, 'configuration'],
  [/^Password must be a string$/, 'configuration'],
  [/^The server does not support SSL connections$/, 'configuration'],
  [/^sslnegotiation=direct requires SSL to be enabled$/, 'configuration'],
  [/^Invalid sslnegotiation value: /, 'configuration'],
  [/^Unknown authenticationOk message type /, 'configuration'],
  // pg, pg-pool: misuse.
  [/^Release called on client which has already been released to the pool\.$/, 'defect'],
  [/^Called end on pool more than once$/, 'defect'],
  [/^Passing a function as the first parameter to pool\.query is not supported$/, 'defect'],
  [/^unexpected condition$/, 'defect'],
  [/^Client has already been connected\. You cannot reuse a client\.$/, 'defect'],
  [/^Client was passed a null or undefined query$/, 'defect'],
  [/^callback is not a function$/, 'defect'],
  [/ not supported in pipeline mode$/, 'defect'],
  [/^A query must have either text or a name\. Supplying neither is unsupported\.$/, 'defect'],
  [/^Prepared statements must be unique - /, 'defect'],
  [/^Query values must be an array$/, 'defect'],
  [/^circular reference detected while preparing /, 'defect'],
  [/^Binary mode not supported yet$/, 'defect'],
];

/** Undefined for the message of another error. */
export function findDriverErrorMeaning(message: string): DriverErrorMeaning | undefined {
  return MESSAGES.find(([pattern]) => pattern.test(message))?.[1];
}
