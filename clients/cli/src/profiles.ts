import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from './exit-codes.js';
import { createFolder } from './files/written-paths.js';
import { type Io, toAbsolute } from './io.js';

/** How to reach a service, and as which caller. */
export interface Profile {
  url?: string;
  clientId?: string;
  clientSecret?: string;
  apiKey?: string;
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

export function tokenPath(profile: string, io: Io): string {
  return join(configDirectory(io), `tokens-${encodeURIComponent(profile)}.json`);
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
  const profiles = Object.fromEntries([...(await readProfiles(io)), [name, profile]]);
  // Readers see the former or the new file, never a part of it.
  const written = `${path}.${randomUUID()}`;
  await writeFile(written, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
  await rename(written, path);
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

const VARIABLES: Record<keyof Profile, string> = {
  url: 'ATRIUM_URL',
  workspace: 'ATRIUM_WORKSPACE',
  clientId: 'ATRIUM_CLIENT_ID',
  clientSecret: 'ATRIUM_CLIENT_SECRET',
  apiKey: 'ATRIUM_API_KEY',
};

/** Environment variables take precedence over the profile, flags over both. */
export function withEnvironment(profile: Profile, { env }: Io, flags: Profile = {}): Profile {
  const set: Profile = {};
  for (const [name, variable] of Object.entries(VARIABLES) as [keyof Profile, string][]) {
    const value = flags[name] ?? (env[variable] || undefined);
    if (value !== undefined) set[name] = value;
  }
  // Credentials of one kind replace those of the other.
  const { apiKey, clientId, clientSecret, ...rest } = profile;
  const isReplaced = set.apiKey !== undefined || set.clientId !== undefined;
  return { ...(isReplaced ? rest : profile), ...set };
}
