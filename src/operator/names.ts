import { isUuid } from '../../packages/sql/src/uuid.js';
import { NotFoundError } from '../../packages/errors/src/domain-error.js';
import type { Services } from './operator-application.js';

/** @param reference an ID, or the email address. @throws {NotFoundError} */
export async function getUserId({ users }: Services, reference: string): Promise<string> {
  if (isUuid(reference)) return reference;
  const user = await users.findByEmail(reference);
  if (!user) throw new NotFoundError(`The user ${reference}`);
  return user.id;
}

/** @param reference an ID, or the slug. @throws {NotFoundError} */
export async function getWorkspaceId({ workspaces }: Services, reference: string): Promise<string> {
  const workspace = await (isUuid(reference)
    ? workspaces.findWithDeleted(reference)
    : workspaces.findBySlug(reference));
  if (!workspace) throw new NotFoundError(`The workspace ${reference}`);
  return workspace.id;
}

/** What tables show instead of IDs: the email addresses of users, the slugs of workspaces, the end of API keys. */
export interface Names {
  user: (id: string | null) => string | null;
  workspace: (id: string | null) => string | null;
  apiKey: (id: string | null) => string | null;
}

export async function loadNames({ userAdministration, workspaces, apiKeys }: Services): Promise<Names> {
  const [allUsers, allWorkspaces, allKeys] = await Promise.all([
    userAdministration.list(),
    workspaces.list(),
    apiKeys.list(),
  ]);
  const emails = new Map(allUsers.map(({ id, email }) => [id, email]));
  const slugs = new Map(allWorkspaces.map(({ id, slug }) => [id, slug]));
  const ends = new Map(allKeys.map(({ id, last4 }) => [id, `…${last4}`]));
  // The audit log has entries of deleted records.
  return {
    user: (id) => id && (emails.get(id) ?? id),
    workspace: (id) => id && (slugs.get(id) ?? id),
    apiKey: (id) => id && (ends.get(id) ?? id),
  };
}
