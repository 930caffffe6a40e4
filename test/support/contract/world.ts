import { randomBytes } from 'node:crypto';
import { Agent, type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import { base64 } from '../files.js';
import { Api } from '../api.js';
import type { RunningService } from '../service.js';
import { Tables } from '../tables.js';
import type { Caller, PlannedRequest } from './requests.js';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Two workspaces with records. Each text of the second one contains `canary`, which no other caller may see. */
export class World {
  readonly canary = `canary${randomBytes(6).toString('hex')}`;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 8 });
  private readonly ids: Record<string, string[]> = {};
  private readonly credentials: Partial<Record<Caller, Record<string, string>>> = {};

  private constructor(private readonly service: RunningService) {}

  static async create(service: RunningService): Promise<World> {
    const world = new World(service);
    const me = await service.provision();
    const reader = await service.provision('Reader', ['read:projects']);
    const other = await service.provision(world.canary);
    const anonymous = new Api(service.baseUrl);
    Object.assign(world.credentials, {
      anonymous: {},
      unknown: { 'X-API-Key': 'wsk_unknown' },
      key: { 'X-API-Key': me.apiKey },
      token: (await anonymous.signIn(me)).headers,
      reader: (await anonymous.signIn(reader, ['read:projects'])).headers,
      foreign: { 'X-API-Key': other.apiKey },
    });
    await world.fill(Tables.of(service, other), world.canary);
    const own = await world.fill(Tables.of(service, me), 'mine');
    Object.assign(world.ids, own, { user: [reader.userId], workspace: [me.workspaceId] });
    return world;
  }

  close(): void {
    this.agent.destroy();
  }

  /** Sends the request as it is, without normalizing the path. */
  send(planned: PlannedRequest): Promise<Answer> {
    const { operation, caller, headers, chunked } = planned;
    const body = planned.body && Buffer.from(this.resolve(planned.body.toString('latin1'), false), 'latin1');
    const { hostname, port } = new URL(this.service.baseUrl);
    const sent: Record<string, string | number> = { ...this.credentials[caller], ...headers };
    if (chunked) sent['Transfer-Encoding'] = 'chunked';
    else if (body) sent['Content-Length'] = body.length;
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        {
          hostname,
          port,
          method: operation.method,
          path: this.resolve(planned.path, true),
          agent: this.agent,
          headers: sent,
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.once('error', reject);
          response.once('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            resolve({ status: response.statusCode!, headers: response.headers, text });
          });
        },
      );
      // Readers of events wait for 55 seconds at most.
      const seconds = /[?&]wait=/.test(planned.path) ? 85 : 30;
      const late = `No response to ${operation.method} ${planned.path} within ${seconds} seconds`;
      request.setTimeout(seconds * 1_000, () => request.destroy(new Error(late)));
      request.once('error', reject);
      request.end(body);
    });
  }

  /** Replaces references by IDs of this world. */
  private resolve(text: string, isEncoded: boolean): string {
    return text.replace(/(?:\{\{|%7B%7B)(\w+?)(?:\}\}|%7D%7D)/g, (_, kind: string) => {
      const ids = this.ids[kind] ?? ['none'];
      const id = ids[Math.floor(text.length % ids.length)]!;
      return isEncoded ? encodeURIComponent(id) : id;
    });
  }

  /** Creates records of each kind. @returns their IDs by kind. */
  private async fill(tables: Tables, name: string): Promise<Record<string, string[]>> {
    const { api, workspaceId } = tables;
    const columns = ['Code', 'Name'].map((each) => ({ name: each, type: 'text' }));
    for (const surface of ['locations', 'assets', 'lists'] as const) {
      await expectSuccess(
        tables.bulk(surface, {
          name,
          columns: [...columns, { name: 'Weight', type: 'number' }, { name: 'Parent', type: 'hierarchyParent' }],
          items: [
            { code: name, name, weight: 1, parent: '' },
            { code: `${name}-1`, name, weight: 2, parent: name },
          ],
        }),
      );
    }
    const project = await created(api.post('/v1/api/projects', { name, workspaceId }));
    const tour = await created(api.post('/v1/api/tours', { projectId: project, title: name }));
    const tag = await created(api.post('/v1/api/tags', { tourId: tour, label: name }));
    const note = await created(api.post('/v1/api/notes', { title: name, projectId: project }));
    const files = [base64('picture.png')];
    const withFile = await expectSuccess(api.post('/v1/api/notes', { title: name, projectId: project, files }));
    const staging = await created(
      api.post('/v1/api/virtual-stagings', { tourId: tour, type: 'stage', roomType: name, style: name, files }),
    );
    const text = JSON.stringify(withFile);
    const attachment = /\/attachments\/([0-9a-f-]{36})/.exec(text)?.[1] ?? project;
    return {
      project: [project],
      tour: [tour],
      tag: [tag],
      note: [note],
      staging: [staging],
      attachment: [attachment],
      table: [name],
      row: [name, `${name}-1`],
    };
  }
}

async function expectSuccess(sent: ReturnType<Api['post']>): Promise<Record<string, unknown>> {
  const { status, body } = await sent;
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return (body as { data: Record<string, unknown> }).data;
}

async function created(sent: ReturnType<Api['post']>): Promise<string> {
  return String((await expectSuccess(sent))['id']);
}
