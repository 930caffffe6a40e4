import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/**
 * One persistent connection. It sends serialized bodies and does not parse responses: the client shares the machine
 * with the measured processes and must use little CPU time.
 */
export class Connection {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(
    private readonly baseUrl: string,
    private readonly headers: Record<string, string> = {},
  ) {}

  get(path: string): Promise<Reply> {
    return this.send('GET', path, []);
  }

  post(path: string, ...parts: readonly Buffer[]): Promise<Reply> {
    return this.send('POST', path, parts);
  }

  put(path: string, ...parts: readonly Buffer[]): Promise<Reply> {
    return this.send('PUT', path, parts);
  }

  /** Sends a body of another media type than JSON. */
  postAs(type: string, path: string, ...parts: readonly Buffer[]): Promise<Reply> {
    return this.send('POST', path, parts, type);
  }

  close(): void {
    this.agent.destroy();
  }

  private send(method: string, path: string, parts: readonly Buffer[], type = 'application/json'): Promise<Reply> {
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

/** Parses the body. @throws Error with status and body, if the status is not expected. */
export function parseReply({ status, body }: Reply, ...expected: readonly number[]): unknown {
  if (!expected.includes(status))
    throw new Error(`Expected status ${expected.join(' or ')}, received ${status}: ${body.toString().slice(0, 500)}`);
  return JSON.parse(body.toString());
}
