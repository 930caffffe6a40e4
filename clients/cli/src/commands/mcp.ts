import { addAbortSignal } from 'node:stream';
import type { Context } from '../context.js';
import { readLines } from '../files/text-blocks.js';
import { forEachUntilAborted } from '../iteration.js';
import type { Program, Runner } from '../runner.js';

/** A JSON-RPC message of an assistant. */
interface Message {
  id?: string | number;
}

/** The code of an error of the server (JSON-RPC 2.0, section 5.1). */
const SERVER_ERROR = -32_000;

export function addMcpCommand(program: Program, { inSession }: Runner): void {
  program
    .command('mcp')
    .description('pass messages of an assistant between standard input and the service (Model Context Protocol)')
    .action(inSession(bridge));
}

/**
 * Passes the messages of an assistant on standard input to the service with the credentials of the profile, and its
 * answers to standard output, until standard input ends. Each message is a line of JSON.
 */
async function bridge({ client, io, signal }: Context): Promise<void> {
  const send = async (line: string): Promise<string> => {
    const headers = { ...(await client.credentials()), 'Content-Type': 'application/json' };
    const init: RequestInit = { method: 'POST', headers, body: line, signal, redirect: 'manual' };
    const response = await fetch(`${client.baseUrl}/mcp`, init);
    // Another origin must not receive the credentials.
    if (response.status >= 300 && response.status < 400) {
      const { RedirectError } = await import('@atrium/client');
      throw new RedirectError(client.baseUrl, response.headers.get('location') ?? undefined);
    }
    const body = await response.text();
    // A notification has no answer.
    if (response.ok && body === '') return '';
    if (!response.headers.get('content-type')?.includes('json'))
      throw new Error(`The address ${client.baseUrl} returns ${response.status} and no JSON.`);
    if (response.ok) return body;
    // Credentials, rate and size are checked before the message is read: the answer lacks its ID.
    const { error } = JSON.parse(body) as { error: unknown };
    return describeError(line, typeof error === 'object' ? error : { code: SERVER_ERROR, message: body });
  };
  const answer = async (line: string): Promise<void> => {
    const body = await send(line).catch((error: unknown) => describeFailure(line, error as Error));
    if (body !== '') io.stdout.write(`${body}\n`);
  };
  const answers = new Set<Promise<void>>();
  await forEachUntilAborted(readLines(addAbortSignal(signal, io.stdin)), { io, signal }, ({ text: line }) => {
    if (line.trim() === '') return;
    const pending = answer(line).finally(() => answers.delete(pending));
    answers.add(pending);
  });
  await Promise.all(answers);
}

/** The service was not reached, or has not answered in the protocol. */
function describeFailure(line: string, error: Error): string {
  const { cause } = error as { cause?: { code?: string } };
  const message = cause?.code === undefined ? error.message : `${error.message} (${cause.code})`;
  return describeError(line, { code: SERVER_ERROR, message });
}

/** The answer to a line that was rejected; empty for a notification. */
function describeError(line: string, error: unknown): string {
  const id = findId(line);
  return id === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', id, error });
}

/** @returns undefined for a notification, null for a line that is not a message. */
function findId(line: string): Message['id'] | null {
  try {
    const message = JSON.parse(line) as Message | null;
    const isMessage = typeof message === 'object' && message !== null && 'method' in message;
    return isMessage && !('id' in message) ? undefined : (message?.id ?? null);
  } catch {
    return null;
  }
}
