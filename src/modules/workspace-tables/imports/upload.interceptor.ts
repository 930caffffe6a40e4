import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { Config } from '../../../platform/config/config.js';
import { validateDto } from '../../../platform/http/validation/validation.pipe.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { callerView } from '../catalog/caller-view.js';
import { ImportQueryDto } from './dto/imports.dto.js';
import { type AnnouncedImport, ImportReceiver } from './import-receiver.js';
import type { ReceivedTable } from './pending-import.js';
import { parseReplacement, parseScope } from './replacement-parser.js';

/**
 * Receives the file of an import into a temporary file, before the idempotency interceptor, which needs its hash and is
 * the last one of each route.
 */
@Injectable()
export abstract class UploadInterceptor implements NestInterceptor {
  constructor(
    protected readonly catalog: CatalogRepository,
    private readonly receiver: ImportReceiver,
    protected readonly config: Config,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const query = await validateDto(ImportQueryDto, { ...request.query });
    await this.receiver.receive(request, response, await this.announce(request, query));
    return next.handle();
  }

  /** The import according to the headers and the parameters of the request. @throws {DomainError} */
  protected abstract announce(request: Request, query: ImportQueryDto): AnnouncedImport | Promise<AnnouncedImport>;

  /** Which stored rows the file replaces. @throws {DomainError} */
  protected async readReplacement(
    table: CatalogTable,
    query: ImportQueryDto,
  ): Promise<Pick<ReceivedTable, 'replacement' | 'readScope'>> {
    const { view, entity, id } = table;
    const ref = () => ({ view: callerView(view.workspaceId), entity, table: id });
    return {
      replacement: await parseReplacement(this.catalog, table, query),
      readScope: async () => parseScope(this.catalog, await this.catalog.get(ref()), query),
    };
  }
}
