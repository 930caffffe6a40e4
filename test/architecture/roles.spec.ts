import { expectNone } from '../support/for-each.js';
import { findCodes, findRole, loadDocument } from '../support/openapi.js';

interface Operation {
  description: string;
  responses: Record<string, object>;
}

/** Done by owners: members, API keys, subscriptions, approvals, settings of the workspace, and permanent deletion. */
const OWNER = [
  /^POST \/v1\/api\/users(\/bulk|\/\{id\}\/restore)?$/,
  /^(PATCH|DELETE) \/v1\/api\/users\/\{id\}$/,
  /^PATCH \/v1\/api\/workspaces\/\{id\}$/,
  /^PUT \/v2\/api\/workspaces\/\{workspaceId\}\/note-(?:statuses|fields|types)$/,
  /^\w+ \/v2\/api\/workspaces\/\{workspaceId\}\/(access-policies|api-keys|audit|clients|subscriptions)(\/|$)/,
  /^POST \/v2\/api\/workspaces\/\{workspaceId\}\/cw\/proposals\/\{id\}\/(approve|reject)$/,
  /^DELETE \/v2\/api\/workspaces\/\{workspaceId\}\/cw\/\{entity\}\/\{table\}(\/columns\/\{key\})?$/,
];

/** Reads that need a body. */
const READS = [/\/items\/query$/, /\/aggregate\/query$/, /\/items\/compare$/, /\/\$query$/];

/** Readers do for themselves what only editors do for others. */
const OWN = [/\/notes\/\{id\}\/watchers$/];

/** Act for a user, whatever its memberships, or for anonymous callers. */
const WITHOUT_ROLE = [
  / \/v1\/api\/(oauth2|sessions|users\/me)(\/|$)/,
  / \/v1\/public\//,
  / \/(health|metrics|\.well-known)(\/|$)/,
];

const matches = (patterns: readonly RegExp[], name: string) => patterns.some((pattern) => pattern.test(name));

function expectedRole(name: string): string | undefined {
  if (matches(WITHOUT_ROLE, name)) return undefined;
  if (matches(OWNER, name)) return 'owner';
  return name.startsWith('GET ') || matches([...READS, ...OWN], name) ? 'reader' : 'editor';
}

describe('the role of an operation', () => {
  const document = loadDocument<{ paths: Record<string, Record<string, Operation>> }>();
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );

  it('follows from what it does: owners administrate, editors write, readers read', () => {
    const differing = operations.filter(({ name, operation }) => findRole(operation) !== expectedRole(name));
    expect(operations.length).toBeGreaterThan(100);
    expectNone(
      differing.map(
        ({ name, operation }) => `${name}: ${findRole(operation) ?? 'no role'}, not ${expectedRole(name) ?? 'a role'}`,
      ),
      'Write the role as the second argument of @RequireScope(), or in `roles` of defineRecordRoutes(). If the operation ' +
        'administrates a workspace or reads with a body, add its path to OWNER or READS of this test.',
    );
  });

  it('is documented with its error, unless every member has it', () => {
    const undocumented = operations.filter(({ name, operation: { description, responses } }) => {
      const role = expectedRole(name);
      const isDocumented = role !== undefined && role !== 'reader';
      const documented = /Role: `(\w+)`\./.exec(description)?.[1];
      const hasError = findCodes(responses, 403).includes('insufficient_role');
      return documented !== (isDocumented ? role : undefined) || hasError !== (isDocumented || matches(OWN, name));
    });
    expectNone(
      undocumented.map(({ name }) => name),
      'Declare scope and role by a decorator of require-scope.decorator.ts: it documents both.',
    );
  });
});
