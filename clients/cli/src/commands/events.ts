import { createHmac, randomBytes } from 'node:crypto';
import type { AtriumClient, WorkspaceEvent } from '@atrium/client';
import { openContext } from '../context.js';
import { EXIT, type ExitCode, UsageError } from '../exit-codes.js';
import type { GlobalFlags } from '../global-flags.js';
import type { Io } from '../io.js';
import { type Output, writeText } from '../output.js';
import { createSample, type OpenApiDocument } from '../sample-event.js';

export interface EventFlags extends GlobalFlags {
  types?: string;
  since?: string;
  once?: boolean;
}

const FORWARD_TIMEOUT_MS = 15_000;

/** Prints events as lines of JSON, until Ctrl-C. */
export async function tailEvents(flags: EventFlags, io: Io): Promise<void> {
  const { client, output, signal } = await openContext(flags, io);
  const after = await findStartSequence(client, flags);
  if (!flags.once) output.remark(`Events after ${after}. End with Ctrl-C.`);
  await forEachEvent(client, { ...flags, after, signal }, (event) => {
    io.stdout.write(`${JSON.stringify(event)}\n`);
  });
}

/**
 * Sends events to a local receiver, signed as the service signs them, until Ctrl-C. The service need not reach the
 * receiver.
 */
export async function listenToWebhooks(
  flags: EventFlags & { forward: string; secret?: string },
  io: Io,
): Promise<void> {
  requireUrl(flags.forward);
  requireSecret(flags.secret);
  const { client, output, signal } = await openContext(flags, io);
  const after = await findStartSequence(client, flags);
  const key = decodeSecret(flags.secret ?? createSecret(output));
  if (!flags.once) output.remark(`Forwarding events after ${after} to ${flags.forward}. End with Ctrl-C.`);
  await forEachEvent(client, { ...flags, after, signal }, async (event) => {
    printOutcome(event, await forwardEvent(flags.forward, event, key, signal), output);
  });
}

/** Sends a sample of an event to a local receiver. The service describes the events in its OpenAPI document. */
export async function triggerWebhook(
  type: string,
  flags: GlobalFlags & { forward: string; secret?: string },
  io: Io,
): Promise<ExitCode> {
  requireUrl(flags.forward);
  requireSecret(flags.secret);
  const { client, settings, output, signal } = await openContext(flags, io);
  const response = await client.request('GET', '/openapi.json', { signal });
  const event = createSample((await response.json()) as OpenApiDocument, type, settings.workspace ?? '');
  const key = decodeSecret(flags.secret ?? createSecret(output));
  const outcome = await forwardEvent(flags.forward, event, key, signal);
  printOutcome(event, outcome, output);
  return outcome.status !== undefined && outcome.status < 300 ? EXIT.success : EXIT.failure;
}

/** @throws {UsageError} */
function requireUrl(text: string): void {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new UsageError(`--forward needs a URL, for example http://localhost:4000/.`);
}

const SECRET = /^whsec_(?:[\w+/-]{4})*(?:[\w+/-]{2,3}={0,2})?$/;

/** @throws {UsageError} */
function requireSecret(secret: string | undefined): void {
  if (secret !== undefined && !SECRET.test(secret))
    throw new UsageError('--secret needs the signing secret of the receiver: whsec_ and a text in Base64.');
}

/** Creates and prints a secret. Scripts read the secret from the first line of the output. */
function createSecret(output: Output): string {
  const { io } = output;
  const secret = `whsec_${randomBytes(24).toString('base64')}`;
  if (output.json) io.stdout.write(`${JSON.stringify({ secret })}\n`);
  else writeText(io.stdout, `Secret: ${secret}\n`);
  return secret;
}

function decodeSecret(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
}

interface Outcome {
  status?: number;
  error?: string;
}

function printOutcome({ sequence, type }: Pick<WorkspaceEvent, 'sequence' | 'type'>, outcome: Outcome, output: Output) {
  const { io } = output;
  if (output.json) io.stdout.write(`${JSON.stringify({ sequence, type, ...outcome })}\n`);
  else writeText(io.stdout, `${sequence} ${type}: ${outcome.status ?? outcome.error}\n`);
}

/** The sequence number after which events are read: by default that of the latest event. @throws {UsageError} */
async function findStartSequence(client: AtriumClient, { since }: EventFlags): Promise<number> {
  if (since === undefined) {
    type Log = { latestSequence: number };
    return (await client.json<Log>('GET', `${client.workspacePath}/events?limit=1`)).latestSequence;
  }
  if (!/^\d+$/.test(since)) throw new UsageError('--since needs the number of an event, or 0 for all.');
  return Number(since);
}

async function forEachEvent(
  client: AtriumClient,
  { after, types, once, signal }: EventFlags & { after: number; signal: AbortSignal },
  handle: (event: WorkspaceEvent) => void | Promise<void>,
): Promise<void> {
  const selected = types === undefined ? {} : { types: types.split(',') };
  try {
    for await (const event of client.events({ after, ...selected, follow: !once, signal })) await handle(event);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function forwardEvent(url: string, event: WorkspaceEvent, key: Buffer, signal: AbortSignal): Promise<Outcome> {
  const body = JSON.stringify(event);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', key).update(`${event.id}.${timestamp}.${body}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'webhook-id': event.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
  const limit = new AbortController();
  const timer = setTimeout(() => {
    limit.abort(new Error(`no response within ${FORWARD_TIMEOUT_MS / 1_000} s`));
  }, FORWARD_TIMEOUT_MS);
  try {
    const either = AbortSignal.any([signal, limit.signal]);
    const response = await fetch(url, { method: 'POST', headers, body, signal: either, redirect: 'manual' });
    await response.body?.cancel();
    return { status: response.status };
  } catch (error) {
    if (signal.aborted) throw error;
    const { message, cause } = error as Error;
    return { error: cause instanceof Error && cause.message ? cause.message : message };
  } finally {
    clearTimeout(timer);
  }
}
