import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../../../platform/config/config.js';
import { validateDto } from '../../../platform/http/validation/validation.pipe.js';
import { CatalogRepository } from '../catalog/catalog.repository.js';
import { readTableRef } from '../catalog/table-ref.decorator.js';
import { ImportQueryDto } from './dto/imports.dto.js';
import { ImportFile } from './import-file.js';
import { ImportReceiver } from './import-receiver.js';
import { parseReplacement } from './replacement-parser.js';
import { readFileType } from './upload-headers.js';

/**
 * Receives the file of an import into a temporary file. It is a guard because the idempotency interceptor, which runs
 * before the handler, needs the hash of the file. The body guard does not read the body of this route.
 */
@Injectable()
export class ImportUploadGuard implements CanActivate {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly receiver: ImportReceiver,
    private readonly config: Config,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const query = await validateDto(ImportQueryDto, { ...request.query });
    const table = await this.catalog.get(readTableRef(request));
    const type = readFileType(request.headers, query, table);
    const replacement = await parseReplacement(this.catalog, table, query);
    const { workspaceId, id, entity, name } = table;
    await this.receiver.receive(request, response, {
      workspaceId,
      table: { id, type: entity, name },
      query,
      digest: `${type.mediaType} ${type.isCompressed}`,
      readTables: (path) => {
        const file = new ImportFile({ path }, type, this.config);
        return Promise.resolve([{ table: { entity, name, id }, file, replacement }]);
      },
    });
    return true;
  }
}
