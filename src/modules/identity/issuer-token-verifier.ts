import { hash } from 'node:crypto';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { ExpiredAccessTokenError, InvalidAccessTokenError } from '../auth/auth.errors.js';
import { readSubject, type Subject } from './claim-mapping.js';
import { WrongAudienceError } from './identity.errors.js';
import type { IssuerKeys } from './issuer-keys.js';
import type { TrustedIssuer } from './trusted-issuer.entity.js';

/** Only asymmetric ones: a service that verifies a token must not be able to issue one. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** The header `typ` of access tokens (RFC 9068), and that of issuers which mark all JWTs alike. */
const TYPES = ['at+jwt', 'application/at+jwt', 'jwt'];

/** How many seconds the clock of an issuer may be ahead. */
const FUTURE_LEEWAY_S = 30;

const MAX_LIFETIME_S = 24 * 3600;

/** A token whose signature and claims are right. */
export interface VerifiedToken extends Subject {
  issuer: TrustedIssuer;
  /** Of header and claims: of some algorithms, several signatures are valid. */
  digest: string;
  /** Seconds since 1970. */
  issuedAt: number;
  expiresAt: number;
  /** The version of the keys that verified it. */
  keys: string;
}

/** @throws {InvalidAccessTokenError | ExpiredAccessTokenError | WrongAudienceError | IssuerUnavailableError} */
export async function verifyToken(token: string, issuer: TrustedIssuer, keys: IssuerKeys): Promise<VerifiedToken> {
  const { errors, jwtVerify } = await import('jose');
  let version = '';
  const findKey: JWTVerifyGetKey = async (...args) => {
    const found = await keys.getKey(...args);
    version = found.version;
    return found.key;
  };
  const { payload, protectedHeader } = await jwtVerify(token, findKey, {
    algorithms: ALGORITHMS,
    issuer: issuer.url,
    requiredClaims: ['iat', 'exp', 'aud'],
    clockTolerance: FUTURE_LEEWAY_S,
  }).catch((error: unknown) => {
    if (error instanceof errors.JWTExpired) throw new ExpiredAccessTokenError();
    throw error instanceof DomainError ? error : new InvalidAccessTokenError(describe(error));
  });
  requireType(protectedHeader.typ, payload);
  // A caller with such a token must prove in addition to have the key (RFC 9449, RFC 8705).
  if (payload['cnf'] !== undefined) throw new InvalidAccessTokenError('bound to a key');
  const { iat = 0, exp = 0 } = payload;
  const now = Date.now() / 1000;
  // The tolerance of jose is for clocks that are ahead.
  if (exp <= now) throw new ExpiredAccessTokenError();
  if (iat > now + FUTURE_LEEWAY_S) throw new InvalidAccessTokenError('issued in the future');
  if (exp - iat > MAX_LIFETIME_S) throw new InvalidAccessTokenError(`valid for more than ${MAX_LIFETIME_S} s`);
  const audiences = [payload.aud ?? []].flat();
  if (!audiences.includes(issuer.audience)) throw new WrongAudienceError(audiences.join(', '), issuer.audience);
  const subject = readSubject(issuer.claims, payload);
  if (!subject) throw new InvalidAccessTokenError(`no subject in the claim ${issuer.claims.subject}`);
  const digest = hash('sha256', token.slice(0, token.lastIndexOf('.')), 'base64');
  return { ...subject, issuer, digest, issuedAt: iat, expiresAt: exp, keys: version };
}

/** Claims of ID tokens only: of the request, and of the token or the code that was issued together with it. */
const ID_TOKEN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash'];

/** Keycloak states the kind of a token in a claim, because all have the same header. */
function requireType(header: unknown, payload: JWTPayload): void {
  const { typ: claim } = payload;
  const isAccessToken =
    (header === undefined || (typeof header === 'string' && TYPES.includes(header.toLowerCase()))) &&
    (claim === undefined || (typeof claim === 'string' && claim.toLowerCase() === 'bearer'));
  if (!isAccessToken) throw new InvalidAccessTokenError('not an access token by its typ');
  // Former versions of Keycloak add the nonce to access tokens, too.
  if (claim !== undefined || (typeof header === 'string' && header.toLowerCase() !== 'jwt')) return;
  const idClaim = ID_TOKEN_CLAIMS.find((name) => payload[name] !== undefined);
  if (idClaim !== undefined) throw new InvalidAccessTokenError(`an ID token by its claim ${idClaim}`);
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
