import { readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from './exit-codes.js';
import { createFolder } from './files/create-folder.js';

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
export function configDirectory(): string {
  return join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'atrium');
}

export function profileName(flag?: string): string {
  return flag ?? (process.env['ATRIUM_PROFILE'] || DEFAULT_PROFILE);
}

export const profilesPath = (): string => join(configDirectory(), 'profiles.json');

export function tokenPath(profile: string): string {
  return join(configDirectory(), `tokens-${encodeURIComponent(profile)}.json`);
}

/** @throws {UsageError} if `name` is not the default and does not exist. */
export async function readProfile(name: string): Promise<Profile> {
  const profile = (await readProfiles()).get(name);
  if (profile) return profile;
  if (name === DEFAULT_PROFILE) return {};
  throw new UsageError(`The profile "${name}" does not exist. Create it with \`atrium login --profile ${name}\`.`);
}

export async function listProfiles(): Promise<string[]> {
  return [...(await readProfiles()).keys()].sort();
}

export async function writeProfile(name: string, profile: Profile): Promise<string> {
  await createFolder(configDirectory(), 0o700);
  const path = profilesPath();
  const profiles = Object.fromEntries([...(await readProfiles()), [name, profile]]);
  // Readers see the former or the new file, never a part of it.
  const written = `${path}.${process.pid}`;
  await writeFile(written, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
  await rename(written, path);
  return path;
}

async function readProfiles(): Promise<Profiles> {
  try {
    const profiles: unknown = JSON.parse(await readFile(profilesPath(), 'utf8'));
    return new Map(Object.entries(profiles as Record<string, Profile>));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw new UsageError(`${profilesPath()} cannot be read. Correct it, or remove it and sign in.`);
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
export function withEnvironment(profile: Profile, flags: Profile = {}): Profile {
  const set: Profile = {};
  for (const [name, variable] of Object.entries(VARIABLES) as [keyof Profile, string][]) {
    const value = flags[name] ?? (process.env[variable] || undefined);
    if (value !== undefined) set[name] = value;
  }
  // Credentials of one kind replace those of the other.
  const { apiKey, clientId, clientSecret, ...rest } = profile;
  const isReplaced = set.apiKey !== undefined || set.clientId !== undefined;
  return { ...(isReplaced ? rest : profile), ...set };
}
