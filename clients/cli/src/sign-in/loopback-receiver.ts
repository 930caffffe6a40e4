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
  private readonly server = createServer((request, response) => {
    this.answer(request, response);
  });
  private state: string | undefined;
  private accept: (parameters: URLSearchParams) => void = () => undefined;
  private readonly received = new Promise<URLSearchParams>((resolve) => {
    this.accept = resolve;
  });

  /** @returns the address to which the issuer returns. @throws {Error} if no port is free */
  async listen(): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(0, HOST, resolve);
    });
    return `http://${HOST}:${(this.server.address() as AddressInfo).port}${PATH}`;
  }

  /** Waits for the answer with this state; others are rejected. @throws {UsageError} after ten minutes or Ctrl-C */
  async receive(state: string, signal: AbortSignal): Promise<URLSearchParams> {
    this.state = state;
    let timer: NodeJS.Timeout | undefined;
    const end = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new UsageError('The sign-in was not completed within ten minutes. Nothing was changed.'));
      }, TIMEOUT_MS);
      const interrupt = (): void => {
        reject(new InterruptedError());
      };
      signal.addEventListener('abort', interrupt);
      if (signal.aborted) interrupt();
    });
    return Promise.race([this.received, end]).finally(() => {
      clearTimeout(timer);
    });
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
    const [, path, query] = /^([^?]*)\??(.*)$/s.exec(url) ?? [];
    const parameters = new URLSearchParams(query);
    const isExpected = this.state !== undefined && path === PATH && parameters.get('state') === this.state;
    const text = !isExpected
      ? 'This is not the answer to the sign-in of this command line.'
      : parameters.has('code')
        ? 'You are signed in. Close this window, and return to the terminal.'
        : 'The sign-in failed. The terminal shows why.';
    const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', Connection: 'close' };
    response.writeHead(isExpected ? 200 : 400, headers).end(`${text}\n`, () => {
      if (isExpected) this.accept(parameters);
    });
  }
}
