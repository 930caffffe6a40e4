import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtension, ApiExtraModels, ApiProperty, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { MAX_LISTED_ERRORS } from '../../../packages/errors/src/domain-error.js';
import { type ErrorDefinition, STATUS } from '../../../packages/errors/src/error-definition.js';

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

/** The number of errors of one kind. */
export class ErrorCountDto {
  @ApiProperty({ example: 'type_mismatch' })
  code: string;

  @ApiProperty({ required: false, example: 'weight' })
  column?: string;

  @ApiProperty({ type: 'integer', example: 30120 })
  count: number;
}

export class ErrorCountsDto {
  /** For rows: the number of errors per code and column, the most frequent first. */
  summary?: ErrorCountDto[];

  /** All errors, including those beyond the listed ones. */
  @ApiProperty({ required: false, type: 'integer', example: 1 })
  total?: number;

  /** The limit that was exceeded. */
  @ApiProperty({ required: false, type: 'integer', example: 50000 })
  limit?: number;

  /** The value of the request that exceeded the limit. */
  @ApiProperty({ required: false, type: 'integer', example: 50001 })
  actual?: number;
}

export class ErrorDetailsDto extends ErrorCountsDto {
  /** The first errors. */
  @ApiProperty({ required: false, type: [FieldErrorDto], maxItems: MAX_LISTED_ERRORS })
  errors?: FieldErrorDto[];
}

/** The fields of every error response. */
export class ErrorBaseDto {
  /** HTTP status code. */
  @ApiProperty({ type: 'integer', example: 422 })
  status: number;

  /** Description of the error for people. */
  @ApiProperty({ example: '1 of 5000 rows cannot be stored. Nothing was stored.' })
  message: string;

  /** Milliseconds since the Unix epoch. */
  @ApiProperty({ type: 'integer', example: 1767225600000 })
  timestamp: number;

  /** Stable machine-readable code. The header `Link` (`rel="help"`) leads to its cause and remedy. */
  @ApiProperty({ example: 'invalid_rows' })
  error: string;

  /** ID of the request, as in the `X-Request-Id` header and in the log. */
  @ApiProperty({ example: '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a' })
  requestId: string;
}

/** An error response whose errors have no more fields than `FieldErrorDto`. */
export class ErrorDto extends ErrorBaseDto {
  /** The single errors, or the limit and the actual value. */
  details?: ErrorDetailsDto;
}

/** Prefix of the extensions by which an operation of the OpenAPI document has its errors. */
export const ERROR_EXTENSION = 'x-error-';

/**
 * Declares errors of a route, or of all routes of a controller. The OpenAPI document describes its responses with them
 * and with the errors that follow from the request (`implied-errors.ts`). Swagger UI shows the first error of each
 * status.
 */
export function ApiErrors(...errors: readonly ErrorDefinition[]): ClassDecorator & MethodDecorator {
  // The generator of the document sorts extensions by name.
  const nameOf = ({ kind, code }: ErrorDefinition, position: number) =>
    `${ERROR_EXTENSION}${STATUS[kind]}-${String(position).padStart(2, '0')}-${code}`;
  return applyDecorators(...errors.map((error, position) => ApiExtension(nameOf(error, position), error)));
}

/** Errors of several kinds with different fields. Each code belongs to one kind. */
export interface ErrorUnion {
  /** The name of its schema. */
  name: string;
  kinds: readonly { type: Type<FieldErrorDto>; codes: readonly string[] }[];
  /** Classes with fields of several kinds. */
  bases: readonly Type[];
}

/** Declares a property that is a list of such errors. */
export function ApiErrorList(union: ErrorUnion): PropertyDecorator & MethodDecorator {
  return applyDecorators(ApiProperty({ type: 'array', maxItems: MAX_LISTED_ERRORS, items: toUnionSchema(union) }));
}

/** The classes of the schemas of the errors. */
export function modelsOf({ kinds, bases }: ErrorUnion): Type[] {
  return [...bases, ...kinds.map(({ type }) => type)];
}

function toUnionSchema({ name, kinds }: ErrorUnion): object {
  const mapping = kinds.flatMap(({ type, codes }) => codes.map((code) => [code, getSchemaPath(type)] as const));
  return {
    title: name,
    oneOf: kinds.map(({ type }) => ({ $ref: getSchemaPath(type) })),
    discriminator: { propertyName: 'code', mapping: Object.fromEntries(mapping) },
  };
}

/** ApiErrors() for a route whose `details.errors` have more fields than `FieldErrorDto`. */
export function ApiErrorsWith(
  errorType: Type<FieldErrorDto> | ErrorUnion,
  ...declared: readonly ErrorDefinition[]
): ClassDecorator & MethodDecorator {
  const isUnion = 'kinds' in errorType;
  const items = isUnion ? toUnionSchema(errorType) : { $ref: getSchemaPath(errorType) };
  const errors = { type: 'array', items };
  const details = { type: 'object', allOf: [{ $ref: getSchemaPath(ErrorCountsDto) }], properties: { errors } };
  const schema = {
    title: `${errorType.name.replace(/Dto$/, '')}Response`,
    type: 'object',
    allOf: [{ $ref: getSchemaPath(ErrorBaseDto) }],
    properties: { details },
  };
  const models = isUnion ? modelsOf(errorType) : [errorType];
  const statuses = new Set(declared.map(({ kind }) => STATUS[kind]));
  const responses = [...statuses].map((status) => ApiResponse({ status, schema }));
  return applyDecorators(ApiExtraModels(ErrorBaseDto, ErrorCountsDto, ...models), ...responses, ApiErrors(...declared));
}

/** The declared status of a response that all errors of a route have. The document does not contain it. */
export const ALL_STATUSES = '4XX';

/** All errors of the route may have another body, by the protocol of the request. */
export function ApiErrorsAlsoAs(error: Type): ClassDecorator & MethodDecorator {
  const name = error.name.replace(/Dto$/, '');
  const schema = {
    title: `${name}Response`,
    anyOf: [ErrorDto, error].map((type) => ({ $ref: getSchemaPath(type) })),
  };
  return applyDecorators(ApiExtraModels(error), ApiResponse({ status: ALL_STATUSES, schema }));
}
