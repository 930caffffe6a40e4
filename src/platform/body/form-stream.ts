import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import { PartCount } from './part-count.js';
import { FormTooLargeError, IncompleteBodyError } from './body.errors.js';

/** A form on its way from the request to multer, which takes this for the request: bounded, whatever was declared. */
export class FormStream extends Transform {
  readonly headers: IncomingHttpHeaders;
  /** The fields, as multer has read them. */
  body?: object;
  /** The files, in their order. */
  files?: object[];
  /** Parts that have come, whatever the parser makes of them. */
  readonly count: PartCount;
  /** Parts that the parser has passed over so far. */
  unread = (): number => 0;
  private came = 0;

  constructor(
    private readonly request: IncomingMessage,
    private readonly most: number,
  ) {
    super();
    this.headers = request.headers;
    this.count = new PartCount(request.headers['content-type']);
    // Multer reads what it gives up to its end before it says why, but for a stream from which nothing can be read.
    Object.defineProperty(this, 'readable', { value: false });
    const cut = () => {
      if (!request.readableEnded) this.destroy(new IncompleteBodyError());
    };
    request.once('close', cut).once('error', cut);
    request.pipe(this);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.came += chunk.length;
    if (this.came > this.most) return done(new FormTooLargeError('All files and fields together have', this.most));
    this.count.add(chunk);
    done(null, chunk);
  }

  /** Whatever comes now is not looked at. */
  letGo(): void {
    this.request.unpipe(this);
    this.destroy();
    this.request.resume();
  }
}
