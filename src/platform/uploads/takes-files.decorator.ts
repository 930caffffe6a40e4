import { applyDecorators, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiFailures } from '../http/error.dto.js';

const FILES = Symbol('files');

/** The route takes files, as `multipart/form-data` or as base64 under `files` of a JSON body; see `@Uploads()`. */
export function TakesFiles(): MethodDecorator {
  return applyDecorators(SetMetadata(FILES, true), ApiFailures(400, 413, 415, 503));
}

export function takesFiles(context: ExecutionContext): boolean {
  return Reflect.getMetadata(FILES, context.getHandler()) === true;
}
