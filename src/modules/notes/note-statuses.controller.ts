import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { ObeysPolicies } from '../../platform/security/obeys-policies.decorator.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import { NoteStatusesDto } from './dto/save-note.dto.js';
import { DEFAULT_STATUSES } from './note-status.js';
import { NoteStatusesService } from './note-statuses.service.js';
import { TABLE_ERRORS } from '../../../packages/tables/src/catalog/tables.errors.js';

/** The statuses that notes of a workspace can have. */
@ApiTags('Workspace notes')
@ApiErrors(TABLE_ERRORS.table_changed)
@ObeysPolicies()
@Controller('v2/api/workspaces/:workspaceId/note-statuses')
export class NoteStatusesController {
  constructor(private readonly statuses: NoteStatusesService) {}

  @Get()
  @RequireScope('read:workspaces', 'reader')
  @ApiOperation({ summary: 'List note statuses' })
  @Enveloped(NoteStatusesDto)
  async get(@Param('workspaceId', UuidPipe) workspaceId: string) {
    return { statuses: await this.statuses.list(workspaceId) };
  }

  @Put()
  @RequireScope('write:workspaces', 'owner')
  @ApiOperation({
    summary: 'Replace note statuses',
    description: 'Notes retain a removed status until they get another.',
  })
  @ApiBody({ type: NoteStatusesDto, examples: { default: { value: { statuses: DEFAULT_STATUSES } } } })
  @Enveloped(NoteStatusesDto, { message: 'The statuses were changed' })
  async change(@Param('workspaceId', UuidPipe) workspaceId: string, @Body() { statuses }: NoteStatusesDto) {
    return { statuses: await this.statuses.change(workspaceId, statuses) };
  }
}
