import { applyDecorators, Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiGroup } from '../../../platform/http/api-group.decorator.js';
import { Enveloped } from '../../../platform/http/envelope.js';
import { ApiErrors, ApiErrorsWith } from '../../../platform/http/error.dto.js';
import { withMessage } from '../../../../packages/errors/src/error-definition.js';
import { HTTP_ERRORS } from '../../../../packages/errors/src/http.errors.js';
import { PageOf } from '../../../platform/http/page.dto.js';
import { describeStreams, streamReply } from '../../../platform/http/stream-reply.js';
import { UuidPipe } from '../../../platform/http/validation/uuid.pipe.js';
import { Caller, type Principal } from '../../../platform/security/principal.js';
import { ObeysPolicies } from '../../../platform/security/obeys-policies.decorator.js';
import { RequireScope } from '../../../platform/security/require-scope.decorator.js';
import type { Role } from '../../../platform/security/roles.js';
import { BATCH_ERRORS } from '../batches/batches.errors.js';
import { ROW_ERROR } from '../catalog/dto/table-error.dto.js';
import { CallerView } from '../catalog/table-ref.decorator.js';
import type { View } from '../../../../packages/tables/src/catalog/view.js';
import { ProposalDto } from '../history/dto/proposals.dto.js';
import { PROPOSAL_ERRORS } from '../history/proposals.errors.js';
import { ProposalsRepository } from '../history/proposals.repository.js';
import { TABLE_ERRORS } from '../../../../packages/tables/src/catalog/tables.errors.js';
import { DecisionDto, ProposalsQueryDto } from './dto/proposals.dto.js';
import { ProposalsService } from './proposals.service.js';

const DIFFERENCES_EXAMPLE = {
  'application/x-ndjson':
    '{"type":"asset","table":"Assets","change":"update","key":"EX-2001","columns":{"weight":{"from":180.5,"to":181}}}\n' +
    '{"summary":{"create":0,"update":1,"delete":0}}\n',
};

function Decide(path: string, role: Role, summary: string, description: string): MethodDecorator {
  return applyDecorators(
    Post(path),
    HttpCode(200),
    RequireScope('write:workspaces', role),
    ApiOperation({ summary, description }),
    Enveloped(ProposalDto),
    ApiErrors(PROPOSAL_ERRORS.proposal_decided),
  );
}

@ApiGroup({
  name: 'Tables: approval',
  description:
    'A table with the option `approval` stores large loads as proposals. An owner of the workspace reviews and approves or rejects them.',
  guide: 'approval',
})
@ApiErrors(withMessage(HTTP_ERRORS.not_found, 'The proposal was not found. Check the ID.'))
@ObeysPolicies()
@Controller('v2/api/workspaces/:workspaceId/cw/proposals')
export class ProposalsController {
  constructor(
    private readonly records: ProposalsRepository,
    private readonly proposals: ProposalsService,
  ) {}

  @Get()
  @RequireScope('read:workspaces', 'reader')
  @ApiOperation({ summary: 'List proposals', description: 'The newest first.' })
  @Enveloped(PageOf(ProposalDto))
  list(@CallerView() view: View, @Query() query: ProposalsQueryDto) {
    return this.records.list(view, query);
  }

  @Get(':id')
  @RequireScope('read:workspaces', 'reader')
  @ApiOperation({ summary: 'Get a proposal' })
  @Enveloped(ProposalDto)
  get(@CallerView() view: View, @Param('id', UuidPipe) id: string) {
    return this.records.get({ view, id });
  }

  @Get(':id/differences')
  @RequireScope('read:workspaces', 'reader')
  @ApiOperation({
    summary: 'Read the changes of a proposal',
    description: 'Streams a JSON object per changed row, by table and key, and a summary.',
  })
  @ApiResponse({ status: 200, description: 'All changes.', content: describeStreams(DIFFERENCES_EXAMPLE) })
  @ApiErrors(PROPOSAL_ERRORS.compared_by_other)
  async differences(
    @Res({ passthrough: true }) response: Response,
    @CallerView() view: View,
    @Param('id', UuidPipe) id: string,
  ) {
    const stream = await this.proposals.readDifferences({ view, id });
    return streamReply(response, stream, 'application/x-ndjson; charset=utf-8', {});
  }

  @Decide(
    ':id/compare',
    'editor',
    'Compare a proposal again',
    'Compares its values with the rows as they are now. Approval then stores the new differences.',
  )
  @ApiErrors(
    TABLE_ERRORS.table_busy,
    TABLE_ERRORS.table_changed,
    BATCH_ERRORS.already_undone,
    BATCH_ERRORS.not_undoable,
  )
  @ApiErrorsWith(ROW_ERROR, PROPOSAL_ERRORS.proposal_outdated, BATCH_ERRORS.batch_conflict)
  compare(@CallerView() view: View, @Param('id', UuidPipe) id: string) {
    return this.proposals.compare({ view, id });
  }

  @Decide(
    ':id/approve',
    'owner',
    'Approve a proposal',
    'Stores exactly its changes, as a batch that can be undone. 409 if one of its rows was changed since.',
  )
  @ApiBody({ type: DecisionDto, examples: { first: { value: { comment: 'Checked with the plant.' } } } })
  @ApiErrors(PROPOSAL_ERRORS.own_proposal, TABLE_ERRORS.table_busy, TABLE_ERRORS.table_changed)
  @ApiErrors(BATCH_ERRORS.already_undone, BATCH_ERRORS.not_undoable)
  @ApiErrorsWith(ROW_ERROR, PROPOSAL_ERRORS.proposal_outdated, BATCH_ERRORS.batch_conflict)
  approve(
    @Caller() { userId }: Principal,
    @CallerView() view: View,
    @Param('id', UuidPipe) id: string,
    @Body() { comment = null }: DecisionDto,
  ) {
    return this.proposals.approve({ view, id }, userId, comment);
  }

  @Decide(':id/reject', 'owner', 'Reject a proposal', 'Nothing of it is stored.')
  @ApiBody({ type: DecisionDto, examples: { first: { value: { comment: 'Wrong file.' } } } })
  reject(
    @Caller() { userId }: Principal,
    @CallerView() view: View,
    @Param('id', UuidPipe) id: string,
    @Body() { comment = null }: DecisionDto,
  ) {
    return this.proposals.reject({ view, id }, userId, comment);
  }
}
