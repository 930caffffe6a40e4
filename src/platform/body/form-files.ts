import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import multer from 'multer';
import { readBody } from './body-reader.js';
import { Config } from '../config/config.js';
import { displayName } from './file-name.js';
import { FilePolicy } from './file-policy.js';
import { FIELD_LIMITS, formFields, toFormError } from './form-fields.js';
import { FormStream } from './form-stream.js';
import type { TemporaryFileQuota } from './temporary-files.js';
import type { Upload } from './upload.js';
import { type FileReference, FormTooLargeError, MalformedFormError } from './body.errors.js';

/** What stands around files and fields: boundaries and headers of parts. */
const OVERHEAD_BYTES = 1024 * 1024;

/** Parts without a file that browsers send for empty inputs. */
const EMPTY_PARTS = 20;

const UNREAD_PART = 'A part of the form has no Content-Disposition of form-data that can be read.';

/** The field in which files come, as the clients of several languages write it. */
const FILES_FIELD = /^files(\[\d{0,3}\])?$/;

interface Form {
  body: Record<string, unknown>;
  uploads: Upload[];
}

/** What busboy, underneath multer, tells of a form. */
type Parts = NodeJS.WritableStream & {
  on(event: 'field', listener: (name: string | undefined, value: string) => void): Parts;
  on(event: 'file', listener: (name: string | undefined, file: Readable, info: { filename?: string }) => void): Parts;
};

type MulterOptions = multer.Options & { streamHandler: (intake: FormStream, parts: Parts) => void };

/** Reads `multipart/form-data`: files go into the spool as they come, and are never whole in memory. */
@Injectable()
export class FormFiles {
  private readonly maxFieldBytes: number;

  constructor(
    private readonly policy: FilePolicy,
    { body }: Config,
  ) {
    this.maxFieldBytes = body.defaultLimitBytes;
  }

  /** Bytes that the fields of a form have at most, all together; they are held in memory. */
  get mostFieldBytes(): number {
    return this.maxFieldBytes;
  }

  /** Bytes that a form has at most. */
  get mostBytes(): number {
    return this.policy.mostBytes + this.maxFieldBytes + OVERHEAD_BYTES;
  }

  /** @throws {DomainError} before the rest of the form has come; `FormIntake.letGo` has been called. */
  async read(request: Request, response: Response, share: TemporaryFileQuota): Promise<Form> {
    const intake = new FormStream(request, this.mostBytes);
    try {
      await readBody(request, this.parse(intake, response, share));
      if (intake.unread() > 0) throw new MalformedFormError(UNREAD_PART);
      const files = intake.files as { upload: Upload }[];
      return { body: formFields(intake.body), uploads: files.map(({ upload }) => upload) };
    } catch (error) {
      throw toFormError(error, this.maxFieldBytes);
    } finally {
      intake.letGo();
    }
  }

  private parse(intake: FormStream, response: Response, share: TemporaryFileQuota): Promise<void> {
    const form = multer(this.optionsFor(share)).any();
    return new Promise((done, failed) => {
      const next = (error?: Error) => (error ? failed(error) : done());
      void form(intake as unknown as Request, response, next as NextFunction);
    });
  }

  private optionsFor(share: TemporaryFileQuota): MulterOptions {
    let begun = 0;
    return {
      limits: { ...FIELD_LIMITS, fieldSize: this.maxFieldBytes, parts: FIELD_LIMITS.fields + EMPTY_PARTS },
      defParamCharset: 'utf8',
      // What looks like a path in a name is removed on both transports alike.
      preservePath: true,
      streamHandler: (intake, parts) => this.watch(intake, parts),
      fileFilter: (_request, { fieldname }, decide) => {
        const fault = this.faultOf(fieldname, begun + 1);
        if (fault) decide(fault);
        else decide(null, true);
      },
      storage: {
        _handleFile: (_request, file, done) => {
          const place = { field: `files[${begun++}]`, filename: displayName(file.originalname) };
          this.take(place, file.stream, share).then((upload) => done(null, { upload } as object), done);
        },
        // The share removes its files itself.
        _removeFile: (_request, _file, done) => done(null),
      },
    };
  }

  private faultOf(field: string, count: number): Error | undefined {
    if (!FILES_FIELD.test(field)) {
      return new MalformedFormError(`Files are taken in the field files, and not in ${field.slice(0, 100)}.`, field);
    }
    try {
      this.policy.requireCount(count);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  private async take(place: FileReference, stream: Readable, share: TemporaryFileQuota): Promise<Upload> {
    // Destroying it would be an error of its own, and hide why.
    const chunks = stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    const file = await share.write(chunks, (size) => this.policy.requireSize(place, size));
    return this.policy.judge(place, file);
  }

  /** Sees to what multer has no limit for, or passes over in silence. */
  private watch(intake: FormStream, parts: Parts): void {
    let bytes = 0;
    let told = 0;
    parts.on('field', (name = '', value) => {
      told++;
      // What cannot be decoded would be stored as something else; JSON is refused for it, too.
      if (value.includes('\uFFFD')) intake.destroy(new MalformedFormError(`${name} is not valid UTF-8.`, name));
      bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
      if (bytes > this.maxFieldBytes) {
        intake.destroy(new FormTooLargeError('The fields of a form have, all together,', this.maxFieldBytes));
      }
    });
    parts.on('file', (name, file, { filename }) => {
      told++;
      if (filename) return;
      file.on('data', () =>
        intake.destroy(new MalformedFormError('A file of the form has no filename in its Content-Disposition.', name)),
      );
    });
    intake.unread = () => intake.count.parts - told;
    intake.pipe(parts);
  }
}
