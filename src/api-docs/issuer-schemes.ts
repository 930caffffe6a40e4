import type { OpenAPIObject } from '@nestjs/swagger';
import { BEARER_SCHEME } from '../platform/security/require-scope.decorator.js';
import { operationsOf } from './operations.js';

type Requirement = Record<string, string[]>;

/** An issuer whose tokens the service accepts. */
interface Issuer {
  url: string;
  name: string;
}

const SCHEME = 'openIdConnect';

/** @returns a document with the issuers as security schemes of all operations that accept a token. */
export function declareIssuers(document: OpenAPIObject, issuers: readonly Issuer[]): OpenAPIObject {
  if (issuers.length === 0) return document;
  const declared = structuredClone(document);
  const schemes = issuers.map(({ url, name }, index) => {
    const openIdConnectUrl = `${url.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const scheme = { type: 'openIdConnect', openIdConnectUrl, description: `An access token of ${name}.` } as const;
    return [index === 0 ? SCHEME : `${SCHEME}${index + 1}`, scheme] as const;
  });
  Object.assign(declared.components!.securitySchemes!, Object.fromEntries(schemes));
  const alternatives = schemes.map(([scheme]): Requirement => ({ [scheme]: [] }));
  for (const { security } of [declared, ...operationsOf(declared)] as { security?: Requirement[] }[])
    if (security?.some((each) => Object.hasOwn(each, BEARER_SCHEME))) security.push(...alternatives);
  return declared;
}
