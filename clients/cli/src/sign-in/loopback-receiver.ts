import { on, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InterruptedError, UsageError } from '../exit-codes.js';

const HOST = '127.0.0.1';
/**
 * Administrators of issuers enter `http://127.0.0.1/callback`. Issuers accept any port of it (RFC 8252, section 7.3).
 */
const PATH = '/callback';

/** How long the sign-in of the person may take. */
const TIMEOUT_MS = 600_000;

/** Receives the answer of an issuer, with which the browser returns to this computer. */
export class LoopbackReceiver {
  private readonly server = createServer();

  /** @returns the address to which the issuer returns. @throws {Error} if no port is free */
  async listen(): Promise<string> {
    await once(this.server.listen(0, HOST), 'listening');
    return `http://${HOST}:${(this.server.address() as AddressInfo).port}${PATH}`;
  }

  /** Waits for the answer with this state; others are rejected. @throws {UsageError} after ten minutes or Ctrl-C */
  async receive(state: string, signal: AbortSignal): Promise<URLSearchParams> {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const requests = on(this.server, 'request', { signal: AbortSignal.any([signal, timeout]) });
    try {
      for (;;) {
        const [request, response] = (await requests.next()).value as [IncomingMessage, ServerResponse];
        const parameters = answer(request, response, state);
        if (!parameters) continue;
        await once(response, 'close');
        return parameters;
      }
    } catch (error) {
      if (signal.aborted) throw new InterruptedError();
      if (!timeout.aborted) throw error;
      throw new UsageError('The sign-in was not completed within ten minutes. Nothing was changed.');
    }
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

/** @returns the parameters of the answer with this state; undefined for any other request */
function answer({ url = '' }: IncomingMessage, response: ServerResponse, state: string): URLSearchParams | undefined {
  const [, path, query] = /^([^?]*)\??(.*)$/s.exec(url) ?? [];
  const parameters = new URLSearchParams(query);
  const isExpected = path === PATH && parameters.get('state') === state;
  const text = !isExpected
    ? 'This is not the answer to the sign-in of this command line.'
    : parameters.has('code')
      ? 'You are signed in. Close this window, and return to the terminal.'
      : 'The sign-in failed. The terminal shows why.';
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', Connection: 'close' };
  response.writeHead(isExpected ? 200 : 400, headers).end(`${text}\n`);
  return isExpected ? parameters : undefined;
}
