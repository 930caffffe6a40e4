import { Controller, Delete, Get, HttpCode, Param, Post, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiGroup } from '../../../platform/http/api-group.decorator.js';
import { ReadsOwnBody } from '../../../platform/body/body.decorators.js';
import { Enveloped, type Reply } from '../../../platform/http/envelope.js';
import { ApiErrors, ApiErrorsWith } from '../../../platform/http/error.dto.js';
import { NoIdempotencyKey } from '../../../platform/http/idempotency/no-idempotency-key.decorator.js';
import { PageOf, PageQueryDto } from '../../../platform/http/page.dto.js';
import { acceptedType, describeStreams, streamReply } from '../../../platform/http/stream-reply.js';
import { UuidPipe } from '../../../platform/http/validation/uuid.pipe.js';
import { ObeysPolicies } from '../../../platform/security/obeys-policies.decorator.js';
import { RequireScope } from '../../../platform/security/require-scope.decorator.js';
import { ROW_ERROR } from '../catalog/dto/table-error.dto.js';
import { exampleFiles, exampleTable } from '../catalog/dto/table.examples.js';
import { ApiTableRef, CallerView, TableRef } from '../catalog/table-ref.decorator.js';
import type { View } from '../../../../packages/tables/src/catalog/view.js';
import { APPROVAL_ERRORS } from '../history/proposals.errors.js';
import { toUpsertReply, toWriteOptions, WAITS_FOR_APPROVAL } from '../engine/write-reply.js';
import { CompareQueryDto, ImportDto, ImportQueryDto, ImportReportDto } from './dto/imports.dto.js';
import { CompareService } from './compare.service.js';
import { ErrorLog } from './error-log.js';
import { ImportRecordsRepository, RETENTION_DAYS } from './import-records.repository.js';
import { ImportsService } from './imports.service.js';
import { UploadInterceptor } from './upload.interceptor.js';
import { withMessage } from '../../../../packages/errors/src/error-definition.js';
import { HTTP_ERRORS } from '../../../../packages/errors/src/http.errors.js';
import { RECORD_ERRORS } from '../../../records/records.errors.js';
import { TABLE_POLICY_ERRORS } from '../../../../packages/tables/src/catalog/policy.errors.js';
import { TABLE_ERRORS } from '../../../../packages/tables/src/catalog/tables.errors.js';
import { QUERY_ERRORS } from '../../../../packages/tables/src/catalog/query.errors.js';
import { IMPORT_ERRORS } from './imports.errors.js';
import { pendingImports } from './pending-import.js';

/** An example per media type, which `@ApiBody` cannot express. */
const FILES = Object.entries(exampleFiles('assets')).map(([type, value]) => [
  type,
  { schema: { type: 'string' }, examples: { first: { summary: 'A few rows', value } } },
]);

const [LOCATIONS_PART, ASSETS_PART] = [`locations/${exampleTable('locations')}`, `assets/${exampleTable('assets')}`];

const TABLES_FORM = {
  schema: { type: 'object', additionalProperties: { type: 'string' } },
  example: {
    [LOCATIONS_PART]: exampleFiles('locations')['application/x-ndjson'],
    [ASSETS_PART]: exampleFiles('assets')['text/csv'],
  },
  encoding: {
    [LOCATIONS_PART]: { contentType: 'application/x-ndjson' },
    [ASSETS_PART]: { contentType: 'text/csv' },
  },
} as object;

const DIFFERENCES_EXAMPLE = {
  'application/x-ndjson':
    '{"change":"update","key":"EX-2001","columns":{"weight":{"from":180.5,"to":181}}}\n' +
    '{"summary":{"create":0,"update":1,"delete":0,"unchanged":1,"error":0}}\n',
};

const ERROR_EXAMPLES = {
  'application/x-ndjson':
    '{"table":"Assets","line":5,"key":"1","column":"weight","code":"type_mismatch","sent":"1,x"}\n',
  'text/csv': 'type,table,index,line,key,column,code,message,sent\r\n',
};

/** Errors of every route that takes a file. */
const UPLOAD_ERRORS = [
  IMPORT_ERRORS.malformed_import,
  QUERY_ERRORS.invalid_query,
  IMPORT_ERRORS.line_too_long,
  IMPORT_ERRORS.too_many_imports,
  IMPORT_ERRORS.instance_stopping,
];

const INVALID_FILE = [
  TABLE_ERRORS.invalid_rows,
  HTTP_ERRORS.invalid_header,
  TABLE_ERRORS.unknown_table,
  TABLE_ERRORS.invalid_columns,
  TABLE_POLICY_ERRORS.read_only,
];

const CONFLICTS = [
  IMPORT_ERRORS.import_cancelled,
  IMPORT_ERRORS.import_id_taken,
  RECORD_ERRORS.already_finished,
  TABLE_ERRORS.too_many_deletions,
];

@ApiGroup({
  name: 'Tables: imports',
  description: 'Load a CSV or NDJSON file of any length with one request. Others read its progress or cancel it.',
  guide: 'importing',
})
@ApiErrors(withMessage(HTTP_ERRORS.not_found, 'The import was not found. Check the ID.'))
@ApiErrors(TABLE_ERRORS.table_busy, TABLE_ERRORS.table_changed)
@ObeysPolicies()
@Controller('v2/api/workspaces/:workspaceId/cw')
export class ImportsController {
  constructor(
    private readonly imports: ImportsService,
    private readonly comparisons: CompareService,
    private readonly records: ImportRecordsRepository,
    private readonly errorLog: ErrorLog,
  ) {}

  @Post(':entity/:table/items/import')
  @RequireScope('write:workspaces', 'editor')
  @ReadsOwnBody()
  @UseInterceptors(UploadInterceptor)
  @ApiOperation({
    summary: 'Import rows into a table',
    description:
      'Upserts rows by primary key from a file, by the rules of bulk: a JSON object per line, or CSV whose ' +
      'header names the columns by key or name and in which an empty cell is null. The table must exist. Errors contain ' +
      'the line.',
    requestBody: { required: true, content: Object.fromEntries(FILES) as Record<string, object> },
  })
  @ApiTableRef()
  @ApiHeader({ name: 'Content-Encoding', required: false, schema: { type: 'string', enum: ['gzip', 'identity'] } })
  @Enveloped(ImportReportDto, {
    description: 'Everything was stored.',
    also: { 202: WAITS_FOR_APPROVAL, 207: 'With `onError=continue`: the valid rows were stored.' },
  })
  @ApiErrors(...UPLOAD_ERRORS, ...CONFLICTS, ...APPROVAL_ERRORS)
  @ApiErrorsWith(ROW_ERROR, ...INVALID_FILE)
  import(@Req() request: Request, @Query() query: ImportQueryDto): Promise<Reply<ImportReportDto>> {
    return this.execute(request, query);
  }

  @Post('import')
  @RequireScope('write:workspaces', 'editor')
  @ReadsOwnBody()
  @UseInterceptors(UploadInterceptor)
  @ApiOperation({
    summary: 'Import rows into several tables',
    description:
      'In one transaction. A form with one part per table, named `{entity}/{table}`. A first part `columns` (JSON) ' +
      'creates tables and adds columns.',
    requestBody: { required: true, content: { 'multipart/form-data': TABLES_FORM } },
  })
  @Enveloped(ImportReportDto, {
    description: 'Everything was stored.',
    also: {
      201: 'The same, and tables were created.',
      202: WAITS_FOR_APPROVAL,
      207: 'With `onError=continue`: the valid rows were stored.',
    },
  })
  @ApiErrors(...UPLOAD_ERRORS, TABLE_ERRORS.too_many_tables, ...CONFLICTS, ...APPROVAL_ERRORS)
  @ApiErrorsWith(ROW_ERROR, ...INVALID_FILE)
  importTables(@Req() request: Request, @Query() query: ImportQueryDto): Promise<Reply<ImportReportDto>> {
    return this.execute(request, query);
  }

  @Post(':entity/:table/items/compare')
  @HttpCode(200)
  @RequireScope('read:workspaces', 'reader')
  @ReadsOwnBody()
  @NoIdempotencyKey()
  @ApiOperation({
    summary: 'Compare a file with a table',
    description:
      'Streams the errors, then what `mode=replace` would change, a JSON object per line in the order of the keys.',
    requestBody: { required: true, content: Object.fromEntries(FILES) as Record<string, object> },
  })
  @ApiTableRef()
  @ApiResponse({ status: 200, description: 'All differences.', content: describeStreams(DIFFERENCES_EXAMPLE) })
  @ApiErrors(...UPLOAD_ERRORS, ...INVALID_FILE)
  async compare(
    @Res({ passthrough: true }) response: Response,
    @TableRef() ref: TableRef,
    @Query() query: CompareQueryDto,
  ) {
    const stream = await this.comparisons.compare(response, ref, query);
    return streamReply(response, stream, 'application/x-ndjson; charset=utf-8', {}, () => this.comparisons.occupancy);
  }

  @Get('imports')
  @RequireScope('read:workspaces', 'reader')
  @ApiOperation({ summary: 'List imports', description: `Of the last ${RETENTION_DAYS} days, newest first.` })
  @Enveloped(PageOf(ImportDto), { description: 'A page of imports.' })
  list(@CallerView() view: View, @Query() query: PageQueryDto) {
    return this.records.list(view, query);
  }

  @Get('imports/:id')
  @RequireScope('read:workspaces', 'reader')
  @ApiOperation({ summary: 'Get an import', description: 'Its progress or outcome.' })
  @Enveloped(ImportDto)
  get(@CallerView() view: View, @Param('id', UuidPipe) id: string) {
    return this.records.get({ view, id });
  }

  @Get('imports/:id/errors')
  @RequireScope('read:workspaces', 'reader')
  @ApiOperation({
    summary: 'Download the errors of an import',
    description: `Each with the rejected row as it was sent. Available as long as the record of the import, for ${RETENTION_DAYS} days.`,
  })
  @ApiResponse({ status: 200, description: 'All errors.', content: describeStreams(ERROR_EXAMPLES) })
  @ApiErrors(HTTP_ERRORS.not_acceptable)
  async errors(
    @Res({ passthrough: true }) response: Response,
    @CallerView() view: View,
    @Param('id', UuidPipe) id: string,
  ) {
    await this.records.get({ view, id });
    const key = { workspaceId: view.workspaceId, id };
    const type = acceptedType(response.req, ['application/x-ndjson', 'text/csv']);
    const stream = this.errorLog.read(key, type === 'text/csv' ? 'csv' : 'ndjson');
    return streamReply(response, stream, `${type}; charset=utf-8`, {});
  }

  @Delete('imports/:id')
  @RequireScope('write:workspaces', 'editor')
  @ApiOperation({
    summary: 'Cancel an import',
    description:
      'One in progress. Nothing of it is stored. The request that uploads its file receives 409 within about a second.',
  })
  @Enveloped(ImportDto, { message: 'The import was cancelled' })
  @ApiErrors(...CONFLICTS)
  cancel(@CallerView() view: View, @Param('id', UuidPipe) id: string) {
    return this.records.cancel({ view, id });
  }

  private async execute(request: Request, query: ImportQueryDto): Promise<Reply<ImportReportDto>> {
    const pending = pendingImports.get(request)!;
    const options = toWriteOptions(query, { source: 'import', userId: request.principal!.userId });
    return toUpsertReply(await pending.execute(() => this.imports.execute(pending, options)), options.dryRun);
  }
}
