import { Body, Controller, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { BodyLimit, ExactNumbers } from '../../../platform/body/body.decorators.js';
import { Enveloped, type Reply } from '../../../platform/http/envelope.js';
import { ApiErrors, ApiErrorsWith } from '../../../platform/http/error.dto.js';
import { Caller, type Principal } from '../../../platform/security/principal.js';
import { ObeysPolicies } from '../../../platform/security/obeys-policies.decorator.js';
import { RequireScope } from '../../../platform/security/require-scope.decorator.js';
import { ROW_ERROR } from '../catalog/dto/table-error.dto.js';
import { EXAMPLE_DELETED_ASSETS } from '../catalog/dto/table.examples.js';
import { ApiTableRef, TableRef } from '../catalog/table-ref.decorator.js';
import { DeletionReportDto } from '../engine/dto/upsert-report.dto.js';
import { toDeletionReply, toWriteOptions, WAITS_FOR_APPROVAL } from '../engine/write-reply.js';
import { PROPOSAL_ERRORS } from '../history/proposals.errors.js';
import { DeleteRowsService } from './delete-rows.service.js';
import { BulkQueryDto } from './dto/bulk.dto.js';
import { DeleteRowsDto } from './dto/delete-rows.dto.js';
import { TABLE_POLICY_ERRORS } from '../../../../packages/tables/src/catalog/policy.errors.js';
import { IMPORT_ADVICE } from '../../../../packages/tables/src/catalog/request-limits.js';
import { TABLE_ERRORS } from '../../../../packages/tables/src/catalog/tables.errors.js';

@ApiTags('Tables: push')
@ObeysPolicies()
@Controller('v2/api/workspaces/:workspaceId/cw/:entity/:table')
export class DeleteRowsController {
  constructor(private readonly deletions: DeleteRowsService) {}

  @Post('items/delete')
  @RequireScope('write:workspaces', 'editor')
  @BodyLimit('bulk', IMPORT_ADVICE)
  @ExactNumbers()
  @ApiOperation({
    summary: 'Delete many rows',
    description:
      'Deletes rows by primary key. Keys without a row are counted as `missing`. All or nothing, unless `onError=continue`: an ' +
      'invalid key, or one that occurs twice, is an error.',
  })
  @ApiTableRef()
  @ApiBody({ type: DeleteRowsDto, examples: { first: { value: { keys: [EXAMPLE_DELETED_ASSETS.byBody] } } } })
  @Enveloped(DeletionReportDto, {
    description: 'The rows were deleted.',
    also: { 202: WAITS_FOR_APPROVAL, 207: 'With `onError=continue`: the rows of the valid keys were deleted.' },
  })
  @ApiErrors(TABLE_ERRORS.too_many_keys, TABLE_ERRORS.table_busy, TABLE_ERRORS.table_changed)
  @ApiErrors(PROPOSAL_ERRORS.proposal_too_large)
  @ApiErrorsWith(ROW_ERROR, TABLE_ERRORS.invalid_keys, TABLE_POLICY_ERRORS.read_only)
  async delete(
    @Caller() { userId }: Principal,
    @TableRef() ref: TableRef,
    @Query() query: BulkQueryDto,
    @Body() { keys }: DeleteRowsDto,
  ): Promise<Reply<DeletionReportDto>> {
    const options = toWriteOptions(query, { source: 'delete', userId });
    return toDeletionReply(await this.deletions.delete(ref, keys, options), options.dryRun);
  }
}
