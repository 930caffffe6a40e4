import { loadDocument } from '../support/openapi.js';

interface Operation {
  'x-role'?: string;
  'x-access-policies'?: true;
}

const WORKSPACE = '/v2/api/workspaces/{workspaceId}';
const TABLE = `${WORKSPACE}/cw/{entity}/{table}`;

/** Operations that reject callers with an access policy, with the reason. A new one needs a decision of its own. */
const REJECTING: Readonly<Record<string, string>> = {
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
    const rejecting = decided.filter(({ operation }) => !operation['x-access-policies']);
    expect(rejecting.map(({ name }) => name).sort()).toEqual(Object.keys(REJECTING).sort());
  });

  it('obeys them if it is about rows', () => {
    const rows = decided.filter(({ name }) =>
      /\/items?(\/|$)|\/(export|unresolved|violations|changes|differences|restore|undo)$|\/bulk$/.test(name),
    );
    const forgetting = rows.filter(({ operation }) => !operation['x-access-policies']);
    expect([rows.length > 20, forgetting.map(({ name }) => name)]).toEqual([true, []]);
  });
});
