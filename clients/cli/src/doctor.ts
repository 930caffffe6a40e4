import { stat } from 'node:fs/promises';
import { openSession } from './context.js';
import { type ExitCode, exitCodeOf } from './exit-codes.js';
import { describeCause, describeFailure } from './failure.js';
import type { Io } from './io.js';
import { toArray } from './iteration.js';
import {
  describeCredentials,
  type Profile,
  profileName,
  profilesPath,
  readProfile,
  withEnvironment,
} from './profiles.js';
import type { LocalContext } from './runner.js';

type State = 'ok' | 'warning' | 'problem';

interface Finding {
  check: string;
  state: State;
  detail: string;
}

const find = (check: string, state: State, detail: string): Finding => ({ check, state, detail });

const COLORS = { ok: 'green', warning: 'yellow', problem: 'red' } as const;
const STATE_WIDTH = 8;
const MIN_NODE = [20, 19];
const TIMEOUT_MS = 5_000;
/** Receivers of webhooks, and the service for signed URLs, compare times. */
const MAX_CLOCK_DIFFERENCE_MS = 60_000;

/** Checks what the other commands need, and names the first cause of their failures. */
export async function doctor(context: LocalContext): Promise<ExitCode> {
  const { output } = context;
  const findings = await toArray(examine(context));
  if (output.json) output.printJson(findings);
  for (const { check, state, detail } of output.json ? [] : findings)
    output.line(`${state.padEnd(STATE_WIDTH)} ${check}: ${detail.replaceAll('\n', ' ')}`, COLORS[state]);
  return exitCodeOf({ isFailed: findings.some(({ state }) => state === 'problem') });
}

/** Ends at the first problem on which the following checks depend. */
async function* examine(context: LocalContext): AsyncGenerator<Finding, void> {
  const { flags, io } = context;
  yield checkNode();
  const name = profileName(flags.profile, io);
  const found = await readProfile(name, io)
    .then((profile) => ({ profile, settings: withEnvironment(profile, io) }))
    .catch((error: unknown) => describeFailure(error as Error, io));
  if (typeof found === 'string') {
    yield find('profile', 'problem', found);
    return;
  }
  const { profile, settings } = found;
  yield await checkProfile(name, profile, settings, io);
  if (settings.url === undefined) return;
  const isRunning = yield* checkService(settings.url.replace(/\/+$/, ''));
  if (isRunning && describeCredentials(settings)) yield* checkCredentials(context, settings.workspace);
}

function checkNode(): Finding {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const isNew = major > MIN_NODE[0]! || (major === MIN_NODE[0] && minor >= MIN_NODE[1]!);
  return isNew
    ? find('Node', 'ok', node)
    : find('Node', 'problem', `${node}. Install ${MIN_NODE.join('.')} or a newer version.`);
}

async function checkProfile(name: string, profile: Profile, settings: Profile, io: Io): Promise<Finding> {
  const { url } = settings;
  const credentials = describeCredentials(settings);
  if (!url || credentials === undefined)
    return find('profile', 'problem', `"${name}" has no ${url ? 'credentials' : 'address'}. Run \`atrium login\`.`);
  const path = profilesPath(io);
  const mode = await stat(path).then(
    (file) => file.mode & 0o077,
    () => 0,
  );
  if (mode !== 0 && process.platform !== 'win32')
    return find('profile', 'warning', `Other users can read ${path}. Run \`chmod 600 ${path}\`.`);
  const isOverridden = (Object.keys(settings) as (keyof Profile)[]).some((field) => settings[field] !== profile[field]);
  const source = isOverridden ? `"${name}", changed by environment variables` : `"${name}"`;
  return find('profile', 'ok', `${source}, ${credentials}`);
}

/** @returns does the service run? */
async function* checkService(url: string): AsyncGenerator<Finding, boolean> {
  const startedAt = performance.now();
  const request = { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'manual' } as const;
  const response = await fetch(`${url}/health/ready`, request).catch((error: unknown) =>
    describeCause(error, TIMEOUT_MS),
  );
  if (typeof response === 'string') {
    const detail = `No response from ${url} (${response}). Check that the service runs, and its address.`;
    yield find('service', 'problem', detail);
    return false;
  }
  const tookMs = Math.round(performance.now() - startedAt);
  const { status, headers } = response;
  await response.body?.cancel();
  const target = status >= 300 && status < 400 ? ` to ${headers.get('location') ?? ''}` : '';
  if (status === 200) yield find('service', 'ok', `${url} responds in ${tookMs} ms`);
  else if (status === 503)
    yield find('service', 'problem', `${url} is not ready: it starts, stops, or has no database.`);
  else
    yield find('service', 'problem', `${url} responds with ${status}${target}: it is not the address of the service.`);
  yield* checkClock(Date.now() - Date.parse(headers.get('date') ?? ''));
  return status === 200;
}

function* checkClock(differenceMs: number): Generator<Finding, void> {
  if (Number.isNaN(differenceMs)) return;
  const seconds = Math.round(differenceMs / 1_000);
  const detail = `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the service. Set the clocks.`;
  if (Math.abs(differenceMs) > MAX_CLOCK_DIFFERENCE_MS) yield find('clock', 'warning', detail);
  else yield find('clock', 'ok', 'as the service');
}

async function* checkCredentials({ flags, io }: LocalContext, chosen?: string): AsyncGenerator<Finding, void> {
  const session = openSession({ ...flags, quiet: true }, io);
  const workspaces = await session
    .then(({ client }) => toArray(client.paginate('/v1/api/workspaces')))
    .catch((error: unknown) => describeFailure(error as Error, io));
  if (typeof workspaces === 'string') {
    yield find('credentials', 'problem', workspaces);
    return;
  }
  const count = workspaces.length === 1 ? '1 workspace' : `${workspaces.length} workspaces`;
  yield find('credentials', 'ok', `valid, ${count}`);
  const found = chosen === undefined ? workspaces : workspaces.filter(({ id }) => id === chosen);
  const cause = chosen === undefined ? 'You have none' : `${chosen} does not exist, or is not yours`;
  if (found.length === 1) yield find('workspace', 'ok', `"${found[0]!.name}" (${found[0]!.id})`);
  else if (found.length > 1) yield find('workspace', 'warning', 'None is chosen. Run `atrium login --workspace NAME`.');
  else yield find('workspace', 'problem', `${cause}. \`atrium workspaces\` lists yours.`);
}
