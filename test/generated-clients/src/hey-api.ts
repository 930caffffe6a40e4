import { client } from '../generated/hey-api/client.gen.js';
import { issueToken, readAssets, saveNote, upsertAssets } from '../generated/hey-api/sdk.gen.js';
import type { ItemsPageDto, UpsertAssetsErrors } from '../generated/hey-api/types.gen.js';
import {
  COLUMNS,
  FILTER,
  PICTURE,
  requireData,
  requireEnvelope,
  type Result,
  ROWS,
  type Settings,
} from './scenario.js';

export async function run(settings: Settings): Promise<Result> {
  const { baseUrl, clientId, clientSecret, workspaceId, projectId, table } = settings;
  client.setConfig({ baseUrl });
  const signedIn = await issueToken({
    body: { grant_type: 'password', client_id: clientId, client_secret: clientSecret },
  });
  const token = requireEnvelope(requireData(signedIn.data, signedIn.error)).data.access_token;
  client.setConfig({ baseUrl, auth: ({ scheme }) => (scheme === 'bearer' ? token : undefined) });

  const path = { workspaceId };
  const bulk = await upsertAssets({ path, body: { assets: [{ name: table, columns: COLUMNS, items: ROWS }] } });
  const created = requireData(bulk.data, bulk.error).data.totals.created;

  const keys: string[] = [];
  let pages = 0;
  for (let cursor: string | null | undefined; cursor !== null; pages++) {
    const page = await readAssets<false>({
      path: { workspaceId, table },
      query: { filter: FILTER, limit: 2, ...(cursor ? { cursor } : {}) },
    });
    const { items, nextCursor }: ItemsPageDto = requireData(page.data, page.error).data;
    keys.push(...items.map((item) => String(item['key'])));
    cursor = nextCursor;
  }

  // This generator sends JSON where an operation accepts JSON and forms: files are base64.
  const note = await saveNote({
    body: { projectId, title: 'With a picture', files: [{ filename: 'leak.png', data: PICTURE.toString('base64') }] },
  });
  const files = (requireData(note.data, note.error).data.files ?? []).map(({ filename }) => filename);

  const wrong = await upsertAssets({
    path,
    body: { assets: [{ name: table, items: [{ key: 'P-7', weight: 'heavy' }] }] },
  });
  return { created, keys, pages, files, rowError: describe(wrong.error) };
}

function describe(error: UpsertAssetsErrors[keyof UpsertAssetsErrors] | undefined): Result['rowError'] {
  if (error?.error !== 'invalid_rows') return [error?.error, undefined, undefined];
  const first = (error as UpsertAssetsErrors[422]).details?.errors?.[0];
  return [error.error, first?.code === 'type_mismatch' ? first.code : undefined, first?.index];
}
