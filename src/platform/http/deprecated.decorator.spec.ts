import type { AddressInfo } from 'node:net';
import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  type INestApplication,
  Injectable,
  Module,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, NestFactory } from '@nestjs/core';
import { ApiOperation, DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { Config } from '../config/config.js';
import { Deprecated } from './deprecated.decorator.js';
import { ReplyMetadataGuard } from './reply-metadata.guard.js';
import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { ReplyAdapter } from './reply-adapter.js';
import { Enveloped, Reply } from './envelope.js';
import { ErrorFilter } from './error.filter.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';

const DEPRECATION = { since: '2026-11-21', successor: '/v1/api/notes' };
const SUCCESSOR = '<https://atrium.test/v1/api/notes>; rel="successor-version"';
const HELP = '<https://atrium.test/guide/errors#unauthenticated>; rel="help"';

const CONFIG = { http: { publicUrl: 'https://atrium.test' } } as Config;

@Controller()
class OldController {
  @Get('old')
  @Deprecated(DEPRECATION)
  @ApiOperation({ summary: 'The old way' })
  @Enveloped(null)
  old() {
    return new Reply(null, { headers: { Link: '<https://atrium.test/old?cursor=x>; rel="next"' } });
  }

  @Get('old-of-workspace')
  @Deprecated({ since: '2026-11-21', successor: '/workspaces/{workspaceId}/new' })
  @ApiOperation({ summary: 'The old way' })
  @Enveloped(null)
  oldOfWorkspace() {}

  @Get('old-with-end')
  @Deprecated({ ...DEPRECATION, sunset: '2027-11-21' })
  @Enveloped(null)
  oldWithEnd() {}

  @Get('new')
  @ApiOperation({ summary: 'The new way' })
  @Enveloped(null)
  new() {}
}

let rejects = false;

@Injectable()
class RejectingGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (rejects)
      throw new DomainError(
        { ...HTTP_ERRORS.not_found, kind: 'unauthenticated', code: 'unauthenticated' },
        'Who is there?',
      );
    context.switchToHttp().getRequest().principal = { userId: 'me', workspaceIds: ['mine'], scopes: [] };
    return true;
  }
}

@Module({
  controllers: [OldController],
  providers: [
    { provide: Config, useValue: CONFIG },
    { provide: APP_GUARD, useClass: ReplyMetadataGuard },
    { provide: APP_GUARD, useClass: RejectingGuard },
    { provide: APP_GUARD, useClass: ReplyMetadataGuard },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
})
class OldModule {}

describe('a deprecated route', () => {
  let app: INestApplication;
  let baseUrl: string;

  beforeAll(async () => {
    app = await NestFactory.create(OldModule, new ReplyAdapter(CONFIG), { logger: false, abortOnError: false });
    await app.listen(0, '127.0.0.1');
    baseUrl = `http://127.0.0.1:${(app.getHttpServer() as { address(): AddressInfo }).address().port}`;
  });

  beforeEach(() => {
    rejects = false;
  });

  afterAll(() => app.close());

  it('has the deprecation headers and its successor in addition to its own links', async () => {
    const { status, headers } = await fetch(`${baseUrl}/old`);
    expect(status).toBe(200);
    // 2026-11-21T00:00:00Z.
    expect(headers.get('deprecation')).toBe('@1795219200');
    expect(headers.get('link')).toBe(`${SUCCESSOR}, <https://atrium.test/old?cursor=x>; rel="next"`);
  });

  it('has the date from which it may be absent, if one is set', async () => {
    const sunset = async (path: string) => (await fetch(baseUrl + path)).headers.get('sunset');
    expect(await sunset('/old-with-end')).toBe('Sun, 21 Nov 2027 00:00:00 GMT');
    expect(await sunset('/old')).toBeNull();
  });

  it('says so where it rejects', async () => {
    rejects = true;
    const { status, headers } = await fetch(`${baseUrl}/old`);
    expect([status, headers.get('deprecation')]).toEqual([401, '@1795219200']);
    expect(headers.get('link')).toBe(`${SUCCESSOR}, ${HELP}`);
  });

  it("names its successor in the caller's workspace, as far as it is known who calls", async () => {
    const link = async () => (await fetch(`${baseUrl}/old-of-workspace`)).headers.get('link');
    expect(await link()).toBe('<https://atrium.test/workspaces/mine/new>; rel="successor-version"');
    rejects = true;
    expect(await link()).toBe(
      `<https://atrium.test/workspaces/%7BworkspaceId%7D/new>; rel="successor-version", ${HELP}`,
    );
  });

  it('is the only one that does', async () => {
    const { status, headers } = await fetch(`${baseUrl}/new`);
    expect([status, headers.get('deprecation'), headers.get('link')]).toEqual([200, null, null]);
  });

  it('is deprecated in the document, which contains its summary', () => {
    const { paths } = SwaggerModule.createDocument(app, new DocumentBuilder().build());
    expect(paths['/old']!.get).toMatchObject({ summary: 'The old way', deprecated: true });
    expect(paths['/new']!.get!.deprecated).toBeUndefined();
  });
});
