import { applyDecorators, createParamDecorator, Delete, type ExecutionContext, Get, Put } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam } from '@nestjs/swagger';
import type { Request } from 'express';
import { Enveloped, Reply } from '../../../platform/http/envelope.js';
import { ApiErrors, ApiErrorsWith } from '../../../platform/http/error.dto.js';
import { recordEtag, ConditionalRead } from '../../../platform/http/conditional-requests.js';
import { RequireScope } from '../../../platform/security/require-scope.decorator.js';
import type { EntityKind, EntityPath } from '../catalog/entity-kind.js';
import { EditTableDto, TableDto, TablesPageDto } from './dto/tables.dto.js';
import { EXAMPLE_EDITS } from './dto/tables.examples.js';
import { ApiTableOf, type TableRef } from '../catalog/table-ref.decorator.js';
import { TableErrorDto } from '../catalog/dto/table-error.dto.js';

const ON_INDEXES =
  'Filters and sorts work on every column. On one without an index they read the whole table: nothing to notice up to some ' +
  'ten thousand rows, seconds with millions. For columns that are asked for every day set `options.indexed`.';

/** The table that the path names, among those of the entity. */
export const At = createParamDecorator((entity: EntityKind, context: ExecutionContext): TableRef => {
  const { workspaceId, table } = context.switchToHttp().getRequest<Request>().params;
  return { workspaceId: String(workspaceId).toLowerCase(), entity, table: String(table) };
});

/** The table with its revision in the `ETag`, and a digest of it: the states of indexes change without a revision. */
export function tagged(table: TableDto): Reply<TableDto> {
  return new Reply(table, { headers: { ETag: recordEtag({ version: table.revision, ...table }) } });
}

const OfWorkspace = () =>
  ApiParam({ name: 'workspaceId', type: String, format: 'uuid', description: "One of the caller's workspaces." });

const OfTable = (surface: EntityPath) => ApiTableOf(surface);

/** What the lists, reads, edits and drops of the three surfaces have in common. */
export const TableRoutes = {
  Lists: (surface: EntityPath, summary: string): MethodDecorator =>
    applyDecorators(
      Get(surface),
      RequireScope('read:workspaces'),
      ApiOperation({ summary, description: 'By name. The address of the next page is in the `Link` header too.' }),
      OfWorkspace(),
      Enveloped(TablesPageDto, { description: 'A page of tables.' }),
      ApiErrors(400, 404),
    ),

  Gets: (surface: EntityPath, summary: string): MethodDecorator =>
    applyDecorators(
      Get(`${surface}/:table`),
      RequireScope('read:workspaces'),
      ApiOperation({
        summary,
        description:
          `${ON_INDEXES} The \`ETag\` moves with the revision, which every change of a row or column moves, and with the states of ` +
          'indexes. `If-Match` goes by the revision alone.',
      }),
      OfTable(surface),
      ConditionalRead(),
      Enveloped(TableDto, { description: 'The table with its columns.' }),
      ApiErrors(400, 404),
    ),

  Edits: (surface: EntityPath, summary: string): MethodDecorator =>
    applyDecorators(
      Put(`${surface}/:table`),
      RequireScope('write:workspaces'),
      ApiOperation({
        summary,
        description:
          'Renames the table, adds columns, and edits names, descriptions, options and whether a value is required. What is not ' +
          'sent stays. All or nothing; where nothing changes no revision is spent. It never drops a column (`DELETE` does), ' +
          `never changes a type, and never moves the primary key. ${ON_INDEXES} The index is built in the background, while ` +
          'reads and writes go on; rows and this call never wait for it. Columns that have one take texts of at most 1,000 characters.',
      }),
      OfTable(surface),
      ApiBody({ type: EditTableDto, examples: { first: { value: EXAMPLE_EDITS[surface] } } }),
      Enveloped(TableDto, { description: 'The table as it is now.' }),
      ApiErrors(400, 404, 413, 415),
      ApiErrorsWith(TableErrorDto, 409, 422),
    ),

  Drops: (surface: EntityPath, summary: string): MethodDecorator =>
    applyDecorators(
      Delete(`${surface}/:table`),
      RequireScope('write:workspaces'),
      ApiOperation({
        summary,
        description:
          'With all its rows; there is no way back. Notes and tags on its rows keep the key and have no name for it. ' +
          'References to it resolve no more, until there is a table of its name again.',
      }),
      OfTable(surface),
      Enveloped(null, { message: 'The table was dropped', description: 'The table is gone.' }),
      ApiErrors(400, 404),
    ),

  DropsColumn: (surface: EntityPath, summary: string): MethodDecorator =>
    applyDecorators(
      Delete(`${surface}/:table/columns/:key`),
      RequireScope('write:workspaces'),
      ApiOperation({ summary, description: 'With all its values; there is no way back. The primary key stays: 422.' }),
      OfTable(surface),
      ApiParam({ name: 'key', description: "The column's key, in any case.", example: 'name' }),
      Enveloped(TableDto, { message: 'The column was dropped', description: 'The table as it is now.' }),
      ApiErrors(400, 404, 422),
    ),
};
