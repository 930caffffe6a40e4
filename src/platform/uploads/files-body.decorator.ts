import { applyDecorators, type Type } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiExtraModels, getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { FileDto } from './dto/file.dto.js';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'multipart/form-data';

interface FilesBodyOptions {
  /** A JSON body, for people to try. */
  example: object;
}

/** The route's body in the document: fields of the DTO and `files`, in both transports. */
export function ApiFilesBody(type: Type, { example }: FilesBodyOptions): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(type, FileDto),
    ApiConsumes(JSON_TYPE, FORM_TYPE),
    ApiBody({ type, examples: { first: { value: example } } }),
  );
}

type Schema = Record<string, unknown> & { $ref?: string; properties?: Record<string, unknown>; required?: string[] };
type Content = Record<string, { schema?: Schema; examples?: object }>;

/** Gives each transport of a body with files its own shape of `files`, which decorators cannot. */
export function describeFiles(document: OpenAPIObject, maxFiles: number): void {
  for (const content of bodiesOf(document)) {
    const json = content[JSON_TYPE];
    const form = content[FORM_TYPE];
    const name = json?.schema?.$ref?.split('/').at(-1);
    if (!json || !form || !name) continue;
    const fields = document.components?.schemas?.[name] as Schema;
    json.schema = withFiles(fields, maxFiles, { $ref: getSchemaPath(FileDto) });
    form.schema = withFiles(fields, maxFiles, {
      type: 'string',
      format: 'binary',
      contentMediaType: 'application/octet-stream',
    });
    delete form.examples;
  }
}

function bodiesOf(document: OpenAPIObject): Content[] {
  const operations = Object.values(document.paths).flatMap(
    (path) => Object.values(path) as { requestBody?: { content: Content } }[],
  );
  return operations.flatMap(({ requestBody }) => (requestBody ? [requestBody.content] : []));
}

/** Spelled out, since forms of Swagger UI are made of properties alone. */
function withFiles({ properties, required }: Schema, maxItems: number, items: object): Schema {
  const description = 'Images, audio, video or PDF, at most 20 MiB each.';
  const files = { type: 'array', maxItems, description, items };
  return { type: 'object', properties: { ...properties, files }, ...(required ? { required } : {}) };
}
