import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './service.js';

const SHARED = /^#\/components\/(headers|parameters|responses)\//;

/** What an operation may have from its path or the document. */
interface Inherited {
  parameters?: object[];
  security?: object[];
}

type Resolved = Inherited & { paths: Record<string, Inherited> };

/** The committed document as text. */
export const readDocument = (): string => readFileSync(join(ROOT, 'openapi.json'), 'utf8');

/** The committed document, resolved. */
export function loadDocument<T>(): T {
  return resolveShared(JSON.parse(readDocument())) as T;
}

/**
 * The document with shared headers, parameters and responses in every operation that has them: those that it refers to,
 * the parameters of its path, and the security of the document. References to schemas remain.
 */
export function resolveShared(document: unknown): unknown {
  const resolve = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(resolve);
    if (node === null || typeof node !== 'object') return node;
    const { $ref } = node as { $ref?: unknown };
    if (typeof $ref === 'string' && SHARED.test($ref)) return resolve(findComponent(document, $ref));
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolve(value)]));
  };
  const resolved = resolve(document) as Resolved;
  for (const [path, { parameters = [], ...methods }] of Object.entries(resolved.paths)) {
    for (const operation of Object.values(methods) as Inherited[])
      Object.assign(operation, {
        parameters: [...parameters, ...(operation.parameters ?? [])],
        security: operation.security ?? resolved.security,
      });
    resolved.paths[path] = methods;
  }
  return resolved;
}

/** The component that a reference names. */
export function findComponent(document: unknown, reference: string): unknown {
  const [, ...path] = reference.split('/');
  return path.reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], document);
}

/** The role that an operation needs in the workspace, by its description; every member is a reader. */
export function findRole({ description = '' }: { description?: string }): string | undefined {
  return /Role: `(\w+)`\./.exec(description)?.[1] ?? (description.includes('Scope: ') ? 'reader' : undefined);
}

interface ErrorSchema {
  properties?: { error?: { enum?: string[] } };
  /** The other alternative is a response to a form of OAuth 2.0, or of OData. */
  anyOf?: ErrorSchema[];
}

/** The codes that an operation declares for a status; empty if it does not declare the status. */
export function findCodes(responses: Record<string, object>, status: number | string): string[] {
  const response: { content?: Record<string, { schema?: ErrorSchema }> } | undefined = responses[status];
  const { schema } = response?.content?.['application/json'] ?? {};
  const own = schema?.anyOf?.[0] ?? schema;
  return own?.properties?.error?.enum ?? [];
}
