import { Injectable } from '@nestjs/common';
import { type FieldError, InvalidRequestError } from '../http/domain-error.js';
import { base64In, decoded, sizeOf } from './base64.js';
import { displayName } from './file-name.js';
import { FilePolicy } from './file-policy.js';
import type { TemporaryFileQuota } from './temporary-files.js';
import type { Upload } from './upload.js';

/** A file as a JSON body has it. */
export interface FileObject {
  filename: string;
  data: string;
}

const FIELDS = ['filename', 'contentType', 'data'];

/** The files of a JSON body, in base64 (specification, section 2.6). */
@Injectable()
export class JsonFiles {
  constructor(private readonly policy: FilePolicy) {}

  /**
   * Checks the shape of `files` before the first of them is decoded.
   *
   * @throws {InvalidRequestError | TooManyFilesError}
   */
  check(files: unknown): FileObject[] {
    if (!Array.isArray(files)) {
      throw new InvalidRequestError([{ field: 'files', code: 'invalid_field', message: 'files must be a list' }]);
    }
    this.policy.requireCount(files.length);
    const errors = (files as unknown[]).flatMap((file, at) => faultsOf(file, `files[${at}]`));
    if (errors.length > 0) throw new InvalidRequestError(errors);
    return files as FileObject[];
  }

  /** Writes one after the other into the spool. The text of each is let go of as soon as it is there. */
  async write(files: FileObject[], share: TemporaryFileQuota): Promise<Upload[]> {
    const uploads: Upload[] = [];
    for (const [at, file] of files.entries()) {
      uploads.push(await this.writeFile(file, `files[${at}]`, share));
      file.data = '';
    }
    return uploads;
  }

  private async writeFile({ filename, data }: FileObject, field: string, share: TemporaryFileQuota): Promise<Upload> {
    const place = { field, filename: displayName(filename) };
    const source = base64In(data, `${field}.data`);
    const size = sizeOf(source);
    this.policy.requireSize(place, size, size);
    const file = await share.write(decoded(source, `${field}.data`), () => undefined);
    return this.policy.judge(place, file);
  }
}

function faultsOf(file: unknown, place: string): FieldError[] {
  if (typeof file !== 'object' || file === null || Array.isArray(file)) {
    return [{ field: place, code: 'invalid_field', message: `${place} must be an object with filename and data` }];
  }
  const { filename, contentType, data } = file as Record<string, unknown>;
  const notText = Object.entries({ filename, contentType: contentType ?? '', data })
    .filter(([, value]) => typeof value !== 'string')
    .map(([name]) => ({ field: `${place}.${name}`, code: 'invalid_field', message: `${name} must be a string` }));
  const unknown = Object.keys(file)
    .filter((name) => !FIELDS.includes(name))
    .map((name) => ({ field: `${place}.${name}`, code: 'unknown_field', message: `${name} is not known here` }));
  return [...notText, ...unknown];
}
