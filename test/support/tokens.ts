import type { ApiResponse, Api } from './api.js';
import type { Credentials } from './credentials.js';

/** `data` of a token response (specification, section 2.1). */
export interface TokenPair {
  access_token: string;
  token_type: string;
  expires_in: number;
  refresh_token: string;
  scope: string;
}

type Client = Pick<Credentials, 'clientId' | 'clientSecret'>;

/** Body of a token request by the password grant. */
export function passwordGrant({ clientId, clientSecret }: Client, scope?: string[]): Record<string, unknown> {
  return { grant_type: 'password', client_id: clientId, client_secret: clientSecret, scope };
}

/** Signs in; throws if that fails. */
export async function signIn(api: Api, client: Client, scope?: string[]): Promise<TokenPair> {
  const answer = await api.token(passwordGrant(client, scope));
  if (answer.status !== 200) throw new Error(`Sign-in failed: ${JSON.stringify(answer.body)}`);
  return answer.body.data as TokenPair;
}

/** Sends the refresh token, with additional fields. */
export function refresh(api: Api, token: string, more: Record<string, unknown> = {}): Promise<ApiResponse> {
  return api.token({ grant_type: 'refresh_token', refresh_token: token, ...more });
}

export function basic(clientId: string, clientSecret: string): { Authorization: string } {
  return { Authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` };
}

/** The parts of a JWT, decoded without verification. */
export function decode(token: string): { header: Record<string, any>; claims: Record<string, any> } {
  const [header, claims] = token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, any>);
  return { header: header!, claims: claims! };
}
