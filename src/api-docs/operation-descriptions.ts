import type { OpenAPIObject } from '@nestjs/swagger';
import { formatCount } from '../platform/config/limits.js';
import { type ApiGroup, GROUP_EXTENSION } from '../platform/http/api-group.decorator.js';
import { RESPONSE_TTL_S } from '../platform/http/idempotency/idempotency-keys.repository.js';
import { NO_IDEMPOTENCY_KEY_EXTENSION } from '../platform/http/idempotency/no-idempotency-key.decorator.js';
import { POLICIES_EXTENSION } from '../platform/security/obeys-policies.decorator.js';
import { OAUTH2_SCHEME, ROLE_EXTENSION } from '../platform/security/require-scope.decorator.js';
import type { Operation, Parameter } from './operations.js';
import { findCollection, nameRecord } from './record-names.js';

const WORKSPACE_DESCRIPTION = "One of the caller's workspaces.";

const WORKSPACE_PARAMETER = {
  name: 'workspaceId',
  required: true,
  in: 'path',
  description: WORKSPACE_DESCRIPTION,
  schema: { format: 'uuid', type: 'string' },
};

const IDEMPOTENCY_KEY = 'Idempotency-Key';

const IDEMPOTENCY_PARAMETER = {
  name: IDEMPOTENCY_KEY,
  in: 'header',
  description:
    `Unique per request, such as a UUID. A repetition within ${formatCount(RESPONSE_TTL_S / 3_600, 'hours')} ` +
    'has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key is free.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
};

/**
 * Describes what each operation belongs to and what its request contains: the group, credentials with their scopes and
 * role, and parameters. A handler with several paths has one operation, that of its first path.
 *
 * @param order names of groups; those that are not listed are before the last one.
 * @param publicUrl the address of the guides
 */
export function describeOperations(document: OpenAPIObject, order: readonly string[], publicUrl: string): void {
  const groups = new Map<string, ApiGroup>();
  const documented = new Set<string>();
  for (const [path, methods] of Object.entries(document.paths) as [string, Record<string, Operation>][]) {
    for (const [method, operation] of Object.entries(methods)) {
      if (documented.has(operation.operationId)) {
        delete methods[method];
        continue;
      }
      documented.add(operation.operationId);
      const group = operation[GROUP_EXTENSION] as ApiGroup | undefined;
      if (group) groups.set(group.name, group);
      describeCredentials(operation);
      operation.parameters = listParameters(path, method, operation);
      for (const parameter of operation.parameters) {
        if (parameter.in === 'path') describeId(path, parameter);
        if (parameter.in === 'query') describeValue(parameter);
        if (!parameter.required) describeExample(parameter);
      }
      delete operation[GROUP_EXTENSION];
      delete operation[NO_IDEMPOTENCY_KEY_EXTENSION];
    }
    if (Object.keys(methods).length === 0) delete document.paths[path];
  }
  const rank = ({ name }: ApiGroup) => (order.includes(name) ? order.indexOf(name) : order.length - 1.5);
  document.tags = [...groups.values()]
    .sort((one, other) => rank(one) - rank(other))
    .map(({ name, description, guide }) => ({
      name,
      description,
      externalDocs: { url: `${publicUrl}/guide/${guide}` },
    }));
}

export function acceptsIdempotencyKey({ parameters = [] }: Operation): boolean {
  return parameters.some(({ name }) => name === IDEMPOTENCY_KEY);
}

/**
 * States the scopes in the description, for Bearer tokens and API keys, too: only the requirements of an OAuth 2 scheme
 * may contain scopes that tools know. States the role, too, unless every member has it. A route without credentials has
 * the empty requirement, and one that rejects callers with an access policy an extension.
 */
function describeCredentials(operation: Operation): void {
  const { security = [], summary = '', description = '' } = operation;
  const scopes = [...new Set(security.flatMap((requirement) => Object.values(requirement).flat()))];
  const names = scopes.map((scope) => `\`${scope}\``).join(' or ');
  const needed = names ? `Scope: ${names}.` : security.length === 0 ? 'Needs no credentials.' : '';
  const { [ROLE_EXTENSION]: role, [POLICIES_EXTENSION]: obeysPolicies } = operation;
  delete operation[ROLE_EXTENSION];
  delete operation[POLICIES_EXTENSION];
  // Policies restrict callers with a role, but no owners.
  if (typeof role === 'string' && role !== 'owner' && !obeysPolicies) operation[POLICIES_EXTENSION] = false;
  const neededRole = typeof role === 'string' && role !== 'reader' ? `Role: \`${role}\`. ` : '';
  const requirements = security.map((requirement) =>
    Object.fromEntries(
      Object.entries(requirement).map(([scheme, required]) => [scheme, scheme === OAUTH2_SCHEME ? required : []]),
    ),
  );
  // The alternatives of an operation with several scopes differ only in the scopes.
  operation.security = requirements.filter(
    (each, index) => requirements.findIndex((other) => JSON.stringify(other) === JSON.stringify(each)) === index,
  );
  operation.description = [description, neededRole + needed].filter(Boolean).join('\n\n') || `${summary}.`;
}

/** Those of the decorators, and those that all operations with such a path or method have. */
function listParameters(path: string, method: string, operation: Operation): Parameter[] {
  const { parameters = [], [NO_IDEMPOTENCY_KEY_EXTENSION]: hasNoKey } = operation;
  const isWorkspace = ({ name, in: location }: Parameter) => name === 'workspaceId' && location === 'path';
  return [
    ...(path.includes('{workspaceId}') ? [WORKSPACE_PARAMETER] : []),
    ...parameters.filter((parameter) => !isWorkspace(parameter)),
    ...(method === 'post' && !hasNoKey ? [IDEMPOTENCY_PARAMETER] : []),
  ];
}

/** Describes an ID that no decorator describes. It is a UUID, or a number. */
function describeId(path: string, parameter: Parameter): void {
  const { name, schema, description } = parameter;
  const collection = findCollection(path, name);
  const isOfWorkspace = !collection && path.includes(`/workspaces/{${name}}`);
  if (description !== undefined || (!collection && !isOfWorkspace)) return;
  parameter.description = collection ? `The ID of the ${nameRecord(collection)}.` : WORKSPACE_DESCRIPTION;
  if (schema?.type === 'string') parameter.schema = { format: 'uuid', type: 'string' };
}

/** A query contains neither null nor properties of an object, which the class of the parameter may have. */
function describeValue(parameter: Parameter): void {
  const { additionalProperties: _, ...schema } = parameter.schema ?? {};
  if (Array.isArray(schema.type)) schema.type = schema.type.find((each) => each !== 'null');
  parameter.schema = schema;
}

/**
 * Moves the example of an optional parameter to its description: Swagger UI and other clients would prefill it, so that
 * an unedited request would filter a list or fail with 412.
 */
function describeExample(parameter: Parameter): void {
  const example = parameter.example ?? parameter.schema?.example;
  delete parameter.example;
  // It is the default.
  delete parameter.required;
  if (parameter.schema) {
    parameter.schema = { ...parameter.schema };
    delete parameter.schema.example;
  }
  const { description = '', schema } = parameter;
  const text = toText(example);
  // The schema lists the values of an enumeration.
  if (!text || description.includes(`\`${text}\``) || schema?.items?.enum) return;
  parameter.description = `${description} Example: \`${text}\`.`.trim();
}

/** A list as it is sent, separated by commas. Objects have no short text. */
function toText(example: unknown): string | undefined {
  if (Array.isArray(example)) return example.join(',');
  return typeof example === 'string' || typeof example === 'number' ? String(example) : undefined;
}
