import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { FileKind } from './file-types.js';
import type { TemporaryFileQuota } from './temporary-files.js';

/** A file that came with a request. It lies in the spool until the request is over. */
export interface Upload {
  /** Safe to show, and nothing more. */
  filename: string;
  /** Judged by the content, whatever was declared. */
  contentType: string;
  kind: FileKind;
  /** Bytes. */
  size: number;
  /** Hexadecimal. */
  sha256: string;
  path: string;
}

declare module 'http' {
  interface IncomingMessage {
    /** The files of the body, on routes that take files. */
    uploads?: Upload[];
    /** Where they lie. */
    spooled?: TemporaryFileQuota;
  }
}

/** The files that came with the request, as a handler's argument; none where it had none. */
export const Uploads = createParamDecorator(
  (_: unknown, context: ExecutionContext): Upload[] => context.switchToHttp().getRequest<Request>().uploads ?? [],
);
