const CRLF = Buffer.from('\r\n');
const BOUNDARY = /;\s*boundary=(?:"((?:[^"\\]|\\.)+)"|([^\s;]+))/i;

/**
 * Counts the parts of a form from its bytes. The parser silently ignores a part whose Content-Disposition it cannot
 * read; a comparison with the parts that it emits reveals that.
 */
export class PartCount {
  parts = 0;
  private readonly delimiter: Buffer | undefined;
  /** The last bytes, because a delimiter may arrive in two chunks. The start of a form counts as the end of a line. */
  private tail: Buffer = CRLF;

  constructor(contentType: string | undefined) {
    const [, quoted, plain] = BOUNDARY.exec(contentType ?? '') ?? [];
    const boundary = quoted?.replace(/\\(.)/g, '$1') ?? plain;
    // The parser compares boundaries byte by byte, too.
    if (boundary) this.delimiter = Buffer.from(`\r\n--${boundary}\r\n`, 'latin1');
  }

  get hasBoundary(): boolean {
    return this.delimiter !== undefined;
  }

  add(chunk: Buffer): void {
    const { delimiter } = this;
    if (!delimiter) return;
    // First across both chunks, then within the new one, which need not be copied.
    const overlap = delimiter.length - 1;
    this.count(Buffer.concat([this.tail, chunk.subarray(0, overlap)]), delimiter);
    this.count(chunk, delimiter);
    const end = chunk.length < overlap ? Buffer.concat([this.tail, chunk]) : chunk;
    this.tail = Buffer.from(end.subarray(Math.max(0, end.length - overlap)));
  }

  private count(bytes: Buffer, delimiter: Buffer): void {
    // The line break at the end may also start the next delimiter.
    const step = delimiter.length - CRLF.length;
    for (let position = bytes.indexOf(delimiter); position >= 0; position = bytes.indexOf(delimiter, position + step))
      this.parts++;
  }
}
