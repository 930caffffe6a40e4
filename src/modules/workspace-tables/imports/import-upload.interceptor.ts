import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { Config } from '../../../platform/config/config.js';
import { validateDto } from '../../../platform/http/validation/validation.pipe.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import { readTableRef } from '../catalog/table-ref.decorator.js';
import { ImportQueryDto } from './dto/imports.dto.js';
import { ImportFile } from './import-file.js';
import { ImportReceiver } from './import-receiver.js';
import { callerView } from '../catalog/caller-view.js';
import { parseReplacement, parseScope } from './replacement-parser.js';
import { readFileType } from './upload-headers.js';

/**
 * Receives the file of an import into a temporary file, before the idempotency interceptor, which needs its hash and is
 * the last one of each route.
 */
@Injectable()
export class ImportUploadInterceptor implements NestInterceptor {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly receiver: ImportReceiver,
    private readonly config: Config,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const query = await validateDto(ImportQueryDto, { ...request.query });
    const table = await this.catalog.get(readTableRef(request));
    const type = readFileType(request.headers, query, table);
    const replacement = await parseReplacement(this.catalog, table, query);
    const { view, id, entity, name } = table;
    await this.receiver.receive(request, response, {
      view,
      table: { id, type: entity, name },
      query,
      digest: `${type.mediaType} ${type.isCompressed}`,
      readTables: (path) => {
        const file = new ImportFile({ path }, type, this.config);
        const readScope = async () =>
          parseScope(
            this.catalog,
            await this.catalog.get({ view: callerView(view.workspaceId), entity, table: id }),
            query,
          );
        return Promise.resolve([{ table: { entity, name, id }, file, replacement, readScope }]);
      },
    });
    return next.handle();
  }
}
