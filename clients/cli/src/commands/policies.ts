import type { AccessPolicy, AccessPolicyInput } from '@atrium/client';
import { z } from 'zod';
import { confirm } from '../confirm.js';
import { openContext } from '../context.js';
import type { GlobalFlags } from '../global-flags.js';
import { readDocument } from '../mapping/read-document.js';
import { formatTime } from '../output.js';

const POLICIES = '/v2/api/workspaces/{workspaceId}/access-policies';
const POLICY = `${POLICIES}/{id}` as const;

/** The service validates the rules. */
const FILE = z.looseObject({ name: z.string() });

export async function listPolicies(flags: GlobalFlags): Promise<void> {
  const { client, settings, output } = await openContext(flags);
  const policies: AccessPolicy[] = [];
  for await (const policy of client.paginate(POLICIES, { params: { path: { workspaceId: settings.workspace! } } }))
    policies.push(policy);
  await output.table(policies, ['id', 'name', 'tables', 'scopes', 'changed'], (policy) => ({
    ...policy,
    tables: policy.tables ? policy.tables.map(({ entity, table }) => `${entity}/${table}`).join(', ') : 'all',
    scopes: policy.scopes?.join(' ') ?? 'all',
    changed: formatTime(policy.updatedAt),
  }));
}

/** A policy as a file that `applyPolicy` reads. */
export async function showPolicy(id: string, flags: GlobalFlags): Promise<void> {
  const { client, settings, output } = await openContext(flags);
  const policy = await client.get(POLICY, { params: { path: { workspaceId: settings.workspace!, id } } });
  const { name, scopes, tables } = policy;
  const { stringify } = await import('yaml');
  output.result(policy, () => stringify({ name, ...(scopes && { scopes }), ...(tables && { tables }) }));
}

/** Creates the policy of a file, or replaces the one with its name. */
export async function applyPolicy(file: string, flags: GlobalFlags): Promise<void> {
  const body = (await readDocument(FILE, file, 'policy file')) as AccessPolicyInput;
  const { client, settings, output } = await openContext(flags);
  const path = { workspaceId: settings.workspace! };
  let existing: AccessPolicy | undefined;
  for await (const policy of client.paginate(POLICIES, { params: { path } }))
    if (policy.name.toLowerCase() === body.name.toLowerCase()) existing = policy;
  const policy = existing
    ? await client.put(POLICY, { params: { path: { ...path, id: existing.id } }, body })
    : await client.post(POLICIES, { params: { path }, body });
  const verb = existing ? 'replaced. It applies from the next request on' : 'created';
  output.result(policy, () => `The access policy "${policy.name}" is ${verb}.\nID: ${policy.id}\n`);
}

export async function deletePolicy(id: string, { yes, ...flags }: GlobalFlags & { yes?: boolean }): Promise<void> {
  const context = await openContext(flags);
  const { client, settings, output } = context;
  const params = { path: { workspaceId: settings.workspace!, id } };
  const { name } = await client.get(POLICY, { params });
  await confirm(`Delete the access policy "${name}"?`, context, { ...(yes && { yes }), isRequired: true });
  await client.delete(POLICY, { params });
  output.result({ id, name }, () => `The access policy "${name}" is deleted.\n`);
}
