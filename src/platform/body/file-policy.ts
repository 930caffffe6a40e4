import { Injectable } from '@nestjs/common';
import { EmptyFileError, FileTooLargeError, TooManyFilesError, UnsupportedFileTypeError } from './body.errors.js';
import { MAX_FILE_BYTES, MAX_FILES } from './body-limits.js';
import { ACCEPTED_IMAGES, ACCEPTED_TYPES, detectFileType } from './file-types.js';
import type { FileChunks, TemporaryFileQuota } from './temporary-files.js';
import { displayName, type Upload } from './upload.js';

/** The rules for files, for both transports (specification, sections 4.7 and 8). */
@Injectable()
export class FilePolicy {
  /** Tests have smaller files. */
  maxFileBytes = MAX_FILE_BYTES;

  /** @throws {TooManyFilesError} */
  requireCount(count: number): void {
    if (count > MAX_FILES) throw new TooManyFilesError(MAX_FILES, count);
  }

  /**
   * Writes the content of a file, and detects its type.
   *
   * @throws {FileTooLargeError | EmptyFileError | UnsupportedFileTypeError}
   */
  async store(quota: TemporaryFileQuota, content: FileChunks, field: string, sentName: string): Promise<Upload> {
    const reference = { field, filename: displayName(sentName) };
    const file = await quota.write(content, (size) => {
      if (size > this.maxFileBytes) throw new FileTooLargeError(reference, this.maxFileBytes);
    });
    if (file.size === 0) throw new EmptyFileError(reference);
    const type = await detectFileType(file.path, file.size);
    if (typeof type === 'string') throw new UnsupportedFileTypeError(reference, type, ACCEPTED_TYPES);
    return { filename: reference.filename, ...type, ...file };
  }
}

/** For routes that accept only images. @throws {UnsupportedFileTypeError} */
export function requireImages(uploads: readonly Upload[]): void {
  for (const [index, { filename, kind, contentType }] of uploads.entries()) {
    if (kind !== 'image')
      throw new UnsupportedFileTypeError({ field: `files[${index}]`, filename }, contentType, ACCEPTED_IMAGES);
  }
}
