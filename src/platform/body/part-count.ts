const CRLF = Buffer.from('\r\n');
const BOUNDARY = /;\s*boundary=(?:"((?:[^"\\]|\\.)+)"|([^\s;]+))/i;

/**
 * Counts the parts of a form as its bytes come. The parser passes over a part whose Content-Disposition it cannot read;
 * what it has told of, held against this, shows that.
 */
export class PartCount {
  parts = 0;
  private readonly delimiter: Buffer | undefined;
  /** What came last: a delimiter may come in two pieces. A form begins as if behind the end of a line. */
  private tail: Buffer = CRLF;

  constructor(contentType: string | undefined) {
    const [, quoted, plain] = BOUNDARY.exec(contentType ?? '') ?? [];
    const boundary = quoted?.replace(/\\(.)/g, '$1') ?? plain;
    // The parser reads boundaries byte by byte, too.
    if (boundary) this.delimiter = Buffer.from(`\r\n--${boundary}\r\n`, 'latin1');
  }

  add(chunk: Buffer): void {
    const { delimiter } = this;
    if (!delimiter) return;
    // Across the two, and then within the new one: the chunk itself is not copied.
    const overlap = delimiter.length - 1;
    this.count(Buffer.concat([this.tail, chunk.subarray(0, overlap)]), delimiter);
    this.count(chunk, delimiter);
    const end = chunk.length < overlap ? Buffer.concat([this.tail, chunk]) : chunk;
    this.tail = Buffer.from(end.subarray(Math.max(0, end.length - overlap)));
  }

  private count(bytes: Buffer, delimiter: Buffer): void {
    // The end of a line may be the beginning of the next delimiter, too.
    for (let at = bytes.indexOf(delimiter); at >= 0; at = bytes.indexOf(delimiter, at + delimiter.length - CRLF.length))
      this.parts++;
  }
}
