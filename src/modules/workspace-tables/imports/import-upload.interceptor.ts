import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { readTableRef } from '../catalog/table-ref.decorator.js';
import type { ImportQueryDto } from './dto/imports.dto.js';
import { ImportFile } from './import-file.js';
import type { AnnouncedImport } from './import-receiver.js';
import { readFileType } from './upload-headers.js';
import { UploadInterceptor } from './upload.interceptor.js';

/** Receives the file of one table. */
@Injectable()
export class ImportUploadInterceptor extends UploadInterceptor {
  protected async announce(request: Request, query: ImportQueryDto): Promise<AnnouncedImport> {
    const table = await this.catalog.get(readTableRef(request));
    const type = readFileType(request.headers, query, table);
    const replacement = await this.readReplacement(table, query);
    const { view, id, entity, name } = table;
    return {
      view,
      table: { id, type: entity, name },
      query,
      digest: `${type.mediaType} ${type.isCompressed}`,
      readTables: (path) => {
        const file = new ImportFile({ path }, type, this.config);
        return Promise.resolve([{ table: { entity, name, id }, file, ...replacement }]);
      },
    };
  }
}
