import { type CanActivate, type ExecutionContext, Injectable, Logger, SetMetadata } from '@nestjs/common';
import type { Request, Response } from 'express';
import { v7 as uuid } from 'uuid';
import { Config } from '../../../platform/config/config.js';
import { onResponseEnd } from '../../../platform/body/body-memory.js';
import { NotFoundError } from '../../../platform/http/domain-error.js';
import { UnsupportedMediaTypeError } from '../../../platform/http/domain-error.js';
import { validateDto } from '../../../platform/http/validation/validation.pipe.js';
import { FileBodies } from '../../../platform/body/file-bodies.js';
import { type CatalogTable, CatalogRepository } from '../catalog/catalog.repository.js';
import type { EntityKind } from '../catalog/entity-kind.js';
import { ImportQueryDto } from './dto/imports.dto.js';
import { PendingImport, type ReceivedImport } from './pending-import.js';
import { ImportFile, MEDIA_TYPES, type MediaType } from './import-file.js';
import { ImportRecordsService } from './import-records.service.js';
import { ImportRun } from './import-run.js';
import { type ImportSlot, ImportSlots } from './import-slots.js';
import { ImportIdTakenError } from './imports.errors.js';

const ENTITY = Symbol('import-entity');

/** Whose tables the route imports into. */
export const ImportsInto = (entity: EntityKind): MethodDecorator => SetMetadata(ENTITY, entity);

/**
 * Takes the file of an import into the spool. A guard, since what stands between guards and handlers, Idempotency-Key
 * above all, has to know the file's hash. The body guard leaves the body to it.
 */
@Injectable()
export class ImportUploadGuard implements CanActivate {
  private readonly logger = new Logger(ImportUploadGuard.name);

  constructor(
    private readonly catalog: CatalogRepository,
    private readonly records: ImportRecordsService,
    private readonly bodies: FileBodies,
    private readonly slots: ImportSlots,
    private readonly config: Config,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const query = validateDto(ImportQueryDto, { ...request.query });
    const table = await this.getTable(request, Reflect.getMetadata(ENTITY, context.getHandler()) as EntityKind);
    const mediaType = mediaTypeOf(request);
    const isPacked = isGzip(request);
    const slot = this.slots.take();
    try {
      const { run, isTaken } = await this.begin(request, table, query);
      const file = await this.receive(request, response, { run, isTaken }, mediaType, isPacked);
      this.hold(request, response, { run, table, file, isTaken }, slot);
    } catch (error) {
      slot.leave();
      throw error;
    }
    return true;
  }

  private async getTable({ params }: Request, entity: EntityKind): Promise<CatalogTable> {
    const table = await this.catalog.find(String(params['workspaceId']).toLowerCase(), entity, String(params['table']));
    if (!table) throw new NotFoundError('The table');
    return table;
  }

  private async begin(
    request: Request,
    { workspaceId, id: tableId }: CatalogTable,
    { importId, dryRun }: ImportQueryDto,
  ): Promise<{ run: ImportRun; isTaken: boolean }> {
    const place = { workspaceId, id: importId?.toLowerCase() ?? uuid() };
    const { userId } = request.principal!;
    const hasKey = request.headers['idempotency-key'] !== undefined;
    const begun = await this.records.begin(place, { tableId, dryRun: dryRun === 'true', userId, mayRepeat: hasKey });
    // The same request again, perhaps, whose answer is known once its file has come.
    if (!begun && !hasKey) throw new ImportIdTakenError(place.id);
    const run = new ImportRun(this.records, place);
    if (begun) run.start();
    return { run, isTaken: !begun };
  }

  private async receive(
    request: Request,
    response: Response,
    { run, isTaken }: Pick<ReceivedImport, 'run' | 'isTaken'>,
    mediaType: MediaType,
    isPacked: boolean,
  ): Promise<ImportFile> {
    const { maxBytes } = this.config.imports;
    try {
      const came = (bytes: number) => void (run.figures.bytes = bytes);
      const { path, sha256 } = await this.bodies.receive(request, response, maxBytes, came, run.signal);
      if (request.headers['idempotency-key'] !== undefined) request.bodyDigest = `${mediaType} ${isPacked} ${sha256}`;
      return new ImportFile(path, mediaType, isPacked, { maxBytes, maxRowBytes: this.config.tables.rowMaxBytes });
    } catch (error) {
      await run.stop();
      if (!isTaken) await this.records.fail(run.place, run.figures, error);
      throw error;
    }
  }

  private hold(request: Request, response: Response, received: ReceivedImport, slot: ImportSlot): void {
    const { run, isTaken } = received;
    const held = new PendingImport(received, slot, async (wasCarriedOut) => {
      slot.leave();
      await run.stop();
      if (!wasCarriedOut && !isTaken) await this.records.forget(run.place);
    });
    request.tableImport = held;
    onResponseEnd(response, () => {
      // Where it fails, the record is found to be nobody's in a minute.
      held.letGo().catch((error: unknown) => this.logger.warn(`An import was not forgotten: ${String(error)}`));
    });
  }
}

/** @throws {UnsupportedMediaTypeError} */
function mediaTypeOf(request: Request): MediaType {
  const sent = request.headers['content-type'] ?? '';
  const [type = '', ...parameters] = sent.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length) ?? 'utf-8';
  const found = MEDIA_TYPES.find((each) => each === type);
  const taken = MEDIA_TYPES.join(' or ');
  if (!found)
    throw new UnsupportedMediaTypeError(
      `This takes ${taken}; the request has ${sent.slice(0, 100) || 'no Content-Type'}.`,
    );
  if (!/^"?utf-?8"?$/.test(charset))
    throw new UnsupportedMediaTypeError(`${found} is taken in UTF-8, not in ${charset.slice(0, 100)}.`);
  return found;
}

/** @throws {UnsupportedMediaTypeError} */
function isGzip({ headers }: Request): boolean {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'gzip' || encoding === 'x-gzip') return true;
  if (encoding === 'identity') return false;
  throw new UnsupportedMediaTypeError(`This takes gzip or nothing as Content-Encoding, not ${encoding.slice(0, 100)}.`);
}
