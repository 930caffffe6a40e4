import type { IncomingHttpHeaders } from 'node:http';
import { Readable, type Writable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import multer from 'multer';
import { MAX_BODY_BYTES, MAX_FORM_BYTES } from './body-limits.js';
import {
  type FileReference,
  FormTooLargeError,
  IncompleteBodyError,
  MalformedFormError,
  UnsupportedPartCharsetError,
} from './body.errors.js';
import { readInTime } from './body-timeouts.js';
import type { Reservation } from './byte-budget.js';
import { FilePolicy } from './file-policy.js';
import { FIELD_LIMITS, toBody, toFormError } from './form-fields.js';
import { PartCount } from './part-count.js';
import type { TemporaryFileQuota } from './temporary-files.js';
import { displayName, type Upload } from './upload.js';

/** Parts without a file that browsers send for empty inputs. */
const EMPTY_PARTS = 20;

/** The field of the files, as clients of several languages write it. */
const FILES_FIELD = /^files(\[\d{0,3}\])?$/;

interface Form {
  body: Record<string, unknown>;
  uploads: Upload[];
}

/** The parser that multer passes to the stream handler; it is busboy. */
type FormParser = Writable & {
  on(event: 'field', listener: (name: string | undefined, value: string | undefined) => void): FormParser;
  on(
    event: 'file',
    listener: (name: string | undefined, file: Readable, info: { filename?: string }) => void,
  ): FormParser;
};

type MulterOptions = multer.Options & { streamHandler: (request: FormResult, parser: FormParser) => void };

/** What multer takes for the request: the headers, and no data. It receives the result. */
type FormResult = Readable & { headers: IncomingHttpHeaders; body?: object; files?: { upload: Upload }[] };

/**
 * Reads `multipart/form-data` with multer. Files are written to temporary files as they arrive and are never completely
 * in memory.
 */
@Injectable()
export class FormFiles {
  constructor(private readonly policy: FilePolicy) {}

  /** @throws {DomainError} possibly before the form is complete; the rest of it is discarded */
  async read(request: Request, response: Response, quota: TemporaryFileQuota, memory: Reservation): Promise<Form> {
    const reading = new FormReading(request, this.policy, quota, memory);
    try {
      await readInTime(request, reading.run(response), {
        occupancy: () => Math.max(quota.occupancy, memory.occupancy),
      });
      return reading.form();
    } finally {
      reading.stop();
    }
  }
}

/** One form on its way from the request through multer to the temporary files. */
class FormReading {
  private readonly result: FormResult;
  private readonly count: PartCount;
  private parser?: FormParser;
  /** The first error that this class found. */
  private failure?: Error;
  /** The first error of the parser, which has no code. */
  private parserError?: Error;
  private bytes = 0;
  private fieldBytes = 0;
  /** Parts that the parser has emitted. */
  private parts = 0;
  private files = 0;

  constructor(
    private readonly request: Request,
    private readonly policy: FilePolicy,
    private readonly quota: TemporaryFileQuota,
    private readonly memory: Reservation,
  ) {
    this.count = new PartCount(request.headers['content-type']);
    // After an error multer waits for the end of its request. This one is empty, so the error is reported at once.
    this.result = Object.assign(Readable.from([]), { headers: request.headers });
  }

  run(response: Response): Promise<void> {
    if (!this.count.hasBoundary) throw new MalformedFormError('The Content-Type has no boundary.');
    const middleware = multer(this.options()).any();
    return new Promise((resolve, reject) => {
      const next = (error?: Error) => (error ? reject(this.translate(error)) : resolve());
      void middleware(this.result as unknown as Request, response, next as NextFunction);
    });
  }

  /** The form, after run() is done. */
  form(): Form {
    // Multer ignores a request whose Content-Type it cannot parse.
    if (!this.parser) throw new MalformedFormError('The Content-Type is malformed.');
    // The parser ignores such a part.
    if (this.count.parts > this.parts)
      throw new MalformedFormError('A part of the form has no valid Content-Disposition of type form-data.');
    return { body: toBody(this.result.body!), uploads: this.result.files!.map(({ upload }) => upload) };
  }

  /** Discards the rest of the request. */
  stop(): void {
    if (!this.parser) return;
    this.request.off('data', this.onData).unpipe(this.parser);
    if (!this.parser.destroyed) this.parser.destroy(new IncompleteBodyError());
    this.request.resume();
  }

  private readonly onData = (chunk: Buffer): void => {
    this.bytes += chunk.length;
    this.count.add(chunk);
    if (this.bytes > MAX_FORM_BYTES)
      this.fail(new FormTooLargeError('All files and fields together exceed', MAX_FORM_BYTES));
    try {
      // All bytes may belong to fields, which are in memory.
      this.memory.resize(Math.min(this.bytes, MAX_BODY_BYTES));
    } catch (error) {
      this.fail(error as Error);
    }
  };

  private readonly onParserError = (error: Error): void => {
    this.parserError ??= error;
  };

  private fail(error: Error): void {
    this.failure ??= error;
    this.parser!.destroy(error);
  }

  private translate(error: Error): Error {
    if (this.failure) return this.failure;
    if (error instanceof multer.MulterError) return toFormError(error);
    if (!this.parser) return new MalformedFormError('The Content-Type is malformed.');
    return error === this.parserError ? new MalformedFormError(`The form is malformed: ${error.message}.`) : error;
  }

  private options(): MulterOptions {
    return {
      limits: { ...FIELD_LIMITS, fieldSize: MAX_BODY_BYTES, parts: FIELD_LIMITS.fields + EMPTY_PARTS },
      defParamCharset: 'utf8',
      // displayName() removes paths, for both transports.
      preservePath: true,
      streamHandler: (_result, parser) => this.feed(parser),
      fileFilter: (_request, { fieldname }, decide) => {
        const error = this.failure ?? this.findFileError(fieldname);
        if (error) decide(error);
        else decide(null, true);
      },
      storage: {
        _handleFile: (_request, file, done) => {
          const reference = { field: `files[${this.files++}]`, filename: displayName(file.originalname) };
          file.stream.once('error', this.onParserError);
          this.store(reference, file.stream).then((upload) => done(null, { upload } as object), done);
        },
        // The quota removes its files.
        _removeFile: (_request, _file, done) => done(null),
      },
    };
  }

  private findFileError(field: string): Error | undefined {
    if (!FILES_FIELD.test(field)) {
      return new MalformedFormError(`Files must be in the field "files", not "${field.slice(0, 100)}".`, field);
    }
    try {
      this.policy.requireCount(this.files + 1);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  /**
   * Invalid bytes would be stored as replacement characters. JSON is rejected for them, too.
   *
   * @param what subject of the message.
   */
  private requireUtf8(text: string, what: string, field: string | undefined): void {
    if (text.includes('\uFFFD')) this.fail(new MalformedFormError(`${what} is not valid UTF-8.`, field));
  }

  private async store(reference: FileReference, stream: Readable): Promise<Upload> {
    // Destroying the stream would raise an error that hides the cause.
    const chunks = stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    const file = await this.quota.write(chunks, (size) => this.policy.requireSize(reference, size));
    return this.policy.detectType(reference, file);
  }

  /** Passes the request to the parser, and checks what multer has no limit for or ignores. */
  private feed(parser: FormParser): void {
    const { request } = this;
    this.parser = parser;
    const onCut = () => {
      if (!request.readableEnded) this.fail(new IncompleteBodyError());
    };
    request.on('data', this.onData).once('close', onCut).once('error', onCut);
    parser.once('error', this.onParserError);
    parser.on('field', (name = '', value) => {
      this.parts++;
      // The parser does not know the charset of the part.
      if (value === undefined) return this.fail(new UnsupportedPartCharsetError(name));
      this.requireUtf8(name, 'The name of a field', name);
      this.requireUtf8(value, `The field "${name}"`, name);
      this.fieldBytes += Buffer.byteLength(name) + Buffer.byteLength(value);
      if (this.fieldBytes > MAX_BODY_BYTES)
        this.fail(new FormTooLargeError('All fields of the form together exceed', MAX_BODY_BYTES));
    });
    parser.on('file', (name, file, { filename }) => {
      this.parts++;
      this.requireUtf8(filename ?? '', 'The name of a file', name);
      if (filename) return;
      file.on('data', () =>
        this.fail(new MalformedFormError('A file of the form has no filename in its Content-Disposition.', name)),
      );
    });
    request.pipe(parser);
  }
}
