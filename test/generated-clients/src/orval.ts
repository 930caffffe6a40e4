import { issueToken, readAssets, saveNote, upsertAssets } from '../generated/orval.js';
import { COLUMNS, FILTER, PICTURE, requireEnvelope, type Result, ROWS, type Settings } from './scenario.js';

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

  const wrong = await upsertAssets(workspaceId, {
    assets: [{ name: table, items: [{ key: 'P-7', weight: 'heavy' }] }],
  });
  const first = wrong.status === 422 ? wrong.data.details?.errors?.[0] : undefined;
  const code = wrong.status === 422 ? wrong.data.error : undefined;
  return {
    created,
    keys,
    pages,
    files,
    rowError: [code, first?.code === 'type_mismatch' ? first.code : undefined, first?.index],
  };
}
