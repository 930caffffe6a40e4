import type * as z from 'zod';
import {
  type DomainError,
  type FieldError,
  InvalidRequestError,
  unknownField,
} from '../../../packages/errors/src/domain-error.js';
import { parseJson } from '../../../packages/json/src/json-parser.js';
import { parseStoredJson } from '../../../packages/sql/src/stored-json.js';
import type { StoredValue } from '../../../packages/tabular/src/stored-value.js';
import { AnswerTooLargeError } from './assistants.errors.js';

/** Bytes of the JSON of an answer: what a model reads. */
export const MAX_ANSWER_BYTES = 64 * 1024;

/** Entries of an answer: rows, groups and tables; and all others. */
export const MAX_ROWS = 200;
export const MAX_LISTED = 50;

/** Characters of a text in a list, and of a single row or note. */
export const MAX_CELL_LENGTH = 500;
export const MAX_TEXT_LENGTH = 8_000;

/** Rows that a proposal creates, updates or deletes, and those that its answer names. */
export const MAX_CHANGES = 500;
export const MAX_DIFFERENCES = 20;

/** Errors of an answer; its `total` counts all. */
const MAX_ERRORS = 20;

/** The result of a call, as the protocol defines it. */
export interface ToolResult {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/** @throws {AnswerTooLargeError} */
export function toResult(answer: object): ToolResult {
  // Clients of former revisions of the protocol read only the text.
  const text = JSON.stringify(answer);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_ANSWER_BYTES) throw new AnswerTooLargeError(MAX_ANSWER_BYTES, bytes);
  return { content: [{ type: 'text', text }], structuredContent: answer as Record<string, unknown> };
}

/** An error that the model can correct. Its text is JSON, because `structuredContent` has the schema of successes. */
export function toErrorResult({ code, message, remedy, details }: DomainError): ToolResult {
  const errors = details?.errors?.slice(0, MAX_ERRORS);
  const text = JSON.stringify({ error: code, message, remedy, ...details, errors });
  return { content: [{ type: 'text', text }], isError: true };
}

/** @throws {InvalidRequestError} with all errors of the arguments. */
export function parseArguments(input: z.ZodObject, sent: unknown): unknown {
  const { success, data, error } = input.safeParse(sent);
  if (success) return data;
  const errors = error.issues.flatMap((issue): FieldError[] => {
    if (issue.code !== 'unrecognized_keys') return [toFieldError(issue)];
    const known = Object.keys(input.shape).join(', ');
    return issue.keys.map(unknownField).map((each) => ({ ...each, message: `${each.message} Known: ${known}.` }));
  });
  throw new InvalidRequestError(errors);
}

/** With a field such as `rows[2].weight`. */
function toFieldError({ path, message }: z.core.$ZodIssue): FieldError {
  const parts = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part).slice(0, 100)}`));
  const field = parts.join('').replace(/^\./, '');
  return { field, code: 'invalid_field', message: `${field}: ${message}` };
}

/** A value of JSON whose longer texts are cut, with a mark. */
export function cutTexts<T>(value: T, maxLength: number): T {
  if (typeof value === 'string' && value.length > maxLength)
    return `${value.slice(0, maxLength).toWellFormed()}… [cut; the text has ${value.length} characters]` as T;
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map((each: unknown) => cutTexts(each, maxLength)) as T;
  const entries = Object.entries(value).map(([name, each]: [string, unknown]) => [name, cutTexts(each, maxLength)]);
  return Object.fromEntries(entries) as T;
}

type Row = Record<string, StoredValue>;

/** The rows as arrays. All have the columns of the first. */
export function toTable(rows: readonly Row[]) {
  const columns = Object.keys(rows[0] ?? {});
  return { columns, rows: rows.map((row) => columns.map((column) => cutTexts(row[column] ?? null, MAX_CELL_LENGTH))) };
}

/** Possibly a number with more digits than a double represents. */
const LONG_NUMBER = /[:,[]\s*-?[\d.]{16}/;
const NO_LIMITS = { depth: 32, keys: Infinity, containers: Infinity, values: Infinity, text: Infinity };

/** The rows that PostgreSQL has serialized. Numbers that a double would round become texts. */
export function parseRows(json: string): Row[] {
  const isLong = LONG_NUMBER.test(json);
  return (isLong ? parseJson(json, NO_LIMITS, { exactNumbers: true }) : parseStoredJson(json)) as Row[];
}
