import { applyDecorators, HttpCode, SetMetadata, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { Envelope } from './envelope.dto.js';

/** Metadata key of the envelope's `message`; the reply wraps the results of handlers that have it. */
export const ENVELOPE_MESSAGE = Symbol('envelope-message');

interface EnvelopeOptions {
  /** HTTP status unless a `Reply` has another; 200 by default. */
  status?: number;
  /** The envelope's `message`. */
  message?: string;
  /** Other success statuses that a `Reply` may have, each with its condition. */
  also?: Record<number, string>;
  /** Describes a success in the OpenAPI document. */
  description?: string;
  /** Additional headers of a success, each with its description. */
  headers?: Record<string, string>;
  /** The response to a form is `data` without the envelope. */
  bareForForms?: boolean;
}

/** A success whose status, message or headers depend on the result. The data of a raw reply is sent as it is. */
export class Reply<T> {
  constructor(
    readonly data: T,
    readonly options: { status?: number; message?: string; headers?: Record<string, string>; raw?: boolean } = {},
  ) {}
}

/**
 * Sends and documents the handler's result as `data` of the envelope (specification, section 1). `null` as the type
 * means that `data` is an object without properties.
 */
export function Enveloped(type: Type | null, options: EnvelopeOptions = {}): MethodDecorator {
  const { status = 200, message = 'OK', also = {} } = options;
  const { description = 'OK.', headers = {}, bareForForms = false } = options;
  return applyDecorators(
    SetMetadata(ENVELOPE_MESSAGE, message),
    HttpCode(status),
    ApiExtraModels(Envelope, ...(type ? [type] : [])),
    ...Object.entries({ [status]: description, ...also }).map(([code, text]) =>
      ApiResponse({
        status: Number(code),
        description: text,
        ...(Object.keys(headers).length > 0 ? { headers: describeHeaders(headers) } : {}),
        content: {
          'application/json': {
            schema: describeBody(describeEnvelope(type), type, bareForForms),
          },
        },
      }),
    ),
  );
}

/** An object without properties. */
const EMPTY = { type: 'object', maxProperties: 0 };

function describeBody(envelope: { title: string }, type: Type | null, bareForForms: boolean) {
  if (!bareForForms) return envelope;
  const title = envelope.title.replace(/^Empty/, 'Revocation').replace(/Response$/, 'OrFormResponse');
  return { title, anyOf: [envelope, type ? { $ref: getSchemaPath(type) } : EMPTY] };
}

function describeHeaders(headers: Record<string, string>) {
  const described = Object.entries(headers).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  return Object.fromEntries(described) as Record<string, object>;
}

/** The document moves a schema with a title to `components.schemas`. */
function describeEnvelope(type: Type | null) {
  const data = type ? { $ref: getSchemaPath(type) } : EMPTY;
  const name = type ? type.name.replace(/(Response)?Dto$/, '') : 'Empty';
  return {
    title: `${name}Response`,
    allOf: [{ $ref: getSchemaPath(Envelope) }],
    required: ['data'],
    properties: { data },
  };
}
