import { Body, Controller, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse } from '@nestjs/swagger';
import type { Response } from 'express';
import { ExactNumbers } from '../../../platform/body/body.decorators.js';
import { ApiGroup } from '../../../platform/http/api-group.decorator.js';
import { Enveloped, type Reply } from '../../../platform/http/envelope.js';
import { ApiErrors, ApiErrorsWith } from '../../../platform/http/error.dto.js';
import { withMessage } from '../../../../packages/errors/src/error-definition.js';
import { HTTP_ERRORS } from '../../../../packages/errors/src/http.errors.js';
import { describeStreams, streamReply } from '../../../platform/http/stream-reply.js';
import { ObeysPolicies } from '../../../platform/security/obeys-policies.decorator.js';
import { Caller, type Principal } from '../../../platform/security/principal.js';
import { RequireScope } from '../../../platform/security/require-scope.decorator.js';
import { ROW_ERROR } from '../catalog/dto/table-error.dto.js';
import { EXAMPLE_ASSET } from '../catalog/dto/table.examples.js';
import { ApiRowKey, ApiTableRef, RowKey, TableRef } from '../catalog/table-ref.decorator.js';
import { UpsertReportDto } from '../engine/dto/upsert-report.dto.js';
import { toUpsertReply, WAITS_FOR_APPROVAL } from '../engine/write-reply.js';
import { TABLE_POLICY_ERRORS } from '../../../../packages/tables/src/catalog/policy.errors.js';
import { QUERY_ERRORS } from '../../../../packages/tables/src/catalog/query.errors.js';
import { TABLE_ERRORS } from '../../../../packages/tables/src/catalog/tables.errors.js';
import { DifferencesService } from './differences.service.js';
import {
  DifferencesQueryDto,
  RestoreQueryDto,
  RestoreRowsDto,
  RowHistoryPageDto,
  RowHistoryQueryDto,
} from './dto/row-history.dto.js';
import { RestoreService } from './restore.service.js';
import { RowHistoryService } from './row-history.service.js';

const DIFFERENCES_EXAMPLE = {
  'application/x-ndjson':
    '{"change":"update","key":"EX-2001","columns":{"weight":{"from":180.5,"to":181}}}\n' +
    '{"summary":{"create":0,"update":1,"delete":0}}\n',
};

/** Former rows. */
@ApiGroup({
  name: 'Tables: history',
  description:
    'The changes of a row, the differences between two moments, and restoration. Operations that read rows accept `asOf`.',
  guide: 'history',
})
@ApiErrors(withMessage(HTTP_ERRORS.not_found, 'The row was not found. Check the key.'))
@ApiErrors(TABLE_ERRORS.table_busy, TABLE_ERRORS.table_changed)
@ObeysPolicies()
@Controller('v2/api/workspaces/:workspaceId/cw/:entity/:table')
export class RowHistoryController {
  constructor(
    private readonly history: RowHistoryService,
    private readonly differences: DifferencesService,
    private readonly restores: RestoreService,
  ) {}

  @Get(['items/:key/history', 'item/history'])
  @RequireScope('read:workspaces', 'reader')
  @ApiOperation({ summary: 'List the changes of a row', description: 'The newest first, also under its former keys.' })
  @Enveloped(RowHistoryPageDto)
  @ApiTableRef()
  @ApiRowKey()
  list(@TableRef() ref: TableRef, @RowKey() key: string, @Query() query: RowHistoryQueryDto) {
    return this.history.list(ref, key, query);
  }

  @Get('differences')
  @RequireScope('read:workspaces', 'reader')
  @ApiOperation({
    summary: 'Compare two moments of a table',
    description: 'Streams an object per changed row, and a summary.',
  })
  @ApiTableRef()
  @ApiResponse({ status: 200, description: 'All differences.', content: describeStreams(DIFFERENCES_EXAMPLE) })
  @ApiErrors(QUERY_ERRORS.invalid_query, QUERY_ERRORS.unknown_revision, QUERY_ERRORS.history_expired)
  async compare(
    @Res({ passthrough: true }) response: Response,
    @TableRef() ref: TableRef,
    @Query() query: DifferencesQueryDto,
  ) {
    const stream = await this.differences.start(ref, query);
    return streamReply(response, stream, 'application/x-ndjson; charset=utf-8', {});
  }

  @Post('restore')
  @ExactNumbers()
  @HttpCode(200)
  @RequireScope('write:workspaces', 'editor')
  @ApiOperation({
    summary: 'Set rows back to a former moment',
    description: 'As one batch. Rows that did not exist are deleted; columns that were added since remain.',
  })
  @ApiTableRef()
  @ApiBody({ type: RestoreRowsDto, examples: { first: { value: { asOf: '1', keys: [EXAMPLE_ASSET] } } } })
  @Enveloped(UpsertReportDto, { also: { 202: WAITS_FOR_APPROVAL } })
  @ApiErrors(QUERY_ERRORS.invalid_query, QUERY_ERRORS.unknown_revision, QUERY_ERRORS.history_expired)
  @ApiErrors(TABLE_ERRORS.too_many_rows)
  @ApiErrorsWith(ROW_ERROR, TABLE_ERRORS.invalid_rows, TABLE_POLICY_ERRORS.read_only)
  async restore(
    @Caller() { userId }: Principal,
    @TableRef() ref: TableRef,
    @Query() query: RestoreQueryDto,
    @Body() request: RestoreRowsDto,
  ): Promise<Reply<UpsertReportDto>> {
    const dryRun = query.dryRun === 'true';
    return toUpsertReply(await this.restores.restore(ref, request, userId, dryRun), dryRun);
  }
}
