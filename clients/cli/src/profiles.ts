import { createHash, randomUUID } from 'node:crypto';
import { readFile, realpath, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { SignInIssuer } from '../../../packages/sign-in/src/issuer-client.js';
import { UsageError } from './exit-codes.js';
import { createFolder } from './files/written-paths.js';
import { type Io, toAbsolute } from './io.js';

/** How to reach a service, and as which caller. */
export interface Profile {
  url?: string;
  clientId?: string;
  clientSecret?: string;
  apiKey?: string;
  /** At which a person is signed in, instead of credentials. */
  issuer?: SignInIssuer;
  workspace?: string;
}

/** By name. */
type Profiles = ReadonlyMap<string, Profile>;

const DEFAULT_PROFILE = 'default';

/** The folder of profiles, tokens and the state of imports. */
export function configDirectory(io: Io): string {
  return join(toAbsolute(io.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), io), 'atrium');
}

export function profileName(flag: string | undefined, { env }: Io): string {
  return flag ?? (env['ATRIUM_PROFILE'] || DEFAULT_PROFILE);
}

export const profilesPath = (io: Io): string => join(configDirectory(io), 'profiles.json');

/** Where a session is stored: credentials of the environment do not share that of the profile. */
export function tokenPath(profile: string, { url = '', clientId = '', issuer }: Profile, io: Io): string {
  const caller = issuer ? `${url} ${issuer.clientId} ${issuer.url}` : `${url} ${clientId}`;
  const digest = createHash('sha256').update(caller).digest('hex').slice(0, 8);
  return join(configDirectory(io), `tokens-${encodeURIComponent(`${profile}-${digest}`)}.json`);
}

/** For people: which credentials a profile has; undefined if it has none. */
export function describeCredentials({ apiKey, clientId, clientSecret, issuer }: Profile): string | undefined {
  if (apiKey) return 'API key';
  if (clientId && clientSecret) return `client ${clientId}`;
  return issuer && `sign-in with ${issuer.name}`;
}

/** @throws {UsageError} if `name` is not the default and does not exist. */
export async function readProfile(name: string, io: Io): Promise<Profile> {
  const profile = (await readProfiles(io)).get(name);
  if (profile) return profile;
  if (name === DEFAULT_PROFILE) return {};
  throw new UsageError(`The profile "${name}" does not exist. Create it with \`atrium login --profile ${name}\`.`);
}

export async function listProfiles(io: Io): Promise<string[]> {
  return [...(await readProfiles(io)).keys()].sort();
}

export async function writeProfile(name: string, profile: Profile, io: Io): Promise<string> {
  await createFolder(configDirectory(io), io, 0o700);
  const path = profilesPath(io);
  const { withLock } = await import('@atrium/client/node');
  await withLock(path, async () => {
    const profiles = Object.fromEntries([...(await readProfiles(io)), [name, profile]]);
    // Readers see the former or the new file, never a part of it. A link to the file remains.
    const file = await realpath(path).catch(() => path);
    const written = `${file}.${randomUUID()}`;
    await writeFile(written, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
    await rename(written, file);
  });
  return path;
}

async function readProfiles(io: Io): Promise<Profiles> {
  const path = profilesPath(io);
  try {
    const profiles: unknown = JSON.parse(await readFile(path, 'utf8'));
    return new Map(Object.entries(profiles as Record<string, Profile>));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw new UsageError(`${path} cannot be read. Correct it, or remove it and sign in.`);
  }
}

const VARIABLES: Record<Exclude<keyof Profile, 'issuer'>, string> = {
  url: 'ATRIUM_URL',
  workspace: 'ATRIUM_WORKSPACE',
  clientId: 'ATRIUM_CLIENT_ID',
  clientSecret: 'ATRIUM_CLIENT_SECRET',
  apiKey: 'ATRIUM_API_KEY',
};

/**
 * Environment variables take precedence over the profile, flags over both.
 *
 * @throws {UsageError} if the credentials of the profile would be sent to another service
 */
export function withEnvironment(profile: Profile, { env }: Io, flags: Profile = {}): Profile {
  const set: Profile = {};
  for (const [name, variable] of Object.entries(VARIABLES) as [keyof typeof VARIABLES, string][]) {
    const value = flags[name] ?? (env[variable] || undefined);
    if (value !== undefined) set[name] = value;
  }
  // Credentials of one kind replace those of the other.
  const { apiKey, clientId, clientSecret, issuer, ...rest } = profile;
  if (flags.issuer) {
    const { url = rest.url, workspace = rest.workspace } = set;
    return { url, workspace, issuer: flags.issuer };
  }
  const isReplaced = set.apiKey !== undefined || set.clientId !== undefined;
  if (!isReplaced && !isSameService(set, rest) && describeCredentials(profile) !== undefined)
    throw new UsageError(
      `The stored credentials are for ${rest.url!}, and are not sent to ${set.url!} (${flags.url ? '--url' : VARIABLES.url}). Give the credentials with the address: by environment variables, or by flags of \`atrium login\`.`,
    );
  return { ...(isReplaced ? rest : profile), ...set };
}

/** Also if an address is not known yet. */
export function isSameService({ url: one }: Profile, { url: other }: Profile): boolean {
  return one === undefined || other === undefined || originOf(one) === originOf(other);
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);
