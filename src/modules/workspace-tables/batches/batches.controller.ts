import { applyDecorators, Controller, Get, HttpCode, Param, Post, Query, type Type } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ApiGroup } from '../../../platform/http/api-group.decorator.js';
import { Enveloped } from '../../../platform/http/envelope.js';
import { ApiErrors, ApiErrorsWith } from '../../../platform/http/error.dto.js';
import { PageOf, PageQueryDto } from '../../../platform/http/page.dto.js';
import { UuidPipe } from '../../../platform/http/validation/uuid.pipe.js';
import { Caller, type Principal } from '../../../platform/security/principal.js';
import { ObeysPolicies } from '../../../platform/security/obeys-policies.decorator.js';
import { RequireScope } from '../../../platform/security/require-scope.decorator.js';
import { ROW_ERROR } from '../catalog/dto/table-error.dto.js';
import { CallerView } from '../catalog/table-ref.decorator.js';
import type { View } from '../../../../packages/tables/src/catalog/view.js';
import { BatchesRepository } from './batches.repository.js';
import { BatchDto, UndoQueryDto, UndoReportDto } from './dto/batches.dto.js';
import { UndoService } from './undo.service.js';
import { withMessage } from '../../../../packages/errors/src/error-definition.js';
import { HTTP_ERRORS } from '../../../../packages/errors/src/http.errors.js';
import { TABLE_POLICY_ERRORS } from '../../../../packages/tables/src/catalog/policy.errors.js';
import { TABLE_ERRORS } from '../../../../packages/tables/src/catalog/tables.errors.js';
import { BATCH_ERRORS } from './batches.errors.js';
import { toProposedReply, WAITS_FOR_APPROVAL } from '../engine/write-reply.js';

const Read = (summary: string, dto: Type, description?: string) =>
  applyDecorators(RequireScope('read:workspaces', 'reader'), ApiOperation({ summary, description }), Enveloped(dto));

/** Requests that wrote rows. */
@ApiGroup({
  name: 'Tables: batches',
  description:
    'Each request that writes many rows is a batch. Undo restores the rows as they were before it, unless they have changed since.',
  guide: 'importing',
})
@ApiErrors(withMessage(HTTP_ERRORS.not_found, 'The batch was not found. Check the ID.'))
@ApiErrors(TABLE_ERRORS.table_busy, TABLE_ERRORS.table_changed)
@ObeysPolicies()
@Controller('v2/api/workspaces/:workspaceId/cw/batches')
export class BatchesController {
  constructor(
    private readonly batches: BatchesRepository,
    private readonly undos: UndoService,
  ) {}

  @Get()
  @Read('List batches', PageOf(BatchDto), 'The newest first.')
  list(@CallerView() view: View, @Query() query: PageQueryDto) {
    return this.batches.list(view, query);
  }

  @Get(':id')
  @Read('Get a batch', BatchDto)
  get(@CallerView() view: View, @Param('id', UuidPipe) id: string) {
    return this.batches.get({ view, id });
  }

  @Post(':id/undo')
  @HttpCode(200)
  @RequireScope('write:workspaces', 'editor')
  @ApiOperation({
    summary: 'Undo a batch',
    description:
      'Restores the rows as they were before, as long as their previous values are stored. 409 lists rows that were ' +
      'changed since, or that cannot have their previous values.',
  })
  @Enveloped(UndoReportDto, { also: { 202: WAITS_FOR_APPROVAL } })
  @ApiErrorsWith(ROW_ERROR, BATCH_ERRORS.batch_conflict, BATCH_ERRORS.already_undone, BATCH_ERRORS.not_undoable)
  @ApiErrors(BATCH_ERRORS.batch_outside_policy, TABLE_POLICY_ERRORS.read_only)
  async undo(
    @Caller() { userId }: Principal,
    @CallerView() view: View,
    @Param('id', UuidPipe) id: string,
    @Query() { onConflict }: UndoQueryDto,
  ) {
    const skipConflicts = onConflict === 'skip';
    const report = await this.undos.undo({ view, id, userId, skipConflicts });
    return report.proposalId === undefined ? report : toProposedReply(report);
  }
}
