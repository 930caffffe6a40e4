import { findWorkspace, openSession } from '../context.js';
import type { GlobalFlags } from '../global-flags.js';
import { UsageError } from '../exit-codes.js';
import { Output } from '../output.js';
import { type Profile, profileName, readProfile, withEnvironment, writeProfile } from '../profiles.js';

export interface LoginFlags extends GlobalFlags {
  url?: string;
  clientId?: string;
  clientSecret?: string;
  apiKey?: string;
  workspace?: string;
}

/**
 * Verifies credentials and stores them in a profile. Without `--workspace`, the only workspace of the caller is chosen.
 */
export async function login(flags: LoginFlags): Promise<void> {
  const output = new Output(flags);
  const name = profileName(flags.profile);
  const former = await readProfile(name).catch(() => ({}));
  const settings: Profile = withEnvironment(former, flags);
  if (!settings.url)
    throw new UsageError('Set the address of the service with --url, for example http://localhost:3000.');
  if (!/^https?:\/\//.test(settings.url) || !URL.canParse(settings.url))
    throw new UsageError(`"${settings.url}" is not an address. Write it as http://localhost:3000.`);
  if (!settings.apiKey && !(settings.clientId && settings.clientSecret))
    throw new UsageError('Set --client-id and --client-secret, or --api-key.');
  // The credentials are verified before they are stored.
  const { client } = await openSession({ ...flags, profile: name }, settings, former);
  settings.workspace = await findWorkspace(client, settings.workspace);
  const workspace = await client.get('/v1/api/workspaces/{id}', { params: { path: { id: settings.workspace } } });
  const path = await writeProfile(name, settings);
  output.result(
    { profile: name, url: settings.url, workspace: workspace.id, path },
    () => `Signed in to "${workspace.name}". The profile "${name}" is in ${path}.\n`,
  );
}

export async function whoami(flags: GlobalFlags): Promise<void> {
  const { client, settings, output } = await openSession(flags);
  const workspace = settings.workspace
    ? await client.get('/v1/api/workspaces/{id}', { params: { path: { id: settings.workspace } } })
    : undefined;
  const found = {
    profile: profileName(flags.profile),
    url: settings.url,
    credentials: settings.apiKey ? 'API key' : `client ${settings.clientId ?? ''}`,
    workspace: workspace && { id: workspace.id, name: workspace.name },
  };
  output.result(
    found,
    () =>
      `${found.credentials} at ${settings.url ?? ''}, workspace ${workspace ? `"${workspace.name}" (${workspace.id})` : 'not set'}, profile ${found.profile}\n`,
  );
}

export async function logout(flags: GlobalFlags): Promise<void> {
  const { client, output } = await openSession(flags);
  await client.signOut();
  output.remark('Signed out. The profile remains; the next command signs in again.');
}
