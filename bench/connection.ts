import { Agent, request } from 'node:http';

type Reply = { status: number; retryAfter: string | undefined; body: Buffer };
/** An object, which is sent as JSON, or serialized parts: the client must use little CPU time of the machine. */
export type Content = object | readonly Buffer[];

/** While this process computes, it does not notice that the service closes an idle connection. */
class IdleConnectionClosed extends Error {}

/** Persistent connections of one caller, one unless stated otherwise. */
export class Connection {
  private readonly agent: Agent;

  constructor(
    private readonly baseUrl: string,
    private readonly headers: Record<string, string> = {},
    maxSockets = 1,
  ) {
    this.agent = new Agent({ keepAlive: true, maxSockets, maxFreeSockets: 512 });
  }

  /** Sends a request and parses the `data` of the response. @throws Error if it is not a success */
  async call<T>(method: string, path: string, content?: Content, type?: string): Promise<T> {
    return (JSON.parse((await this.read(method, path, content, type)).toString()) as { data: T }).data;
  }

  /** Sends a request and returns the body of the response. @throws Error if it is not a success */
  async read(method: string, path: string, content?: Content, type?: string): Promise<Buffer> {
    const { status, body } = await this.send(method, path, content, type).catch((error: unknown) => {
      if (error instanceof IdleConnectionClosed) return this.send(method, path, content, type);
      throw error;
    });
    if (status < 300) return body;
    throw new Error(`${method} ${path}: ${status} ${body.toString().slice(0, 500)}`);
  }

  send(method: string, path: string, content: Content = [], type = 'application/json'): Promise<Reply> {
    const parts: readonly Buffer[] = Array.isArray(content) ? content : [Buffer.from(JSON.stringify(content))];
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const headers = length > 0 ? { ...this.headers, 'content-type': type, 'content-length': length } : this.headers;
    return new Promise((done, failed) => {
      const outgoing = request(this.baseUrl + path, { method, agent: this.agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', failed);
        response.on('end', () => {
          const retryAfter = response.headers['retry-after'];
          done({ status: response.statusCode!, retryAfter, body: Buffer.concat(chunks) });
        });
      });
      outgoing.on('error', (error: NodeJS.ErrnoException) =>
        failed(outgoing.reusedSocket && error.code === 'ECONNRESET' ? new IdleConnectionClosed() : error),
      );
      for (const part of parts) outgoing.write(part);
      outgoing.end();
    });
  }
}
