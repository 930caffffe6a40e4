import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Public, RequireScope, RequireSession } from '../../src/platform/security/require-scope.decorator.js';
import { SecurityModule } from '../../src/platform/security/security.module.js';

@Controller()
class DeclaredController {
  @Get('public')
  @Public()
  public() {}

  @Get('caller')
  @RequireSession()
  caller() {}

  @Get('scope')
  @RequireScope('read:tours', 'reader')
  scope() {}

  helper() {}
}

@Controller()
class ForgetfulController {
  @Get('forgotten')
  forgotten() {}
}

@Controller()
class RolelessController {
  @Get('roleless')
  @RequireScope('read:tours', undefined as never)
  roleless() {}
}

@Controller()
class InheritingController extends ForgetfulController {}

async function boot(controller: new () => object): Promise<void> {
  @Module({ imports: [SecurityModule], controllers: [controller] })
  class RoutesModule {}
  const app = await NestFactory.createApplicationContext(RoutesModule, { logger: false, abortOnError: false });
  await app.close();
}

/** Every end-to-end test starts the service with the same audit; this suite tests that it rejects. */
describe('RouteAudit', () => {
  it('accepts routes with @RequireScope(), @RequireSession() or @Public()', async () => {
    await expect(boot(DeclaredController)).resolves.toBeUndefined();
  });

  it.each([
    [ForgetfulController, 'ForgetfulController.forgotten'],
    [InheritingController, 'InheritingController.forgotten'],
    [RolelessController, 'RolelessController.roleless'],
  ])(
    'prevents the start and names a route without a declaration, or with a scope but without a role',
    async (controller, name) => {
      await expect(boot(controller)).rejects.toThrow(name);
    },
  );
});
