import type { Credentials } from './credentials.js';

/** A response; a JSON body is parsed, any other body is text. */
export interface ApiResponse<T = any> {
  status: number;
  headers: Headers;
  body: T;
}

export interface RequestOptions {
  method?: string;
  headers?: Record<string, string>;
  /** Sent as JSON; a string or bytes are sent as they are. */
  body?: unknown;
}

/** A caller of the API; uses only HTTP. */
export class Api {
  constructor(
    readonly baseUrl: string,
    readonly headers: Record<string, string> = {},
  ) {}

  /** This caller with additional headers. */
  with(headers: Record<string, string>): Api {
    return new Api(this.baseUrl, { ...this.headers, ...headers });
  }

  withKey(apiKey: string): Api {
    return new Api(this.baseUrl, { 'X-API-Key': apiKey });
  }

  withToken(token: string): Api {
    return new Api(this.baseUrl, { Authorization: `Bearer ${token}` });
  }

  /** Signs in with the password grant. @returns a caller with the access token. */
  async signIn({ clientId, clientSecret }: Credentials, scope?: string[]): Promise<Api> {
    const answer = await this.token({
      grant_type: 'password',
      client_id: clientId,
      client_secret: clientSecret,
      scope,
    });
    if (answer.status !== 200) throw new Error(`Sign-in failed: ${JSON.stringify(answer.body)}`);
    return this.withToken(answer.body.data.access_token as string);
  }

  token(body: Record<string, unknown>, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.post('/v1/api/oauth2/token', body, headers);
  }

  get(path: string, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.send(path, { headers });
  }

  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.send(path, { method: 'POST', body, headers });
  }

  patch(path: string, body: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.send(path, { method: 'PATCH', body, headers });
  }

  put(path: string, body: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.send(path, { method: 'PUT', body, headers });
  }

  delete(path: string, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.send(path, { method: 'DELETE', headers });
  }

  async send(path: string, { method = 'GET', headers = {}, body }: RequestOptions = {}): Promise<ApiResponse> {
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...this.headers, ...headers },
      body: body === undefined ? undefined : raw ? (body as string) : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parse(text) };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
