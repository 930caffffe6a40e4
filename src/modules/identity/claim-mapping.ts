import type { JWTPayload } from 'jose';
import * as z from 'zod';
import { ROLES, type Role } from '../../platform/security/roles.js';
import { isScope, type Scope, SCOPES } from '../../platform/security/scopes.js';

const MAX_SUBJECT_LENGTH = 255;

const claim = z.string().min(1).max(255);

/** Where the claims of an issuer contain what the service needs. A name with dots is a path: `realm_access.roles`. */
export const claimMappingSchema = z.strictObject({
  subject: claim.default('sub'),
  email: claim.default('email'),
  /** The claim that states that the issuer has verified the email address: `true`, `1`, or one of them as a text. */
  emailVerified: claim.default('email_verified'),
  scopes: claim.default('scope'),
  /** Removed from the start of each scope; scopes without it do not count. */
  scopePrefix: z.string().max(255).default(''),
  /** The scopes of a token of a person without the claim. */
  defaultScopes: z.array(z.enum(SCOPES as readonly [Scope, ...Scope[]])).default(['api']),
  /** Null if only groups that are provisioned count. */
  groups: claim.nullable().default('groups'),
  /** Of each workspace, the first entry whose group a token contains determines the membership. */
  memberships: z
    .array(
      z
        .strictObject({
          group: z.string().min(1).max(255),
          /** The slug or the ID; stored as the ID. */
          workspace: z.string().min(1).max(63),
          role: z.enum(ROLES as readonly [Role, ...Role[]]),
          /** The ID of an access policy; absent: none. */
          policy: z.uuid().toLowerCase().optional(),
        })
        .refine(({ role, policy }) => role !== 'owner' || policy === undefined, {
          path: ['policy'],
          error: 'an owner has no access policy; name another role, or no policy',
        }),
    )
    .max(1_000)
    .default([]),
});

export type ClaimMapping = z.infer<typeof claimMappingSchema>;

/** What differs from the defaults. */
export const PRESETS = {
  entra: { subject: 'oid', emailVerified: 'xms_edov', scopes: 'scp', groups: 'roles' },
  keycloak: { groups: 'realm_access.roles' },
} as const satisfies Record<string, Partial<ClaimMapping>>;

export type Preset = keyof typeof PRESETS;

/** The person or machine of a verified token, as the mapping of its issuer reads the claims. */
export interface Subject {
  subject: string;
  /** Absent unless the issuer has verified it. */
  email?: string;
  /** Absent without the claim. */
  scopes?: readonly Scope[];
  /** Absent if the token does not contain all of them. */
  groups?: readonly string[];
}

/** @returns undefined if the claims contain no subject. */
export function readSubject(mapping: ClaimMapping, claims: JWTPayload): Subject | undefined {
  const subject = find(claims, mapping.subject);
  if (!isStorable(subject) || subject === '' || subject.length > MAX_SUBJECT_LENGTH) return undefined;
  const email = find(claims, mapping.email);
  const isVerified = ['true', '1'].includes(String(find(claims, mapping.emailVerified)));
  return {
    subject,
    email: isStorable(email) && isVerified ? email : undefined,
    scopes: readScopes(mapping, claims),
    groups: readGroups(mapping, claims),
  };
}

/** PostgreSQL stores no U+0000, and parts of surrogate pairs would be stored as equal texts. */
function isStorable(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0');
}

function readScopes({ scopes: name, scopePrefix }: ClaimMapping, claims: JWTPayload): Scope[] | undefined {
  const value = find(claims, name);
  if (value === undefined) return undefined;
  const texts = typeof value === 'string' ? value.split(' ') : toTexts(value);
  return texts
    .filter((text) => text.startsWith(scopePrefix))
    .map((text) => text.slice(scopePrefix.length))
    .filter(isScope);
}

/** Entra ID omits the groups of a member of too many, and states where to read them. */
function readGroups({ groups: name }: ClaimMapping, claims: JWTPayload): string[] | undefined {
  if (name === null) return undefined;
  const value = find(claims, name);
  if (value !== undefined) return toTexts(value);
  const elsewhere = claims['_claim_names'];
  const isElsewhere = typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, name);
  return isElsewhere || claims['hasgroups'] !== undefined ? undefined : [];
}

function toTexts(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((each): each is string => typeof each === 'string');
}

/** A claim whose name is the whole text, or the one at the path. */
function find(claims: JWTPayload, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

/** What groups make of a membership. */
export interface MappedMembership {
  workspaceId: string;
  role: Role;
  /** Undefined leaves it unchanged. */
  policyId?: string | null;
}

/** The mapped workspaces. Without a matching group, the role is the least one, and the policy does not change. */
export function mapGroups(
  { memberships }: Pick<ClaimMapping, 'memberships'>,
  groups: readonly string[],
): MappedMembership[] {
  const workspaceIds = [...new Set(memberships.map(({ workspace }) => workspace))];
  return workspaceIds.map((workspaceId) => {
    const match = memberships.find(({ workspace, group }) => workspace === workspaceId && groups.includes(group));
    if (!match) return { workspaceId, role: 'reader' };
    return { workspaceId, role: match.role, policyId: match.policy ?? null };
  });
}
