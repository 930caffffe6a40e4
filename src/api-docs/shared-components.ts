import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import {
  findSchemaName,
  NAME_EXTENSION,
  type Operation,
  operationsById,
  type Parameter,
  type Response,
  type Schema,
  toPascalCase,
} from './operations.js';

/** One occurrence of an object that the document may contain several times. */
interface Use {
  value: object;
  /** The name of the component unless another one has it. */
  name: string;
  /** The phrase of the status of a response. */
  phrase?: string;
  operation: Operation;
  replace: (reference: never) => void;
}

/** Characters of a description from which a reference is easier to read than a repetition. */
const MIN_SHARED_LENGTH = 70;

/** Moves every header, parameter and response that occurs more than once to `components`. */
export function shareComponents(document: OpenAPIObject): void {
  const operations = operationsById(document);
  referToParameters(
    document,
    operations.flatMap(({ parameters = [] }) => parameters),
  );
  share(document, 'parameters', operations.flatMap(parametersOf));
  share(document, 'headers', operations.flatMap(headersOf));
  const responses = operations.flatMap(responsesOf);
  share(document, 'responses', responses);
  for (const { value } of responses) delete (value as Response)[NAME_EXTENSION];
}

/** A body that has the fields of a query refers to the parameters, whose descriptions are long. */
function referToParameters({ components }: OpenAPIObject, parameters: readonly Parameter[]): void {
  // A body has its examples in properties.
  const withoutExample = (text = '') => text.replace(/ Example: `.*`\.$/, '');
  const described = new Set(parameters.map(({ name, description }) => `${name}: ${withoutExample(description)}`));
  for (const { properties = {} } of Object.values(components!.schemas as Record<string, Schema>))
    for (const [name, property] of Object.entries(properties)) {
      const { description = '' } = property as { description?: string };
      if (description.length < MIN_SHARED_LENGTH || !described.has(`${name}: ${description}`)) continue;
      Object.assign(property, { description: 'As the query parameter.' });
    }
}

function parametersOf(operation: Operation): Use[] {
  const { parameters = [] } = operation;
  return parameters.map((value, index) => ({
    value,
    name: toPascalCase(value.name),
    operation,
    replace: (reference) => (parameters[index] = reference),
  }));
}

function headersOf(operation: Operation): Use[] {
  return Object.values(operation.responses).flatMap(({ headers = {} }) =>
    Object.entries(headers).map(([name, value]) => ({
      value,
      name: toPascalCase(name),
      operation,
      replace: (reference: never) => (headers[name] = reference),
    })),
  );
}

function responsesOf(operation: Operation): Use[] {
  const { responses } = operation;
  return Object.entries(responses)
    .filter(([, response]) => !('$ref' in response))
    .map(([status, value]) => ({
      value,
      name: value[NAME_EXTENSION] ?? findSchemaName(value) ?? toPascalCase(STATUS_CODES[status]!),
      phrase: toPascalCase(STATUS_CODES[status] ?? ''),
      operation,
      replace: (reference) => (responses[status] = reference),
    }));
}

function share(document: OpenAPIObject, kind: 'headers' | 'parameters' | 'responses', uses: Use[]): void {
  const components: Record<string, object> = { ...document.components![kind] };
  for (const group of groupEqual(uses)) {
    if (group.length === 1) continue;
    const name = namesOf(group).find((each) => !Object.hasOwn(components, each));
    if (name === undefined) throw new Error(`The names of ${group[0]!.name} are in use.`);
    components[name] = group[0]!.value;
    for (const { replace } of group) replace({ $ref: `#/components/${kind}/${name}` } as never);
  }
  const sorted = Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1));
  document.components![kind] = Object.fromEntries(sorted) as Record<string, never>;
}

/** The most frequent object is the first one, and has the shortest name. Others are in the order of their contents. */
function groupEqual(uses: Use[]): Use[][] {
  const groups = new Map<string, Use[]>();
  for (const use of uses) {
    const key = toKey(use.value);
    groups.set(key, [...(groups.get(key) ?? []), use]);
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, group]) => group)
    .sort((a, b) => b.length - a.length);
}

/** Equal for equal objects, regardless of the order of their properties. */
function toKey(value: object): string {
  return JSON.stringify(value, (_, each: unknown) =>
    each !== null && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

/** Possible names of a component: its own, or with what its operations have in common before it. */
function namesOf(uses: Use[]): string[] {
  const [{ name, phrase, operation, value }] = uses as [Use];
  const { in: location = '' } = value as { in?: string };
  const prefixes = [
    commonName(uses, ({ tags = [] }) => tags[0]!),
    commonName(uses, ({ operationId }) => /^[a-z]+/.exec(operationId)![0]),
    toPascalCase(location),
    phrase,
    toPascalCase(operation.operationId),
  ];
  return [name, ...prefixes.flatMap((prefix) => (prefix ? prefix + name : []))];
}

/** The name if all operations have it, else empty. */
function commonName(uses: Use[], nameOf: (operation: Operation) => string): string {
  const [first, ...others] = new Set(uses.map(({ operation }) => nameOf(operation)));
  return others.length === 0 ? toPascalCase(first!) : '';
}
