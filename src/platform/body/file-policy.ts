import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import type { LocalFile } from '../storage/file-storage.js';
import { ACCEPTED_IMAGES, ACCEPTED_TYPES, detectFileType } from './file-types.js';
import type { Upload } from './upload.js';
import {
  EmptyFileError,
  type FileReference,
  FileTooLargeError,
  TooManyFilesError,
  UnsupportedFileTypeError,
} from './body.errors.js';

/** Which files are taken, however they come (specification, sections 4.7 and 8). */
@Injectable()
export class FilePolicy {
  private readonly maxFiles: number;
  private readonly maxFileBytes: number;

  constructor({ uploads }: Config) {
    this.maxFiles = uploads.maxFiles;
    this.maxFileBytes = uploads.maxFileBytes;
  }

  /** Bytes of all files that a request may have. */
  get mostBytes(): number {
    return this.maxFiles * this.maxFileBytes;
  }

  /** @throws {TooManyFilesError} */
  requireCount(count: number): void {
    if (count > this.maxFiles) throw new TooManyFilesError(this.maxFiles, count);
  }

  /**
   * @param size bytes of the file, or those of it that have come.
   * @param actual bytes of the file, where all of them are known.
   * @throws {FileTooLargeError}
   */
  requireSize(place: FileReference, size: number, actual?: number): void {
    if (size > this.maxFileBytes) throw new FileTooLargeError(place, this.maxFileBytes, actual);
  }

  /** What the file in the spool is. @throws {EmptyFileError | UnsupportedFileTypeError} */
  async judge(place: FileReference, file: LocalFile): Promise<Upload> {
    if (file.size === 0) throw new EmptyFileError(place);
    const type = await detectFileType(file.path, file.size);
    if (typeof type === 'string') throw new UnsupportedFileTypeError(place, type, ACCEPTED_TYPES);
    return { filename: place.filename, ...type, ...file };
  }
}

/** For routes that take only images. @throws {UnsupportedFileTypeError} */
export function requireImages(uploads: readonly Upload[]): void {
  for (const [index, { filename, kind, contentType }] of uploads.entries()) {
    if (kind !== 'image')
      throw new UnsupportedFileTypeError({ field: `files[${index}]`, filename }, contentType, ACCEPTED_IMAGES);
  }
}
