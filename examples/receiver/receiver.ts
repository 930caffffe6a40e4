import type { IncomingMessage, ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';

/**
 * Handles the requests of a subscription: verifies the signature, and answers 204 when the event was processed. If it
 * cannot be processed now, the answer is 503, and the service sends it again.
 */
export function createReceiver<Event>(
  secret: string,
  handle: (event: Event) => Promise<void>,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const webhook = new Webhook(secret);
  return async (request, response) => {
    let event: Event;
    try {
      // The signature is that of the bytes as they were received. Reading fails if the connection is closed early.
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      event = webhook.verify(Buffer.concat(chunks), request.headers as Record<string, string>) as Event;
    } catch {
      response.writeHead(401).end();
      return;
    }
    try {
      await handle(event);
      response.writeHead(204).end();
    } catch (error) {
      console.error(error);
      response.writeHead(503).end();
    }
  };
}
