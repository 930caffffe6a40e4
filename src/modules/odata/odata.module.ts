import { Module } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import type { FindErrorForm } from '../../platform/http/unreadable-requests.js';
import { NotesModule } from '../notes/notes.module.js';
import { WorkspaceTablesModule } from '../workspace-tables/workspace-tables.module.js';
import { ChangesService } from './changes.service.js';
import { EntitySetsService } from './entity-sets.service.js';
import { ODataController } from './odata.controller.js';
import { sendODataFailure, toODataError } from './odata-endpoint.decorator.js';
import { ODataNotImplementedError } from './odata.errors.js';
import { PowerBiController } from './power-bi.controller.js';
import { RowsService } from './rows.service.js';

/** Routes ignore letter case, too. */
const BELOW_ROOT = /^\/odata(?:\/|$)/i;

const WITH_SLASH = /^\/odata\/v4\/.*[^/]\/$/i;
const BATCH_ADVICE = 'batches are not supported. Send each request by itself; in UI5 set the groupId "$direct".';

/** The tables and notes of a workspace as an OData service. */
@Module({
  imports: [NotesModule, WorkspaceTablesModule],
  controllers: [ODataController, PowerBiController],
  providers: [ChangesService, EntitySetsService, RowsService],
})
export class ODataModule {
  /**
   * Middleware: errors below the root of the feeds have the form of OData, also those of unknown paths and methods. The
   * URLs of the feed and of its sets may end with a slash, as some clients send them; paths of other routes must not.
   */
  static readonly prepareRequest = (request: Request, _: Response, next: NextFunction): void => {
    const { method, path } = request;
    if (!BELOW_ROOT.test(path)) {
      next();
      return;
    }
    request.sendFailure = sendODataFailure;
    if (WITH_SLASH.test(path)) request.url = path.slice(0, -1) + request.url.slice(path.length);
    const isBatch = method === 'POST' && request.path.endsWith('/$batch');
    next(isBatch ? new ODataNotImplementedError('$batch', BATCH_ADVICE) : undefined);
  };

  /** The form of errors of requests that cannot be read. */
  static readonly findErrorForm: FindErrorForm = (path, failure, requestId) =>
    BELOW_ROOT.test(path) ? toODataError(failure, requestId) : undefined;
}
