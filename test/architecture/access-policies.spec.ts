import { expectNone } from '../support/for-each.js';
import { findCodes, findRole, loadDocument } from '../support/openapi.js';

interface Operation {
  description: string;
  'x-access-policies'?: false;
  responses: Record<string, object>;
}

/** Operations on rows of workspace tables; others of these paths are about definitions. */
const ABOUT_ROWS =
  /\/odata\/|\/cw\/(.*\/)?(items?(\/.*)?|export|unresolved|violations|changes|differences|compare|import|aggregate(\/query)?|restore|undo|bulk)$/;

describe('an operation and access policies', () => {
  const document = loadDocument<{ paths: Record<string, Record<string, Operation>> }>();
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );
  /** Policies restrict callers with a role in a workspace. A caller with a policy is never an owner. */
  const isRestricted = (operation: Operation) => ![undefined, 'owner'].includes(findRole(operation));
  const decided = operations.filter(({ operation }) => isRestricted(operation));
  const obeys = ({ 'x-access-policies': policies }: Operation) => policies !== false;

  it('obeys them or rejects callers with one, as its decorator states', () => {
    const rejects = ({ responses }: Operation) => findCodes(responses, 403).includes('policy_denied');
    const undecided = decided.filter(({ operation }) => !obeys(operation) && !rejects(operation));
    expect(decided.length).toBeGreaterThan(100);
    expectNone(
      undecided.map(({ name }) => name),
      'Write one of both above the route or its controller: @RejectsPolicies() if policies do not restrict the records, ' +
        '@ObeysPolicies() if the route returns and changes only what they permit ' +
        '(docs/how-to/extending.md#decide-about-access-policies).',
    );
  });

  it('obeys them if it is about rows', () => {
    const rows = decided.filter(({ name }) => ABOUT_ROWS.test(name));
    expect(rows.length).toBeGreaterThan(20);
    expectNone(
      rows.filter(({ operation }) => !obeys(operation)).map(({ name }) => name),
      'Write @ObeysPolicies() above the route, and read and write rows only by the services of workspace-tables, which ' +
        'apply the policies of the caller (docs/how-to/extending.md#decide-about-access-policies).',
    );
  });
});
