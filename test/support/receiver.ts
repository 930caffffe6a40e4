import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as a receiver got it. */
export interface Received {
  headers: Record<string, string>;
  body: string;
  event: any;
  at: number;
}

type Behavior = (response: ServerResponse, received: Received) => void;

const accept: Behavior = (response) => void response.writeHead(204).end();

/** A receiver of webhooks that answers as the test wants. */
export class Receiver {
  readonly received: Received[] = [];
  behavior: Behavior = accept;

  private constructor(private readonly server: Server) {}

  static async start(behavior: Behavior = accept): Promise<Receiver> {
    // It closes no idle connection: after a stall, it would do so before it reads the delivery that has arrived.
    const server = createServer({ keepAliveTimeout: 0 });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const receiver = new Receiver(server);
    receiver.behavior = behavior;
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        const headers = toPlain(request.headers);
        const received = { headers, body, event: JSON.parse(body) as unknown, at: Date.now() };
        receiver.received.push(received);
        receiver.behavior(response, received);
      });
    });
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/webhooks`;
  }

  /** The types of the received events. */
  get types(): string[] {
    return this.received.map(({ event }) => event.type as string);
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

function toPlain(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
