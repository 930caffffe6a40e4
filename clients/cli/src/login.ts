import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import type { IssuerTokens, SignInIssuer } from '../../../packages/sign-in/src/issuer-client.js';
import { canAsk, confirm } from './confirm.js';
import { findWorkspace, openSession } from './context.js';
import { UsageError } from './exit-codes.js';
import { fetchJson } from './failure.js';
import type { Io } from './io.js';
import { writeText } from './output.js';
import {
  describeCredentials,
  isSameService,
  type Profile,
  profileName,
  readProfile,
  withEnvironment,
  writeProfile,
} from './profiles.js';
import { ask, type Question } from './prompt.js';
import type { LocalContext } from './runner.js';

const LOCAL_URL = 'http://localhost:3000';
const ADDRESS_MISSING = `Set the address of the service with --url, for example ${LOCAL_URL}.`;

interface LoginFlags extends Omit<Profile, 'issuer'> {
  apiKeyStdin?: boolean;
  clientSecretStdin?: boolean;
  demo?: boolean;
  device?: boolean;
  /** Its URL or name; true: the only one. */
  issuer?: string | true;
}

/**
 * Verifies credentials, or lets a person sign in at an issuer, and stores them in a profile. On a terminal it asks for
 * what is not given. Without `--workspace`, the only workspace of the caller is chosen.
 */
export async function login({ flags: globalFlags, io, output }: LocalContext, flags: LoginFlags): Promise<void> {
  const isAsking = canAsk({ io, output });
  const name = profileName(globalFlags.profile, io);
  const former: Profile = await readProfile(name, io).catch(() => ({}));
  const { settings, tokens } =
    flags.issuer || flags.device
      ? await signInPerson(former, flags, { io, output })
      : await readCredentials(former, flags, io, isAsking);
  // The credentials are verified before they are stored.
  const { client } = await openSession({ ...globalFlags, profile: name }, io, settings, former, tokens);
  const choose = (list: string): Promise<string> => {
    writeText(io.stderr, `Your workspaces:${list}\n`);
    return askFor('ID or name of the workspace: ', io);
  };
  const found = findWorkspace(client, settings.workspace, isAsking ? choose : undefined);
  const workspace = await found.catch(async (error: unknown) => {
    // A session without a profile would remain until it expires.
    await client.signOut();
    throw error;
  });
  const path = await writeProfile(name, { ...settings, workspace: workspace.id }, io);
  output.result(
    { profile: name, url: settings.url, workspace: workspace.id, path },
    () => `Signed in to "${workspace.name}". The profile "${name}" is in ${path}.\n`,
  );
}

/** What a profile stores, and the tokens of a person who has just signed in. */
interface Login {
  settings: Profile;
  tokens?: IssuerTokens;
}

/** Lets a person sign in at an issuer of the service. @throws {UsageError} */
async function signInPerson(
  former: Profile,
  flags: LoginFlags,
  { io, output }: Pick<LocalContext, 'io' | 'output'>,
): Promise<Login> {
  const isAsking = canAsk({ io, output });
  const { apiKey, clientId, clientSecret, apiKeyStdin, clientSecretStdin, demo } = flags;
  if ([apiKey, clientId, clientSecret, apiKeyStdin, clientSecretStdin, demo].some(Boolean))
    throw new UsageError('--issuer and --device need no other credentials.');
  const { url: given, workspace } = withEnvironment({}, io, { url: flags.url, workspace: flags.workspace });
  const known = given ?? former.url ?? (isAsking ? await askForAddress(former, io) : undefined);
  if (known === undefined) throw new UsageError(ADDRESS_MISSING);
  const url = requireAddress(known);
  const { findIssuer, signInAt } = await import('./sign-in/issuer-login.js');
  const issuer = await findIssuer(url, flags.issuer ?? true);
  const isSameIssuer = former.url === url && former.issuer?.url === issuer.url;
  const isKnown = isSameIssuer && isDeepStrictEqual(former.issuer, issuer);
  if (!isKnown) await confirmIssuer(url, issuer, { io, output });
  const tokens = await signInAt(issuer, { onDevice: flags.device ?? false, isInteractive: isAsking }, io);
  return { settings: { url, issuer, workspace: workspace ?? (isSameIssuer ? former.workspace : undefined) }, tokens };
}

/** The service chooses the client and the scopes of the token that it receives. @throws {UsageError} */
function confirmIssuer(
  url: string,
  { name, url: issuerUrl, clientId, scopes }: SignInIssuer,
  { io, output }: Pick<LocalContext, 'io' | 'output'>,
): Promise<void> {
  const token = `a token of ${name} (${issuerUrl}) for the client ${clientId} with the scopes ${scopes.join(' ')}`;
  return confirm(
    `${url} will receive ${token}. Sign in?`,
    { io, output, signal: io.catchInterrupt() },
    { isOptional: true },
  );
}

async function readCredentials(former: Profile, flags: LoginFlags, io: Io, isAsking: boolean): Promise<Login> {
  const { issuer: _, ...credentials } = flags;
  const given = await readGivenCredentials(credentials, io, isAsking);
  return { settings: await completeSettings(former, given, io, isAsking) };
}

/** Flags, standard input and the demo. @throws {UsageError} if several of them have credentials */
async function readGivenCredentials(flags: Omit<LoginFlags, 'issuer'>, io: Io, isAsking: boolean): Promise<Profile> {
  const { apiKeyStdin, clientSecretStdin, demo, apiKey, clientId, clientSecret } = flags;
  if ([apiKeyStdin, clientSecretStdin, demo, apiKey, clientSecret].filter(Boolean).length > 1)
    throw new UsageError(
      'Choose one of --api-key, --api-key-stdin, --client-secret, --client-secret-stdin and --demo.',
    );
  if (demo && clientId !== undefined) throw new UsageError('--demo needs no --client-id.');
  if (demo) return { ...flags, ...(await readDemo(flags.url, io)) };
  if (apiKeyStdin) return { ...flags, apiKey: await readSecret('API key', io, isAsking) };
  if (clientSecretStdin) return { ...flags, clientSecret: await readSecret('Client secret', io, isAsking) };
  return flags;
}

/** From standard input, so that the secret is neither in the history of the shell nor in the list of processes. */
async function readSecret(what: string, io: Io, isAsking: boolean): Promise<string> {
  const secret = isAsking ? await askForSecret(what, io) : (await text(io.stdin)).trim();
  if (!secret) throw new UsageError('Standard input has no secret. Nothing was changed.');
  return secret;
}

/** The demo credentials, which a service for development returns to programs on its machine. */
async function readDemo(flag: string | undefined, io: Io): Promise<Profile> {
  const url = requireAddress(flag ?? (io.env['ATRIUM_URL'] || LOCAL_URL));
  const advice = 'Start the service with `npm start`, or set its address with --url.';
  const { clientId, clientSecret } = (await fetchJson<Profile>(url, '/docs/demo', advice)) ?? {};
  if (clientId !== undefined && clientSecret !== undefined) return { url, clientId, clientSecret };
  throw new UsageError(
    `${url} has no demo workspace for programs on this machine. It exists after \`npm start\` without DATABASE_URL.`,
  );
}

/** The former profile, the environment, flags, and what is asked for. @throws {UsageError} if something is missing */
async function completeSettings(former: Profile, given: Profile, io: Io, isAsking: boolean): Promise<Profile> {
  const chosen = withEnvironment({}, io, given);
  const { apiKey, clientSecret, workspace } = chosen;
  const isStored = chosen.clientId === undefined && hasCredentials(former) && isSameService(chosen, former);
  const isKnown = Boolean(apiKey ?? clientSecret) || (workspace !== undefined && isStored);
  let asked: Profile = {};
  if (isAsking && !isKnown) asked = await askForCredentials(chosen, former, io);
  else if (isAsking && !(chosen.url ?? former.url)) asked = { url: await askForAddress(former, io) };
  const settings = withEnvironment(former, io, { ...given, ...asked });
  if (!settings.url) throw new UsageError(ADDRESS_MISSING);
  if (!hasCredentials(settings))
    throw new UsageError(
      'Set --client-id and --client-secret, --api-key, or --issuer, or run `atrium login` on a terminal.',
    );
  // The workspace belongs to the former caller.
  const isSameCaller = (['url', 'apiKey', 'clientId'] as const).every((field) => former[field] === settings[field]);
  const { workspace: formerWorkspace, ...others } = settings;
  const stored = workspace ?? (isSameCaller ? formerWorkspace : undefined);
  return { ...others, url: requireAddress(settings.url), workspace: stored };
}

const hasCredentials = (profile: Profile): boolean => describeCredentials(profile) !== undefined;

/** @throws {UsageError} */
function requireAddress(url: string): string {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError(`"${url}" is not an address. Write it as ${LOCAL_URL}.`);
  return url.replace(/\/+$/, '');
}

/** Asks for the address, and for a client ID with its secret, or an API key. */
async function askForCredentials({ url, clientId }: Profile, former: Profile, io: Io): Promise<Profile> {
  const address = url ?? (await askForAddress(former, io));
  const id = clientId ?? (await askFor('Client ID, or nothing to enter an API key: ', io));
  if (id === '') return { url: address, apiKey: await askForSecret('API key', io) };
  return { url: address, clientId: id, clientSecret: await askForSecret('Client secret', io) };
}

async function askForAddress({ url = LOCAL_URL }: Profile, io: Io): Promise<string> {
  return (await askFor(`Address of the service [${url}]: `, io)) || url;
}

const askForSecret = (what: string, io: Io): Promise<string> => askFor(`${what} (not shown): `, io, { isSecret: true });

/** @throws {UsageError} if the input has ended */
async function askFor(question: string, io: Io, options: Question = {}): Promise<string> {
  const answer = await ask(question, io, options);
  if (answer === undefined) throw new UsageError('Nothing was changed.');
  return answer.trim();
}
