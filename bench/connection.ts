import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A form, serialised. */
export interface Form {
  boundary: string;
  parts: readonly Buffer[];
}

/**
 * One kept-alive connection. It sends bodies that were serialised before and does not parse what comes back: the client
 * shares the machine with what is measured, and is to take little of it.
 */
export class Connection {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(
    private readonly baseUrl: string,
    private readonly headers: Record<string, string> = {},
  ) {}

  get(path: string): Promise<Answer> {
    return this.send('GET', path, []);
  }

  post(path: string, ...parts: readonly Buffer[]): Promise<Answer> {
    return this.send('POST', path, parts);
  }

  /** A body of another media type than JSON. */
  postAs(type: string, path: string, ...parts: readonly Buffer[]): Promise<Answer> {
    return this.send('POST', path, parts, type);
  }

  postForm(path: string, { boundary, parts }: Form): Promise<Answer> {
    return this.send('POST', path, parts, `multipart/form-data; boundary=${boundary}`);
  }

  close(): void {
    this.agent.destroy();
  }

  private send(method: string, path: string, parts: readonly Buffer[], type = 'application/json'): Promise<Answer> {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const body = length > 0 ? { 'content-type': type, 'content-length': length } : {};
    return new Promise((done, failed) => {
      const outgoing = request(this.baseUrl + path, {
        method,
        agent: this.agent,
        headers: { ...this.headers, ...body },
      });
      outgoing.on('error', failed);
      outgoing.on('response', (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', failed);
        incoming.on('end', () => {
          done({ status: incoming.statusCode!, headers: incoming.headers, body: Buffer.concat(chunks) });
        });
      });
      for (const part of parts) outgoing.write(part);
      outgoing.end();
    });
  }
}

/** The parsed body, where the status is one of those expected. @throws Error with what came instead. */
export function parsed({ status, body }: Answer, ...expected: readonly number[]): unknown {
  if (!expected.includes(status))
    throw new Error(`${expected.join(' or ')} was expected, and ${status} came: ${body.toString().slice(0, 500)}`);
  return JSON.parse(body.toString());
}
