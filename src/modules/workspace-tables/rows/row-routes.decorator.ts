import { applyDecorators, type Type } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation } from '@nestjs/swagger';
import { Enveloped } from '../../../platform/http/envelope.js';
import { ApiErrors, ApiErrorsWith } from '../../../platform/http/error.dto.js';
import { ConditionalRead } from '../../../platform/http/conditional-requests.js';
import { ExactNumbers } from '../../../platform/body/body.decorators.js';
import { RequireScope } from '../../../platform/security/require-scope.decorator.js';
import { DeletedItemDto, ItemDto, ItemPathDto, WrittenItemDto } from './dto/row.dto.js';
import { RowErrorDto } from '../engine/dto/row-error.dto.js';

const route = (
  scope: 'read:workspaces' | 'write:workspaces',
  summary: string,
  dto: Type,
  also?: Record<number, string>,
) => applyDecorators(RequireScope(scope), ApiOperation({ summary }), Enveloped(dto, { also }), ApiErrors(400, 404));

const TakesRow = () =>
  applyDecorators(
    ApiBody({
      description: 'Column keys, or names, and values.',
      schema: { type: 'object', additionalProperties: true },
      examples: { first: { value: { name: 'Standby pump', weight: 176 } } },
    }),
    ExactNumbers(),
    ApiErrors(413, 415, 503),
    ApiErrorsWith(RowErrorDto, 422),
  );

export const GetsRow = () => applyDecorators(route('read:workspaces', 'Read a row', ItemDto), ConditionalRead());

export const GetsPath = () =>
  route('read:workspaces', 'Get the rows above a row, from the top of the hierarchy', ItemPathDto);

export const PutsRow = () =>
  applyDecorators(
    route('write:workspaces', 'Make a row just so: what is not sent is empty', WrittenItemDto, {
      201: 'The row is new.',
    }),
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: '`*`: only where there is no such row yet, else 412.',
      schema: { type: 'string', enum: ['*'] },
    }),
    TakesRow(),
  );

export const PatchesRow = () =>
  applyDecorators(route('write:workspaces', 'Change what is sent of a row', WrittenItemDto), TakesRow());

export const DeletesRow = () =>
  applyDecorators(route('write:workspaces', 'Delete a row', DeletedItemDto), ApiErrors(503));
