import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { FileKind } from '../storage/stored-file.dto.js';

/** A file of a request, stored in a temporary file until the request ends. */
export interface Upload {
  /** Safe to display; see displayName(). */
  filename: string;
  /** Detected from the content; the declared type is ignored. */
  contentType: string;
  kind: FileKind;
  /** Bytes. */
  size: number;
  /** Hexadecimal. */
  sha256: string;
  path: string;
}

/** The files of the request as an argument of a handler; empty if there are none. */
export const Uploads = createParamDecorator(
  (_: unknown, context: ExecutionContext): Upload[] => context.switchToHttp().getRequest<Request>().uploads ?? [],
);

const MAX_NAME_LENGTH = 255;

/** Characters of the name that is sent, which may contain a path: the longest path of Linux. */
export const MAX_SENT_NAME_LENGTH = 4_096;

/**
 * Control characters, line and paragraph separators, byte order marks, and characters that change the text direction.
 */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

const EXTENSION = /\.[^.\s]{1,20}$/;

/** A file name that is safe to display: no path, no invisible characters, and short with its extension. */
export function displayName(original: string): string {
  // The end of a path has the name. Callers reject longer names before.
  const name = original.slice(-MAX_SENT_NAME_LENGTH).replace(UNSAFE, '').split(/[/\\]/).at(-1)!.toWellFormed().trim();
  if (/^\.*$/.test(name)) return 'file';
  if (name.length <= MAX_NAME_LENGTH) return name;
  const [extension = ''] = EXTENSION.exec(name) ?? [];
  const stem = name.slice(0, MAX_NAME_LENGTH - extension.length);
  // The cut must not leave the first half of a surrogate pair.
  return stem.replace(/[\ud800-\udbff]$/, '') + extension;
}
