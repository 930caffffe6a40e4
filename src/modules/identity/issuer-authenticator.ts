import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import jwt from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { Config } from '../../platform/config/config.js';
import type { Identity } from '../../platform/security/principal.js';
import { grantsAny, SCOPES, type Scope } from '../../platform/security/scopes.js';
import { findNamedWorkspace } from '../../platform/security/workspace-access.js';
import { INVALID_TOKEN_CHALLENGE, InvalidAccessTokenError } from '../auth/auth.errors.js';
import { IdentitiesRepository, type FederatedCaller } from './identities.repository.js';
import { IdentitiesService } from './identities.service.js';
import { IDENTITY_ERRORS, NotAMemberError } from './identity.errors.js';
import { type VerifiedToken, verifyToken } from './issuer-token-verifier.js';
import { IssuersService } from './issuers.service.js';
import type { TrustedIssuer } from './trusted-issuer.entity.js';

/** A token with many groups; Node rejects headers of more than 16 kB together. */
const MAX_TOKEN_LENGTH = 16_384;

/** About 10 MB. */
const MAX_TOKENS = 10_000;

/** What is remembered of a token: its groups can be larger than the rest. */
type KnownToken = Pick<VerifiedToken, 'issuer' | 'subject' | 'scopes' | 'expiresAt' | 'keys'>;

/**
 * Authenticates access tokens of trusted issuers. Only the first use of a token verifies its signature; every use reads
 * issuer, subject, user and memberships, so that the removal of an issuer, a suspension and a changed role apply to the
 * next request. Changed keys of the issuer verify the token again.
 */
@Injectable()
export class IssuerAuthenticator {
  /** By the SHA-256 of the token: the tokens themselves do not remain in memory. */
  private readonly known = new LRUCache<string, KnownToken>({ max: MAX_TOKENS });

  constructor(
    private readonly issuers: IssuersService,
    private readonly identities: IdentitiesService,
    private readonly repository: IdentitiesRepository,
    private readonly config: Config,
  ) {}

  /** @returns undefined if the token names no issuer, or this service. */
  authenticate(request: Request, token: string): Promise<Identity> | undefined {
    if (token.length > MAX_TOKEN_LENGTH) return undefined;
    const url = readIssuer(token);
    return url === undefined || url === this.config.http.publicUrl ? undefined : this.identify(request, token, url);
  }

  /**
   * @throws {InvalidAccessTokenError | WrongAudienceError | NotAMemberError | IssuerUnavailableError}
   * @throws {DomainError} `unknown_issuer`
   */
  private async identify(request: Request, token: string, url: string): Promise<Identity> {
    const issuer = await this.issuers.find(url);
    if (!issuer)
      throw this.issuers.isConfigured
        ? new DomainError(IDENTITY_ERRORS.unknown_issuer, undefined, { headers: INVALID_TOKEN_CHALLENGE })
        : new InvalidAccessTokenError('no issuer is trusted');
    const workspaceId = findNamedWorkspace(request);
    const id = hash('sha256', token, 'base64');
    const known = this.find(id, issuer.id);
    if (known) {
      const caller = await this.repository.findForRequest(issuer.id, known.subject, workspaceId);
      if (caller?.userId != null) return this.toIdentity(known, caller);
      this.known.delete(id);
    }
    const verified = await this.verify(token, issuer);
    if (!verified) return this.identify(request, token, url);
    let caller = await this.repository.findForRequest(issuer.id, verified.subject, workspaceId);
    if (!caller) {
      // It was removed, and may have been added again with other settings.
      this.issuers.forget();
      return this.identify(request, token, url);
    }
    if (caller.userId === null) {
      await this.identities.link(verified);
      caller = await this.repository.findForRequest(issuer.id, verified.subject, workspaceId);
    }
    if (caller?.userId == null) throw new NotAMemberError('the subject is no longer bound to a user', verified);
    requireActive(verified, caller);
    await this.identities.acceptToken(verified, caller.userId, caller.clientId);
    const { issuer: issuedBy, subject, scopes, expiresAt, keys } = verified;
    this.known.set(id, { issuer: issuedBy, subject, scopes, expiresAt, keys });
    const current = await this.repository.findForRequest(issuer.id, verified.subject, workspaceId);
    if (current?.userId == null) throw new NotAMemberError('the subject is no longer bound to a user', verified);
    return this.toIdentity(verified, current);
  }

  /**
   * @returns undefined if the issuer was removed meanwhile, or added again with other settings.
   * @throws {InvalidAccessTokenError | WrongAudienceError | IssuerUnavailableError}
   */
  private async verify(token: string, issuer: TrustedIssuer): Promise<VerifiedToken | undefined> {
    try {
      return await verifyToken(token, issuer, this.issuers.getKeys(issuer));
    } catch (error) {
      if (await this.issuers.isCurrent(issuer)) throw error;
      return undefined;
    }
  }

  /** A token that this instance has verified with the present issuer and keys, and that has not expired. */
  private find(id: string, issuerId: string): KnownToken | undefined {
    const known = this.known.get(id);
    if (!known) return undefined;
    const isValid =
      known.issuer.id === issuerId &&
      known.keys === this.issuers.getKeys(known.issuer).version &&
      known.expiresAt > Date.now() / 1000;
    if (!isValid) this.known.delete(id);
    return isValid ? known : undefined;
  }

  private async toIdentity(token: KnownToken, caller: FederatedCaller): Promise<Identity> {
    requireActive(token, caller);
    const { userId, clientId, memberships, allowedScopes } = caller;
    if (memberships.length === 0 && !(await this.repository.isMemberOrInvited(userId!)))
      throw new NotAMemberError('the user is neither an active member nor invited', token, userId);
    const scopes = resolveScopes(token, allowedScopes);
    return { userId: userId!, clientId: clientId ?? undefined, memberships, scopes };
  }
}

/** The scopes of a token of a machine are restricted to those of its client. */
function resolveScopes({ scopes, issuer }: KnownToken, allowed: readonly Scope[] | null): readonly Scope[] {
  if (allowed === null) return scopes ?? issuer.claims.defaultScopes;
  return scopes ? SCOPES.filter((scope) => grantsAny(allowed, scope) && grantsAny(scopes, scope)) : allowed;
}

function requireActive(token: KnownToken, { isActive, userId }: FederatedCaller): void {
  if (!isActive) throw new NotAMemberError('the user is suspended, or the client is disabled', token, userId);
}

/** The claim `iss` of a token, which is not verified yet. */
function readIssuer(token: string): string | undefined {
  const [, payload, signature, ...more] = token.split('.');
  if (payload === undefined || signature === undefined || more.length > 0) return undefined;
  // Decoders ignore the spare bits of the last character, and accept two alphabets.
  if (Buffer.from(signature, 'base64url').toString('base64url') !== signature) return undefined;
  try {
    const { iss } = (jwt.decode(token, { json: true }) ?? {}) as { iss?: unknown };
    return typeof iss === 'string' ? iss : undefined;
  } catch {
    return undefined;
  }
}
