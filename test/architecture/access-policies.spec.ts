import { loadDocument } from '../support/openapi.js';

interface Operation {
  'x-role'?: string;
  'x-access-policies'?: string;
}

const WORKSPACE = '/v2/api/workspaces/{workspaceId}';
const TABLE = `${WORKSPACE}/cw/{entity}/{table}`;

/** Operations that reject callers with an access policy, with the reason. A new one needs a decision of its own. */
const REJECTING: Readonly<Record<string, string>> = {
  [`GET ${WORKSPACE}/events`]: 'Events contain keys, numbers and names of all tables.',
  'GET /v1/api/analytics/overview': 'Analytics count the rows of all tables.',
  'GET /v1/api/analytics/notes': 'Analytics count notes by their locations.',
  'GET /v1/api/analytics/tours': 'Analytics count tags by their rows.',
  'GET /v1/api/analytics/tables': 'Analytics count the rows of all tables.',
  [`GET ${WORKSPACE}/cw/batches`]: 'Batches contain the changes of all callers.',
  [`GET ${WORKSPACE}/cw/batches/{id}`]: 'Batches contain the changes of all callers.',
  [`POST ${WORKSPACE}/cw/batches/{id}/undo`]: 'An undo restores rows of all callers.',
  [`GET ${WORKSPACE}/cw/imports`]: 'The list contains the files and errors of all callers.',
  [`GET ${WORKSPACE}/cw/imports/{id}`]: 'The record may be that of another caller, with rejected rows.',
  [`GET ${WORKSPACE}/cw/imports/{id}/errors`]: 'The errors contain rejected rows, also those of other callers.',
  [`DELETE ${WORKSPACE}/cw/imports/{id}`]: 'The import may be that of another caller.',
  [`GET ${WORKSPACE}/cw/proposals`]: 'Proposals contain the changes of all callers.',
  [`GET ${WORKSPACE}/cw/proposals/{id}`]: 'Proposals contain the changes of all callers.',
  [`GET ${WORKSPACE}/cw/proposals/{id}/differences`]: 'Proposals contain the changes of all callers.',
  [`POST ${WORKSPACE}/cw/proposals/{id}/compare`]: 'Proposals contain the changes of all callers.',
  [`PUT ${TABLE}`]: 'Definitions are not restricted by policies.',
  [`PUT ${TABLE}/indexes/{columns}`]: 'Definitions are not restricted by policies.',
  [`DELETE ${TABLE}/indexes/{columns}`]: 'Definitions are not restricted by policies.',
};

describe('an operation and access policies', () => {
  const { paths } = loadDocument<{ paths: Record<string, Record<string, Operation>> }>();
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );
  /** Policies restrict callers with a role in a workspace. A caller with a policy is never an owner. */
  const isRestricted = ({ 'x-role': role }: Operation) => role !== undefined && role !== 'owner';
  const decided = operations.filter(({ operation }) => isRestricted(operation));

  it('obeys them or rejects callers with one, by a decision in this test', () => {
    const rejecting = decided.filter(({ operation }) => operation['x-access-policies'] !== 'obeyed');
    expect(rejecting.map(({ name }) => name).sort()).toEqual(Object.keys(REJECTING).sort());
  });

  it('obeys them if it is about rows', () => {
    const rows = decided.filter(({ name }) =>
      /\/items?(\/|$)|\/(export|unresolved|violations|changes)$|\/bulk$/.test(name),
    );
    const forgetting = rows.filter(({ operation }) => operation['x-access-policies'] !== 'obeyed');
    expect([rows.length > 20, forgetting.map(({ name }) => name)]).toEqual([true, []]);
  });
});
