/**
 * Parses JSON that this service or its database has written, which needs no limits. JSON of callers is parsed by
 * `parseJson`.
 */
export const parseStoredJson = (text: string, revive?: (key: string, value: unknown) => unknown): unknown =>
  JSON.parse(text, revive);
