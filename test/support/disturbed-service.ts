import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/**
 * What happens to a request: it is answered as by an instance that is stopping, or its connection breaks while the body
 * is sent, while the service processes it, or before the response arrives, or it is answered as the repetition of a
 * request that the service still processes. A function is called before the service receives the request.
 */
export type Disturbance =
  { retryAfterS: number } | 'interrupted' | 'abandoned' | 'response lost' | 'in flight' | (() => Promise<unknown>);

/** A proxy in front of a service that disturbs the first requests to a path. */
export class DisturbedService {
  /** For the next requests. */
  disturbances: Disturbance[] = [];
  /** Requests to the path. */
  received = 0;

  private constructor(
    private readonly server: Server,
    private readonly target: string,
    private readonly path: RegExp,
  ) {}

  static async start({ baseUrl }: { baseUrl: string }, path: RegExp): Promise<DisturbedService> {
    const server = createServer();
    const proxy = new DisturbedService(server, baseUrl, path);
    server.on('request', (incoming, outgoing) => void proxy.handle(incoming, outgoing));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return proxy;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  private async handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const isDisturbed = this.path.test(incoming.url!);
    if (isDisturbed) this.received++;
    const disturbance = isDisturbed ? this.disturbances.shift() : undefined;
    if (disturbance === 'interrupted') {
      incoming.once('data', () => incoming.destroy());
      return;
    }
    const body = await buffer(incoming);
    const reject = (statusCode: number, error: string, headers = {}) =>
      outgoing
        .writeHead(statusCode, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify({ statusCode, error, message: 'The request is disturbed.' }));
    if (typeof disturbance === 'object') {
      reject(503, 'instance_stopping', { 'retry-after': String(disturbance.retryAfterS) });
      return;
    }
    if (typeof disturbance === 'function') await disturbance();
    const { method, headers, url } = incoming;
    const sent = request(new URL(url!, this.target), { method, headers, agent: false });
    sent.on('error', () => outgoing.destroy());
    sent.on('response', (response) => {
      if (disturbance === 'response lost') {
        response.resume();
        outgoing.destroy();
        return;
      }
      if (disturbance === 'in flight') {
        response.resume().once('end', () => reject(409, 'idempotency_key_in_flight'));
        return;
      }
      outgoing.writeHead(response.statusCode!, response.headers);
      response.pipe(outgoing);
    });
    sent.end(body);
    if (disturbance === 'abandoned') outgoing.destroy();
  }
}
