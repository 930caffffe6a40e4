import type { AccessPolicyInput, WorkspaceClient } from '@atrium/client';
import { confirm } from '../confirm.js';
import type { WorkspaceContext } from '../context.js';
import { printWarnings } from '../failure.js';
import { toArray } from '../iteration.js';
import { findId } from '../named.js';
import { formatTime } from '../output.js';
import type { Program, Runner } from '../runner.js';
import { readUserNames } from '../user-names.js';

const POLICIES = '/v2/api/workspaces/{workspaceId}/access-policies';
const POLICY = `${POLICIES}/{id}` as const;
const CLIENTS = '/v2/api/workspaces/{workspaceId}/clients';
const CLIENT = `${CLIENTS}/{id}` as const;

export function addPolicyCommands(program: Program, { inWorkspace }: Runner): void {
  const policies = program.command('policies').description('list, show, apply, assign and delete access policies');
  policies
    .command('list')
    .description('list access policies, the newest first')
    .action(
      inWorkspace(async (context) => {
        const found = await readPolicies(context);
        await context.output.table(found, ['id', 'name', 'tables', 'scopes', 'changed'], (policy) => ({
          ...policy,
          tables: policy.tables ? policy.tables.map(({ entity, table }) => `${entity}/${table}`).join(', ') : 'all',
          scopes: policy.scopes?.join(' ') ?? 'all',
          changed: formatTime(policy.updatedAt),
        }));
      }),
    );
  policies
    .command('show <policy>')
    .description('print an access policy, by its name or ID, as the file that `apply` reads')
    .action(
      inWorkspace(async (context, text) => {
        const { client, workspaceId, output } = context;
        const path = { workspaceId, id: await findPolicy(text, context) };
        const policy = await client.get(POLICY, { params: { path } });
        const { name, scopes, tables, notes, warnings } = policy;
        const { stringify } = await import('yaml');
        // The rules that permit nothing now, for example because of a misspelled name.
        printWarnings(warnings, output);
        output.result(policy, () => stringify({ name, scopes, tables, notes }));
      }),
    );
  policies
    .command('apply <file>')
    .description('create the access policy of a YAML or JSON file, or replace the one with its name')
    .action(
      inWorkspace(async (context, file) => {
        const { client, workspaceId, io, output } = context;
        const [{ z }, { readDocument }] = await Promise.all([import('zod'), import('../files/read-document.js')]);
        // The service validates the rules.
        const named = z.looseObject({ name: z.string() });
        const body = (await readDocument(named, file, 'policy file', io)) as AccessPolicyInput;
        const all = await readPolicies(context);
        const existing = all.find(({ name }) => name.toLowerCase() === body.name.toLowerCase());
        const policy = existing
          ? await client.put(POLICY, { params: { path: { workspaceId, id: existing.id } }, body })
          : await client.post(POLICIES, { params: { path: { workspaceId } }, body });
        printWarnings(policy.warnings, output);
        const verb = existing ? 'replaced. It applies from the next request on' : 'created';
        output.result(policy, () => `The access policy "${policy.name}" is ${verb}.\nID: ${policy.id}\n`);
      }),
    );
  policies
    .command('delete <policy>')
    .description('delete an access policy, by its name or ID, that is not assigned')
    .option('--yes', 'do not ask')
    .action(
      inWorkspace(async (context, text, { yes }) => {
        const { client, workspaceId, output } = context;
        const id = await findPolicy(text, context);
        const params = { path: { workspaceId, id } };
        const { name } = await client.get(POLICY, { params });
        await confirm(`Delete the access policy "${name}"?`, context, { yes });
        await client.delete(POLICY, { params });
        output.result({ id, name }, () => `The access policy "${name}" is deleted.\n`);
      }),
    );
  policies
    .command('clients')
    .description('list the OAuth clients of members with their access policies')
    .action(
      inWorkspace(async (context) => {
        const clients = await nameMembers(await readClients(context), context);
        const names = new Map((await readPolicies(context)).map(({ id, name }) => [id, name]));
        await context.output.table(clients, ['id', 'user', 'status', 'policy', 'created'], (each) => ({
          ...each,
          policy: each.policyId ? (names.get(each.policyId) ?? each.policyId) : 'none',
          created: formatTime(each.createdAt),
        }));
      }),
    );
  policies
    .command('assign <policy> <client>')
    .description('restrict an OAuth client, by its ID or its member, by an access policy')
    .action(
      inWorkspace(async (context, policy, client) => {
        await changeClient(context, client, policy, 'has the access policy. It applies from the next request on');
      }),
    );
  policies
    .command('withdraw <client>')
    .description('remove the access policy of an OAuth client, by its ID or its member')
    .action(
      inWorkspace(async (context, client) => {
        await changeClient(context, client, null, 'has no access policy of its own');
      }),
    );
}

async function changeClient(
  context: WorkspaceContext,
  text: string,
  policy: string | null,
  outcome: string,
): Promise<void> {
  const { client, workspaceId, output } = context;
  const id = await findClient(text, context);
  const policyId = policy === null ? null : await findPolicy(policy, context);
  const changed = await client.patch(CLIENT, { params: { path: { workspaceId, id } }, body: { policyId } });
  output.result(changed, () => `The client ${id} ${outcome}.\n`);
}

/** The ID of a client that is named by its ID or its member. @throws {UsageError} */
async function findClient(text: string, context: WorkspaceContext): Promise<string> {
  const clients = await readClients(context);
  if (clients.some(({ id }) => id === text)) return text;
  const named = await nameMembers(clients, context);
  return findId('client', text, () => Promise.resolve(named.map(({ id, user }) => ({ id, name: user }))));
}

/** Clients with the names of their members, or with their IDs if the caller may not read members. */
async function nameMembers(clients: WorkspaceClient[], context: WorkspaceContext) {
  const names = await readUserNames(
    context,
    clients.map(({ userId }) => userId),
  );
  return clients.map((each) => ({ ...each, user: names.get(each.userId) ?? each.userId }));
}

const readClients = ({ client, workspaceId }: WorkspaceContext) =>
  toArray(client.paginate(CLIENTS, { params: { path: { workspaceId } } }));

/** The ID of a policy that is named by its ID or name. @throws {UsageError} */
export function findPolicy(text: string, context: WorkspaceContext): Promise<string> {
  return findId('access policy', text, () => readPolicies(context));
}

const readPolicies = ({ client, workspaceId }: WorkspaceContext) =>
  toArray(client.paginate(POLICIES, { params: { path: { workspaceId } } }));
