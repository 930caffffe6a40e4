import type { AtriumClient, Entity, TableClient, Workspace } from '@atrium/client';
import type { IssuerTokens } from '../../../packages/sign-in/src/issuer-client.js';
import { UsageError } from './exit-codes.js';
import type { GlobalFlags } from './global-flags.js';
import type { Io } from './io.js';
import { Output } from './output.js';
import { describeCredentials, type Profile, profileName, readProfile, tokenPath, withEnvironment } from './profiles.js';
import { ServiceWatch } from './service-watch.js';
import { toArray } from './iteration.js';

/** What a command needs: the service, the output, and a signal that Ctrl-C aborts. */
export interface Context {
  flags: GlobalFlags;
  client: AtriumClient;
  settings: Profile;
  io: Io;
  output: Output;
  signal: AbortSignal;
  watch: ServiceWatch;
}

export interface WorkspaceContext extends Context {
  workspaceId: string;
}

/** For commands of a workspace. If none is set, it is the only one of the caller. @throws {UsageError} */
export async function openContext(flags: GlobalFlags, io: Io): Promise<WorkspaceContext> {
  const context = await openSession(flags, io);
  const { workspace: workspaceId } = context.settings;
  if (workspaceId) return { ...context, workspaceId };
  const { id } = await findWorkspace(context.client);
  return { ...(await openSession(flags, io, { ...context.settings, workspace: id })), workspaceId: id };
}

/**
 * @param choose asks for the name of one of several
 * @throws {UsageError} if there is none, or several and no name
 */
export async function findWorkspace(
  client: AtriumClient,
  name?: string,
  choose?: (list: string) => Promise<string>,
): Promise<Workspace> {
  const found = await toArray(client.pages<Workspace>('/v1/api/workspaces'));
  const list = found.map((workspace) => `\n  ${workspace.id}  ${workspace.name}`).join('');
  if (name === undefined && found.length > 1) {
    if (choose) return findWorkspace(client, await choose(list));
    throw new UsageError(`Choose a workspace with --workspace of \`atrium login\`, or ATRIUM_WORKSPACE:${list}`);
  }
  const selected =
    name === undefined ? found[0] : found.find(({ id, slug, name: title }) => [id, slug, title].includes(name));
  if (!selected)
    throw new UsageError(
      name === undefined
        ? 'These credentials have no workspace. Accept an invitation (POST /v1/api/users/me/invitations/{id}/accept), or ask for one.'
        : `The workspace "${name}" does not exist, or is not yours. Yours are:${list}`,
    );
  return selected;
}

/**
 * For commands that need no workspace.
 *
 * @param profile instead of the stored one
 * @param tokens of a new sign-in at the issuer of the profile
 * @throws {UsageError} if the address or the credentials are missing.
 */
export async function openSession(
  flags: GlobalFlags,
  io: Io,
  overrides: Profile = {},
  profile?: Profile,
  tokens?: IssuerTokens,
): Promise<Context> {
  const name = profileName(flags.profile, io);
  const settings = withEnvironment(profile ?? (await readProfile(name, io)), io, overrides);
  const output = new Output(flags, io);
  const { url, apiKey, clientId, clientSecret, issuer, workspace } = settings;
  if (!url || describeCredentials(settings) === undefined)
    throw new UsageError('You are not signed in. Run `atrium login`, or set ATRIUM_URL and ATRIUM_API_KEY.');
  const { AtriumClient } = await import('@atrium/client');
  const signal = io.catchInterrupt();
  const watch = new ServiceWatch(url.replace(/\/+$/, ''), output);
  const options = { baseUrl: url, signal, fetch: watch.fetch, workspaceId: workspace };
  const context = { flags, settings, io, output, signal, watch };
  if (apiKey) return { client: new AtriumClient({ ...options, apiKey }), ...context };
  const { FileTokenStore } = await import('@atrium/client/node');
  const tokenStore = new FileTokenStore(tokenPath(name, settings, io));
  if (issuer) {
    const { IssuerSession } = await import('./sign-in/issuer-session.js');
    const session = new IssuerSession(issuer, tokenStore);
    if (tokens) await session.begin(tokens);
    return { client: new AtriumClient({ ...options, tokenSource: session }), ...context };
  }
  const client = new AtriumClient({ ...options, clientId: clientId!, clientSecret: clientSecret!, tokenStore });
  return { client, ...context };
}

/** Finds a table by its name or ID. @throws {UsageError} if several entities have it, or none. */
export async function findTable(client: AtriumClient, name: string, entity?: Entity): Promise<TableClient> {
  const found = await findTableIfExists(client, name, entity);
  if (found) return found;
  throw new UsageError(`The table "${name}" does not exist. \`atrium tables\` lists the tables of the workspace.`);
}

export async function findTableIfExists(
  client: AtriumClient,
  name: string,
  entity?: Entity,
): Promise<TableClient | undefined> {
  const matches = (await toArray(client.tables())).filter(
    (table) =>
      (table.name.toLowerCase() === name.toLowerCase() || table.id === name) &&
      (entity === undefined || table.type === entity),
  );
  if (matches.length > 1)
    throw new UsageError(
      `Several tables are named "${name}" (${matches.map(({ type }) => type).join(', ')}). Add --entity ${matches[0]?.type ?? ''}.`,
    );
  return matches[0] && client.table(matches[0].type, matches[0].name);
}
