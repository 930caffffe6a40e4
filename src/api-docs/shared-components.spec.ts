import type { OpenAPIObject } from '@nestjs/swagger';
import { type ErrorDefinition, defineErrors, createSection } from '../../packages/errors/src/error-definition.js';
import { ERROR_EXTENSION } from '../platform/http/error.dto.js';
import { describeErrors } from './error-responses.js';
import type { Operation } from './operations.js';
import { shareComponents } from './shared-components.js';

const TEXTS = { message: 'It is.', meaning: 'It is.', remedy: 'Wait.' };
const ERRORS = defineErrors(createSection('Things', 'things'), {
  insufficient_scope: { kind: 'forbidden', ...TEXTS },
  insufficient_role: { kind: 'forbidden', ...TEXTS },
  policy_denied: { kind: 'forbidden', ...TEXTS },
  archived: { kind: 'conflict', ...TEXTS },
  external_id_taken: { kind: 'conflict', ...TEXTS },
  parent_immutable: { kind: 'conflict', ...TEXTS },
  painted: { kind: 'conflict', ...TEXTS },
});
const { insufficient_scope, insufficient_role, policy_denied, painted, ...record } = ERRORS;

/** Routes of a module. Only lamps have an error of their own. */
function listOperations(tag: string): Operation[] {
  const declare = (operationId: string, errors: ErrorDefinition[], sort?: string): Operation => ({
    operationId,
    tags: [tag],
    parameters: sort === undefined ? [] : [{ name: 'sort', in: 'query', schema: { enum: [sort] } }],
    responses: {},
    ...Object.fromEntries(errors.map((error, position) => [`${ERROR_EXTENSION}${position}`, error])),
  });
  const restricted = [insufficient_scope, insufficient_role, policy_denied];
  return [
    declare(`list${tag}`, [insufficient_scope], 'createdAt'),
    declare(`find${tag}`, [insufficient_scope, insufficient_role], 'name'),
    declare(`change${tag}`, [...restricted, ...Object.values(record)]),
    declare(`get${tag}`, restricted),
    ...(tag === 'Lamps' ? [declare('paintLamps', [painted, ...Object.values(record)])] : []),
  ];
}

function describe(...tags: string[]) {
  const paths = Object.fromEntries(
    tags.flatMap(listOperations).map((operation) => [`/${operation.operationId}`, { get: operation }]),
  );
  const document = { paths, components: { schemas: {}, parameters: {}, headers: {}, responses: {} } };
  describeErrors(document as unknown as OpenAPIObject);
  shareComponents(document as unknown as OpenAPIObject);
  return document;
}

it('names components alike in every order of the modules', () => {
  expect(describe('Walls', 'Lamps', 'Beams')).toEqual(describe('Beams', 'Walls', 'Lamps'));
});

it('leaves the names of components if a module is added whose routes have the same errors', () => {
  const { components } = describe('Walls', 'Lamps');
  expect(Object.keys(components.responses)).toContain('PolicyForbidden');
  expect(describe('Arches', 'Walls', 'Lamps').components).toMatchObject(components);
});
