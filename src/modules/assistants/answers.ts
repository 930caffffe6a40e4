import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { type DomainError, InvalidRequestError, unknownField } from '../../../packages/errors/src/domain-error.js';
import { answerTooLargeError, REMEDIES } from './assistants.errors.js';
import type { Tool } from './tool.js';

/** Bytes of the JSON of an answer: what a model reads. */
export const MAX_ANSWER_BYTES = 64 * 1024;

/** Entries of an answer: rows, groups and tables; and all others. */
export const MAX_ROWS = 200;
export const MAX_LISTED = 50;

/** Characters of a text of an answer, and of the answer with a single row or note. The rest is cut. */
export const MAX_CELL_LENGTH = 500;
export const MAX_TEXT_LENGTH = 8_000;

/** Characters to which texts of an answer with several entries are cut if it is too large. */
export const MIN_CELL_LENGTH = 125;

/** Errors of an answer; its `total` counts all. */
const MAX_ERRORS = 20;

/** Cuts texts further until the answer fits. @param limit of the entries. @throws {DomainError} `answer_too_large` */
export function toResult(answer: object, { maxTextLength: max = MAX_CELL_LENGTH, input }: Tool, limit = 1) {
  const minLength = limit > 1 ? MIN_CELL_LENGTH : 4;
  for (let maxLength = max; ; maxLength = Math.floor(maxLength / 2)) {
    const structuredContent = cutTexts(answer, maxLength) as Record<string, unknown>;
    // Clients of former revisions of the protocol read only the text.
    const text = JSON.stringify(structuredContent);
    const bytes = Buffer.byteLength(text);
    if (bytes <= MAX_ANSWER_BYTES) return { content: [{ type: 'text' as const, text }], structuredContent };
    if (maxLength < 2 * minLength) throw answerTooLargeError(MAX_ANSWER_BYTES, bytes, Object.keys(input.shape));
  }
}

/** An error that the model can correct. Its text is JSON, because `structuredContent` has the schema of successes. */
export function toErrorResult({ code, message, remedy, details }: DomainError): CallToolResult {
  const listed = details?.errors ? { ...details, errors: details.errors.slice(0, MAX_ERRORS) } : details;
  const text = JSON.stringify({ error: code, message, remedy: REMEDIES.get(code) ?? remedy, details: listed });
  return { content: [{ type: 'text', text }], isError: true };
}

/** @throws {InvalidRequestError} with all errors of the arguments. */
export function parseArguments(input: z.ZodObject, sent: unknown): { workspaceId?: string; limit?: number } {
  const { success, data, error } = input.safeParse(sent);
  if (success) return data;
  const known = Object.keys(input.shape).join(', ');
  const errors = error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map(unknownField).map((each) => ({ ...each, message: `${each.message} Known: ${known}.` }));
    const field = z.core.toDotPath(issue.path).slice(0, 200);
    return [{ field, code: 'invalid_field', message: `${field}: ${issue.message}` }];
  });
  throw new InvalidRequestError(errors);
}

/** A value of JSON whose longer texts are cut, with a mark. Cursors remain. */
function cutTexts(value: unknown, maxLength: number): unknown {
  if (typeof value === 'string' && value.length > maxLength)
    return `${value.slice(0, maxLength).toWellFormed()}… [cut; the text has ${value.length} characters]`;
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map((each) => cutTexts(each, maxLength));
  const cut = ([name, each]: [string, unknown]) => [name, name === 'nextCursor' ? each : cutTexts(each, maxLength)];
  return Object.fromEntries(Object.entries(value).map(cut) as [string, unknown][]);
}
