import type { AccessPolicy, AccessPolicyInput, WorkspaceClient } from '@atrium/client';
import { z } from 'zod';
import { confirm } from '../confirm.js';
import { type Context, openContext } from '../context.js';
import type { GlobalFlags } from '../global-flags.js';
import type { Io } from '../io.js';
import { readDocument } from '../mapping/read-document.js';
import { findId } from '../named.js';
import { formatTime, type Output } from '../output.js';
import { readUserNames } from '../user-names.js';

const POLICIES = '/v2/api/workspaces/{workspaceId}/access-policies';
const POLICY = `${POLICIES}/{id}` as const;
const CLIENTS = '/v2/api/workspaces/{workspaceId}/clients';
const CLIENT = `${CLIENTS}/{id}` as const;

/** The service validates the rules. */
const FILE = z.looseObject({ name: z.string() });

export async function listPolicies(flags: GlobalFlags, io: Io): Promise<void> {
  const context = await openContext(flags, io);
  const policies = await readPolicies(context);
  await context.output.table(policies, ['id', 'name', 'tables', 'scopes', 'changed'], (policy) => ({
    ...policy,
    tables: policy.tables ? policy.tables.map(({ entity, table }) => `${entity}/${table}`).join(', ') : 'all',
    scopes: policy.scopes?.join(' ') ?? 'all',
    changed: formatTime(policy.updatedAt),
  }));
}

/** Prints a policy as a file that `applyPolicy` reads. */
export async function showPolicy(idOrName: string, flags: GlobalFlags, io: Io): Promise<void> {
  const context = await openContext(flags, io);
  const { client, settings, output } = context;
  const id = await findPolicy(idOrName, context);
  const policy = await client.get(POLICY, { params: { path: { workspaceId: settings.workspace!, id } } });
  const { name, scopes, tables, notes } = policy;
  const { stringify } = await import('yaml');
  printWarnings(policy, output);
  output.result(policy, () => stringify({ name, scopes, tables, notes }));
}

/** Creates the policy of a file, or replaces the one with its name. */
export async function applyPolicy(file: string, flags: GlobalFlags, io: Io): Promise<void> {
  const body = (await readDocument(FILE, file, 'policy file', io)) as AccessPolicyInput;
  const context = await openContext(flags, io);
  const { client, settings, output } = context;
  const path = { workspaceId: settings.workspace! };
  const policies = await readPolicies(context);
  const existing = policies.find(({ name }) => name.toLowerCase() === body.name.toLowerCase());
  const policy = existing
    ? await client.put(POLICY, { params: { path: { ...path, id: existing.id } }, body })
    : await client.post(POLICIES, { params: { path }, body });
  printWarnings(policy, output);
  const verb = existing ? 'replaced. It applies from the next request on' : 'created';
  output.result(policy, () => `The access policy "${policy.name}" is ${verb}.\nID: ${policy.id}\n`);
}

/** Prints the rules that permit nothing now, for example because of a misspelled name. */
function printWarnings({ warnings = [] }: AccessPolicy, output: Output): void {
  for (const { field, message } of warnings) output.remark(`warning, ${field}: ${message}`);
}

export async function deletePolicy(
  idOrName: string,
  { yes, ...flags }: GlobalFlags & { yes?: boolean },
  io: Io,
): Promise<void> {
  const context = await openContext(flags, io);
  const { client, settings, output } = context;
  const id = await findPolicy(idOrName, context);
  const params = { path: { workspaceId: settings.workspace!, id } };
  const { name } = await client.get(POLICY, { params });
  await confirm(`Delete the access policy "${name}"?`, context, { yes, isRequired: true });
  await client.delete(POLICY, { params });
  output.result({ id, name }, () => `The access policy "${name}" is deleted.\n`);
}

export async function listClients(flags: GlobalFlags, io: Io): Promise<void> {
  const context = await openContext(flags, io);
  const clients = await nameMembers(await readClients(context), context);
  const policies = new Map((await readPolicies(context)).map(({ id, name }) => [id, name]));
  await context.output.table(clients, ['id', 'user', 'status', 'policy', 'created'], (each) => ({
    ...each,
    policy: each.policyId ? (policies.get(each.policyId) ?? each.policyId) : 'none',
    created: formatTime(each.createdAt),
  }));
}

export async function assignPolicy(policy: string, client: string, flags: GlobalFlags, io: Io): Promise<void> {
  await changeClient(client, policy, flags, io, 'has the access policy. It applies from the next request on');
}

export async function withdrawPolicy(client: string, flags: GlobalFlags, io: Io): Promise<void> {
  await changeClient(client, null, flags, io, 'has no access policy of its own');
}

async function changeClient(
  idOrName: string,
  policy: string | null,
  flags: GlobalFlags,
  io: Io,
  outcome: string,
): Promise<void> {
  const context = await openContext(flags, io);
  const { client, settings, output } = context;
  const id = await findClient(idOrName, context);
  const policyId = policy === null ? null : await findPolicy(policy, context);
  const params = { path: { workspaceId: settings.workspace!, id } };
  const changed = await client.patch(CLIENT, { params, body: { policyId } });
  output.result(changed, () => `The client ${id} ${outcome}.\n`);
}

/** The ID of a client that is named by its ID or its member. @throws {UsageError} */
async function findClient(idOrName: string, context: Context): Promise<string> {
  const clients = await readClients(context);
  if (clients.some(({ id }) => id === idOrName)) return idOrName;
  const named = await nameMembers(clients, context);
  return findId('client', idOrName, () => Promise.resolve(named.map(({ id, user }) => ({ id, name: user }))));
}

/** Clients with the names of their members, or with their IDs if the caller may not read members. */
async function nameMembers(clients: WorkspaceClient[], { client, settings }: Context) {
  const ids = clients.map(({ userId }) => userId);
  const names = await readUserNames(client, settings.workspace!, ids);
  return clients.map((each) => ({ ...each, user: names.get(each.userId) ?? each.userId }));
}

async function readClients({ client, settings }: Context): Promise<WorkspaceClient[]> {
  const clients: WorkspaceClient[] = [];
  for await (const each of client.paginate(CLIENTS, { params: { path: { workspaceId: settings.workspace! } } }))
    clients.push(each);
  return clients;
}

/** The ID of a policy that is named by its ID or name. @throws {UsageError} */
export function findPolicy(idOrName: string, context: Context): Promise<string> {
  return findId('access policy', idOrName, () => readPolicies(context));
}

async function readPolicies({ client, settings }: Context): Promise<AccessPolicy[]> {
  const policies: AccessPolicy[] = [];
  for await (const policy of client.paginate(POLICIES, { params: { path: { workspaceId: settings.workspace! } } }))
    policies.push(policy);
  return policies;
}
