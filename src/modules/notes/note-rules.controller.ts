import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { ObeysPolicies } from '../../platform/security/obeys-policies.decorator.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import { TABLE_ERRORS } from '../../../packages/tables/src/catalog/tables.errors.js';
import { NoteFieldDefinitionsDto, NoteStatusesDto, NoteTypesDto } from './dto/note-rules.dto.js';
import { DEFAULT_TYPE } from './note-rules.js';
import { NoteRulesService } from './note-rules.service.js';
import { DEFAULT_STATUSES } from './note-status.js';

const EXAMPLE_FIELDS = {
  fields: [
    { key: 'priority', name: 'Priority', type: 'choice', choices: ['low', 'medium', 'high'] },
    { key: 'downtime', name: 'Downtime in hours', type: 'number' },
  ],
};

/** The statuses, fields and types that notes of a workspace can have. */
@ApiTags('Workspace notes')
@ApiErrors(TABLE_ERRORS.table_changed)
@ObeysPolicies()
@Controller('v2/api/workspaces/:workspaceId')
export class NoteRulesController {
  constructor(private readonly rules: NoteRulesService) {}

  @Get('note-statuses')
  @RequireScope('read:workspaces', 'reader')
  @ApiOperation({ summary: 'List note statuses' })
  @Enveloped(NoteStatusesDto)
  async statuses(@Param('workspaceId', UuidPipe) workspaceId: string) {
    return { statuses: (await this.rules.get(workspaceId)).statuses };
  }

  @Put('note-statuses')
  @RequireScope('write:workspaces', 'owner')
  @ApiOperation({
    summary: 'Replace note statuses',
    description: 'Notes retain a removed status until they get another.',
  })
  @ApiBody({ type: NoteStatusesDto, examples: { default: { value: { statuses: DEFAULT_STATUSES } } } })
  @Enveloped(NoteStatusesDto, { message: 'The statuses were changed' })
  async changeStatuses(@Param('workspaceId', UuidPipe) workspaceId: string, @Body() { statuses }: NoteStatusesDto) {
    return { statuses: await this.rules.changeStatuses(workspaceId, statuses) };
  }

  @Get('note-fields')
  @RequireScope('read:workspaces', 'reader')
  @ApiOperation({ summary: 'List the fields of notes' })
  @Enveloped(NoteFieldDefinitionsDto)
  async fields(@Param('workspaceId', UuidPipe) workspaceId: string) {
    return { fields: await this.rules.listFields(workspaceId) };
  }

  @Put('note-fields')
  @RequireScope('write:workspaces', 'owner')
  @ApiOperation({
    summary: 'Replace the fields of notes',
    description: 'Values are checked when they are written.',
  })
  @ApiBody({ type: NoteFieldDefinitionsDto, examples: { default: { value: EXAMPLE_FIELDS } } })
  @Enveloped(NoteFieldDefinitionsDto, { message: 'The fields were changed' })
  async changeFields(@Param('workspaceId', UuidPipe) workspaceId: string, @Body() { fields }: NoteFieldDefinitionsDto) {
    return { fields: await this.rules.changeFields(workspaceId, fields) };
  }

  @Get('note-types')
  @RequireScope('read:workspaces', 'reader')
  @ApiOperation({ summary: 'List the types of notes' })
  @Enveloped(NoteTypesDto)
  async types(@Param('workspaceId', UuidPipe) workspaceId: string) {
    return { types: (await this.rules.get(workspaceId)).types };
  }

  @Put('note-types')
  @RequireScope('write:workspaces', 'owner')
  @ApiOperation({
    summary: 'Replace the types of notes',
    description: 'A new note has the first type by default.',
  })
  @ApiBody({ type: NoteTypesDto, examples: { default: { value: { types: [DEFAULT_TYPE] } } } })
  @Enveloped(NoteTypesDto, { message: 'The types were changed' })
  async changeTypes(@Param('workspaceId', UuidPipe) workspaceId: string, @Body() { types }: NoteTypesDto) {
    return { types: await this.rules.changeTypes(workspaceId, types) };
  }
}
