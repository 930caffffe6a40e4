import { issueToken, readAssets, type RowErrorDto, saveNote, upsertAssets } from '../generated/orval.js';
import {
  COLUMNS,
  FILTER,
  INVALID_ROWS,
  PICTURE,
  requireEnvelope,
  type Result,
  type RowProblem,
  ROWS,
  type Settings,
} from './scenario.js';

export async function run(settings: Settings): Promise<Result> {
  const { baseUrl, clientId, clientSecret, workspaceId, projectId, table } = settings;
  let authorization: string | undefined;
  // The generated functions call `fetch` with paths; an application does this in a mutator.
  const { fetch } = globalThis;
  globalThis.fetch = (path, options) => {
    const headers = new Headers(options?.headers);
    if (typeof options?.body === 'string') headers.set('Content-Type', 'application/json');
    if (authorization) headers.set('Authorization', authorization);
    return fetch(new URL(String(path), baseUrl), { ...options, headers });
  };

  const signedIn = await issueToken({ grant_type: 'password', client_id: clientId, client_secret: clientSecret });
  if (signedIn.status !== 200) throw new Error(JSON.stringify(signedIn.data));
  authorization = `Bearer ${requireEnvelope(signedIn.data).data.access_token}`;

  const bulk = await upsertAssets(workspaceId, { assets: [{ name: table, columns: COLUMNS, items: ROWS }] });
  if (bulk.status !== 201) throw new Error(JSON.stringify(bulk.data));
  const created = bulk.data.data.totals.created;

  const keys: string[] = [];
  let pages = 0;
  for (let cursor: string | null | undefined; cursor !== null; pages++) {
    const page: Awaited<ReturnType<typeof readAssets>> = await readAssets(workspaceId, table, {
      filter: FILTER,
      limit: 2,
      ...(cursor ? { cursor } : {}),
    });
    if (page.status !== 200) throw new Error(JSON.stringify(page.data));
    const { items, nextCursor } = page.data.data;
    keys.push(...items.map((item) => String(item['key'])));
    cursor = nextCursor;
  }

  const note = await saveNote({
    projectId,
    title: 'With a picture',
    files: [{ filename: 'leak.png', data: PICTURE.toString('base64') }],
  });
  if (note.status !== 201) throw new Error(JSON.stringify(note.data));
  const files = note.data.data.files.map(({ filename }) => filename);

  const wrong = await upsertAssets(workspaceId, { assets: [{ name: table, items: INVALID_ROWS }] });
  if (wrong.status !== 422) throw new Error(JSON.stringify(wrong.data));
  const { error, details } = wrong.data;
  return { created, keys, pages, files, error, rowErrors: (details?.errors ?? []).map(describe) };
}

/** The code of an error determines its fields. */
function describe(error: RowErrorDto): RowProblem {
  switch (error.code) {
    case 'type_mismatch':
      return [error.code, error.index, error.column];
    case 'duplicate_in_batch':
      return [error.code, error.index, error.otherIndex];
    default:
      return [error.code];
  }
}
