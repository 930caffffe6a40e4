import { createReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { DomainError, UnsupportedMediaTypeError } from '../../../../packages/errors/src/domain-error.js';
import { parseJson } from '../../../../packages/json/src/json-parser.js';
import { DTO_LIMITS } from '../../../../packages/json/src/json-structure.js';
import type { ColumnDefinition } from '../../../../packages/tables/src/catalog/column-plan.js';
import {
  ENTITY_BY_PATH,
  type EntityKind,
  type EntityPath,
} from '../../../../packages/tables/src/catalog/entity-kind.js';
import { MAX_REQUEST_TABLES } from '../../../../packages/tables/src/catalog/request-limits.js';
import { MalformedFormError } from '../../../platform/body/body.errors.js';
import { requireCharset } from '../../../platform/body/charset.js';
import { readTransferEncoding } from '../../../platform/body/form-texts.js';
import { MultipartReader, readBoundary, skip } from '../../../platform/body/multipart-reader.js';
import { validateDto } from '../../../platform/http/validation/validation.pipe.js';
import { ImportedColumnsDto } from './dto/imports.dto.js';

/** The part with the columns of tables to create, and columns to add to tables. */
const COLUMNS_PART = 'columns';
const MAX_COLUMNS_BYTES = 1024 * 1024;

/** A part of a form in a file: its headers, and the range of its bytes. */
interface FormPart {
  name: string;
  headers: Readonly<Record<string, string>>;
  start: number;
  /** Behind the last byte. */
  end: number;
}

/** A part with the file of a table. */
export interface TablePart extends FormPart {
  entity: EntityKind;
  /** Name or ID of the table. */
  table: string;
  /** The columns of the table that the part `columns` contains. */
  columns: readonly ColumnDefinition[] | undefined;
}

/**
 * Reads the parts of a form (RFC 7578) that was received into a file, except for the content of the files.
 *
 * @param readTable is called for each file, in their order. @returns what identifies the table.
 * @throws {MalformedFormError | UnsupportedMediaTypeError | InvalidRequestError} and what `readTable` throws.
 */
export async function readImportForm(
  path: string,
  contentType: string,
  readTable: (part: TablePart) => Promise<string>,
): Promise<void> {
  const parts = await readParts(path, contentType);
  const columns = parts[0]?.name === COLUMNS_PART ? await readColumns(path, parts.shift()!) : new Map<string, never>();
  const known = new Set<string>();
  for (const part of parts) {
    const key = await readTable({ ...part, ...parseName(part.name), columns: columns.get(part.name) });
    if (known.has(key)) throw new MalformedFormError(`Two parts are for the table "${part.name}".`, part.name);
    known.add(key);
  }
  if (parts.length === 0) throw new MalformedFormError('The form has no part for a table.');
  for (const name of columns.keys())
    if (!parts.some((part) => part.name === name))
      throw new MalformedFormError(
        `The part "columns" names "${name.slice(0, 100)}", but the form has no part with this name.`,
        COLUMNS_PART,
      );
}

async function readParts(path: string, contentType: string): Promise<FormPart[]> {
  const reader = new MultipartReader(createReadStream(path), readBoundary(contentType), MAX_REQUEST_TABLES + 1);
  const parts: FormPart[] = [];
  for await (const part of reader.parts()) {
    const { name, headers, start, content } = part;
    const encoding = readTransferEncoding(part);
    if (encoding) {
      const message = `The Content-Transfer-Encoding "${encoding}" is not accepted here. Send the file as it is.`;
      throw new UnsupportedMediaTypeError(message);
    }
    await skip(content);
    parts.push({ name, headers: Object.fromEntries(headers), start, end: reader.end });
  }
  return parts;
}

function parseName(name: string): { entity: EntityKind; table: string } {
  const slash = name.indexOf('/');
  const entityPath = name.slice(0, slash);
  if (slash < 0 || !Object.hasOwn(ENTITY_BY_PATH, entityPath))
    throw new MalformedFormError(
      `The part "${name.slice(0, 100)}" must be named {entity}/{table}, such as assets/Equipment.`,
      name,
    );
  return { entity: ENTITY_BY_PATH[entityPath as EntityPath], table: name.slice(slash + 1) };
}

/** Columns by the names of the parts. @throws {MalformedFormError | InvalidRequestError} */
async function readColumns(path: string, part: FormPart): Promise<Map<string, readonly ColumnDefinition[]>> {
  if (part.end - part.start > MAX_COLUMNS_BYTES)
    throw new MalformedFormError('The part "columns" is too large.', COLUMNS_PART);
  const parsed = parseColumns(await readText(path, part));
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new MalformedFormError(
      'The part "columns" must be a JSON object of column lists by the names of parts.',
      COLUMNS_PART,
    );
  const columns = new Map<string, readonly ColumnDefinition[]>();
  for (const [name, list] of Object.entries(parsed)) {
    const table = await validateDto(ImportedColumnsDto, {
      name: name.slice(name.indexOf('/') + 1),
      columns: list as unknown,
    });
    columns.set(name, table.columns);
  }
  return columns;
}

function parseColumns(text: string): unknown {
  try {
    return parseJson(text, DTO_LIMITS);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw new MalformedFormError(`The part "columns" cannot be read as JSON. ${error.message}`, COLUMNS_PART);
  }
}

/** @throws {DomainError} for a charset that is not accepted */
async function readText(path: string, { name, headers, start, end }: FormPart): Promise<string> {
  const charset = requireCharset(headers['content-type'], `the part "${name}"`);
  const bytes = start === end ? Buffer.alloc(0) : await buffer(createReadStream(path, { start, end: end - 1 }));
  const text = charset.decode(bytes);
  if (text !== undefined) return text;
  throw new MalformedFormError(`The part "${name}" is not valid ${charset.name.toUpperCase()}.`, name);
}
