import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { UnsupportedMediaTypeError } from '../../../../packages/errors/src/domain-error.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { UnknownTableError } from '../../../../packages/tables/src/catalog/tables.errors.js';
import type { View } from '../../../../packages/tables/src/catalog/view.js';
import { Config } from '../../../platform/config/config.js';
import { validateDto } from '../../../platform/http/validation/validation.pipe.js';
import { callerView } from '../catalog/caller-view.js';
import { readTableRef } from '../catalog/table-ref.decorator.js';
import { ImportQueryDto } from './dto/imports.dto.js';
import { ImportFile } from './import-file.js';
import { readImportForm, type TablePart } from './import-form.js';
import { parseFormat } from './import-options.js';
import { type AnnouncedImport, ImportReceiver } from './import-receiver.js';
import type { ReceivedTable } from './pending-import.js';
import { parseReplacement, parseScope } from './replacement-parser.js';
import { readFileType, readIsGzip } from './upload-headers.js';

/**
 * Receives the file of an import into a temporary file, before the idempotency interceptor, which needs its hash and is
 * the last one of each route. A route without a table in its path receives a form with a file per table.
 */
@Injectable()
export class UploadInterceptor implements NestInterceptor {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly receiver: ImportReceiver,
    private readonly config: Config,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const query = await validateDto(ImportQueryDto, { ...request.query });
    const announced = await (request.params['table'] === undefined
      ? this.announceForm(request, query)
      : this.announceFile(request, query));
    await this.receiver.receive(request, response, announced);
    return next.handle();
  }

  /** @throws {DomainError} */
  private async announceFile(request: Request, query: ImportQueryDto): Promise<AnnouncedImport> {
    const table = await this.catalog.get(readTableRef(request));
    const type = readFileType(request.headers, query, table);
    const readReplacement = await this.parseReplacement(table, query);
    const { view, id, entity, name } = table;
    return {
      view,
      table: { id, type: entity, name },
      query,
      digest: `${type.mediaType} ${type.isCompressed}`,
      readTables: (path) => {
        const file = new ImportFile({ path }, type, this.config);
        return Promise.resolve([{ table: { entity, name, id }, file, readReplacement }]);
      },
    };
  }

  /** @throws {DomainError} */
  private async announceForm(request: Request, query: ImportQueryDto): Promise<AnnouncedImport> {
    parseFormat(query);
    const contentType = request.headers['content-type'] ?? '';
    if (!/^multipart\/form-data\s*;/i.test(contentType))
      throw new UnsupportedMediaTypeError('Send multipart/form-data, with one part per table.');
    if (readIsGzip(request.headers)) throw new UnsupportedMediaTypeError('Compress the parts, not the form.');
    const view = callerView(request.params['workspaceId'] as string);
    // A replacement deletes no rows that others write while the form is received.
    const known = query.mode === 'replace' ? await this.catalog.listAll(view) : [];
    const revisions = new Map(known.map(({ id, revision }) => [id, revision]));
    return {
      view,
      table: null,
      query,
      digest: contentType,
      readTables: async (path) => {
        const tables: ReceivedTable[] = [];
        await readImportForm(path, contentType, async (part) => {
          const received = await this.readPart(view, path, part, query, revisions);
          tables.push(received);
          const { id, entity, name } = received.table;
          return id ?? `${entity}/${name.toLowerCase()}`;
        });
        return tables;
      },
    };
  }

  private async readPart(
    view: View,
    path: string,
    { entity, table, columns, headers, start, end }: TablePart,
    query: ImportQueryDto,
    revisions: ReadonlyMap<string, number>,
  ): Promise<ReceivedTable> {
    const found = await this.catalog.find(view, entity, table);
    if (!found && !columns) throw new UnknownTableError(entity, table);
    // The file may also name columns that are added.
    const type = readFileType(headers, query, columns ? undefined : found);
    const file = new ImportFile({ path, start, end }, type, this.config);
    if (!found) return { table: { entity, name: table.trim() }, file, columns };
    const { name, id } = found;
    const readReplacement = await this.parseReplacement({ ...found, revision: revisions.get(id) ?? 0 }, query);
    return { table: { entity, name, id }, file, columns, readReplacement };
  }

  /** Which stored rows the file replaces. @throws {DomainError} */
  private async parseReplacement(
    table: CatalogTable,
    query: ImportQueryDto,
  ): Promise<NonNullable<ReceivedTable['readReplacement']>> {
    const replacement = await parseReplacement(this.catalog, table, query);
    const { view, entity, id } = table;
    return async () => {
      if (!replacement) return undefined;
      const current = await this.catalog.get({ view: callerView(view.workspaceId), entity, table: id });
      return { ...replacement, selectScope: await parseScope(this.catalog, current, query) };
    };
  }
}
