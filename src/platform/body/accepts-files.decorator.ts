import { applyDecorators, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiErrors } from '../http/error.dto.js';

const FILES = Symbol('files');

/** The route takes files, as `multipart/form-data` or as base64 under `files` of a JSON body; see `@Uploads()`. */
export function AcceptsFiles(): MethodDecorator {
  return applyDecorators(SetMetadata(FILES, true), ApiErrors(400, 413, 415, 503));
}

export function acceptsFiles(context: ExecutionContext): boolean {
  return Reflect.getMetadata(FILES, context.getHandler()) === true;
}
