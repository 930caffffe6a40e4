import { createSample, type OpenApiDocument } from '../../clients/cli/src/sample-event.js';
import { findMismatch, type Schema } from '../support/contract/document.js';
import { loadDocument } from '../support/openapi.js';

type Fields = Record<string, any>;

const WORKSPACE = '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3b';

const document = loadDocument<OpenApiDocument>();
const types = Object.keys(document.webhooks);

const sampleOf = (type: string) => createSample(document, type, WORKSPACE) as Fields;
const pathItemOf = (type: string) => {
  const item = document.webhooks[type]!;
  return item.$ref === undefined ? item : document.components.pathItems[item.$ref.split('/').at(-1)!]!;
};
/** The record of an event, such as the note of `note.created`. */
const recordOf = ({ data }: Fields, name: string) => data[name] as Fields;

it.each(types)('%s is a complete event of the workspace, as its schema describes it', (type) => {
  const sample = sampleOf(type);
  const { schema } = pathItemOf(type).post!.requestBody.content['application/json'];
  expect(findMismatch(schema as Schema, sample)).toBeUndefined();
  expect(sample).toMatchObject({ type, workspaceId: WORKSPACE });
});

it.each(types)('%s contains each typical value that its module states', (type) => {
  const isTime = (value: unknown) => value === '2026-01-01T00:00:00Z';
  const typical = JSON.stringify(pathItemOf(type)['x-samples']?.[type] ?? {});
  const withAnyTime = JSON.parse(typical, (_, value) => (isTime(value) ? expect.any(String) : value)) as object;
  expect(sampleOf(type)['data']).toMatchObject(withAnyTime);
});

it.each(types.filter((type) => /^(note|project|tag|tour)\.(?!message|deleted)/.test(type)))(
  '%s has a record that is archived only if the event says so',
  (type) => {
    const [name, change] = type.split('.') as [string, string];
    expect(recordOf(sampleOf(type), name)['archivedAt'] !== null).toBe(change === 'archived');
  },
);

it.each(types.filter((type) => type.startsWith('audit.')))(
  '%s has an entry of its kind, with its result and details',
  (type) => {
    const kind = type.slice('audit.'.length);
    const result = /reject|refuse/.test(kind) ? 'rejected' : kind === 'export_aborted' ? 'aborted' : 'succeeded';
    const { details, ...entry } = recordOf(sampleOf(type), 'entry');
    expect(entry).toMatchObject({ kind, result });
    expect(Object.keys(details)).not.toEqual([]);
  },
);

it.each(types.filter((type) => type.startsWith('import.')))('%s has an import that ended in this way', (type) => {
  const status = type.slice('import.'.length);
  const { error, finishedAt, rowsWritten, ...found } = recordOf(sampleOf(type), 'import');
  expect(found).toMatchObject({ status });
  expect({ hasError: error !== null, isFinished: finishedAt !== null, hasStored: rowsWritten > 0 }).toEqual({
    hasError: status === 'failed',
    isFinished: true,
    hasStored: status === 'succeeded',
  });
});

it.each([
  ['queued', 'queued', { hasError: false, isCompleted: false, hasImages: false }],
  ['completed', 'succeeded', { hasError: false, isCompleted: true, hasImages: true }],
  ['failed', 'failed', { hasError: true, isCompleted: true, hasImages: false }],
  ['cancelled', 'cancelled', { hasError: false, isCompleted: true, hasImages: false }],
])('virtual_staging.%s has a virtual staging with the status %s', (change, status, expected) => {
  const staging = recordOf(sampleOf(`virtual_staging.${change}`), 'virtualStaging');
  const { error, completedAt, variations } = staging;
  expect(staging['status']).toBe(status);
  expect({ hasError: error !== null, isCompleted: completedAt !== null, hasImages: variations.length > 0 }).toEqual(
    expected,
  );
});

it('table.rows_changed names the revisions before and after the change, also in its path', () => {
  const { fromRevision, toRevision, differences } = sampleOf('table.rows_changed')['data'];
  expect(toRevision).toBe(fromRevision + 1);
  expect(differences).toContain(`?from=${fromRevision}&to=${toRevision}`);
});

it('note.updated has the note after its changes', () => {
  const { note, changes } = sampleOf('note.updated')['data'];
  expect(changes).toHaveLength(1);
  for (const { field, to } of changes) expect({ [field]: to }).toEqual({ [field]: note[field] });
  expect(changes[0].from).not.toEqual(changes[0].to);
});
