/**
 * The statements that are prepared, each with one text: PostgreSQL parses and plans them once per connection
 * (docs/explanation/performance.md#prepared-statements). Almost every request executes some of them. They use fixed
 * tables, by a unique index or to insert, so their best plan depends on no value and no size of a table.
 */
export const PREPARED_STATEMENTS = [
  'session',
  'session in a workspace',
  'subject of an issuer',
  'subject of an issuer in a workspace',
  'API key',
  'access policy',
  'rate limit',
  'idempotency key',
  'stored response',
  'sign-in',
  'new session',
  'refresh',
  'table by name',
  'tables by ID',
  'lock of tables',
  'revisions of tables',
  'new event',
] as const;

export type PreparedStatement = (typeof PREPARED_STATEMENTS)[number];
