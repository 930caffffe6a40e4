import { loadDocument } from '../support/openapi.js';

interface Operation {
  description: string;
  'x-role'?: string;
  responses: Record<string, unknown>;
}

/** Done by owners: members, API keys, subscriptions, approvals, settings of the workspace, and permanent deletion. */
const OWNER = [
  /^POST \/v1\/api\/users(\/bulk|\/\{id\}\/restore)?$/,
  /^(PATCH|DELETE) \/v1\/api\/users\/\{id\}$/,
  /^PATCH \/v1\/api\/workspaces\/\{id\}$/,
  /^PUT \/v2\/api\/workspaces\/\{workspaceId\}\/note-statuses$/,
  /^\w+ \/v2\/api\/workspaces\/\{workspaceId\}\/(access-policies|api-keys|audit|clients|subscriptions)(\/|$)/,
  /^POST \/v2\/api\/workspaces\/\{workspaceId\}\/cw\/proposals\/\{id\}\/(approve|reject)$/,
  /^DELETE \/v2\/api\/workspaces\/\{workspaceId\}\/cw\/\{entity\}\/\{table\}(\/columns\/\{key\})?$/,
];

/** Reads that need a body. */
const READS = [/\/items\/query$/, /\/aggregate\/query$/, /\/items\/compare$/, /\/\$query$/];

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
  return name.startsWith('GET ') || matches(READS, name) ? 'reader' : 'editor';
}

describe('the role of an operation', () => {
  const { paths, components } = loadDocument<{
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, object> };
  }>();
  const hasError = ({ responses }: Operation) => {
    const [, schema] = /schemas\/(\w+)/.exec(JSON.stringify(responses['403'] ?? {})) ?? [];
    return schema !== undefined && JSON.stringify(components.schemas[schema]).includes('"insufficient_role"');
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );

  it('follows from what it does: owners administrate, editors write, readers read', () => {
    const declared = operations.map(({ name, operation }) => [name, operation['x-role']]);
    expect(declared).toEqual(operations.map(({ name }) => [name, expectedRole(name)]));
  });

  it('is documented with its error, unless every member has it', () => {
    const documented = operations.map(({ name, operation }) => ({
      name,
      role: /Role: `(\w+)`\./.exec(operation.description)?.[1],
      hasError: hasError(operation),
    }));
    const expected = operations.map(({ name }) => {
      const role = expectedRole(name);
      const isDocumented = role !== undefined && role !== 'reader';
      return { name, role: isDocumented ? role : undefined, hasError: isDocumented };
    });
    expect(documented).toEqual(expected);
  });
});
