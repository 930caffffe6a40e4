import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { MalformedFormError } from '../../../platform/body/body.errors.js';
import { DTO_LIMITS } from '../../../../packages/json/src/json-structure.js';
import { parseJson } from '../../../../packages/json/src/json-parser.js';
import { DomainError, UnsupportedMediaTypeError } from '../../../../packages/errors/src/domain-error.js';
import { validateDto } from '../../../platform/http/validation/validation.pipe.js';
import type { ColumnDefinition } from '../../../../packages/tables/src/catalog/column-plan.js';
import { ENTITY_BY_PATH, type EntityPath } from '../../../../packages/tables/src/catalog/entity-kind.js';
import { MAX_REQUEST_TABLES } from '../../../../packages/tables/src/catalog/request-limits.js';
import { callerView } from '../catalog/caller-view.js';
import { type View } from '../../../../packages/tables/src/catalog/view.js';
import { UnknownTableError } from '../../../../packages/tables/src/catalog/tables.errors.js';
import { ImportedColumnsDto, type ImportQueryDto } from './dto/imports.dto.js';
import { type FormPart, readFormParts, readPart } from './form-parts.js';
import { ImportFile } from './import-file.js';
import { parseFormat } from './import-options.js';
import type { AnnouncedImport } from './import-receiver.js';
import type { ReceivedTable } from './pending-import.js';
import { readFileType, readIsGzip } from './upload-headers.js';
import { UploadInterceptor } from './upload.interceptor.js';

/** The part with the columns of tables to create, and columns to add to tables. */
const COLUMNS_PART = 'columns';
const MAX_COLUMNS_BYTES = 1024 * 1024;

type Columns = ReadonlyMap<string, readonly ColumnDefinition[]>;

/** Receives a form with a file per table. */
@Injectable()
export class TablesUploadInterceptor extends UploadInterceptor {
  protected async announce(request: Request, query: ImportQueryDto): Promise<AnnouncedImport> {
    parseFormat(query);
    const contentType = request.headers['content-type'] ?? '';
    if (!/^multipart\/form-data\s*;/i.test(contentType))
      throw new UnsupportedMediaTypeError('Send multipart/form-data, with one part per table.');
    if (readIsGzip(request.headers)) throw new UnsupportedMediaTypeError('Compress the parts, not the form.');
    const view = callerView(request.params['workspaceId'] as string);
    // A replacement deletes no rows that others write while the form is received.
    const known = query.mode === 'replace' ? await this.catalog.listAll(view) : [];
    const revisions = new Map(known.map(({ id, revision }) => [id, revision]));
    return {
      view,
      table: null,
      query,
      digest: contentType,
      readTables: async (path) => {
        const parts = await readFormParts(path, contentType, MAX_REQUEST_TABLES + 1);
        return this.readTables(view, path, parts, query, revisions);
      },
    };
  }

  private async readTables(
    view: View,
    path: string,
    parts: readonly FormPart[],
    query: ImportQueryDto,
    revisions: ReadonlyMap<string, number>,
  ): Promise<ReceivedTable[]> {
    const [first] = parts;
    const hasColumns = first?.name === COLUMNS_PART;
    const columns = hasColumns ? await readColumns(path, first) : new Map<string, never>();
    const tables: ReceivedTable[] = [];
    const known = new Set<string>();
    for (const part of parts.slice(hasColumns ? 1 : 0)) {
      const table = await this.readTable(view, path, part, columns, query, revisions);
      const key = table.table.id ?? `${table.table.entity}/${table.table.name.toLowerCase()}`;
      if (known.has(key)) throw new MalformedFormError(`Two parts are for the table "${part.name}".`, part.name);
      known.add(key);
      tables.push(table);
    }
    if (tables.length === 0) throw new MalformedFormError('The form has no part for a table.');
    for (const name of columns.keys())
      if (!parts.slice(1).some((part) => part.name === name))
        throw new MalformedFormError(
          `The part "columns" names "${name.slice(0, 100)}", but the form has no part with this name.`,
          COLUMNS_PART,
        );
    return tables;
  }

  private async readTable(
    view: View,
    path: string,
    part: FormPart,
    columns: Columns,
    query: ImportQueryDto,
    revisions: ReadonlyMap<string, number>,
  ): Promise<ReceivedTable> {
    const slash = part.name.indexOf('/');
    const [entityPath, table] = [part.name.slice(0, slash), part.name.slice(slash + 1)];
    if (slash < 0 || !Object.hasOwn(ENTITY_BY_PATH, entityPath))
      throw new MalformedFormError(
        `The part "${part.name.slice(0, 100)}" must be named {entity}/{table}, such as assets/Equipment.`,
        part.name,
      );
    const entity = ENTITY_BY_PATH[entityPath as EntityPath];
    const found = await this.catalog.find(view, entity, table);
    if (!found && !columns.has(part.name)) throw new UnknownTableError(entity, table);
    const { start, end, headers } = part;
    const added = columns.get(part.name);
    // The file may also name columns that are added.
    const type = readFileType(headers, query, added ? undefined : found);
    const file = new ImportFile({ path, start, end }, type, this.config);
    if (!found) return { table: { entity, name: table.trim() }, file, columns: added };
    const { name, id } = found;
    const replacement = await this.readReplacement({ ...found, revision: revisions.get(id) ?? 0 }, query);
    return { table: { entity, name, id }, file, columns: added, ...replacement };
  }
}

function parseColumns(text: string): unknown {
  try {
    return parseJson(text, DTO_LIMITS);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw new MalformedFormError(`The part "columns" cannot be read as JSON. ${error.message}`, COLUMNS_PART);
  }
}

/** Columns by the names of the parts. @throws {InvalidRequestError} */
async function readColumns(path: string, part: FormPart): Promise<Columns> {
  if (part.end - part.start > MAX_COLUMNS_BYTES)
    throw new MalformedFormError('The part "columns" is too large.', COLUMNS_PART);
  const parsed = parseColumns(await readPart(path, part));
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
