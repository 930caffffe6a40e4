import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiResponse, type ApiResponseOptions, getSchemaPath } from '@nestjs/swagger';

/** One error of a request. Modules whose errors have more fields extend it; see ApiErrorsWith(). */
export class FieldErrorDto {
  /** Path of the field in the request. */
  @ApiProperty({ required: false, example: 'assets[0].columns[2].type' })
  field?: string;

  /** Stable machine-readable code. */
  @ApiProperty({ example: 'type_mismatch' })
  code: string;

  /** What is wrong and what is allowed. */
  @ApiProperty({ example: '"heavy" is not a number.' })
  message: string;
}

export class ErrorDetailsDto {
  /** All errors, including those beyond the listed ones. */
  @ApiProperty({ required: false, type: 'integer', example: 1 })
  total?: number;

  /** The first 1,000 errors. */
  errors?: FieldErrorDto[];

  /** The limit that was exceeded. */
  @ApiProperty({ required: false, type: 'integer', example: 50000 })
  limit?: number;

  /** The value of the request that exceeded the limit. */
  @ApiProperty({ required: false, type: 'integer', example: 50001 })
  actual?: number;
}

/** The body of every error response. */
export class ErrorDto {
  /** HTTP status code. */
  @ApiProperty({ type: 'integer', example: 422 })
  status: number;

  /** Description of the error for people. */
  @ApiProperty({ example: '1 of 5000 rows cannot be stored. Nothing was stored.' })
  message: string;

  /** Milliseconds since the Unix epoch. */
  @ApiProperty({ type: 'integer', example: 1767225600000 })
  timestamp: number;

  /** Stable machine-readable code. */
  @ApiProperty({ example: 'invalid_rows' })
  error: string;

  /** ID of the request, as in the `X-Request-Id` header and in the log. */
  @ApiProperty({ example: '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a' })
  requestId: string;

  /** The single errors, or the limit and the actual value. */
  details?: ErrorDetailsDto;
}

const DESCRIPTIONS: Record<number, string> = {
  400: 'The request has the wrong shape: malformed JSON, a wrong type, an unknown field or query parameter.',
  401: 'The credentials are missing, invalid, expired or revoked.',
  403: 'The credentials lack the scope (`insufficient_scope`).',
  404: 'The resource does not exist or belongs to another workspace.',
  406: 'None of the media types in `Accept` is available; the message lists those that are.',
  408: 'The body was not received in time. The connection is closed.',
  409: 'The request conflicts with stored data.',
  410: 'The resource existed and was removed.',
  412: 'The record does not have the version in `If-Match`. Nothing was changed.',
  413: 'The body or the number of rows exceeds a limit; the details contain limit and actual value.',
  415: 'The media type is not accepted.',
  416: 'The range is outside the file; `Content-Range` contains its size.',
  422: 'The request is well-formed, but its content cannot be stored. Nothing was stored; the details list every error.',
  429: 'The rate limit in `RateLimit-Policy` is exceeded. Retry after `Retry-After` seconds.',
  503: 'The service is overloaded or the database is unavailable. Retry after `Retry-After` seconds.',
};

/** Response headers in addition to those of every response. */
const HEADERS: Record<number, ApiResponseOptions['headers']> = {
  429: {
    'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', example: 1800 } },
    'RateLimit-Policy': {
      description: 'The policy: `q` requests per `w` seconds.',
      schema: { type: 'string', example: '"token";q=5;w=60' },
    },
    RateLimit: {
      description: '`r` requests remain for the next `t` seconds. Every counted response has this header.',
      schema: { type: 'string', example: '"token";r=0;t=1800' },
    },
  },
};

/** Declares the error responses of a route in the OpenAPI document. */
export function ApiErrors(...statuses: number[]): ClassDecorator & MethodDecorator {
  return declareErrors(ErrorDto, statuses);
}

/** ApiErrors() for a route whose `details.errors` have more fields than `FieldErrorDto`. */
export function ApiErrorsWith(errorType: Type<FieldErrorDto>, ...statuses: number[]): ClassDecorator & MethodDecorator {
  return declareErrors(responseType(errorType), statuses);
}

function declareErrors(type: Type<ErrorDto>, statuses: number[]): ClassDecorator & MethodDecorator {
  // A route that limits the size of its body also limits its duration.
  const all = statuses.includes(413) ? [...statuses, 408] : statuses;
  return applyDecorators(
    ApiExtraModels(type),
    ...all.map((status) =>
      ApiResponse({
        status,
        description: DESCRIPTIONS[status] ?? '',
        headers: HEADERS[status],
        schema: { $ref: getSchemaPath(type) },
      }),
    ),
  );
}

const responseTypes = new Map<Type<FieldErrorDto>, Type<ErrorDto>>();

/** ErrorDto with details of the type: for `RowErrorDto`, the schemas `RowErrorResponseDto` and `RowErrorDetailsDto`. */
function responseType(errorType: Type<FieldErrorDto>): Type<ErrorDto> {
  const known = responseTypes.get(errorType);
  if (known) return known;
  const name = errorType.name.replace(/Dto$/, '');

  class DetailsDto extends ErrorDetailsDto {
    @ApiProperty({ required: false, type: [errorType] })
    declare errors?: FieldErrorDto[];
  }
  class ResponseDto extends ErrorDto {
    @ApiProperty({ required: false, type: DetailsDto })
    declare details?: DetailsDto;
  }
  Object.defineProperty(DetailsDto, 'name', { value: `${name}DetailsDto` });
  Object.defineProperty(ResponseDto, 'name', { value: `${name}ResponseDto` });
  responseTypes.set(errorType, ResponseDto);
  return ResponseDto;
}
