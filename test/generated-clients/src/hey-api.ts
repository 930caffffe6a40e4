import { client } from '../generated/hey-api/client.gen.js';
import { formDataBodySerializer } from '../generated/hey-api/core/bodySerializer.gen.js';
import { issueToken, readAssets, saveNote, upsertAssets } from '../generated/hey-api/sdk.gen.js';
import type { ItemsPageDto, RowErrorDto, SaveNoteDto, UpsertAssetsErrors } from '../generated/hey-api/types.gen.js';
import {
  COLUMNS,
  FILTER,
  INVALID_ROWS,
  PICTURE,
  requireData,
  requireEnvelope,
  type Result,
  type RowProblem,
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

  // This generator has the type of JSON where an operation accepts JSON and forms; a form is sent by its serializer.
  const form = { projectId, title: 'With a picture', files: [new File([PICTURE], 'leak.png', { type: 'image/png' })] };
  const note = await saveNote({
    ...formDataBodySerializer,
    headers: { 'Content-Type': null },
    body: form as unknown as SaveNoteDto,
  });
  const files = (requireData(note.data, note.error).data.files ?? []).map(({ filename }) => filename);

  const wrong = await upsertAssets({ path, body: { assets: [{ name: table, items: INVALID_ROWS }] } });
  const { error } = wrong;
  // Narrows to the error of this status, whose rows have codes.
  const rows = error?.error === 'invalid_rows' ? (error as UpsertAssetsErrors[422]).details?.errors : undefined;
  return { created, keys, pages, files, error: error?.error, rowErrors: (rows ?? []).map(describe) };
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
