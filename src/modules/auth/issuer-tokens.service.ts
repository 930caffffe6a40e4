import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Identity } from '../../platform/security/principal.js';

/**
 * @returns undefined if the token is not one of another issuer; otherwise its caller, or an error.
 */
type IssuerTokenAuthentication = (request: Request, token: string) => Promise<Identity> | undefined;

/** Access tokens of other issuers, which the module of the issuers verifies. */
@Injectable()
export class IssuerTokensService {
  authenticate: IssuerTokenAuthentication = () => undefined;
  /** The addresses of the issuers at which people sign in. */
  listSignInUrls: () => Promise<string[]> = () => Promise.resolve([]);
}
