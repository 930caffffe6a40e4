import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiResponse, type ApiResponseOptions, getSchemaPath } from '@nestjs/swagger';

/** One fault in what was sent, with its place. */
export class FieldErrorDto {
  /** On the legacy webhook: the array of the record at fault. */
  @ApiProperty({ required: false, example: 'equipment' })
  array?: string;

  /** Path of the field, where the fault is in the shape of the request; on the legacy webhook the record's field. */
  @ApiProperty({ required: false, example: 'assets[0].columns[2].type' })
  field?: string;

  /** Entity of the table, where the fault is in a row or a column. */
  @ApiProperty({ required: false, example: 'asset' })
  type?: string;

  /** Name of the table. */
  @ApiProperty({ required: false, example: 'Assets' })
  table?: string;

  /** Position of the row among the table's `items`, from 0. */
  @ApiProperty({ required: false, type: 'integer', example: 4999 })
  index?: number;

  /** In an import: the line on which the row begins, from 1, as an editor counts. */
  @ApiProperty({ required: false, type: 'integer', example: 5001 })
  line?: number;

  /** The row's primary key, where it has one. */
  @ApiProperty({ required: false, example: '000000000010004711' })
  key?: string;

  /** Key of the column at fault, or the item's own key where no column matches. */
  @ApiProperty({ required: false, example: 'weight' })
  column?: string;

  /** Position of the other row, where two rows of one batch have the same key. */
  @ApiProperty({ required: false, type: 'integer', example: 12 })
  otherIndex?: number;

  /** In an import: the line of that row. */
  @ApiProperty({ required: false, type: 'integer', example: 14 })
  otherLine?: number;

  /** Stable machine code of the fault. */
  @ApiProperty({ example: 'type_mismatch' })
  code: string;

  /** What is wrong and what is allowed. */
  @ApiProperty({ example: '"heavy" is not a number.' })
  message: string;
}

export class ErrorDetailsDto {
  /** All errors found, also those beyond the listed ones. */
  @ApiProperty({ required: false, type: 'integer', example: 1 })
  total?: number;

  /** The errors, the first 1,000 at most. */
  @ApiProperty({ required: false, type: [FieldErrorDto] })
  errors?: FieldErrorDto[];

  /** The limit that was passed. */
  @ApiProperty({ required: false, type: 'integer', example: 50000 })
  limit?: number;

  /** What the request had. */
  @ApiProperty({ required: false, type: 'integer', example: 50001 })
  actual?: number;
}

/** The one shape of every error. */
export class ErrorDto {
  /** HTTP status code. */
  @ApiProperty({ type: 'integer', example: 422 })
  status: number;

  /** What went wrong, for people. */
  @ApiProperty({ example: '1 of 5000 rows cannot be stored; nothing was stored.' })
  message: string;

  /** Milliseconds since the Unix epoch. */
  @ApiProperty({ type: 'integer', example: 1767225600000 })
  timestamp: number;

  /** Stable machine code. */
  @ApiProperty({ example: 'invalid_rows' })
  error: string;

  /** The request's id, as in the `X-Request-Id` header and in the service's log. */
  @ApiProperty({ example: '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a' })
  requestId: string;

  /** More about the error, where there is more to say. */
  @ApiProperty({ required: false, type: ErrorDetailsDto })
  details?: ErrorDetailsDto;
}

const MEANING: Record<number, string> = {
  400: 'The request has the wrong shape: malformed JSON, a wrong type, an unknown field or query parameter.',
  401: 'No credentials, or they are not valid, have expired or were revoked.',
  403: 'The credentials lack the scope (`insufficient_scope`).',
  404: "It does not exist, or is not the caller's.",
  406: 'None of the media types in `Accept` can be sent; the message names those that can.',
  408: 'The body did not come in time; the connection is closed.',
  409: 'It conflicts with what is stored.',
  410: 'It was there, and is no more.',
  412: '`If-Match` names another version than the record has; nothing was changed.',
  413: 'Over the limit of the body or of rows; says limit and actual.',
  415: 'Not a media type that is taken here.',
  416: 'The range is not within the file; `Content-Range` says how long that is.',
  422: 'The request is well-formed, but what it asks for cannot be stored. Nothing was stored; every fault is named.',
  429: 'More often than the policy in `RateLimit-Policy` allows; try again after `Retry-After` seconds.',
  503: 'Overloaded, or the database cannot be reached; try again after `Retry-After` seconds.',
};

/** Response headers beside those of every answer. */
const HEADERS: Record<number, ApiResponseOptions['headers']> = {
  429: {
    'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', example: 1800 } },
    'RateLimit-Policy': {
      description: 'The policy: `q` requests within `w` seconds.',
      schema: { type: 'string', example: '"token";q=5;w=60' },
    },
    RateLimit: {
      description: 'No more than `r` requests within `t` seconds. Every answer that counts says so.',
      schema: { type: 'string', example: '"token";r=0;t=1800' },
    },
  },
};

/** Declares the failures of a route in the OpenAPI document, with the one shape of error. */
export function ApiErrors(...statuses: number[]): ClassDecorator & MethodDecorator {
  // A body that may be too large may also be too late.
  const all = statuses.includes(413) ? [...statuses, 408] : statuses;
  return applyDecorators(
    ApiExtraModels(ErrorDto),
    ...all.map((status) =>
      ApiResponse({
        status,
        description: MEANING[status] ?? '',
        headers: HEADERS[status],
        schema: { $ref: getSchemaPath(ErrorDto) },
      }),
    ),
  );
}
