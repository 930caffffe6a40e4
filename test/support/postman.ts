import { setImmediate as settle } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';

interface Pair {
  key: string;
  value: string;
  disabled?: boolean;
  /** Of a part of a form. */
  contentType?: string;
}

type Auth = { type: string } & Record<string, Pair[]>;

export interface PostmanRequest {
  method: string;
  auth?: Auth;
  header: Pair[];
  url: { raw: string; query: Pair[]; variable: Pair[] };
  body?: { mode: string; raw?: string; formdata?: Pair[] };
}

export interface PostmanCollection {
  info: { name: string; schema: string };
  auth: Auth;
  event: { listen: string; script: { exec: string[] } }[];
  variable: Pair[];
  item: { name: string; item: { name: string; request: PostmanRequest }[] }[];
}

interface ScriptRequest {
  url: string;
  method: string;
  header?: Record<string, string>;
  body?: { urlencoded: Pair[] };
}

type Callback = (error: unknown, response?: { code: number; json: () => unknown; text: () => string }) => void;

/** Sends requests of a collection as Postman does: script, variables, parameters, authorization, body. */
export class PostmanRunner {
  readonly variables: Map<string, string>;

  constructor(
    readonly collection: PostmanCollection,
    values: Record<string, string>,
  ) {
    const defaults = collection.variable.map(({ key, value }): [string, string] => [key, value]);
    this.variables = new Map([...defaults, ...Object.entries(values)]);
  }

  /** @param values of parameters of the path */
  async send(name: string, values: Record<string, string> = {}): Promise<{ status: number; body: any }> {
    const found = this.collection.item.flatMap(({ item }) => item).find((item) => item.name === name);
    if (!found) throw new Error(`The collection has no request "${name}".`);
    await this.runScripts('prerequest');
    const { method, header, url, body, auth = this.collection.auth } = found.request;
    const response = await fetch(this.toUrl(url, values), {
      method,
      headers: [...this.toPairs(header), ...this.authorize(auth)],
      body: body && this.toBody(body),
    });
    const result = { status: response.status, body: await response.json() };
    const path = new URL(response.url).pathname;
    await this.runScripts('test', { request: { url: { getPath: () => path } }, response: { code: result.status } });
    return result;
  }

  private async runScripts(event: string, exchange: object = {}): Promise<void> {
    let pending: Promise<void>[] = [];
    const sendRequest = (request: ScriptRequest, callback: Callback) => {
      pending.push(this.sendFromScript(request, callback));
    };
    const pm = {
      variables: { get: (name: string) => this.variables.get(name), replaceIn: (text: string) => this.fill(text) },
      collectionVariables: { set: (name: string, value: string) => this.variables.set(name, value) },
      sendRequest,
      ...exchange,
    };
    const scripts = this.collection.event.filter(({ listen }) => listen === event);
    for (const { script } of scripts) runInNewContext(script.exec.join('\n'), { pm });
    while (pending.length > 0) {
      const current = pending;
      pending = [];
      await Promise.all(current);
      await settle();
    }
  }

  private async sendFromScript({ url, method, header = {}, body }: ScriptRequest, callback: Callback): Promise<void> {
    const fields = body?.urlencoded.map(({ key, value }): [string, string] => [key, value]);
    const response = await fetch(url, { method, headers: header, body: fields && new URLSearchParams(fields) });
    const text = await response.text();
    callback(null, { code: response.status, json: () => JSON.parse(text) as unknown, text: () => text });
  }

  private fill(text: string): string {
    return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
      const value = this.variables.get(name);
      if (value === undefined) throw new Error(`The collection has no variable "${name}".`);
      return value;
    });
  }

  private toPairs(pairs: Pair[]): [string, string][] {
    return pairs.filter(({ disabled }) => !disabled).map(({ key, value }) => [key, this.fill(value)]);
  }

  private toUrl({ raw, query, variable }: PostmanRequest['url'], values: Record<string, string>): string {
    const path = variable.reduce(
      (text, { key, value }) => text.replace(`:${key}`, encodeURIComponent(values[key] ?? value)),
      this.fill(raw),
    );
    return `${path}?${new URLSearchParams(this.toPairs(query)).toString()}`;
  }

  private authorize(auth: Auth): [string, string][] {
    const values = Object.fromEntries((auth[auth.type] ?? []).map(({ key, value }) => [key, this.fill(value)]));
    const { token, username, password, key, value } = values;
    if (auth.type === 'bearer') return [['Authorization', `Bearer ${token!}`]];
    if (auth.type === 'basic') return [['Authorization', `Basic ${btoa(`${username!}:${password!}`)}`]];
    return auth.type === 'apikey' ? [[key!, value!]] : [];
  }

  private toBody({ mode, raw, formdata }: NonNullable<PostmanRequest['body']>): string | FormData {
    if (mode === 'raw') return this.fill(raw!);
    const form = new FormData();
    for (const { key, value, contentType: type, disabled } of formdata!) {
      if (disabled) continue;
      if (type === undefined) form.append(key, this.fill(value));
      else form.append(key, new Blob([this.fill(value)], { type }));
    }
    return form;
  }
}
