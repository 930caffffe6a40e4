import createClient from 'openapi-fetch';
import type { components, paths } from '../generated/schema.js';
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
  const client = createClient<paths>({ baseUrl });
  const signedIn = await client.POST('/v1/api/oauth2/token', {
    body: { grant_type: 'password', client_id: clientId, client_secret: clientSecret },
  });
  const token = requireEnvelope(requireData(signedIn.data, signedIn.error)).data.access_token;
  client.use({
    onRequest({ request }) {
      request.headers.set('Authorization', `Bearer ${token}`);
    },
  });

  const path = { workspaceId };
  const bulk = await client.POST('/v2/api/workspaces/{workspaceId}/cw/assets/bulk', {
    params: { path },
    body: { assets: [{ name: table, columns: COLUMNS, items: ROWS }] },
  });
  const created = requireData(bulk.data, bulk.error).data.totals.created;

  const keys: string[] = [];
  let pages = 0;
  for (let cursor: string | null | undefined; cursor !== null; pages++) {
    const page = await client.GET('/v2/api/workspaces/{workspaceId}/cw/assets/{table}/items', {
      params: { path: { workspaceId, table }, query: { filter: FILTER, limit: 2, cursor } },
    });
    const { items, nextCursor } = requireData(page.data, page.error).data;
    keys.push(...items.map((item) => String(item['key'])));
    cursor = nextCursor;
  }

  const note = await client.POST('/v1/api/notes', {
    body: { projectId, title: 'With a picture', files: [] },
    bodySerializer({ projectId: project, title }) {
      const form = new FormData();
      form.set('projectId', String(project));
      form.set('title', String(title));
      form.append('files', new Blob([PICTURE], { type: 'image/png' }), 'leak.png');
      return form;
    },
  });
  const files = (requireData(note.data, note.error).data.files ?? []).map(({ filename }) => filename);

  const { error } = await client.POST('/v2/api/workspaces/{workspaceId}/cw/assets/bulk', {
    params: { path },
    body: { assets: [{ name: table, items: INVALID_ROWS }] },
  });
  // Narrows to the error of this status, whose rows have codes.
  const rows = error?.error === 'invalid_rows' ? error.details?.errors : undefined;
  return { created, keys, pages, files, error: error?.error, rowErrors: (rows ?? []).map(describe) };
}

/** The code of an error determines its fields. */
function describe(error: components['schemas']['RowErrorDto']): RowProblem {
  switch (error.code) {
    case 'type_mismatch':
      return [error.code, error.index, error.column];
    case 'duplicate_in_batch':
      return [error.code, error.index, error.otherIndex];
    default:
      return [error.code];
  }
}
