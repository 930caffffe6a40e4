import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Config } from '../../platform/config/config.js';
import { Public } from '../../platform/security/require-scope.decorator.js';
import { type DemoCredentials, DemoService } from './demo.service.js';

const LOOPBACK = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/;
const LOCAL_NAME = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/**
 * The credentials of the demo for the button of Swagger UI, only for a browser on the machine of the service. A proxy
 * on this machine may look like one, so a service in production, or with a `PUBLIC_URL` of another machine, never
 * returns them.
 */
@ApiExcludeController()
@Controller('docs/demo')
export class DemoController {
  private readonly isForThisMachine: boolean;

  constructor(
    private readonly demo: DemoService,
    { production, http }: Config,
  ) {
    this.isForThisMachine = !production && LOCAL_NAME.test(new URL(http.publicUrl).host);
  }

  /** 204 if there is no demo, or the request is not from this machine. */
  @Get()
  @Public()
  find(@Req() request: Request, @Res({ passthrough: true }) response: Response) {
    response.set('Cache-Control', 'no-store');
    const { credentials } = this.demo;
    if (!credentials || !this.isForThisMachine || !isLocal(request)) {
      response.status(204);
      return undefined;
    }
    const { clientId, clientSecret, apiKey }: DemoCredentials = credentials;
    return { clientId, clientSecret, apiKey };
  }
}

/**
 * A proxy on this machine has a local address, too, but sends `Forwarded` headers. The name of the host protects
 * against pages of other origins whose names resolve to this machine.
 */
function isLocal({ socket, headers }: Request): boolean {
  const isProxied = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'via'].some((name) =>
    Object.hasOwn(headers, name),
  );
  return !isProxied && LOOPBACK.test(socket.remoteAddress ?? '') && LOCAL_NAME.test(headers.host ?? '');
}
