import { createHmac, randomBytes } from 'node:crypto';
import type { WorkspaceEvent } from '@atrium/client';
import { type Command, Option } from '@commander-js/extra-typings';
import type { Context } from '../context.js';
import { exitCodeOf, UsageError } from '../exit-codes.js';
import { describeCause } from '../failure.js';
import { forEachUntilAborted } from '../iteration.js';
import { type Output, writeText } from '../output.js';
import type { Program, Runner } from '../runner.js';
import { createSample, type OpenApiDocument } from '../sample-event.js';

const FORWARD_TIMEOUT_MS = 15_000;

export function addEventCommands(program: Program, { inWorkspace }: Runner): void {
  const events = program.command('events').description('print the events of the workspace');
  withSelection(events.command('tail'))
    .description('print events as lines of JSON')
    .action(
      inWorkspace(async (context, flags) => {
        const { output } = context;
        const after = await findStart(context, flags);
        if (!flags.once) output.remark(`Events after ${after}. End with Ctrl-C.`);
        await forEachEvent(context, { ...flags, after }, (event) => output.printLine(event));
      }),
    );
  const webhooks = program.command('webhooks').description('develop receivers of webhooks');
  withSelection(webhooks.command('listen'))
    .addOption(forwardOption())
    .addOption(secretOption())
    .description('send events to a local receiver, as signed webhooks')
    .action(
      inWorkspace(async (context, flags) => {
        const { output, signal } = context;
        const { forward: url } = flags;
        requireReceiver(flags);
        const after = await findStart(context, flags);
        const key = toKey(flags.secret, output);
        if (!flags.once) output.remark(`Forwarding events after ${after} to ${url}. End with Ctrl-C.`);
        await forEachEvent(context, { ...flags, after }, async (event) => {
          printOutcome(event, await forwardEvent(url, event, key, signal), output);
        });
      }),
    );
  webhooks
    .command('trigger <event-type>')
    .addOption(forwardOption())
    .addOption(secretOption())
    .description('send a sample of an event to a local receiver, as a signed webhook')
    .action(
      inWorkspace(async ({ client, workspaceId, output, signal }, type, flags) => {
        requireReceiver(flags);
        // The service describes the events in its OpenAPI document.
        const response = await client.request('GET', '/openapi.json', { signal });
        const event = createSample((await response.json()) as OpenApiDocument, type, workspaceId);
        const outcome = await forwardEvent(flags.forward, event, toKey(flags.secret, output), signal);
        printOutcome(event, outcome, output);
        return exitCodeOf({ isFailed: outcome.status === undefined || outcome.status >= 300 });
      }),
    );
}

const withSelection = <Args extends unknown[]>(command: Command<Args>) =>
  command
    .option('--types <event-types>', 'for example note.*,table.rows_changed')
    .option('--since <sequence>', 'begin after this event; by default after the latest')
    .option('--once', 'end after the events so far');

const forwardOption = () => new Option('--forward <url>', 'address of the receiver').makeOptionMandatory();
const secretOption = () => new Option('--secret <secret>', 'whsec_…; by default a new one is printed');

const SECRET = /^whsec_(?:[\w+/-]{4})*(?:[\w+/-]{2,3}={0,2})?$/;

/** @throws {UsageError} */
function requireReceiver({ forward, secret }: { forward: string; secret?: string | undefined }): void {
  if (!URL.canParse(forward) || !/^https?:$/.test(new URL(forward).protocol))
    throw new UsageError(`--forward needs a URL, for example http://localhost:4000/.`);
  if (secret !== undefined && !SECRET.test(secret))
    throw new UsageError('--secret needs the signing secret of the receiver: whsec_ and a text in Base64.');
}

/** The key of signatures. A new secret is printed first, so that scripts can read it. */
function toKey(given: string | undefined, output: Output): Buffer {
  const secret = given ?? `whsec_${randomBytes(24).toString('base64')}`;
  if (given === undefined && output.json) output.printLine({ secret });
  else if (given === undefined) writeText(output.io.stdout, `Secret: ${secret}\n`);
  return Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
}

interface Outcome {
  status?: number;
  error?: string;
}

function printOutcome({ sequence, type }: Pick<WorkspaceEvent, 'sequence' | 'type'>, outcome: Outcome, output: Output) {
  if (output.json) output.printLine({ sequence, type, ...outcome });
  else writeText(output.io.stdout, `${sequence} ${type}: ${outcome.status ?? outcome.error}\n`);
}

/** The sequence number after which events are read: by default that of the latest event. @throws {UsageError} */
async function findStart({ client }: Context, { since }: { since?: string | undefined }): Promise<number> {
  if (since === undefined) {
    type Log = { latestSequence: number };
    return (await client.json<Log>('GET', `${client.workspacePath}/events?limit=1`)).latestSequence;
  }
  if (!/^\d+$/.test(since)) throw new UsageError('--since needs the number of an event, or 0 for all.');
  return Number(since);
}

/** Handles the selected events, until Ctrl-C. */
async function forEachEvent(
  context: Context,
  { after, types, once }: { after: number; types?: string | undefined; once?: true | undefined },
  handle: (event: WorkspaceEvent) => void | Promise<void>,
): Promise<void> {
  const { client, signal } = context;
  const selected = types === undefined ? {} : { types: types.split(',') };
  await forEachUntilAborted(client.events({ after, ...selected, follow: !once, signal }), context, handle);
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
  try {
    const either = AbortSignal.any([signal, AbortSignal.timeout(FORWARD_TIMEOUT_MS)]);
    const response = await fetch(url, { method: 'POST', headers, body, signal: either, redirect: 'manual' });
    await response.body?.cancel();
    return { status: response.status };
  } catch (error) {
    if (signal.aborted) throw error;
    return { error: describeCause(error, FORWARD_TIMEOUT_MS) };
  }
}
