/** The running service and the credentials of a caller with a project. */
export interface Settings {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  workspaceId: string;
  projectId: string;
  /** Name of the table that the client creates. */
  table: string;
}

/** What each client reports: the same for all generators. */
export interface Result {
  created: number;
  /** Keys of the rows that match the filter, of all pages. */
  keys: string[];
  pages: number;
  /** Names of the files of the note. */
  files: string[];
  /** The code of the error of the response. */
  error: string | undefined;
  rowErrors: RowProblem[];
}

/** The code of a row error, the position of its row, and the field that only errors of this code have. */
export type RowProblem = [string, number?, (string | number)?];

export const COLUMNS = [
  { name: 'Key', type: 'text' as const },
  { name: 'Weight', type: 'number' as const },
];

export const ROWS = [1, 2, 3, 4, 5, 6].map((weight) => ({ key: `P-${weight}`, weight }));

/** A value of another type, and two rows with the same key. */
export const INVALID_ROWS = [{ key: 'P-7', weight: 'heavy' }, { key: 'P-8' }, { key: 'P-8' }];

/** The parameter `filter` as JSON. */
export const FILTER = JSON.stringify({ weight: { gte: 2 } });

export const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export function requireData<T>(data: T | undefined, error?: unknown): T {
  if (data === undefined) throw new Error(`The request failed: ${JSON.stringify(error)}`);
  return data;
}

/** A request with JSON gets the envelope, a form the bare object of RFC 6749: the type has both. */
export function requireEnvelope<T extends object>(body: T): Extract<T, { data: unknown }> {
  if (!('data' in body)) throw new Error(`No envelope: ${JSON.stringify(body)}`);
  return body as Extract<T, { data: unknown }>;
}
