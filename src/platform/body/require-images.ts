import { ACCEPTED_IMAGES } from './file-types.js';
import type { Upload } from './upload.js';
import { UnsupportedFileTypeError } from './body.errors.js';

/** On routes that take images and nothing else. @throws {UnsupportedFileTypeError} */
export function requireImages(uploads: readonly Upload[]): void {
  for (const [at, { filename, kind, contentType }] of uploads.entries()) {
    if (kind !== 'image')
      throw new UnsupportedFileTypeError({ field: `files[${at}]`, filename }, contentType, ACCEPTED_IMAGES);
  }
}
