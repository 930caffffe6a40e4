import { applyDecorators, type Type } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation } from '@nestjs/swagger';
import { ExactNumbers } from '../../../platform/body/body.decorators.js';
import { ConditionalRead } from '../../../platform/http/conditional-requests.js';
import { Enveloped } from '../../../platform/http/envelope.js';
import { ApiErrorsWith } from '../../../platform/http/error.dto.js';
import { RequireScope } from '../../../platform/security/require-scope.decorator.js';
import type { Role } from '../../../platform/security/roles.js';
import { ROW_ERROR } from '../catalog/dto/table-error.dto.js';
import { EXAMPLE_RENAMES } from '../catalog/dto/table.examples.js';
import { RenameDto, RenamedDto } from './dto/rename.dto.js';
import { DeletedItemDto, ItemDto, ItemPathDto, WrittenItemDto } from './dto/row.dto.js';
import { TABLE_POLICY_ERRORS } from '../../../../packages/tables/src/catalog/policy.errors.js';
import { TABLE_ERRORS } from '../../../../packages/tables/src/catalog/tables.errors.js';

const RowRoute = (
  scope: 'read:workspaces' | 'write:workspaces',
  role: Role,
  summary: string,
  dto: Type,
  description?: string,
  also?: Record<number, string>,
) => applyDecorators(RequireScope(scope, role), ApiOperation({ summary, description }), Enveloped(dto, { also }));

const RowBody = () =>
  applyDecorators(
    ApiBody({
      description: 'Values by column key or name.',
      schema: { type: 'object', additionalProperties: true },
      examples: { first: { value: { name: 'Standby pump', weight: 176 } } },
    }),
    ExactNumbers(),
    ApiErrorsWith(ROW_ERROR, TABLE_ERRORS.invalid_rows, TABLE_ERRORS.invalid_key, TABLE_POLICY_ERRORS.read_only),
  );

export const GetRow = () =>
  applyDecorators(RowRoute('read:workspaces', 'reader', 'Read a row', ItemDto), ConditionalRead());

export const GetRowPath = () =>
  RowRoute(
    'read:workspaces',
    'reader',
    'Get the path of a row',
    ItemPathDto,
    'The rows above it, from the top of the hierarchy.',
  );

export const PutRow = () =>
  applyDecorators(
    RowRoute('write:workspaces', 'editor', 'Create or replace a row', WrittenItemDto, 'Omitted values become empty.', {
      201: 'The row was created.',
    }),
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: '`*`: only if the row does not exist yet, else 412.',
      schema: { type: 'string', enum: ['*'] },
    }),
    RowBody(),
  );

export const PatchRow = () =>
  applyDecorators(RowRoute('write:workspaces', 'editor', 'Change values of a row', WrittenItemDto), RowBody());

export const DeleteRow = () => RowRoute('write:workspaces', 'editor', 'Delete a row', DeletedItemDto);

export const RenameRow = () =>
  applyDecorators(
    RequireScope('write:workspaces', 'editor'),
    ApiOperation({
      summary: 'Rename a row',
      description:
        'Changes the key, and all parents, references and notes that name it, all or nothing. ' +
        'References that another table can serve, too, remain and are counted as `ambiguous`.',
    }),
    ApiBody({ type: RenameDto, examples: { first: { value: { key: EXAMPLE_RENAMES.assets.to } } } }),
    Enveloped(RenamedDto, { description: 'The row and what refers to it have the key.' }),
    ApiErrorsWith(ROW_ERROR, TABLE_ERRORS.key_taken, TABLE_ERRORS.invalid_rows, TABLE_ERRORS.invalid_key),
    ApiErrorsWith(ROW_ERROR, TABLE_POLICY_ERRORS.read_only),
  );
