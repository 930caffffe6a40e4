import type { Tool as DescribedTool } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { isStorable } from '../../../packages/tabular/src/normalization.js';
import type { Principal } from '../../platform/security/principal.js';
import type { Role } from '../../platform/security/roles.js';
import type { Scope } from '../../platform/security/scopes.js';

/** A tool of assistants. */
export interface Tool {
  /** Verb and noun. */
  name: string;
  /** One sentence. */
  description: string;
  /** One of them suffices. */
  scopes: readonly Scope[];
  role: Role;
  /** Does it only read? Otherwise the workspace must have the setting `propose`. */
  isReadOnly: boolean;
  /** Characters of a text of its answer. */
  maxTextLength?: number;
  readonly input: z.ZodObject;
  /** As `tools/list` contains it for callers with one workspace. */
  readonly described: DescribedTool;
  /** @param input valid. @returns the answer as JSON. @throws {DomainError} */
  readonly run: (caller: Principal, input: never) => Promise<object>;
}

/** What the tools need that read tables, and those that write to a workspace. */
export const READS = { scopes: ['read:workspaces'], role: 'reader', isReadOnly: true } as const;
export const WRITES = { scopes: ['write:workspaces'], role: 'editor', isReadOnly: false } as const;

/** The optional argument of all tools, which `tools/list` contains only for callers with several workspaces. */
const WORKSPACE = { workspaceId: z.uuid().optional() };

/** By zod, since the protocol needs a JSON Schema. DTOs are not a part of the public API of their modules. */
export function defineTool<Input extends z.ZodRawShape>({
  input,
  output,
  ...definition
}: Omit<Tool, 'input' | 'run' | 'described'> & {
  input: Input;
  output: z.ZodRawShape;
  run: (caller: Principal, input: z.infer<z.ZodObject<Input & typeof WORKSPACE>>) => Promise<object>;
}): Tool {
  const { name, description, isReadOnly } = definition;
  const described = {
    name,
    description,
    inputSchema: toJsonSchema(z.strictObject(input)),
    outputSchema: toJsonSchema(z.looseObject(output)),
    annotations: { readOnlyHint: isReadOnly, destructiveHint: false, idempotentHint: isReadOnly, openWorldHint: false },
  };
  return { ...definition, described, input: z.strictObject({ ...input, ...WORKSPACE }) };
}

/** Without `$schema`: clients validate by draft 7 unless the schema names another. */
function toJsonSchema(schema: z.ZodObject): DescribedTool['inputSchema'] {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' });
  return rest as DescribedTool['inputSchema'];
}

/** A text that can be stored unchanged. */
const STORABLE = z.string().refine(isStorable, 'must not contain U+0000 or half a surrogate pair');
export const text = (maxLength: number, description: string) => STORABLE.max(maxLength).describe(description);

export const names = (description: string) => z.array(z.string().max(255)).max(100).optional().describe(description);

/** Number and position of the entries of an answer. */
export const pageOf = (maximum: number, byDefault: number) => ({
  limit: z.int().min(1).max(maximum).default(byDefault),
  cursor: text(100_000, '`nextCursor` of the previous answer; repeat the other arguments.').optional(),
});

/** A value of a row. */
export const VALUE = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** Objects with at least these texts. */
export const entriesWith = (...required: string[]) =>
  z.array(z.looseObject(Object.fromEntries(required.map((name) => [name, z.string()]))));

/** Null on the last page. */
export const NEXT_CURSOR = { nextCursor: z.string().nullable() };
