import { stat } from 'node:fs/promises';
import type { Workspace } from '@atrium/client';
import { openSession } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { describeFailure } from '../failure.js';
import type { GlobalFlags } from '../global-flags.js';
import type { Io } from '../io.js';
import { Output } from '../output.js';
import { type Profile, profileName, profilesPath, readProfile, withEnvironment } from '../profiles.js';

interface Finding {
  check: string;
  state: 'ok' | 'warning' | 'problem';
  detail: string;
}

const COLORS = { ok: 'green', warning: 'yellow', problem: 'red' } as const;
const STATE_WIDTH = 8;
const MIN_NODE = [20, 19];
const TIMEOUT_MS = 5_000;
/** Receivers of webhooks, and the service for signed URLs, compare times. */
const MAX_CLOCK_DIFFERENCE_MS = 60_000;

/** Checks what the other commands need, and names the first cause of their failures. */
export async function doctor(flags: GlobalFlags, io: Io): Promise<ExitCode> {
  const output = new Output(flags, io);
  const findings: Finding[] = [];
  for await (const finding of examine(flags, io)) findings.push(finding);
  if (output.json) output.printJson(findings);
  for (const { check, state, detail } of output.json ? [] : findings)
    output.line(`${state.padEnd(STATE_WIDTH)} ${check}: ${detail.replaceAll('\n', ' ')}`, COLORS[state]);
  return findings.some(({ state }) => state === 'problem') ? EXIT.failure : EXIT.success;
}

/** Ends at the first problem on which the following checks depend. */
async function* examine(flags: GlobalFlags, io: Io): AsyncGenerator<Finding, void> {
  yield checkNode();
  const name = profileName(flags.profile, io);
  const profile = await readProfile(name, io).catch((error: unknown) => describeFailure(error as Error, io));
  if (typeof profile === 'string') {
    yield { check: 'profile', state: 'problem', detail: profile };
    return;
  }
  const settings = withEnvironment(profile, io);
  yield await checkProfile(name, profile, settings, io);
  if (settings.url === undefined) return;
  const responses = await checkService(settings.url);
  yield* responses.findings;
  if (!responses.isRunning || !(settings.apiKey ?? settings.clientSecret)) return;
  yield* checkCredentials(flags, settings, io);
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isNew = major > MIN_NODE[0]! || (major === MIN_NODE[0] && minor >= MIN_NODE[1]!);
  const detail = `${process.versions.node}${isNew ? '' : `. Install ${MIN_NODE.join('.')} or a newer version.`}`;
  return { check: 'Node', state: isNew ? 'ok' : 'problem', detail };
}

async function checkProfile(name: string, profile: Profile, settings: Profile, io: Io): Promise<Finding> {
  const { url, apiKey, clientId, clientSecret } = settings;
  const check = 'profile';
  if (!url || !(apiKey ?? (clientId && clientSecret)))
    return {
      check,
      state: 'problem',
      detail: `"${name}" has no ${url ? 'credentials' : 'address'}. Run \`atrium login\`.`,
    };
  const path = profilesPath(io);
  const mode = await stat(path).then(
    (file) => file.mode & 0o077,
    () => 0,
  );
  if (mode !== 0 && process.platform !== 'win32')
    return { check, state: 'warning', detail: `Other users can read ${path}. Run \`chmod 600 ${path}\`.` };
  const isOverridden = (Object.keys(settings) as (keyof Profile)[]).some((field) => settings[field] !== profile[field]);
  const source = isOverridden ? `"${name}", changed by environment variables` : `"${name}"`;
  return { check, state: 'ok', detail: `${source}, ${apiKey ? 'API key' : `client ${clientId!}`}` };
}

async function checkService(address: string): Promise<{ findings: Finding[]; isRunning: boolean }> {
  const url = address.replace(/\/+$/, '');
  const request = (path: string): Promise<Response> =>
    fetch(url + path, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'manual' });
  const startedAt = performance.now();
  let response: Response;
  try {
    response = await request('/health/ready');
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string; message?: string } };
    const reason = cause?.code ?? cause?.message ?? message;
    const detail = `No response from ${url} (${reason}). Check that the service runs, and its address.`;
    return { findings: [{ check: 'service', state: 'problem', detail }], isRunning: false };
  }
  const tookMs = Math.round(performance.now() - startedAt);
  const { status, headers } = response;
  await response.body?.cancel();
  const findings: Finding[] = [];
  if (status === 200) findings.push({ check: 'service', state: 'ok', detail: `${url} responds in ${tookMs} ms` });
  else
    findings.push({
      check: 'service',
      state: 'problem',
      detail:
        status === 503
          ? `${url} is not ready: it starts, stops, or has no database.`
          : `${url} responds with ${status}${status >= 300 && status < 400 ? ` to ${headers.get('location') ?? ''}` : ''}: it is not the address of the service.`,
    });
  const clock = findClockDifference(headers);
  if (clock) findings.push(clock);
  return { findings, isRunning: status === 200 };
}

function findClockDifference(headers: Headers): Finding | undefined {
  const differenceMs = Date.now() - Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(differenceMs)) return undefined;
  const seconds = Math.round(differenceMs / 1_000);
  if (Math.abs(differenceMs) <= MAX_CLOCK_DIFFERENCE_MS)
    return { check: 'clock', state: 'ok', detail: 'as the service' };
  const detail = `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the service. Set the clocks.`;
  return { check: 'clock', state: 'warning', detail };
}

async function* checkCredentials(flags: GlobalFlags, settings: Profile, io: Io): AsyncGenerator<Finding, void> {
  const workspaces: Workspace[] = [];
  try {
    const { client } = await openSession({ ...flags, quiet: true }, io);
    for await (const workspace of client.pages<Workspace>('/v1/api/workspaces')) workspaces.push(workspace);
  } catch (error) {
    yield { check: 'credentials', state: 'problem', detail: describeFailure(error as Error, io) };
    return;
  }
  const count = workspaces.length === 1 ? '1 workspace' : `${workspaces.length} workspaces`;
  yield { check: 'credentials', state: 'ok', detail: `valid, ${count}` };
  const { workspace: id } = settings;
  const found = id === undefined ? workspaces : workspaces.filter((workspace) => workspace.id === id);
  if (found.length === 1) yield { check: 'workspace', state: 'ok', detail: `"${found[0]!.name}" (${found[0]!.id})` };
  else if (id === undefined && found.length > 1)
    yield { check: 'workspace', state: 'warning', detail: 'None is chosen. Run `atrium login --workspace NAME`.' };
  else
    yield {
      check: 'workspace',
      state: 'problem',
      detail: `${id === undefined ? 'You have none' : `${id} does not exist, or is not yours`}. \`atrium workspaces\` lists yours.`,
    };
}
