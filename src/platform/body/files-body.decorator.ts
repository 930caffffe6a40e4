import { applyDecorators, type Type } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiExtension, ApiExtraModels, getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { formatBytes } from '../config/limits.js';
import { MAX_FILE_BYTES, MAX_FILES } from './body-limits.js';
import { FileDto } from './dto/file.dto.js';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'multipart/form-data';

/** A file of a form: `format` is for Swagger UI, `contentMediaType` for OpenAPI 3.1. */
const BINARY = { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' };

interface FilesBodyOptions {
  /** A complete JSON body. */
  example: object;
  /** Describes `files` if the route accepts less than others. */
  files?: FilesShape;
}

interface FilesShape {
  maxItems?: number;
  description?: string;
}

/** Passes the options to describeFiles(), which removes the extension from the document. */
const FILES_EXTENSION = 'x-files';

/** Documents the route's body: the fields of the DTO and `files`, as JSON and as form. */
export function ApiFilesBody(type: Type, { example, files = {} }: FilesBodyOptions): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(type, FileDto),
    ApiConsumes(JSON_TYPE, FORM_TYPE),
    ApiBody({ type, examples: { first: { value: example } } }),
    ApiExtension(FILES_EXTENSION, files),
  );
}

type Examples = Record<string, { value: unknown }>;
type Content = Record<string, { schema?: { $ref?: string }; examples?: Examples }>;

/**
 * Documents `files` separately for JSON and form, which decorators cannot. Both schemas refer to a third one with the
 * other fields.
 */
export function describeFiles(document: OpenAPIObject): void {
  const schemas = document.components!.schemas! as Record<string, object>;
  for (const { content, files } of takeRequestBodies(document)) {
    const json = content[JSON_TYPE];
    const form = content[FORM_TYPE];
    const name = json?.schema?.$ref?.split('/').at(-1);
    if (!json || !form || !name) continue;
    const formName = name.replace(/Dto$/, 'FormDto');
    form.schema = { $ref: getSchemaPath(formName) };
    form.examples = withoutFiles(json.examples);
    if (schemas[formName]) continue;
    const fieldsName = name.replace(/Dto$/, 'FieldsDto');
    schemas[fieldsName] = schemas[name]!;
    schemas[formName] = withFiles('FormFiles', fieldsName, { maxItems: MAX_FILES, ...files }, BINARY);
    schemas[name] = withFiles('Files', fieldsName, { maxItems: MAX_FILES, ...files }, { $ref: getSchemaPath(FileDto) });
  }
}

/** A form contains its files as parts. */
export function withoutFiles(examples: Examples = {}): Examples {
  const entries = Object.entries(examples).map(([name, example]) => {
    const value = { ...(example.value as { files?: unknown }) };
    delete value.files;
    return [name, { ...example, value }];
  });
  return Object.fromEntries(entries) as Examples;
}

function takeRequestBodies(document: OpenAPIObject): { content: Content; files?: FilesShape }[] {
  const operations = Object.values(document.paths).flatMap(
    (path) => Object.values(path) as { requestBody?: { content: Content }; [FILES_EXTENSION]?: FilesShape }[],
  );
  return operations.flatMap((operation) => {
    const { requestBody, [FILES_EXTENSION]: files } = operation;
    delete operation[FILES_EXTENSION];
    return requestBody ? [{ content: requestBody.content, files }] : [];
  });
}

const ANY_FILES = `Images, audio, video or PDF, at most ${formatBytes(MAX_FILE_BYTES)} each.`;

/** The title names the schema, which most routes share. */
function withFiles(title: string, fields: string, shape: FilesShape, items: object): object {
  const { maxItems, description = ANY_FILES } = shape;
  const named = description === ANY_FILES ? { title } : {};
  const files = { ...named, type: 'array', maxItems, description, items };
  return { allOf: [{ $ref: getSchemaPath(fields) }], properties: { files } };
}
