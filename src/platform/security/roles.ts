/** The roles of a membership with their descriptions in the OpenAPI document. Each role includes those before it. */
const ROLE_DESCRIPTIONS = {
  reader: 'Reads only',
  editor: 'Reads and writes tables, projects, tours and notes',
  owner: 'Everything, with members, API keys, subscriptions, settings, approvals and the deletion of tables',
} as const;

export type Role = keyof typeof ROLE_DESCRIPTIONS;

/** The least powerful role first. */
export const ROLES = Object.keys(ROLE_DESCRIPTIONS) as readonly Role[];

/** The role of a new member, unless the request names another one. */
export const DEFAULT_ROLE: Role = 'editor';

/** Does a role permit what the required one permits? */
export function includesRole(role: Role, required: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(required);
}
