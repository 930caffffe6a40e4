import { Module } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { WorkspaceTablesModule } from '../workspace-tables/workspace-tables.module.js';
import { ChangesService } from './changes.service.js';
import { EntitySetsService } from './entity-sets.service.js';
import { ODataController } from './odata.controller.js';
import { PowerBiController } from './power-bi.controller.js';
import { RowsService } from './rows.service.js';

const ROOT = '/odata/v4/';

/** The tables of a workspace as an OData service. */
@Module({
  imports: [WorkspaceTablesModule],
  controllers: [ODataController, PowerBiController],
  providers: [ChangesService, EntitySetsService, RowsService],
})
export class ODataModule {
  /**
   * Middleware: the URLs of the feed and of its sets may end with a slash, as some clients send them. Paths of other
   * routes must not.
   */
  static readonly acceptEndingSlash = (request: Request, _: Response, next: NextFunction): void => {
    const { path } = request;
    if (path.startsWith(ROOT) && path.length > ROOT.length && path.endsWith('/'))
      request.url = path.slice(0, -1) + request.url.slice(path.length);
    next();
  };
}
