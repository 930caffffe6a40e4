import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { defineErrors } from '../../../packages/errors/src/error-definition.js';
import { AUTHENTICATION } from '../../platform/security/security.errors.js';
import { INVALID_TOKEN_CHALLENGE, RejectedSubjectError } from '../auth/auth.errors.js';

export const IDENTITY_ERRORS = defineErrors(AUTHENTICATION, {
  unknown_issuer: {
    kind: 'unauthenticated',
    message: 'This service does not trust the issuer of the access token. The operator adds it with "issuer add".',
    meaning: 'The claim `iss` of the access token is not the URL of an issuer that the operator has added.',
    remedy:
      'Compare `iss` of a token with `operator issuer list`, including a slash at its end. Entra ID must issue tokens of version 2.',
  },
  wrong_audience: {
    kind: 'unauthenticated',
    message:
      'The access token is for the audience "account", and this service requires "https://atrium.example.com". Change the audience at the issuer, or add the issuer with the other one.',
    meaning: 'The issuer is trusted, and its token is valid, but for another service.',
    remedy: 'Request the token for this service, or remove the issuer and add it with the right `--audience`.',
  },
  issuer_unavailable: {
    kind: 'unavailable',
    message: 'The keys of the issuer cannot be read now. Repeat the request.',
    meaning:
      'The issuer did not answer, or not with valid metadata and keys, and the service has no keys of it from the last day.',
    remedy: 'Repeat the request. The log of the service contains the cause. Own tokens and API keys work meanwhile.',
  },
  not_a_member: {
    kind: 'forbidden',
    message:
      'You are signed in, but no workspace gives you access. Ask an owner of a workspace to invite you by the email address that your identity provider has verified.',
    meaning:
      'The token is valid, but its subject is not an active user of this service: no workspace has invited the verified email address, its domain is not one of the issuer, the membership is suspended, or the user has another identity.',
    remedy:
      'An owner invites the address or provisions the user. The operator checks the domains with `issuer list`, and the claims of the token with the guide.',
  },
  issuer_exists: {
    kind: 'conflict',
    message: 'The issuer https://login.example.com is trusted already. Remove it first.',
    meaning: 'There is an issuer with this URL.',
    remedy: 'Remove it and add it again. Removal forgets which users its subjects are.',
  },
  identity_exists: {
    kind: 'conflict',
    message: 'The subject is bound to another user or client. Disable that client, or choose another subject.',
    meaning: 'The subject of the issuer is a person or another client of this service.',
    remedy: 'Use the subject of the machine. `operator client disable` releases the subject of a client.',
  },
});

interface IssuedToken {
  issuer: { url: string };
  subject: string;
}

/** The token is genuine, and for another service. Thrown only after the signature is verified. */
export class WrongAudienceError extends DomainError {
  constructor(actual: string, expected: string) {
    const message = `The access token is for the audience "${actual}", and this service requires "${expected}". Change the audience at the issuer, or add the issuer with the other one.`;
    super(IDENTITY_ERRORS.wrong_audience, message, { headers: INVALID_TOKEN_CHALLENGE });
  }
}

/** There are no keys that can verify a token. */
export class IssuerUnavailableError extends DomainError {
  constructor(detail: string) {
    super(IDENTITY_ERRORS.issuer_unavailable, undefined, { detail, retryAfterS: 5 });
  }
}

export class NotAMemberError extends RejectedSubjectError {
  /** @param userId null if no user is known. */
  constructor(detail: string, { issuer, subject }: IssuedToken, userId: string | null = null) {
    super(IDENTITY_ERRORS.not_a_member, { issuer: issuer.url, subject, userId: userId ?? undefined }, detail);
  }
}
