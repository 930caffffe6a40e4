import type { RunningService } from './service.js';
import type { Credentials } from './credentials.js';

export interface ODataAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body if it is JSON. */
  body: any;
}

type Options = Record<string, string | number>;

/** Requests to the OData feed of a workspace, as Excel sends them: with an API key as the password. */
export class ODataFeed {
  readonly root: string;
  private readonly baseUrl: string;

  constructor(
    service: RunningService,
    readonly credentials: Pick<Credentials, 'apiKey' | 'workspaceId'>,
  ) {
    this.baseUrl = service.baseUrl;
    this.root = `${service.baseUrl}/odata/v4/${credentials.workspaceId}`;
  }

  get authorization(): string {
    return `Basic ${Buffer.from(`any:${this.credentials.apiKey}`).toString('base64')}`;
  }

  /** @param path below the root, or a link of a response */
  async get(path: string, options: Options = {}, headers: Record<string, string> = {}): Promise<ODataAnswer> {
    // The shared services advertise another address.
    const url = path.startsWith('http') ? path.replace(/^https?:\/\/[^/]+/, this.baseUrl) : `${this.root}${path}`;
    const query = Object.entries(options)
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&');
    const response = await fetch(query === '' ? url : `${url}?${query}`, {
      headers: { authorization: this.authorization, ...headers },
    });
    const text = await response.text();
    const isJson = (response.headers.get('content-type') ?? '').includes('json') && text !== '';
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  }
}
