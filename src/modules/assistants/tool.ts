import type { Tool as DescribedTool } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { isStorable } from '../../../packages/tabular/src/normalization.js';
import type { Principal } from '../../platform/security/principal.js';
import type { Role } from '../../platform/security/roles.js';
import type { Scope } from '../../platform/security/scopes.js';

export interface Tool {
  name: string;
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

/** The beginning of a tool that reads, and of one that writes. */
export const reads = (name: string, description: string) =>
  ({ name, description, scopes: ['read:workspaces'], role: 'reader', isReadOnly: true }) as const;
export const writes = (name: string, description: string) =>
  ({ name, description, scopes: ['write:workspaces'], role: 'editor', isReadOnly: false }) as const;

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

/** The end of a text that `toResult` has cut. */
const CUT = /… \[cut; the text has \d+ characters\]$/;

/** A text that can be stored unchanged, and is whole. */
const STORABLE = z
  .string()
  .refine(isStorable, 'must not contain U+0000 or half a surrogate pair')
  .refine((sent) => !CUT.test(sent), 'was cut in an answer; send the whole text, or omit it');
export const text = (maxLength: number, description: string) => STORABLE.max(maxLength).describe(description);

export const names = (description: string, name = z.string().min(1)) =>
  z.array(name.max(255)).max(100).optional().describe(description);

/** Each entry is one column, group or measure: the services take them separated by commas. */
const TERM = z.string().regex(/^(?!\s*$)[^,]+$/, 'must be one name without commas');
export const terms = (description: string) => names(description, TERM);

/** Number and position of the entries of an answer. */
export const pageOf = (maximum: number, byDefault: number) => ({
  limit: z.int().min(1).max(maximum).default(byDefault),
  cursor: text(100_000, '`nextCursor` of the previous answer; repeat the other arguments.').optional(),
});

/** A value of a row. */
export const VALUE = z.union([STORABLE, z.number(), z.boolean(), z.null()], 'must be a text, number, boolean or null');

/** Objects with at least these texts. */
export const entriesWith = (...required: string[]) =>
  z.array(z.looseObject(Object.fromEntries(required.map((name) => [name, z.string()]))));

/** Null on the last page. */
export const NEXT_CURSOR = { nextCursor: z.string().nullable() };
